r"""Which formal properties a measure has, found by trying every short list and some long ones.

=====================  ================================================================================================
property               what must be so
=====================  ================================================================================================
PRIORITY               swapping any pair towards relevance raises the score
TOP-WEIGHTEDNESS       an adjacent swap towards relevance is worth more at i than the same swap at j > i
DEEPNESS               for all n ≥ n0, one relevant document at the top beats n irrelevant and then n relevant ones
SHALLOWNESS            for some m, m irrelevant and then m relevant documents beat one relevant document at the top
CONFIDENCE             appending an irrelevant document lowers the score
RECALL                 one more relevant document in the collection, not retrieved, lowers the score of a list with one
REDUNDANCY             a relevant document is worth more when it is the first one
MONOTONICITY           looking one rank deeper never lowers the score
CONVERGENCE            what lies below depth k moves the score less and less as k grows
BOUNDEDNESS            scores lie in [0, 1]
EMPTY LIST             returning one relevant document beats returning nothing
NIL ANSWER             where nothing is relevant, silence beats a list of irrelevant documents
=====================  ================================================================================================

The plain name is the first reading: labels relevant or not, R = n, the four lists of REDUNDANCY from one collection.
Others stand in parentheses: ``(graded)`` with three grades, ``(R=2n)``, ``(relabel)`` with the same documents under
other labels. Undefined scores count as 0, as in an evaluation.

References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051
Moffat. Seven numeric properties of effectiveness metrics. AIRS 2013. doi:10.1007/978-3-642-45068-6_1
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from leadline.errors import UnknownName
from leadline.measures.base import Measure
from leadline.measures.names import catalogue, parse_all
from leadline.meta.properties_cases import (
    HOLDS,
    MIXED,
    TIED,
    VIOLATED,
    Found,
    Suite,
    exhaustive,
    padded,
    seek,
    verdict_of,
)
from leadline.meta.properties_depth import boundedness, convergence, empty_list, monotonicity, nil_answer
from leadline.meta.properties_lists import Bench, Levels, Scorer, ShownList, binary_levels, graded_levels
from leadline.meta.properties_thresholds import thresholds

__all__ = ["PROPERTIES", "SIGNS", "Properties", "Verdict", "properties", "standard_measures"]

PROPERTIES = (
    "PRIORITY", "PRIORITY (graded)", "TOP-WEIGHTEDNESS", "TOP-WEIGHTEDNESS (graded)",
    "DEEPNESS", "DEEPNESS (R=2n)", "SHALLOWNESS", "SHALLOWNESS (R=2n)",
    "CONFIDENCE", "CONFIDENCE (graded)", "RECALL", "RECALL (graded)", "REDUNDANCY", "REDUNDANCY (relabel)",
    "MONOTONICITY", "CONVERGENCE", "BOUNDEDNESS", "EMPTY LIST", "NIL ANSWER",
)  # fmt: skip
SIGNS = {HOLDS: "✓", MIXED: "(✓)", TIED: "=", VIOLATED: "✗"}
_PADS = (10, 20)  # irrelevant or relevant documents before the changing part of a long list
_SEEN_WITHIN = 8  # an evaluation depth that the exhaustive lists reach past


@dataclass(frozen=True)
class Verdict:
    """One measure and one property: holds strictly, holds with ties, always tied, or violated.

    ``lists`` are those of the counter-example, for a recomputation; ``note`` holds thresholds and ranges.
    """

    measure: Measure
    property: str
    verdict: str
    counter_example: str | None = None
    note: str | None = None
    lists: tuple[ShownList, ...] = ()
    size: int | None = None  # n0 of DEEPNESS, m of SHALLOWNESS

    @cached_property
    def holds(self) -> bool:
        """Whether it holds, strictly or with ties."""
        return self.verdict.startswith("holds")


class Properties(Sequence[Verdict]):
    """What :func:`properties` returns: verdicts, measure by measure."""

    def __init__(self, verdicts: Iterable[Verdict]) -> None:
        self._verdicts = list(verdicts)

    def __getitem__(self, i: Any) -> Any:
        return self._verdicts[i]

    def __len__(self) -> int:
        return len(self._verdicts)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self._verdicts)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order asked for."""
        return tuple(dict.fromkeys(v.measure for v in self._verdicts))

    def of(self, measure: str | Measure, name: str) -> Verdict:
        """The verdict on one measure and one property."""
        (wanted,) = parse_all(measure)
        for v in self._verdicts:
            if v.measure == wanted and v.property == name:
                return v
        raise UnknownName("verdict", f"{wanted}: {name}", [f"{v.measure}: {v.property}" for v in self._verdicts])

    def columns(self, *, notes: bool = False) -> dict[str, list[Any]]:
        """Columns measure, property, verdict, counter_example (and note): the records of ``leadline properties``."""
        names = ["measure", "property", "verdict", "counter_example", *(["note"] if notes else [])]
        table: dict[str, list[Any]] = {name: [getattr(v, name) for v in self._verdicts] for name in names}
        table["measure"] = [str(m) for m in table["measure"]]
        return table

    def matrix(self) -> dict[str, list[Any]]:
        """One row for each measure, one column for each property, verdicts as signs (``SIGNS``)."""
        names = dict.fromkeys(v.property for v in self._verdicts)
        signs = {(v.measure, v.property): SIGNS[v.verdict] for v in self._verdicts}
        table: dict[str, list[Any]] = {"measure": [str(m) for m in self.measures]}
        return table | {name: [signs.get((m, name)) for m in self.measures] for name in names}

    def __repr__(self) -> str:
        return f"<Properties: {len(self.measures)} measures, {len(self)} verdicts>"


