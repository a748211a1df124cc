"""Aspects: what a judgment says besides relevance, declared by name and by ordered labels.

A declaration is short text, a mapping or a small TOML file (:func:`leadline.io.aspect_files.load_aspects`)::

    relevance=nr,mr,fr,hr correctness=nc,pc,c          labels, lowest first
    relevance=0..3 correctness=nc:0,pc:1.5,c:3         numbers for the labels: the embedding
    relevance=0/-2,1,2,3 credibility*2=no,yes          -2 is read as 0; credibility weighs twice

From here on a label is its index (0 = lowest), a judgment a row of indices; −1 stands for "not assessed".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Rational
from os import PathLike, fspath
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leadline.errors import UnknownName, UsageError

__all__ = ["NOT_ASSESSED", "TUPLES", "Aspect", "AspectSet", "Feature", "Number", "Rule", "declare", "exact"]

Number: TypeAlias = int | float | str | Fraction
Condition: TypeAlias = tuple[str, tuple[str, ...]]  # an aspect and the labels it may carry

TUPLES = ("full", "feasible", "observed")
NOT_ASSESSED = "-"  # the token of a label that nobody gave

_NAME = re.compile(r"[A-Za-z_][\w-]*\Z")
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)\Z")
_RESERVED = re.compile(r"[\s,:=|&/]")
_SAME_AS = "same-as:"


def exact(value: Number, what: str = "value") -> Fraction:
    """A number without rounding; a float counts as the decimal number it prints.

    >>> exact(1.5), exact("3/2"), exact(0.1)
    (Fraction(3, 2), Fraction(3, 2), Fraction(1, 10))
    """
    try:
        if isinstance(value, bool):
            raise ValueError
        if isinstance(value, Rational):  # int() because numpy's integers would overflow inside a Fraction
            return Fraction(int(value.numerator), int(value.denominator))
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"{what}: expected a number such as 2, 1.5 or 3/2, got {value!r}") from None


@dataclass(frozen=True)
class Feature:
    """Where an aspect of *documents* comes from: a file ``doc value``, cut by thresholds or quantiles."""

    path: str
    thresholds: tuple[float, ...] | None = None
    quantiles: tuple[float, ...] | None = None
    higher: bool = True
    columns: str = "doc value"

    def __post_init__(self) -> None:
        if (self.thresholds is None) == (self.quantiles is None):
            raise UsageError(f"feature {self.path}: give either thresholds or quantiles")

    @property
    def cuts(self) -> tuple[float, ...]:
        """The thresholds or quantiles, one fewer than there are labels."""
        return self.thresholds if self.thresholds is not None else self.quantiles or ()


@dataclass(frozen=True)
class Aspect:
    """One aspect: its name, its labels from lowest to highest, and what they are worth.

    ``values`` is the embedding, one non-decreasing number for each label (without it 0, 1, 2, …); ``weight`` its
    importance, which stretches the embedding and is the aspect's share in CAM and MM; ``missing`` the rule for
    documents not assessed (``lowest``, ``error`` or ``same-as:OTHER``); ``aliases`` are further spellings, so that
    labels can be merged as they are read; ``qrels`` or ``feature`` name a file of the aspect's own.

    >>> Aspect("correctness", ("nc", "pc", "c"), values=(0, 1.5, 3)).numbers
    (Fraction(0, 1), Fraction(3, 2), Fraction(3, 1))
    """

    name: str
    labels: tuple[str, ...]
    values: Sequence[Number] | None = None
    weight: Number = 1
    missing: str = "lowest"
    aliases: tuple[tuple[str, str], ...] = ()
    qrels: str | None = None
    feature: Feature | None = None

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise UsageError(
                f"aspect name {self.name!r}: expected letters, digits, '_' or '-', e.g. relevance=nr,mr,hr"
            )
        where = f"aspect {self.name!r}"
        object.__setattr__(self, "labels", tuple(map(str, self.labels)))
        object.__setattr__(self, "aliases", tuple((str(a), str(b)) for a, b in self.aliases))
        self._check_labels(where)
        weight = exact(self.weight, f"{where}: weight")
        if weight < 0:
            raise UsageError(f"{where}: weight must be 0 or more, got {self.weight}")
        object.__setattr__(self, "weight", weight)
        if self.values is not None:
            object.__setattr__(self, "values", self._checked_values(where))
        if self.missing not in ("lowest", "error") and not self.missing.startswith(_SAME_AS):
            raise UsageError(f"{where}: missing must be lowest, error or same-as:OTHER, got {self.missing!r}")
        if self.feature is not None and len(self.feature.cuts) != len(self.labels) - 1:
            n = len(self.labels)
            raise UsageError(f"{where}: {n} labels need {n - 1} thresholds or quantiles, got {len(self.feature.cuts)}")

    def _check_labels(self, where: str) -> None:
        if len(self.labels) < 2:
            raise UsageError(
                f"{where}: expected at least two labels, lowest first, got {','.join(self.labels) or 'none'}"
            )
        spellings = [*self.labels, *(old for old, _ in self.aliases)]
        for label in spellings:
            if not label or _RESERVED.search(label) or label == NOT_ASSESSED:
                raise UsageError(
                    f"{where}: {label!r} cannot be a label (blanks and , : = | & / are taken, so is a lone -)"
                )
            if spellings.count(label) > 1:
                raise UsageError(f"{where}: label {label!r} is declared twice")
        for _, new in self.aliases:
            if new not in self.labels:
                raise UnknownName(f"label of {where}", new, self.labels)

    def _checked_values(self, where: str) -> tuple[Fraction, ...]:
        assert self.values is not None
        values = tuple(exact(v, f"{where}: values") for v in self.values)
        if len(values) != len(self.labels):
            raise UsageError(f"{where}: expected {len(self.labels)} values, one for each label, got {len(values)}")
        for i in range(1, len(values)):
            if values[i] < values[i - 1]:
                raise UsageError(
                    f"{where}: values must not decrease from the lowest label to the highest, got "
                    f"{self.labels[i - 1]}:{values[i - 1]} before {self.labels[i]}:{values[i]}"
                )
        return values

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """The embedding: the declared values, else 0, 1, 2, …"""
        if self.values is None:
            return tuple(map(Fraction, range(len(self.labels))))
        return tuple(exact(v) for v in self.values)

    @property
    def same_as(self) -> str | None:
        """The aspect whose label stands in for a missing one."""
        return self.missing[len(_SAME_AS) :] if self.missing.startswith(_SAME_AS) else None

    @property
    def spelling(self) -> dict[str, int]:
        """Index of each label and of each alias."""
        index = {label: i for i, label in enumerate(self.labels)}
        return index | {old: index[new] for old, new in self.aliases}

    def index(self, label: object) -> int:
        """Index of a label, by name or alias."""
        found = self.spelling.get(str(label))
        if found is None:
            raise UnknownName(f"label of aspect {self.name!r}", str(label), self.labels)
        return found

    def __str__(self) -> str:
        extra = {label: "".join(f"/{old}" for old, new in self.aliases if new == label) for label in self.labels}
        values = [""] * len(self.labels) if self.values is None else [f":{v}" for v in self.numbers]
        labels = ",".join(label + extra[label] + value for label, value in zip(self.labels, values, strict=True))
        return f"{self.name}{'' if self.weight == 1 else f'*{self.weight}'}={labels}"

    @classmethod
    def parse(cls, text: str) -> Aspect:
        """Read ``name=label,label,…``, ``name*weight=label:value,…`` or ``name=0..3``; the inverse of ``str``.

        >>> str(Aspect.parse("correctness*2=nc/wrong:0,pc:1.5,c:3"))
        'correctness*2=nc/wrong:0,pc:3/2,c:3'
        """
        head, sign, tail = text.partition("=")
        if not sign or not tail:
            raise UsageError(f"aspect {text!r}: expected NAME=LABEL,LABEL,… with the lowest label first")
        name, star, weight = head.partition("*")
        span = _RANGE.match(tail)
        items = [str(i) for i in range(int(span[1]), int(span[2]) + 1)] if span else tail.split(",")
        parts = [item.partition(":") for item in items]
        given = [value for _, colon, value in parts if colon]
        if given and len(given) < len(parts):
            bare = next(label for label, colon, _ in parts if not colon)
            raise UsageError(f"aspect {name!r}: label {bare!r} has no value; give every label one, or none of them")
        spelled = [label.split("/") for label, _, _ in parts]
        aliases = tuple((old, names[0]) for names in spelled for old in names[1:])
        labels = tuple(names[0] for names in spelled)
        return cls(name, labels, given or None, weight if star else 1, aliases=aliases)


@dataclass(frozen=True)
class Rule:
    """A feasibility rule: what holds for a tuple on the left must hold on the right.

    ``|`` separates alternatives, ``&`` joins conditions.

    >>> str(Rule.parse("relevance=nr|mr => correctness=nc"))
    'relevance=nr|mr => correctness=nc'
    """

    when: tuple[Condition, ...]
    then: tuple[Condition, ...]

    @classmethod
    def parse(cls, text: str) -> Rule:
        """Read ``relevance=nr => correctness=nc``."""
        sides = text.split("=>")
        if len(sides) != 2:
            raise UsageError(
                f"rule {text!r}: expected 'ASPECT=LABEL => ASPECT=LABEL', got {len(sides) - 1} arrows (=>)"
            )
        return cls(cls._side(sides[0], text), cls._side(sides[1], text))

    @staticmethod
    def _side(side: str, text: str) -> tuple[Condition, ...]:
        conditions = []
        for part in side.split("&"):
            name, sign, labels = (piece.strip() for piece in part.partition("="))
            alternatives = tuple(label.strip() for label in labels.split("|"))
            if not sign or not name or not all(alternatives):
                raise UsageError(f"rule {text!r}: expected ASPECT=LABEL (| between alternatives), got {part.strip()!r}")
            conditions.append((name, alternatives))
        return tuple(conditions)

    def __str__(self) -> str:
        return " => ".join(
            " & ".join(f"{name}={'|'.join(labels)}" for name, labels in side) for side in (self.when, self.then)
        )


@dataclass(frozen=True)
class AspectSet:
    """The aspects of a collection, the rules between them, and which label tuples count.

    ``tuples``: ``full`` (every combination of labels, the default), ``feasible`` (those the rules allow, the default
    when there are rules) or ``observed`` (those that occur in the judgments). ``main`` (the first aspect unless told)
    is the one whose lowest label means that nobody needed to assess the others.
    """

    aspects: tuple[Aspect, ...]
    rules: tuple[Rule, ...] = ()
    tuples: str = ""
    main: str = ""

    def __post_init__(self) -> None:
        if not self.aspects:
            raise UsageError("aspects: expected at least one, e.g. relevance=nr,mr,hr correctness=nc,c")
        names = self.names
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"aspect {name!r} is declared twice")
        if not any(self.weights):
            raise UsageError("aspects: all weights are 0; at least one aspect must count")
        object.__setattr__(self, "main", self.main or names[0])
        object.__setattr__(self, "tuples", self.tuples or ("feasible" if self.rules else "full"))
        if self.tuples not in TUPLES:
            raise UnknownName("choice of tuples", self.tuples, TUPLES)
        if self.tuples == "feasible" and not self.rules:
            raise UsageError("tuples='feasible' needs a rule, e.g. 'relevance=nr => correctness=nc'")
        self.position(self.main)
        for name, labels in (c for rule in self.rules for c in (*rule.when, *rule.then)):
            for label in labels:
                self[name].index(label)
        for aspect in self.aspects:
            self._check_same_as(aspect)

    def _check_same_as(self, aspect: Aspect) -> None:
        other = aspect.same_as
        if other is None:
            return
        if other == aspect.name or len(self[other].labels) != len(aspect.labels):
            raise UsageError(
                f"aspect {aspect.name!r}: missing='same-as:{other}' needs another aspect with as many labels "
                f"({len(aspect.labels)}), got {other!r} with {len(self[other].labels)}"
            )

    def __len__(self) -> int:
        return len(self.aspects)

    def __iter__(self) -> Iterator[Aspect]:
        return iter(self.aspects)

    def __getitem__(self, name: str) -> Aspect:
        return self.aspects[self.position(name)]

    def __str__(self) -> str:
        return " ".join(map(str, self.aspects))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the aspects, in order."""
        return tuple(a.name for a in self.aspects)

    @property
    def columns(self) -> list[tuple[str, tuple[str, ...]]]:
        """Name and labels of each aspect, as the reader of qrels takes them."""
        return [(a.name, a.labels) for a in self.aspects]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many labels each aspect has."""
        return tuple(len(a.labels) for a in self.aspects)

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """Importance of each aspect."""
        return tuple(exact(a.weight) for a in self.aspects)

    def position(self, name: str) -> int:
        """Column of an aspect."""
        if name not in self.names:
            raise UnknownName("aspect", name, self.names)
        return self.names.index(name)

    def with_values(self, values: Mapping[str, Sequence[Number]]) -> AspectSet:
        """The same aspects under other embeddings; those not named keep theirs."""
        for name in values:
            self.position(name)
        changed = (replace(a, values=tuple(values[a.name])) if a.name in values else a for a in self.aspects)
        return replace(self, aspects=tuple(changed))

    def with_weights(self, weights: Mapping[str, Number]) -> AspectSet:
        """The same aspects under other importance weights; those not named keep theirs."""
        for name in weights:
            self.position(name)
        return replace(self, aspects=tuple(replace(a, weight=weights.get(a.name, a.weight)) for a in self.aspects))

    def check(self, labels: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
        """The label rows, or an error that names the first index outside the declared labels."""
        rows = np.asarray(labels)
        if rows.ndim != 2 or rows.shape[1] != len(self) or not np.issubdtype(rows.dtype, np.integer):
            raise UsageError(
                f"labels: expected whole numbers of shape (judgments, {len(self)}) for {', '.join(self.names)}, "
                f"got {rows.dtype} of shape {rows.shape}"
            )
        wrong = (rows < 0) | (rows >= np.array(self.shape))
        if wrong.any():
            row, a = (int(i) for i in np.argwhere(wrong)[0])
            raise UsageError(
                f"labels, row {row}: index {int(rows[row, a])} of aspect {self.names[a]!r} lies outside its "
                f"{self.shape[a]} labels ({', '.join(self.aspects[a].labels)}); fill missing labels first"
            )
        return rows

    def spell(self, row: Iterable[int], *, values: bool = False) -> str:
        """A tuple of label indices as people write it, by names or by embedded numbers.

        >>> declare("relevance=nr,hr correctness=nc,pc,c").spell((1, 2))
        '(hr, c)'
        """
        words = (str(a.numbers[i]) if values else a.labels[i] for a, i in zip(self.aspects, row, strict=True))
        return f"({', '.join(words)})"

    def feasible(self, columns: Sequence[NDArray[np.integer[Any]]]) -> NDArray[np.bool_]:
        """Whether the rules allow each tuple; ``columns`` holds one array of label indices for each aspect.

        The columns may broadcast (an open grid, say).
        """
        ok = np.ones(np.broadcast_shapes(*(np.shape(c) for c in columns)), bool)
        for rule in self.rules:
            when, then = np.ones((), bool), np.ones((), bool)
            for name, labels in rule.when:
                when = when & self._carries(name, labels)[columns[self.position(name)]]
            for name, labels in rule.then:
                then = then & self._carries(name, labels)[columns[self.position(name)]]
            ok &= ~when | then
        return ok

    def apply_rules(self, labels: NDArray[np.integer[Any]]) -> tuple[NDArray[np.integer[Any]], NDArray[np.bool_]]:
        """Make every row feasible: where a rule is broken, its right side takes the lowest label it allows.

        Returns the new labels and which rows changed.
        """
        rows = self.check(labels).copy()
        for _ in range(len(self.rules) + 1):  # a rule may trigger another one
            for rule in self.rules:
                when = np.ones(len(rows), bool)
                for name, allowed in rule.when:
                    when &= self._carries(name, allowed)[rows[:, self.position(name)]]
                for name, allowed in rule.then:
                    a, mask = self.position(name), self._carries(name, allowed)
                    rows[when & ~mask[rows[:, a]], a] = int(np.argmax(mask))
        stuck = ~self.feasible(list(rows.T))
        if stuck.any():
            raise UsageError(
                f"rules contradict each other for {self.spell(rows[stuck][0])}: {'; '.join(map(str, self.rules))}"
            )
        return rows, (rows != labels).any(axis=1)

    def _carries(self, name: str, labels: Iterable[str]) -> NDArray[np.bool_]:
        aspect = self[name]
        mask = np.zeros(len(aspect.labels), bool)
        mask[[aspect.index(label) for label in labels]] = True
        return mask


def declare(
    spec: AspectSet | str | PathLike[str] | Sequence[str] | Mapping[str, Sequence[object] | str],
    *,
    rules: Iterable[str | Rule] = (),
    tuples: str | None = None,
) -> AspectSet:
    """Aspects from short text, a mapping name → labels, a TOML file, or an :class:`AspectSet` (returned as it is).

    >>> declare("relevance=0..2 correctness=nc,c", rules=["relevance=0 => correctness=nc"]).tuples
    'feasible'
    """
    if isinstance(spec, AspectSet):
        base = spec
    elif isinstance(spec, Mapping):
        base = AspectSet(tuple(_from_mapping(name, labels) for name, labels in spec.items()))
    else:
        words = [fspath(spec)] if isinstance(spec, PathLike) else spec.split() if isinstance(spec, str) else list(spec)
        if len(words) == 1 and words[0].endswith(".toml"):
            from leadline.io.aspect_files import load_aspects

            base = load_aspects(words[0])
        else:
            base = AspectSet(tuple(Aspect.parse(word) for word in words))
    added = tuple(rule if isinstance(rule, Rule) else Rule.parse(rule) for rule in rules)
    if not added and tuples is None:
        return base
    choice = tuples or ("feasible" if added and base.tuples == "full" else base.tuples)
    return replace(base, rules=base.rules + added, tuples=choice)


def _from_mapping(name: str, labels: Sequence[object] | str) -> Aspect:
    return Aspect.parse(f"{name}={labels}") if isinstance(labels, str) else Aspect(name, tuple(map(str, labels)))
