r"""Stopping rules: from the scores of a ranked list to the number of documents to return.

A policy is a small frozen object to use in production code::

    policy = Policy.from_json(text)
    shown = results[: policy.cut([r.score for r in results])]

===================  =================================================  ==================================
policy               keeps rank i while                                 parameter
===================  =================================================  ==================================
``fixed-k``          $i \le k$                                          ``k``
``score-threshold``  $s_1 \dots s_i \ge$ at                             ``at``, on the run's own scale
``relative-to-top``  $s_1 \dots s_i \ge$ share of $s_1$                 ``share``
``relative-drop``    it is above the largest drop $s_j - s_{j+1}$, if   ``gap``
                     that is at least ``gap`` of $s_1 - s_n$
``score-mass``       the documents above it hold less than ``share``    ``share``
                     of the list's total score
``z-score``          $s_1 \dots s_i \ge$ mean + at · sd of the list     ``at``
``never``            always                                             none
===================  =================================================  ==================================

Scores come in rank order. A NaN score ends the list, but not under ``fixed-k``, ``relative-drop`` and ``never``. Where
the top score is negative (log-likelihoods), its share is taken of the reciprocals; where a list holds negative scores,
its mass is counted from the lowest one.

Every rule but the last has one parameter, and a list grows (or shrinks) monotonically with it. So all its lengths are
known from one number for each rank (:class:`Steps`), which is how the best parameter is found without trying any.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from leadline.depths.steps import Steps, inside_lists, kept_while, round_between
from leadline.errors import InputError, UnknownName, UsageError
from leadline.rankings.entries import Floats, Ints

__all__ = [
    "POLICIES",
    "FixedK",
    "NeverStop",
    "OwnPolicy",
    "Policy",
    "RelativeDrop",
    "RelativeToTop",
    "ScoreMass",
    "ScoreThreshold",
    "TunedPolicy",
    "ZScore",
]


class Policy(ABC):
    """A rule from scores in rank order to a number of documents."""

    name: ClassVar[str]

    def cut(self, scores: ArrayLike) -> int:
        """How many of these documents to return.

        >>> ScoreThreshold(at=0.5).cut([0.9, 0.7, 0.4, 0.3])
        2
        """
        row = np.asarray(scores, np.float64)
        if row.ndim != 1:
            raise UsageError(f"scores must be those of one list, in rank order. Got {row.ndim} dimensions instead.")
        return int(self.cuts(row[None], np.array([len(row)]))[0]) if len(row) else 0

    @abstractmethod
    def cuts(self, scores: Floats, lengths: Ints) -> Ints:
        """How many documents of each list to return; row l of ``scores`` holds ``lengths[l]`` scores, then padding."""

    @abstractmethod
    def sentence(self) -> str:
        """The rule in words, as an instruction."""

    def to_json(self) -> str:
        """The policy as one line of JSON, for :meth:`from_json`.

        >>> FixedK(k=10).to_json()
        '{"policy": "fixed-k", "k": 10}'
        """
        values = {n: v if math.isfinite(v) else str(v) for n, v in asdict(self).items()}  # type: ignore[call-overload]
        return json.dumps({"policy": self.name, **values})

    @staticmethod
    def from_json(text: str) -> Policy:
        """The policy that :meth:`to_json` wrote.

        >>> Policy.from_json('{"policy": "relative-to-top", "share": 0.6}')
        RelativeToTop(share=0.6)
        """
        try:
            given = json.loads(text)
        except ValueError as error:
            raise InputError(f"A policy is one JSON object, like {FixedK(k=10).to_json()}. Got {error}.") from None
        if not isinstance(given, dict) or not isinstance(given.get("policy"), str):
            raise InputError(f"A policy is one JSON object, like {FixedK(k=10).to_json()}. Got {text[:80]!r}.")
        return policy_of(given.pop("policy"), given)


def policy_of(name: str, values: dict[str, Any]) -> Policy:
    """A policy by its name and parameters."""
    if name not in POLICIES:
        raise UnknownName("policy", name, POLICIES)
    kind = POLICIES[name]
    known = [f.name for f in fields(kind)]  # type: ignore[arg-type]
    if sorted(values) != sorted(known):
        wanted = f"the parameter {known[0]}" if known else "no parameter"
        raise UsageError(f"The policy {name} takes {wanted}. Got {', '.join(values) or 'none'} instead.")
    try:
        numbers = {n: float(v) for n, v in values.items()}
    except (TypeError, ValueError):
        raise UsageError(f"The parameter of the policy {name} is a number. Got {values[known[0]]!r} instead.") from None
    return kind(**numbers)


class TunedPolicy(Policy):
    """A policy with one parameter, which can be learned from judged lists."""

    parameter: ClassVar[str]
    sign: ClassVar[int] = 1  # of the parameter in terms of the thresholds of the steps

    @classmethod
    @abstractmethod
    def steps(cls, scores: Floats, lengths: Ints) -> Steps:
        """The lengths that every parameter gives to these lists."""

    @classmethod
    def at_threshold(cls, low: float, high: float) -> TunedPolicy:
        """The policy whose threshold of :meth:`steps` lies in (low, high]: the roundest number in there."""
        return cls(**{cls.parameter: round_between(low, high)})

    @property
    def value(self) -> float:
        """The parameter."""
        return float(getattr(self, self.parameter))

    @property
    def threshold(self) -> float:
        """The threshold of :meth:`steps` that this policy stands for."""
        return self.value

    def cuts(self, scores: Floats, lengths: Ints) -> Ints:
        """How many documents of each list to return."""
        return self.steps(scores, lengths).lengths(self.threshold)


def _number(policy: object, name: str, low: float, high: float, whole: bool = False) -> None:
    value = getattr(policy, name)
    kind = type(policy).__name__
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or math.isnan(value):
        raise UsageError(f"{kind}: {name} must be a number. Got {value!r} instead.")
    if not low <= value <= high:
        raise UsageError(f"{kind}: {name} must be within [{low:g}, {high:g}]. Got {value} instead.")
    if whole and value != int(value):
        raise UsageError(f"{kind}: {name} must be a whole number. Got {value} instead.")
    object.__setattr__(policy, name, int(value) if whole else float(value))


@dataclass(frozen=True)
class FixedK(TunedPolicy):
    """The first k documents, whatever their scores."""

    k: int
    name = "fixed-k"
    parameter = "k"
    sign = -1

    def __post_init__(self) -> None:
        _number(self, "k", 0, 2**31, whole=True)

    @classmethod
    def steps(cls, scores: Floats, lengths: Ints) -> Steps:
        """Rank i is kept if −i is not below −k."""
        return kept_while(np.broadcast_to(-np.arange(1.0, scores.shape[1] + 1), scores.shape), lengths)

    @classmethod
    def at_threshold(cls, low: float, high: float) -> FixedK:
        """The k whose next document is not kept."""
        return cls(k=0 if math.isinf(high) else int(-high))

    @property
    def threshold(self) -> float:
        """−k."""
        return -float(self.k)

    def sentence(self) -> str:
        """The rule in words."""
        return (
            "return nothing"
            if not self.k
            else f"return the first {self.k} documents"
            if self.k > 1
            else "return the first document"
        )


@dataclass(frozen=True)
class ScoreThreshold(TunedPolicy):
    """Documents down to the first one that scores below ``at``."""

    at: float
    name = "score-threshold"
    parameter = "at"

    def __post_init__(self) -> None:
        _number(self, "at", -math.inf, math.inf)

    @classmethod
    def steps(cls, scores: Floats, lengths: Ints) -> Steps:
        """The scores themselves."""
        return kept_while(scores, lengths)

    def sentence(self) -> str:
        """The rule in words."""
        return _or_all(self.value, f"stop before the first document that scores below {self.at:g}")


@dataclass(frozen=True)
class RelativeToTop(TunedPolicy):
    """Documents down to the first one that scores below ``share`` of the top score."""

    share: float
    name = "relative-to-top"
    parameter = "share"

    def __post_init__(self) -> None:
        _number(self, "share", -math.inf, math.inf)

    @classmethod
    def steps(cls, scores: Floats, lengths: Ints) -> Steps:
        """Scores over the top score; over each other the other way round, if that is negative."""
        top = scores[:, :1] if scores.shape[1] else np.zeros((len(scores), 1))
        with np.errstate(all="ignore"):
            falling = np.where(top > 0, scores / top, top / scores)
        return kept_while(np.where((top == 0) & ~np.isnan(scores), scores == 0, falling), lengths)

    def sentence(self) -> str:
        """The rule in words."""
        text = f"stop before the first document that scores below {100 * self.share:g} % of the top score"
        return _or_all(self.value, text)


@dataclass(frozen=True)
class RelativeDrop(TunedPolicy):
    """Documents above the largest drop in score, if it is at least ``gap`` of the list's range; else all."""

    gap: float
    name = "relative-drop"
    parameter = "gap"

    def __post_init__(self) -> None:
        _number(self, "gap", 0, math.inf)

    @classmethod
    def steps(cls, scores: Floats, lengths: Ints) -> Steps:
        """One step for each list: from its whole length to the largest drop."""
        if scores.shape[1] < 2:
            return Steps(lengths, np.full((len(lengths), 1), np.nan), lengths[:, None])
        inside = inside_lists(scores, lengths)
        drop = np.where(inside[:, 1:], scores[:, :-1] - scores[:, 1:], -np.inf)
        drop = np.where(np.isnan(drop), -np.inf, drop)
        at = np.argmax(drop, axis=1)[:, None]
        last = np.take_along_axis(scores, np.maximum(lengths - 1, 0)[:, None], axis=1)
        with np.errstate(all="ignore"):
            share = np.take_along_axis(drop, at, axis=1) / (scores[:, :1] - last)
        return Steps(lengths, np.where(np.isfinite(share) & (share > 0), share, np.nan), at + 1)

    @classmethod
    def at_threshold(cls, low: float, high: float) -> RelativeDrop:
        """The gap between two drops; 0 cuts every list that can be."""
        return cls(gap=0.0 if low == -math.inf else round_between(low, high))

    def sentence(self) -> str:
        """The rule in words."""
        if self.gap > 1:
            return "return everything"
        text = "stop at the largest drop in score"
        share = f" if it is at least {100 * self.gap:g} % of the list's range of scores, else return everything"
        return text + share if self.gap > 0 else text