def properties(
    measures: Iterable[str | Measure] | str | Measure, *, only: Iterable[str] | str | None = None
) -> Properties:
    """Check measures (leadline's or your own) against the formal properties; ``only`` names some of them.

    >>> found = properties("RBP(p=0.8)", only=["PRIORITY", "CONFIDENCE", "SHALLOWNESS"])
    >>> [(v.property, v.verdict, v.note) for v in found]
    [('PRIORITY', 'holds strictly', None), ('SHALLOWNESS', 'holds strictly', 'm = 2'),
     ('CONFIDENCE', 'always tied', None)]
    >>> properties("AP", only="TOP-WEIGHTEDNESS")[0].counter_example
    'swapping ranks 5 and 6 gives 00001001 (0.225), swapping 7 and 8 gives 00000110 (0.22619)'
    """
    wanted = _wanted(only)
    bench = Bench()
    return Properties(v for m in parse_all(measures) for v in _check(m, bench, wanted))


def standard_measures() -> list[Measure]:
    """Every registered measure once, at its defaults; where one is needed: depth 10, recall ½, 20,000 documents, RBP.

    A measure of your own with further parameters that must be given is left out.
    """
    cuts = {"required": 10, "recall": 0.5}
    given = {"docs": 20_000, "of": "RBP(p=0.8)"}
    needs = {cls: [n for n, spec in cls.params.items() if spec.required] for cls in catalogue().values()}
    return [
        cls(cuts.get(cls.cutoff), **{n: given[n] for n in names})
        for cls, names in needs.items()
        if set(names) <= set(given)
    ]


def _wanted(only: Iterable[str] | str | None) -> tuple[str, ...]:
    if only is None:
        return PROPERTIES
    given = {name.upper().replace("GRADED", "graded").replace("RELABEL", "relabel").replace("=2N", "=2n")
             for name in ([only] if isinstance(only, str) else only)}  # fmt: skip
    for name in given:
        if name not in PROPERTIES:
            raise UnknownName("property", name, PROPERTIES)
    return tuple(name for name in PROPERTIES if name in given)


def _check(m: Measure, bench: Bench, wanted: tuple[str, ...]) -> Iterator[Verdict]:
    scorer = Scorer(m, bench)
    binary, graded = binary_levels(m), graded_levels(m)
    found: dict[str, Verdict] = {}
    for times, reading in ((1, ""), (2, " (R=2n)")):
        names = [name + reading for name in ("DEEPNESS", "SHALLOWNESS")]
        if set(names) & set(wanted):
            for name, t, letter in zip(names, thresholds(scorer, binary, times), ("n0", "m"), strict=True):
                note = f"n up to {t.largest:,}" if t.size is None else f"{letter} = {t.size:,}"
                found[name] = Verdict(m, name, t.verdict, t.text, note, t.lists, t.size)
    for name in wanted:
        if name in found:
            yield found[name]
        elif name in _DEPTH or name == "BOUNDEDNESS":
            yield _behaviour(scorer, name, binary, graded)
        elif not name.endswith("(graded)"):
            yield _paired(scorer, name, [(suite, binary) for suite in _two_levels(m)])
        elif graded is not None:  # lists of two of the grades are graded ones, and may be longer
            suites = [(exhaustive(3), graded), *((suite, graded.lowest) for suite in _two_levels(m))]
            yield _paired(scorer, name, suites)


_DEPTH = {
    "MONOTONICITY": monotonicity,
    "CONVERGENCE": convergence,
    "EMPTY LIST": empty_list,
    "NIL ANSWER": nil_answer,
}


def _behaviour(scorer: Scorer, name: str, binary: Levels, graded: Levels | None) -> Verdict:
    if name == "BOUNDEDNESS":
        suites = [(exhaustive(2), binary), *([(exhaustive(3), graded)] if graded else []), (padded(_PADS), binary)]
        result = boundedness(scorer, suites)
    else:
        result = _DEPTH[name](scorer, binary)
    return Verdict(scorer.measure, name, result.verdict, result.found.text, result.note, result.found.lists)


def _two_levels(m: Measure) -> tuple[Suite, Suite]:
    return exhaustive(2), padded(_pads(m))


def _pads(m: Measure) -> tuple[int, ...]:
    """Long lists reach past the measure's own depth, too."""
    depth = m.depth
    return tuple(sorted({*_PADS, int(depth) - 2})) if _SEEN_WITHIN <= depth < 1e5 else _PADS


def _paired(scorer: Scorer, name: str, suites: list[tuple[Suite, Levels]]) -> Verdict:
    """A property over several sets of lists: the verdict on all, the counter-example of the first that has one."""
    case = name.removesuffix(" (graded)")
    results: list[Found] = [seek(scorer, suite, levels, case) for suite, levels in suites]
    first = next((r for r in results if r.text is not None), Found(frozenset()))
    verdict = verdict_of(frozenset().union(*(r.outcomes for r in results)))
    return Verdict(scorer.measure, name, verdict, first.text, None, first.lists)
