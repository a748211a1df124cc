"""Every property that a measure claims, on random rankings through the whole pipeline: read, evaluate, compare.

The claims are those of the table of expected properties, which the checker and the documentation share. The checker
tries all short lists; here they are random and longer, some of their irrelevant documents are unjudged, and nothing of
the checker is used but the sizes n0 and m that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import leadline
from leadline.measures import Measure
from leadline.measures.aspects._compound import AspectMeasure
from leadline.meta.properties import PROPERTIES, properties
from strategies import few
from test_properties import EXPECTED, OWN

UNJUDGED = -1
ALL_JUDGED = {"Judged", "Bpref"}  # to which an unjudged document is something else than an irrelevant one
# undefined on every list, or on one of each pair, that the property speaks of
VACUOUS = {("ESL", "REDUNDANCY"), ("ESL", "REDUNDANCY (relabel)"), ("ESL", "EMPTY LIST"), ("ESL", "NIL ANSWER")}
BATCH = 12  # cases scored together, each list a topic of one track
Rng = np.random.Generator


@dataclass(frozen=True)
class List:
    """A list in its collection, by levels: 0 is irrelevant, 1 and up are ever more relevant."""

    ranks: tuple[int, ...]
    missed: tuple[int, ...] = ()  # judged, but not retrieved
    grown: int = 0  # documents that the collection has more
    depth: int | None = None  # looked at to this depth instead of the measure's own


@dataclass(frozen=True)
class Case:
    """``better`` should score more than ``worse``: each a list, or two lists whose difference is meant."""

    better: tuple[List, ...]
    worse: tuple[List, ...]


# ---------------------------------------------------------------------------- a case of each property; None: no case


class Draw:
    """Random lists and collections: sparse and dense, with and without unjudged documents."""

    def __init__(self, rng: Rng, top: int = 1, all_judged: bool = False) -> None:
        self.rng, self.top, self.all_judged = rng, top, all_judged

    def list(self, longest: int = 14) -> tuple[int, ...]:
        relevant = self.rng.random(self.rng.integers(0, longest + 1)) < self.rng.choice([0.15, 0.5, 0.85])
        return self.some_unjudged(np.where(relevant, self.rng.integers(1, self.top + 1, len(relevant)), 0).tolist())

    def some_unjudged(self, ranks: Iterable[int]) -> tuple[int, ...]:
        share = 0.0 if self.all_judged else self.rng.choice([0.0, 0.5])
        return tuple(UNJUDGED if g == 0 and self.rng.random() < share else g for g in ranks)

    def missed(self) -> tuple[int, ...]:
        return tuple(self.rng.integers(0, self.top + 1, self.rng.integers(0, 6)).tolist())

    def number(self, least: int, most: int) -> int:
        return int(self.rng.integers(least, most + 1))


def swapped(ranks: tuple[int, ...], i: int, j: int) -> tuple[int, ...]:
    out = list(ranks)
    out[i], out[j] = out[j], out[i]
    return tuple(out)


def less(a: int, b: int) -> bool:
    return max(a, 0) < max(b, 0)


def priority(draw: Draw) -> Case | None:
    ranks, missed = draw.list(), draw.missed()
    pairs = [(i, j) for j in range(len(ranks)) for i in range(j) if less(ranks[i], ranks[j])]
    if not pairs:
        return None
    i, j = pairs[draw.number(0, len(pairs) - 1)]
    return Case((List(swapped(ranks, i, j), missed),), (List(ranks, missed),))


def top_weightedness(draw: Draw) -> Case | None:
    ranks, missed = draw.list(), draw.missed()
    steps = [i for i in range(len(ranks) - 1) if less(ranks[i], ranks[i + 1])]
    pairs = [(i, j) for j in steps for i in steps if i < j and ranks[i : i + 2] == ranks[j : j + 2]]
    if not pairs:
        return None
    i, j = pairs[draw.number(0, len(pairs) - 1)]
    return Case((List(swapped(ranks, i, i + 1), missed),), (List(swapped(ranks, j, j + 1), missed),))


def confidence(draw: Draw) -> Case:
    ranks, missed = draw.list(), draw.missed()
    if draw.all_judged or draw.number(0, 1):
        return Case((List(ranks, (*missed, 0)),), (List((*ranks, 0), missed),))
    return Case((List(ranks, missed),), (List((*ranks, UNJUDGED), missed),))


def recall(draw: Draw) -> Case | None:
    ranks, missed = draw.list(), draw.missed()
    if max(ranks, default=0) < 1:
        return None
    more = (*missed, draw.number(1, draw.top))
    return Case((List(ranks, missed),), (List(ranks, more, grown=1),))


def redundancy(draw: Draw, fixed: bool) -> Case:
    above, missed = draw.some_unjudged([0] * draw.number(0, 14)), draw.number(0, 5)
    four = []
    for end in ((0, 1), (0, 0), (1, 1), (1, 0)):
        outside = [1] * (missed + 2 - sum(end)) + [0] * sum(end) if fixed else [1] * missed
        four.append(List((*above, *end), tuple(outside)))
    return Case((four[0], four[1]), (four[2], four[3]))


def monotonicity(draw: Draw) -> Case:
    one, depth = List(draw.list(), draw.missed()), draw.number(1, 14)
    return Case((replace(one, depth=depth + 1),), (replace(one, depth=depth),))


def empty_list(draw: Draw) -> Case:
    missed = draw.missed()
    return Case((List((1,), missed),), (List((), (*missed, 1)),))


def nil_answer(draw: Draw) -> Case:
    ranks, spare = draw.some_unjudged([0] * draw.number(1, 14)), (0,) * draw.number(0, 3)
    return Case((List((), (0,) * ranks.count(0) + spare),), (List(ranks, spare),))


def top_against_block(draw: Draw, n: int, R: int) -> Case:
    above = draw.some_unjudged([0] * n)
    return Case((List((1,), (1,) * (R - 1) + (0,) * above.count(0)),), (List(above + (1,) * n, (1,) * (R - n)),))


# ----------------------------------------------------------------------------------------------- through the pipeline


def scored(m: Measure, lists: list[List], top: int = 1) -> np.ndarray:
    """Scores of the lists, turned so that more is better."""
    several = isinstance(m, AspectMeasure)
    grades: Any = [[(0, 0), (1, 1)], [(0, 0), (0, 1), (1, 1)]][top - 1] if several else range(top + 1)
    qrels: dict[str, dict[str, Any]] = {}
    run: dict[str, dict[str, float]] = {"not in the qrels": {"d": 1.0}}  # so that all other lists may be empty
    for t, one in enumerate(lists):
        ranks, missed = one.ranks, one.missed
        if one.depth is not None and not _has_depth(m):  # then the list is cut instead
            ranks, missed = ranks[: one.depth], (*missed, *(g for g in ranks[one.depth :] if g != UNJUDGED))
        run[str(t)] = {f"d{i}": -float(i) for i in range(len(ranks))}
        judged = {f"d{i}": grades[g] for i, g in enumerate(ranks) if g != UNJUDGED}
        qrels[str(t)] = judged | {f"m{i}": grades[g] for i, g in enumerate(missed)} | {"spare": grades[0]}
    track = leadline.read(qrels, {"run": run}, aspects="a=0,1 b=0,1" if several else None)
    variants = [_variant(m, one, top) for one in lists]
    scores = leadline.evaluate(track, variants)
    place = {topic: t for t, topic in enumerate(scores.topics)}
    found = [scores.array(v)[0, place[str(t)]] if m.per_topic else scores.mean(v)[0] for t, v in enumerate(variants)]
    return np.array(found) * (1 if m.higher_is_better else -1)


def _has_depth(m: Measure) -> bool:
    return m.cutoff in ("optional", "required")


def _variant(m: Measure, one: List, top: int) -> Measure:
    changes: dict[str, Any] = {"gmax": top} if "gmax" in m.params else {}
    if one.grown and "docs" in m.params:
        changes["docs"] = m.docs + one.grown  # type: ignore[attr-defined]
    if one.depth is not None and _has_depth(m):
        changes["k"] = one.depth
    return m.but(**changes)


def rounding(size: Any) -> Any:
    return 1e-12 * np.abs(size) + 1e-15


def compared(m: Measure, cases: list[Case], top: int = 1) -> dict[Case, float]:
    """1 where the better side scores more, 0 where both are equal up to rounding, −1 where it scores less."""
    lists = [one for case in cases for one in (*case.better, *case.worse)]
    flat = scored(m, lists, top) if m.per_topic else np.concatenate([scored(m, [one], top) for one in lists])
    scores = flat.reshape(len(cases), 2, -1)
    sides = scores[:, :, 0] - (scores[:, :, 1] if scores.shape[2] == 2 else 0)
    gap = sides[:, 0] - sides[:, 1]
    outcome = np.where(np.abs(gap) <= rounding(np.abs(scores).max(axis=(1, 2))), 0, np.sign(gap))
    return {case: o for case, o in zip(cases, outcome.tolist(), strict=True) if not np.isnan(o)}


# ---------------------------------------------------------------------------------------- one check for each property

Outcomes = dict[Any, float]
Check = Callable[[Measure, Rng], Outcomes]


def pairs(make: Callable[[Draw], Case | None], top: int = 1) -> Check:
    def check(m: Measure, rng: Rng) -> Outcomes:
        draw = Draw(rng, top, m.name in ALL_JUDGED)
        made = [make(draw) for _ in range(BATCH if m.per_topic else 2)]
        cases = [case for case in made if case is not None]
        assume(cases)
        return compared(m, cases, top)

    return check


@cache
def sizes() -> dict[tuple[str, str], int]:
    """n0 of DEEPNESS and m of SHALLOWNESS, as the checker names them."""
    found = properties(OWN.values(), only=[p for p in PROPERTIES if p.startswith(("DEEPNESS", "SHALLOWNESS"))])
    return {(v.measure.name, v.property): v.size for v in found if v.size is not None}


def deepness(m: Measure, rng: Rng, prop: str, times: int) -> Outcomes:
    draw, n0 = Draw(rng, 1, m.name in ALL_JUDGED), sizes().get((m.name, prop), 1)
    tried = [n0] if n0 > 1000 else [n0, *(n0 + draw.number(0, 60) for _ in range(2))]
    return compared(m, [top_against_block(draw, n, times * n) for n in tried])


def shallowness(m: Measure, rng: Rng, prop: str, times: int) -> Outcomes:
    draw, n = Draw(rng, 1, m.name in ALL_JUDGED), sizes().get((m.name, prop), 3)
    case = top_against_block(draw, n, times * n)
    return compared(m, [Case(case.worse, case.better)])


def boundedness(m: Measure, rng: Rng) -> Outcomes:
    draw = Draw(rng, 2, m.name in ALL_JUDGED)
    lists = [List(draw.list(30), draw.missed()) for _ in range(BATCH if m.per_topic else 2)]
    scores = scored(m, lists, 2) * (1 if m.higher_is_better else -1)
    within = (scores >= -rounding(1)) & (scores <= 1 + rounding(1)) | np.isnan(scores)
    return dict(zip(lists, np.where(within, 1, -1).tolist(), strict=True))


def convergence(m: Measure, rng: Rng) -> Outcomes:
    """What a doubling of the depth changes, at most, falls to less than half from depth 16 to depth 512."""
    changes = []
    for depth in (16, 512):
        draw = Draw(rng, 1, m.name in ALL_JUDGED)
        ends = [(a, b) for a in (0, 1) for b in (0, 1)]  # constant to the depth and below; and random
        long = [(a,) * depth + (b,) * depth for a, b in ends] + [tuple(rng.integers(0, 2, 2 * depth).tolist())]
        made = [List(draw.some_unjudged(one), draw.missed()) for one in long]
        lists = [replace(one, depth=d) for one in made for d in (depth, 2 * depth)]
        scores = scored(m, lists) if m.per_topic else np.concatenate([scored(m, [one]) for one in lists])
        changes.append(np.nan_to_num(np.abs(np.diff(scores.reshape(-1, 2), axis=1))).max())
    if max(changes) <= rounding(1):
        return {"": 0}
    return {str(changes): 1 if changes[1] < changes[0] / 2 else -1}


CHECKS: dict[str, Check] = {
    "PRIORITY": pairs(priority),
    "PRIORITY (graded)": pairs(priority, 2),
    "TOP-WEIGHTEDNESS": pairs(top_weightedness),
    "TOP-WEIGHTEDNESS (graded)": pairs(top_weightedness, 2),
    "DEEPNESS": partial(deepness, prop="DEEPNESS", times=1),
    "DEEPNESS (R=2n)": partial(deepness, prop="DEEPNESS (R=2n)", times=2),
    "SHALLOWNESS": partial(shallowness, prop="SHALLOWNESS", times=1),
    "SHALLOWNESS (R=2n)": partial(shallowness, prop="SHALLOWNESS (R=2n)", times=2),
    "CONFIDENCE": pairs(confidence),
    "CONFIDENCE (graded)": pairs(confidence, 2),
    "RECALL": pairs(recall),
    "RECALL (graded)": pairs(recall, 2),
    "REDUNDANCY": pairs(partial(redundancy, fixed=True)),
    "REDUNDANCY (relabel)": pairs(partial(redundancy, fixed=False)),
    "MONOTONICITY": pairs(monotonicity),
    "CONVERGENCE": convergence,
    "BOUNDEDNESS": boundedness,
    "EMPTY LIST": pairs(empty_list),
    "NIL ANSWER": pairs(nil_answer),
}
ALLOWED = {"S": {1}, "m": {0, 1}, "=": {0}}  # holds strictly, with ties, always tied
CLAIMS = [
    (name, prop, letter)
    for name, letters in EXPECTED.items()
    for prop, letter in zip(PROPERTIES, letters.replace(" ", ""), strict=True)
    if letter != "x"
]


@pytest.mark.parametrize(("name", "prop", "claim"), CLAIMS)
@given(seed=st.integers(0, 2**32 - 1))
@few(6)
def test_claim(name: str, prop: str, claim: str, seed: int) -> None:
    seen = CHECKS[prop](OWN[name], np.random.default_rng(seed))
    if (name, prop) in VACUOUS:
        assert not seen
    else:
        assume(seen)
    wrong = [(case, outcome) for case, outcome in seen.items() if outcome not in ALLOWED[claim]]
    assert not wrong, f"{OWN[name]} claims {prop}: {min(wrong, key=lambda one: len(str(one)))}"
