"""Ranges of longer lists: against all numbers of new hits tried one by one, and against random completions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from leadline.depths._bounds.completed import Lists, score
from leadline.depths.ranges import ranges
from leadline.measures import parse
from leadline.rankings.entries import Entries
from leadline.rankings.labels import Judgments
from leadline.rankings.track import Track

Array = np.ndarray[Any, Any]


def track_of(seed: int, *, length: int, judged: float, topics: int = 4, runs: int = 2, gmax: int = 1) -> Track:
    """Random lists, most judgments near the top; one topic has nothing relevant."""
    rng = np.random.default_rng(seed)
    size = 60
    grades = rng.choice(gmax + 1, (topics, size), p=[0.6, *[0.4 / gmax] * gmax]).astype(np.int32)
    grades[0] = 0
    rank, row, offsets, lengths = [], [], [0], []
    for _ in range(runs):
        for t in range(topics):
            n = int(rng.integers(length // 2, length + 1))
            chance = judged * np.linspace(2, 0, n).clip(0, 1)
            at = np.flatnonzero(rng.random(n) < chance)[:size] + 1
            rank += at.tolist()
            row += (t * size + rng.permutation(size)[: len(at)]).tolist()
            offsets.append(len(rank))
            lengths.append(n)
    return Track(
        runs=[f"r{r}" for r in range(runs)],
        topics=[f"t{t}" for t in range(topics)],
        judgments=Judgments(np.arange(topics + 1) * size, grades.reshape(-1, 1), gmax),
        entries=Entries(np.array(rank, np.int32), np.array(row, np.int32), np.array(offsets)),
        lengths=np.array(lengths),
        answered=np.ones(runs * topics, bool),
    )


def swept(track: Track, name: str, number: int) -> tuple[float, float]:
    """Least and most over "the topmost j" and "the lowest j" unjudged documents relevant, for every j."""
    one = Lists(track, np.array([number]))
    U = int(one.unjudged[0])
    many = Lists(track, np.full(U + 1, number))
    place, j = np.tile(np.arange(U), U + 1), np.repeat(np.arange(U + 1), U)
    m = parse(name)
    values = np.concatenate([score(m, many.completed(np.where(new, 1, 0))) for new in (place < j, place >= U - j)])
    return float(np.nanmin(values)), float(np.nanmax(values))


SWEPT = [
    "AP", "AP@20", "AP(norm='min')@10", "infAP", "APT", "Bpref", "Bpref@15", "Rprec", "IPrec@0.1", "IPrec@0.5",
    "IPrec@1.0", "Q", "Q(beta=2.5)", "Q@25", "nDCG", "nDCG@10", "nRBP(p=0.9)", "nERR", "nERR(gain='linear')@9",
    "niRBU(p=0.9)", "nDCGT", "nDCGT(ideal='full')", "R@12", "SetF", "AUC(docs=300)", "Kendall(docs=300)",
    "Spearman(docs=300)", "OIE(docs=300)", "Compatibility",
]  # fmt: skip


@pytest.mark.parametrize("name", SWEPT)
def test_all_numbers_of_new_hits(name: str) -> None:
    track = track_of(7, length=70, judged=0.5)
    m = parse(name)
    found = ranges(track, m, undefined="nan")
    assert found.exact(m).all()
    for number in range(len(track.lengths)):
        r, t = divmod(number, len(track.topics))
        low, high = swept(track, name, number)
        assert found.lower(m)[r, t] == pytest.approx(low, rel=1e-12, abs=1e-12)
        assert found.upper(m)[r, t] == pytest.approx(high, rel=1e-12, abs=1e-12)


def climbed(track: Track, m: Any, number: int, rng: np.random.Generator, gmax: int) -> tuple[float, float]:
    """The least and the most that single changes of labels lead to, from a few starts."""
    U = int(Lists(track, np.array([number])).unjudged[0])
    ends = []
    for sign in (-1.0, 1.0):
        best = -np.inf
        for start in (np.zeros(U, int), np.full(U, gmax), rng.integers(0, gmax + 1, U)):
            labels = start.copy()
            for _ in range(12):
                tried = np.repeat(labels[None, :], U * gmax, axis=0)
                at = np.repeat(np.arange(U), gmax)
                tried[np.arange(len(at)), at] = (tried[np.arange(len(at)), at] + np.tile(np.arange(1, gmax + 1), U)) % (
                    gmax + 1
                )
                tried = np.concatenate([tried, labels[None, :]])
                values = sign * score(m, Lists(track, np.full(len(tried), number)).completed(tried.ravel()))
                top = int(np.nanargmax(values)) if not np.isnan(values).all() else 0
                if np.isnan(values[top]) or values[top] <= best + 1e-15:
                    break
                best, labels = float(values[top]), tried[top]
        ends.append(sign * best)
    return ends[0], ends[1]


GRADED = [
    "nDCG",
    "nDCG@10",
    "nRBP(p=0.8, gain='linear')",
    "nERR",
    "niRBU(p=0.9)",
    "nDCGT",
    "Q",
    "Q@15",
    "OIE(docs=300)",
    "AP",
]


@pytest.mark.parametrize("name", GRADED)
def test_no_climb_leaves_the_range(name: str) -> None:
    """Graded lists are too many to list; a search over labels must stay within, and reaches the ends of exact ones."""
    track = track_of(3, length=34, judged=0.6, topics=3, runs=1, gmax=2)
    m, rng = parse(name), np.random.default_rng(0)
    found = ranges(track, m, undefined="nan")
    if name not in ("OIE(docs=300)", "Q", "nDCGT"):
        assert found.exact(m).all()
    for t in range(1, 3):
        low, high = climbed(track, m, t, rng, 2)
        assert found.lower(m)[0, t] <= low + 1e-12
        assert found.upper(m)[0, t] >= high - 1e-12
        if found.exact(m)[0, t]:
            assert found.upper(m)[0, t] == pytest.approx(high, rel=2e-2)


@pytest.mark.parametrize("name", ["AP", "nDCG", "Bpref", "Q", "Rprec", "nRBP(p=0.9)", "R@30", "SetF"])
def test_missing_documents_widen(name: str) -> None:
    track = track_of(5, length=40, judged=0.5)
    m = parse(name)
    wide, narrow = ranges(track, m, missing=4), ranges(track, m)
    assert (wide.lower(m) <= narrow.lower(m) + 1e-15).all()
    assert (wide.upper(m) >= narrow.upper(m) - 1e-15).all()
    assert (wide.lower(m) < narrow.lower(m) - 1e-6).any()


def test_chunks_and_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    track = track_of(2, length=50, judged=0.5, runs=3)
    names = ["AP", "Q", "nDCG@10", "RBP(p=0.8)", "Bpref", "nERR"]
    whole = ranges(track, names, threads=1)
    monkeypatch.setattr("leadline.depths.ranges._DOCUMENTS", 60)
    monkeypatch.setattr("leadline.depths._bounds.problem._CELLS", 200)
    parts = ranges(track, names, threads=2)
    for name in names:
        np.testing.assert_allclose(parts.lower(name), whole.lower(name), rtol=0, atol=1e-14)
        np.testing.assert_allclose(parts.upper(name), whole.upper(name), rtol=0, atol=1e-14)


def test_a_range_grows_with_unjudged_documents() -> None:
    """What is forgotten of a list is one of its completions."""
    track = track_of(11, length=40, judged=0.9, runs=1)
    found = np.zeros(len(track.judgments), bool)
    found[track.entries.row] = True
    forgotten = found & (np.random.default_rng(1).random(len(found)) < 0.4)
    known, less = track, track.masked(~forgotten)
    for name in ("AP", "nDCG@10", "RBP(p=0.8)", "Q(gain='binary')", "ERR", "Bpref", "nERR"):
        before, after = ranges(known, name), ranges(less, name)
        assert (before.exact(name) & after.exact(name)).all()
        assert (after.lower(name) <= before.lower(name) + 1e-12).all()
        assert (after.upper(name) >= before.upper(name) - 1e-12).all()
        assert (after.upper(name) > before.upper(name) + 1e-9).any()