@dataclass(frozen=True)
class ScoreMass(TunedPolicy):
    """As few documents as hold ``share`` of the list's total score."""

    share: float
    name = "score-mass"
    parameter = "share"
    sign = -1

    def __post_init__(self) -> None:
        _number(self, "share", 0, math.inf)

    @classmethod
    def steps(cls, scores: Floats, lengths: Ints) -> Steps:
        """Rank i is kept while the share of the mass above it is less than wanted: the statistic is minus that."""
        known = np.where(inside_lists(scores, lengths) & np.isfinite(scores), scores, np.inf)
        lowest = np.minimum(known.min(axis=1, initial=np.inf, keepdims=True), 0.0)
        mass = np.where(np.isinf(known), 0.0, known - lowest)
        total = mass.sum(axis=1, keepdims=True)
        mass = np.where(total > 0, mass, 1.0)
        before = np.zeros(scores.shape)
        before[:, 1:] = np.cumsum(mass, axis=1)[:, :-1]
        above = before / np.where(total > 0, total, np.maximum(lengths, 1)[:, None])
        return kept_while(np.where(np.isnan(scores), np.nan, -above), lengths)

    @classmethod
    def at_threshold(cls, low: float, high: float) -> ScoreMass:
        """A share above that of the last document kept, and not above that of the first one dropped."""
        return cls(share=max(round_between(-high, -low), 0.0))

    @property
    def threshold(self) -> float:
        """Just above −share, since a document is not kept when exactly ``share`` is above it."""
        return math.nextafter(-self.share, math.inf) if math.isfinite(self.share) else -math.inf

    def sentence(self) -> str:
        """The rule in words."""
        text = f"stop as soon as the documents hold {100 * self.share:g} % of the list's total score"
        return "return nothing" if self.share == 0 else "return everything" if self.share > 1 else text


