"""What the docstring of leadline.simulate claims, checked on drawn tracks (fixed seeds, wide margins)."""

from __future__ import annotations

import gzip
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from leadline.errors import UnknownName, UsageError
from leadline.simulate import Recipe, SimulatedTrack, question_answering, simulate

PLAIN = {"tied": 0, "truncated": 0, "missing": 0, "nil": 0}


@pytest.fixture(scope="module")
def track() -> SimulatedTrack:
    return simulate(
        runs=20, topics=50, depth=100, pool_depth=20, missing=0.03, nil=0.1, tied=0.3, truncated=0.25, rng=7
    )


def precision(track: SimulatedTrack, k: int) -> np.ndarray:
    """Runs × topics: share of truly relevant documents among the first k."""
    rows = np.arange(len(track.topics))[:, None]
    return np.array([(track.grade[rows, x.candidate[:, :k]] > 0).mean(axis=1) for x in track.lists])


def trec_order(answer: dict[str, float]) -> list[str]:
    return [doc for _, doc in sorted(((score, doc) for doc, score in answer.items()), reverse=True)]


def read_run(text: str) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        topic, q0, doc, rank, score, _ = line.split(" ")
        answer = out.setdefault(topic, {})
        answer[doc] = float(score)
        assert q0 == "Q0"
        assert int(rank) == len(answer)
    return out


def auc(score: np.ndarray, relevant: np.ndarray) -> float:
    rank = np.empty(len(score))
    rank[np.argsort(score)] = np.arange(1, len(score) + 1)
    r = relevant.sum()
    return float((rank[relevant].sum() - r * (r + 1) / 2) / (r * (len(score) - r)))


# files, dictionaries, seeds


def test_files_hold_what_the_dictionaries_hold(track: SimulatedTrack, tmp_path: Path) -> None:
    track.write(tmp_path)
    assert sorted(p.name for p in (tmp_path / "runs").iterdir()) == sorted(f"{n}.run" for n in track.names)
    for name, answers in track.runs.items():
        text = (tmp_path / "runs" / f"{name}.run").read_text()
        assert text.endswith(f" {name}\n")
        assert read_run(text) == {topic: answer for topic, answer in answers.items() if answer}
    lines = [line.split(" ") for line in (tmp_path / "qrels.txt").read_text().splitlines()]
    assert {(t, d): int(g) for t, _, d, g in lines} == {
        (t, d): g for t, docs in track.qrels.items() for d, g in docs.items()
    }
    assert dict(line.split() for line in (tmp_path / "groups.txt").read_text().splitlines()) == track.groups
    assert tuple((tmp_path / "contributors.txt").read_text().split()) == track.contributors


@pytest.mark.parametrize("depth", [1, 9, 10, 11, 99, 100, 101, 1000])
def test_every_width_of_the_rank_column(depth: int, tmp_path: Path) -> None:
    track = simulate(runs=8, topics=2, depth=depth, rng=1, tied=0.5, truncated=0.5, groups=1)
    track.write(tmp_path)
    for name, answers in track.runs.items():
        assert read_run((tmp_path / "runs" / f"{name}.run").read_text()) == {t: a for t, a in answers.items() if a}


def test_compressed_files_hold_the_same_bytes(tmp_path: Path) -> None:
    track = simulate(runs=2, topics=3, depth=20, rng=4)
    track.write(tmp_path / "plain")
    track.write(tmp_path / "packed", compress=True)
    for name in track.names:
        packed = (tmp_path / "packed" / "runs" / f"{name}.run.gz").read_bytes()
        assert gzip.decompress(packed) == (tmp_path / "plain" / "runs" / f"{name}.run").read_bytes()


def test_same_seed_same_track() -> None:
    one, two = simulate(runs=5, topics=6, depth=30, rng=11), simulate(runs=5, topics=6, depth=30, rng=11)
    other = simulate(runs=5, topics=6, depth=30, rng=12)
    drawn = simulate(runs=5, topics=6, depth=30, rng=np.random.default_rng(11))
    assert one.runs == two.runs == drawn.runs
    assert one.qrels == two.qrels == drawn.qrels
    assert one.runs != other.runs


