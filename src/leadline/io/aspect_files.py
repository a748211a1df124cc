"""Multi-aspect judgments from files: a TOML declaration, qrels with further label columns, one qrels file per aspect.

A judgment that some file lacks is "not assessed" (−1) until :func:`fill_missing` settles it by the declared rule.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError, UnknownName, UsageError
from leadline.findings import Findings
from leadline.io.aspects import NOT_ASSESSED, Aspect, AspectSet, Feature, Rule, exact
from leadline.io.columns import Columns
from leadline.io.compressed import compression, decompress

__all__ = [
    "AspectLabels",
    "encode",
    "fill_missing",
    "join_aspects",
    "load_aspects",
    "read_aspect_qrels",
    "text_rows",
    "without_duplicates",
]

Labels: TypeAlias = NDArray[np.int32]
Source: TypeAlias = str | PathLike[str]

_TOP_KEYS = ("aspects", "main", "missing", "rules", "tuples")
_FEATURE_KEYS = ("columns", "higher", "quantiles", "thresholds")
_ASPECT_KEYS = ("file", "labels", "merge", "missing", "qrels", "values", "weight", *_FEATURE_KEYS)
_REPORTED = 100  # bad lines collected of one file before reading stops


@dataclass(frozen=True, eq=False)
class AspectLabels:
    """Judged documents and a label index for each aspect; −1 where nobody assessed it."""

    topics: tuple[str, ...]
    docs: tuple[str, ...]
    labels: Labels
    findings: Findings = field(default_factory=Findings)

    def __len__(self) -> int:
        return len(self.docs)

    def align(self, topics: Sequence[str], docs: Sequence[str]) -> Labels:
        """The label rows of the given judgments, in their order; −1 throughout where there is none."""
        known = {key: i for i, key in enumerate(zip(self.topics, self.docs, strict=True))}
        rows = np.array([known.get(key, -1) for key in zip(topics, docs, strict=True)], np.int64)
        found: Labels = np.where(rows[:, None] >= 0, self.labels[rows.clip(0)], -1).astype(np.int32)
        return found

    def to_columns(self, where: str | None = None) -> Columns:
        """The judgments as label indices, for the reader of qrels (declare the columns there without label names)."""
        return Columns(self.topics, self.docs, self.labels, where=where)


# the declaration ------------------------------------------------------------------------------------------------------
def load_aspects(path: Source) -> AspectSet:
    """A declaration from a TOML file; file names in it are relative to its folder.

    ::

        rules = ["relevance=nr => correctness=nc"]
        tuples = "feasible"                           # full | feasible | observed
        missing = "lowest"                            # lowest | error | same-as:OTHER; an aspect may have its own

        [aspects.relevance]
        labels = ["nr", "mr", "fr", "hr"]             # lowest first; or "nr,mr,fr,hr", "0..3", "nc:0,pc:1.5,c:3"
        merge = { junk = "nr" }

        [aspects.correctness]
        labels = ["nc", "pc", "c"]
        values = [0, 1.5, 3]
        weight = 2
        qrels = "correctness.qrels"                   # a qrels file of its own

        [aspects.popularity]
        labels = ["low", "fair", "high"]
        file = "pagerank.txt"                         # doc value
        quantiles = [0.85, 0.95]                      # or thresholds = […]
    """
    name = fspath(path)
    try:
        found = tomllib.loads(Path(path).read_text(encoding="utf-8"), parse_float=str)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: is not TOML: {error}") from None
    try:
        return _declared(found, Path(path).parent)
    except UsageError as error:
        raise InputError(f"{name}: {error}") from None


def _declared(found: Mapping[str, Any], folder: Path) -> AspectSet:
    for key in found:
        if key not in _TOP_KEYS:
            raise UnknownName("key", key, _TOP_KEYS)
    tables = _of_type(found.get("aspects", {}), dict, "aspects", "a table [aspects.NAME] for each aspect")
    missing = str(found.get("missing", "lowest"))
    rules = _of_type(found.get("rules", []), list, "rules", "a list of texts")
    return AspectSet(
        tuple(_aspect(name, entry, missing, folder) for name, entry in tables.items()),
        tuple(Rule.parse(str(rule)) for rule in rules),
        str(found.get("tuples", "")),
        str(found.get("main", "")),
    )


def _of_type(value: Any, kind: type, key: str, expected: str) -> Any:
    if not isinstance(value, kind):
        raise UsageError(f"{key}: expected {expected}, got {value!r}")
    return value


def _aspect(name: str, entry: Any, missing: str, folder: Path) -> Aspect:
    table = entry if isinstance(entry, dict) else {"labels": entry}
    for key in table:
        if key not in _ASPECT_KEYS:
            raise UnknownName(f"key of aspect {name!r}", key, _ASPECT_KEYS)
    labels = table.get("labels", [])
    if isinstance(labels, str):
        base = Aspect.parse(f"{name}={labels}")
    else:
        base = Aspect(name, tuple(_of_type(labels, list, f"aspect {name!r}: labels", "a list or a text")))
    merge = _of_type(table.get("merge", {}), dict, f"aspect {name!r}: merge", "a table { OLD = NEW }")
    qrels = table.get("qrels")
    return replace(
        base,
        values=_of_type(table["values"], list, f"aspect {name!r}: values", "a list")
        if "values" in table
        else base.values,
        weight=table.get("weight", 1),
        missing=str(table.get("missing", missing)),
        aliases=(*base.aliases, *merge.items()),
        qrels=None if qrels is None else str(folder / str(qrels)),
        feature=_feature(name, table, folder),
    )


def _feature(name: str, table: Mapping[str, Any], folder: Path) -> Feature | None:
    if "file" not in table:
        for key in _FEATURE_KEYS:
            if key in table:
                raise UsageError(f'aspect {name!r}: {key} needs file = "…" with a number for each document')
        return None
    cuts: dict[str, tuple[float, ...] | None] = {}
    for key in ("thresholds", "quantiles"):
        numbers = _of_type(table.get(key, []), list, f"aspect {name!r}: {key}", "a list of numbers")
        cuts[key] = tuple(float(exact(n, f"aspect {name!r}: {key}")) for n in numbers) or None
    columns, higher = str(table.get("columns", "doc value")), bool(table.get("higher", True))
    return Feature(str(folder / str(table["file"])), cuts["thresholds"], cuts["quantiles"], higher, columns)


# rows of text ---------------------------------------------------------------------------------------------------------
def text_rows(path: Source) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and blank-separated fields of the non-empty lines of a file, compressed or not."""
    name = fspath(path)
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror})") from None
    kind = compression(data[:8])
    if kind is not None:
        data = b"".join(decompress(data, kind, name))
    for number, line in enumerate(data.split(b"\n"), 1):
        fields = line.decode("utf-8", "surrogateescape").split()
        if fields:
            yield number, fields