@dataclass(frozen=True)
class ZScore(TunedPolicy):
    """Documents down to the first one that lies less than ``at`` standard deviations above the list's mean score."""

    at: float
    name = "z-score"
    parameter = "at"

    def __post_init__(self) -> None:
        _number(self, "at", -math.inf, math.inf)

    @classmethod
    def steps(cls, scores: Floats, lengths: Ints) -> Steps:
        """Standardised scores; 0 where all are the same."""
        known = inside_lists(scores, lengths) & np.isfinite(scores)
        count = np.maximum(known.sum(axis=1, keepdims=True), 1)
        mean = np.where(known, scores, 0.0).sum(axis=1, keepdims=True) / count
        away = np.where(known, scores - mean, 0.0)
        sd = np.sqrt((away**2).sum(axis=1, keepdims=True) / count)
        flat = sd <= 1e-12 * np.abs(mean)
        with np.errstate(all="ignore"):
            return kept_while(np.where(np.isfinite(scores), np.where(flat, 0.0, away / sd), np.nan), lengths)

    def sentence(self) -> str:
        """The rule in words."""
        side = "above" if self.at >= 0 else "below"
        text = f"{abs(self.at):g} standard deviations {side} the mean score of its list"
        return _or_all(self.value, f"stop before the first document that scores less than {text}")