def test_ids_have_one_width_and_documents_are_distinct() -> None:
    for topics, first, last in ((699, "301", "999"), (700, "1001", "1700")):
        track = simulate(runs=1, topics=topics, depth=2, rng=0)
        assert (track.topics[0], track.topics[-1]) == (first, last)
        assert {len(t) for t in track.topics} == {len(first)}
    assert set(np.char.str_len(track.docnos).ravel()) == {8}
    assert all(len(set(row)) == len(row) for row in track.docnos[:50].tolist())
    assert (np.diff(np.char.lstrip(track.docnos, b"d").astype(int), axis=1) > 0).all()


# relevance


def test_grades_follow_the_latent_relevance() -> None:
    track = simulate(runs=1, topics=400, depth=100, grades=4, relevant=20, nil=0, rng=3)
    relevant = (track.grade > 0).sum(axis=1)
    assert relevant.min() >= 1
    assert 17 < relevant.mean() < 23
    assert relevant.std() > 8
    counts = [(track.grade >= j).sum() for j in (1, 2, 3)]
    assert 0.38 < counts[1] / counts[0] < 0.48  # 40 %, rounded up
    assert 0.38 < counts[2] / counts[1] < 0.52
    assert track.grade.max() == 3


def test_more_relevant_documents_when_asked() -> None:
    few, many = (simulate(runs=1, topics=200, depth=500, relevant=r, rng=2).grade for r in (5, 80))
    assert 3.5 < (few > 0).sum(axis=1).mean() < 6.5
    assert 60 < (many > 0).sum(axis=1).mean() < 100


def test_nil_share_is_exact_in_the_qrels(track: SimulatedTrack) -> None:
    nil = [topic for topic, docs in track.qrels.items() if max(docs.values()) <= 0]
    assert len(nil) == 5
    assert all(docs for docs in track.qrels.values())


def test_aspects_correlate_with_relevance_and_are_written(tmp_path: Path) -> None:
    strong, weak = (
        simulate(runs=3, topics=100, depth=100, aspects=2, aspect_correlation=r, rng=5) for r in (0.95, 0.05)
    )
    relevant = strong.grade > 0
    assert strong.aspects.shape == (*strong.grade.shape, 2)
    assert not strong.aspects[~relevant].any()
    assert set(np.unique(strong.aspects)) == {0, 1, 2}
    shares = np.bincount(strong.aspects[relevant].ravel()) / strong.aspects[relevant].size
    assert (abs(shares - 1 / 3) < 0.12).all()
    rho = [np.corrcoef(t.grade[relevant], t.aspects[relevant][:, 0])[0, 1] for t in (strong, weak)]
    assert rho[0] > 0.5 > 0.2 > rho[1]
    labels = strong.labels[strong.topics[0]]
    strong.write(tmp_path)
    lines = [line.split() for line in (tmp_path / "qrels.txt").read_text().splitlines()]
    assert {len(line) for line in lines} == {6}
    assert {d: tuple(map(int, rest)) for t, _, d, *rest in lines if t == strong.topics[0]} == labels


# quality


def test_order_of_systems_is_recovered() -> None:
    track = simulate(runs=15, topics=300, depth=50, spread=0.5, interaction=0.2, rng=9, **PLAIN)
    truth, seen = track.quality.mean(axis=1).argsort(), precision(track, 20).mean(axis=1).argsort()
    rank = np.empty((2, 15))
    rank[0, truth] = rank[1, seen] = np.arange(15)
    assert np.corrcoef(rank)[0, 1] > 0.97


def test_spread_sets_how_far_apart_systems_are() -> None:
    near, far = (
        precision(simulate(runs=15, topics=200, depth=50, spread=s, rng=1, **PLAIN), 20).mean(axis=1).std()
        for s in (0, 0.5)
    )
    assert far > 5 * near