def encode(aspect: Aspect, tokens: Iterable[object], where: Callable[[int], str] = "row {}".format) -> Labels:
    """Label indices of tokens: declared labels and aliases, ``-`` for "not assessed"; others are an error.

    >>> encode(Aspect("correctness", ("nc", "c")), ["c", "-", "nc"])
    array([ 1, -1,  0], dtype=int32)
    """
    table = aspect.spelling | {NOT_ASSESSED: -1}
    words = [str(token) for token in tokens]
    found = np.array([table.get(word, -2) for word in words], np.int32)
    wrong = np.flatnonzero(found == -2)
    if len(wrong):
        known = f"{', '.join(aspect.labels)} of aspect {aspect.name!r}"
        problems = [
            f"{where(int(i))}: label {words[i]!r} is not one of {known}; declare it, or merge it as LABEL/{words[i]}"
            for i in wrong[:_REPORTED]
        ]
        raise InputError(problems, len(wrong))
    return found


def read_aspect_qrels(path: Source, aspects: Sequence[Aspect]) -> AspectLabels:
    """A qrels file ``topic iteration doc label …`` with one label column for each of the aspects, in their order."""
    name, width = fspath(path), 3 + len(aspects)
    numbers: list[int] = []
    rows: list[list[str]] = []
    problems: list[str] = []
    for number, fields in text_rows(path):
        if len(fields) == width:
            numbers.append(number)
            rows.append(fields)
        elif len(problems) < _REPORTED:
            wanted = f"topic iteration doc {' '.join(a.name for a in aspects)}"
            problems.append(f"{name}:{number}: expected {width} columns ({wanted}), got {len(fields)}")
    if problems:
        raise InputError(problems)
    columns = list(zip(*rows, strict=True)) if rows else [()] * width
    labels = [encode(a, columns[3 + i], lambda row: f"{name}:{numbers[row]}") for i, a in enumerate(aspects)]
    found = AspectLabels(tuple(columns[0]), tuple(columns[2]), np.stack(labels, axis=1))
    return without_duplicates(found, name, numbers)