def _or_all(threshold: float, text: str) -> str:
    if math.isinf(threshold):
        return "return everything" if threshold < 0 else "return nothing"
    return text


@dataclass(frozen=True)
class NeverStop(Policy):
    """All documents."""

    name = "never"

    def cuts(self, scores: Floats, lengths: Ints) -> Ints:
        """The lists' own lengths."""
        return lengths

    def sentence(self) -> str:
        """The rule in words."""
        return "return everything"


class OwnPolicy(Policy):
    """A rule of your own: a function from the scores of one list to a number of documents.

    ``vectorised(scores, lengths)``, if given, does many lists at once, as :meth:`Policy.cuts` does.

    >>> OwnPolicy(lambda scores: int((scores > scores[0] / 2).sum()), name="half").cut([8.0, 5.0, 3.0])
    2
    """

    def __init__(
        self,
        function: Callable[[Floats], int],
        *,
        name: str = "",
        vectorised: Callable[[Floats, Ints], Ints] | None = None,
    ) -> None:
        self.function = function
        self.name = name or getattr(function, "__name__", "own")  # type: ignore[misc]
        self.vectorised = vectorised

    def cuts(self, scores: Floats, lengths: Ints) -> Ints:
        """What the function says of each list, its length at most."""
        if self.vectorised is not None:
            found = np.asarray(self.vectorised(scores, lengths))
        else:
            found = np.asarray([self.function(row[:n]) for row, n in zip(scores, lengths, strict=True)])
        whole = found.astype(np.int64) if found.dtype.kind in "iufb" and np.isfinite(found).all() else None
        if whole is None or found.shape != lengths.shape or (whole != found).any() or (whole < 0).any():
            raise UsageError(f"The policy {self.name} must give a whole number ≥ 0 for each list. Got {found[:5]!r}.")
        return np.minimum(whole, lengths)

    def sentence(self) -> str:
        """The rule in words."""
        return f"stop where {self.name} says"

    def to_json(self) -> str:
        """There is none: a function is no data."""
        raise UsageError(f"The policy {self.name} is a function of your own; it cannot be written as JSON.")

    def __repr__(self) -> str:
        return f"OwnPolicy({self.name})"


POLICIES: dict[str, type[Policy]] = {
    p.name: p for p in (FixedK, ScoreThreshold, RelativeToTop, RelativeDrop, ScoreMass, ZScore, NeverStop)
}
"""Every policy by its name."""