def test_interaction_and_difficulty_move_the_topics() -> None:
    def deviations(**settings: float) -> tuple[float, float]:
        q = np.arctanh(simulate(runs=20, topics=200, depth=20, rng=3, quality=0.4, spread=0.1, **settings).quality)
        own = q - q.mean(axis=0) - q.mean(axis=1, keepdims=True) + q.mean()
        return float(q.mean(axis=0).std()), float(own.std())

    topic, both = deviations(difficulty=0.3, interaction=0.15)
    assert 0.24 < topic < 0.36
    assert 0.12 < both < 0.17
    assert deviations(difficulty=0, interaction=0)[1] < 1e-3


def test_lists_of_one_group_are_more_alike() -> None:
    track = simulate(runs=12, topics=100, depth=100, groups=3, rng=6, spread=0.1, **PLAIN)
    top = [[set(row) for row in x.candidate[:, :30].tolist()] for x in track.lists]
    kin, strangers = [], []
    for a, b in combinations(range(12), 2):
        overlap = np.mean([len(p & q) / 30 for p, q in zip(top[a], top[b], strict=True)])
        same = track.groups[track.names[a]] == track.groups[track.names[b]]
        (kin if same else strangers).append(overlap)
    assert np.mean(kin) > np.mean(strangers) + 0.05
    assert np.mean(strangers) > 0.3 + 0.05  # 30 of 200 by chance would share 0.15
    assert all(name.startswith(f"{group}-") for name, group in track.groups.items())
    assert len(set(track.groups.values())) == 3


# scores


def test_ties_are_where_they_were_asked_for(track: SimulatedTrack) -> None:
    tied = 0
    for answers in track.runs.values():
        repeats = [len(a) - len(set(a.values())) for a in answers.values()]
        assert all(list(a.values()) == sorted(a.values(), reverse=True) for a in answers.values())
        tied += max(repeats) > 0
    assert tied == 6


def test_no_tie_in_long_lists_unless_asked() -> None:
    for answers in simulate(runs=4, topics=5, depth=5000, tied=0, rng=1).runs.values():
        assert all(len(set(a.values())) == len(a) for a in answers.values())


def test_score_relation_makes_scores_comparable_across_topics() -> None:
    area = {}
    for relation in (0, 1):
        track = simulate(runs=4, topics=200, depth=100, score_relation=relation, rng=8, relevant=15, nil=0.2, tied=0)
        rows = np.arange(200)[:, None]
        area[relation] = [auc(x.score.ravel(), (track.grade[rows, x.candidate] > 0).ravel()) for x in track.lists]
    assert min(area[1]) > max(area[0]) + 0.05


def test_score_relation_leaves_the_order_alone() -> None:
    one, two = (simulate(runs=3, topics=10, depth=50, score_relation=r, rng=8, **PLAIN) for r in (0, 1))
    assert all((a.candidate == b.candidate).all() for a, b in zip(one.lists, two.lists, strict=True))


# lengths


def test_truncated_runs_stop_where_their_scores_fall(track: SimulatedTrack) -> None:
    full, stopped, empty = 100, 0, 0
    for x in track.lists:
        answered = x.length >= 0
        listed = np.arange(full) < x.length[:, None]
        if not listed[answered].all():
            stopped += 1
            empty += int((x.length == 0).sum())
            assert x.score[listed & answered[:, None]].min() >= x.score[~listed & answered[:, None]].max()
    assert stopped == 5
    assert empty > 0
    assert sum(not a for answers in track.runs.values() for a in answers.values()) == empty


def test_missing_share_is_exact(track: SimulatedTrack) -> None:
    assert sum(50 - len(answers) for answers in track.runs.values()) == round(0.03 * 20 * 50)


# the pool


@pytest.mark.parametrize("rng", [0, 7])
def test_pool_holds_exactly_the_contributors_first_documents(rng: int) -> None:
    track = simulate(runs=10, topics=30, depth=100, pool_depth=15, tied=0.5, truncated=0.3, missing=0.05, rng=rng)
    assert len(track.contributors) == 7
    runs = track.runs
    for t, topic in enumerate(track.topics):
        pool = {doc for name in track.contributors for doc in trec_order(runs[name].get(topic, {}))[:15]}
        extra = set(track.qrels[topic]) - pool
        assert pool <= set(track.qrels[topic])
        assert len(extra) <= 1
        if extra and track.grade[t].max() > 0:  # only the topic's best document is judged without being pooled
            assert track.qrels[topic][extra.pop()] == track.grade[t].max()