def without_duplicates(found: AspectLabels, name: str, numbers: Sequence[int]) -> AspectLabels:
    """Each judgment once; doubles with other labels are an error that names both lines."""
    first: dict[tuple[str, str], int] = {}
    place = np.array([first.setdefault(k, i) for i, k in enumerate(zip(found.topics, found.docs, strict=True))], int)
    again = np.flatnonzero(place != np.arange(len(place)))
    if not len(again):
        return found
    differ = again[(found.labels[again] != found.labels[place[again]]).any(axis=1)]
    if len(differ):
        problems = [
            f"{name}:{numbers[i]}: topic {found.topics[i]}, document {found.docs[i]} has other labels than in line "
            f"{numbers[place[i]]}; keep one of them"
            for i in differ[:_REPORTED]
        ]
        raise InputError(problems, len(differ))
    keep = np.flatnonzero(place == np.arange(len(place)))
    notes = Findings(found.findings)
    notes.add("duplicate-judgments", len(again), [f"{name}:{numbers[i]}" for i in again[:3]], "kept once")
    return AspectLabels(
        tuple(found.topics[i] for i in keep), tuple(found.docs[i] for i in keep), found.labels[keep], notes
    )


# joining and filling --------------------------------------------------------------------------------------------------
def join_aspects(parts: Mapping[str, AspectLabels], aspects: AspectSet) -> AspectLabels:
    """One table from one set of judgments per aspect, joined by topic and document; −1 where a part lacks a document.

    The labels of each part are its first column. Rows stand in the order in which the parts first name them; every
    aspect needs a part.
    """
    for name in parts:
        aspects.position(name)
    absent = [name for name in aspects.names if name not in parts]
    if absent:
        raise UsageError(f"aspects without judgments: {', '.join(absent)}; give a qrels file or a feature for each")
    rows: dict[tuple[str, str], int] = {}
    places = []
    for name in aspects.names:
        keys = zip(parts[name].topics, parts[name].docs, strict=True)
        places.append(np.array([rows.setdefault(key, len(rows)) for key in keys], np.int64))
    labels = np.full((len(rows), len(aspects)), -1, np.int32)
    findings = Findings()
    for a, name in enumerate(aspects.names):
        labels[places[a], a] = parts[name].labels[:, 0]
        findings.extend(parts[name].findings)
    return AspectLabels(tuple(t for t, _ in rows), tuple(d for _, d in rows), labels, findings)


def fill_missing(found: AspectLabels, aspects: AspectSet) -> AspectLabels:
    """Settle what nobody assessed, with findings that count it.

    A document at the lowest label of the main aspect counts as lowest in the others; elsewhere each aspect's rule
    holds: ``lowest``, ``same-as:OTHER`` (lowest where that one is missing too), or ``error``.
    """
    labels, notes = found.labels.copy(), Findings(found.findings)
    main = aspects.position(aspects.main)
    order = [main, *(a for a in range(len(aspects)) if a != main)]  # the rule of the others looks at the main one
    given = found.labels
    for a in order:
        aspect, gaps = aspects.aspects[a], given[:, a] < 0
        if a != main:
            idle = gaps & (labels[:, main] == 0)
            labels[idle, a], gaps = 0, gaps & ~idle
            low = aspects.aspects[main].labels[0]
            text = f"{aspects.main}={low}, hence lowest in {aspect.name}"
            notes.add("not-assessed-not-relevant", int(idle.sum()), _named(found, idle), text)
        if aspect.missing == "error" and gaps.any():
            problems = [
                f"topic {found.topics[i]}, document {found.docs[i]}: aspect {aspect.name!r} is not assessed; "
                'assess it, or declare missing = "lowest"'
                for i in np.flatnonzero(gaps)[:_REPORTED]
            ]
            raise InputError(problems, int(gaps.sum()))
        source = None if aspect.same_as is None else aspects.position(aspect.same_as)
        stand_in = np.zeros(len(labels), np.int32) if source is None else given[:, source].clip(0)
        labels[gaps, a] = stand_in[gaps]
        how = f"lowest ({aspect.labels[0]})" if source is None else f"in {aspect.same_as}"
        notes.add("not-assessed", int(gaps.sum()), _named(found, gaps), f"{aspect.name} counted as {how}")
    return AspectLabels(found.topics, found.docs, labels, notes)


def _named(found: AspectLabels, mask: NDArray[np.bool_]) -> list[str]:
    return [f"{found.topics[i]} {found.docs[i]}" for i in np.flatnonzero(mask)[:3]]
