"""Several collections scored together."""

from __future__ import annotations

import numpy as np
import pytest

import leadline
from leadline.simulate import simulate


def track(seed: int, topics: int, runs: int = 4) -> leadline.Track:
    made = simulate(runs=runs, topics=topics, depth=20, pool_depth=10, rng=seed)
    return leadline.read(made.qrels, made.runs)


def test_a_collection_counts_once_whatever_its_size() -> None:
    tracks = {"small": track(1, 4), "large": track(2, 20)}
    found = leadline.evaluate_collections(tracks, ["AP", "NumRel"])
    own = [leadline.evaluate(t, "AP").mean("AP") for t in tracks.values()]
    np.testing.assert_allclose(found.mean("AP"), (own[0] + own[1]) / 2)
    np.testing.assert_allclose(found.over_topics("AP"), (own[0] * 4 + own[1] * 20) / 24)


def test_runs_are_matched_by_name_and_the_others_told() -> None:
    found = leadline.evaluate_collections({"a": track(1, 4, runs=3), "b": track(2, 5, runs=5)}, "AP")
    assert len(found.runs) == 3
    assert "runs-left-out" in found.findings.codes
    columns = found.columns()
    assert set(columns["collection"]) == {"a", "b", "all"}
    assert len(columns["value"]) == 3 * 3


def test_what_was_found_in_each_collection_is_told() -> None:
    full = leadline.read({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}})
    silent = leadline.read({"q": {"a": 1}, "r": {"a": 1}}, {"x": {"q": {"a": 1.0}}})
    assert not leadline.evaluate_collections({"one": full}, "AP").findings
    assert "topics-without-ranking" in leadline.evaluate_collections({"one": full, "two": silent}, "AP").findings.codes


def test_nothing_in_common_is_an_error() -> None:
    one = leadline.read({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}})
    two = leadline.read({"q": {"a": 1}}, {"y": {"q": {"a": 1.0}}})
    with pytest.raises(leadline.UsageError, match="No run is in every collection"):
        leadline.evaluate_collections({"one": one, "two": two}, "AP")
    with pytest.raises(leadline.UsageError, match="No collection"):
        leadline.evaluate_collections({}, "AP")