def test_other_runs_have_unjudged_documents() -> None:
    track = simulate(runs=20, topics=50, depth=100, pool_depth=20, contributing=0.5, rng=1, **PLAIN)
    rows = np.arange(50)[:, None]
    unjudged = {
        n: 1 - track.judged[rows, x.candidate[:, :20]].mean() for n, x in zip(track.names, track.lists, strict=True)
    }
    inside = [v for n, v in unjudged.items() if n in track.contributors]
    outside = [v for n, v in unjudged.items() if n not in track.contributors]
    assert max(inside) == 0
    assert 0.01 < np.mean(outside) < 0.5
    deeper = simulate(runs=20, topics=50, depth=100, pool_depth=60, contributing=0.5, rng=1, **PLAIN)
    assert deeper.judged.sum() > track.judged.sum()
    assert (track.judged <= deeper.judged).all()


# question answering


def test_question_answering_has_every_kind_of_list(tmp_path: Path) -> None:
    track = question_answering(runs=6, topics=100, rng=3)
    kinds = set()
    for answers in track.runs.values():
        for answer in answers.values():
            docs = list(answer)
            assert len(docs) <= 5
            assert docs.count("NIL") <= 1
            assert len(set(answer.values())) == len(docs)
            kinds.add(("NIL" in docs, len(docs) == 5, docs[-1:] == ["NIL"]))
    ends, goes_on, silent, full = (True, False, True), (True, True, False), (False, False, False), (False, True, False)
    assert {ends, goes_on, silent, full} <= kinds
    assert sum(max(docs.values()) <= 0 for docs in track.qrels.values()) == 20
    assert not any("NIL" in docs for docs in track.qrels.values())
    track.write(tmp_path)
    for name, answers in track.runs.items():
        assert read_run((tmp_path / "runs" / f"{name}.run").read_text()) == {t: a for t, a in answers.items() if a}


def test_nil_is_said_more_often_where_there_is_no_answer() -> None:
    track = question_answering(runs=10, topics=200, rng=4)
    unanswerable = {topic for topic, docs in track.qrels.items() if max(docs.values()) <= 0}
    first = [
        (topic in unanswerable, list(a)[:1] == ["NIL"])
        for answers in track.runs.values()
        for topic, a in answers.items()
    ]
    share = {kind: np.mean([nil for is_nil, nil in first if is_nil == kind]) for kind in (True, False)}
    assert share[True] > share[False] + 0.1


# what cannot be meant


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"runs": 0}, r"runs \(number of runs\) must be within \[1, 10000\]. Got 0 instead"),
        ({"depth": 2.5}, r"depth \(length of a full list\) must be a whole number. Got 2.5 instead"),
        ({"grades": 1}, r"grades .* Got 1 instead"),
        ({"nil": -0.1}, r"nil .* Got -0.1 instead"),
        ({"missing": float("nan")}, r"missing .* Got nan instead"),
        ({"shared": 0.8, "kinship": 0.3}, r"shared \+ kinship must be at most 1"),
        ({"depth": 300, "candidates": 299}, r"candidates must be at least the depth 300. Got 299 instead"),
    ],
)
def test_refuses_settings_out_of_bounds(settings: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        simulate(**settings)


def test_names_the_nearest_setting() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'score_relation'"):
        simulate(score_relations=1)


@pytest.mark.parametrize(
    "settings",
    [
        {"runs": 1, "topics": 1, "depth": 1, "candidates": 1},
        {"missing": 1},
        {"nil": 1},
        {"truncated": 1, "tied": 1, "contributing": 0},
        {"pool_depth": 0},
        {"groups": 50},
        {"shared": 1, "kinship": 0},
    ],
)
def test_corners_can_be_drawn_and_written(settings: dict[str, float], tmp_path: Path) -> None:
    track = simulate(**{"runs": 4, "topics": 5, "depth": 10, **settings})
    track.write(tmp_path)
    assert track.recipe == Recipe(**{"runs": 4, "topics": 5, "depth": 10, **settings})
    assert set(track.qrels) == set(track.topics)
