"""Large and extreme inputs, small enough for the suite: `bench/limits.py` shows the very large ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import leadline
from leadline.errors import InputError
from leadline.io import read_files

TOP = 2**31 - 1


def test_a_million_topics(tmp_path: Path) -> None:
    n = 1_000_000
    (tmp_path / "qrels").write_text("".join([f"{i} 0 d 1\n" for i in range(n)]))
    (tmp_path / "a.run").write_text("".join([f"{i} Q0 {'d' if i % 4 else 'e'} 1 1 t\n" for i in range(n)]))
    track = leadline.read(tmp_path / "qrels", tmp_path / "a.run")
    scores = leadline.evaluate(track, ["AP"])
    assert len(track.topics) == n
    assert scores.array("AP").mean() == pytest.approx(0.75)


def test_a_million_documents(tmp_path: Path) -> None:
    n = 1_000_000
    order = np.random.default_rng(1).permutation(n).tolist()
    (tmp_path / "a.run").write_text("".join([f"q Q0 d{i} 0 {-i} t\n" for i in order]))
    track = leadline.read({"q": {"d0": 1, "d999999": 1}}, tmp_path / "a.run")
    assert track.lengths.tolist() == [n]
    assert track.entries.rank.tolist() == [1, n]
    assert leadline.evaluate(track, ["AP"]).array("AP").item() == pytest.approx((1 + 2 / n) / 2, rel=1e-15)


def test_a_hundred_thousand_judgments(tmp_path: Path) -> None:
    n = 100_000
    (tmp_path / "qrels").write_text("".join([f"q 0 d{i} {i % 2}\n" for i in range(n)]))
    (tmp_path / "a.run").write_text("".join([f"q Q0 d{i} 0 {-i} t\n" for i in range(n)]))
    scores = leadline.evaluate(leadline.read(tmp_path / "qrels", tmp_path / "a.run"), ["P@1000", "R@1000", "nDCG"])
    assert scores.array("P@1000").item() == 0.5
    assert scores.array("R@1000").item() == 500 / 50_000
    discount = 1 / np.log2(np.arange(n) + 2)
    assert scores.array("nDCG").item() == pytest.approx(discount[1::2].sum() / discount[: n // 2].sum(), rel=1e-12)


def test_a_thousand_runs(tmp_path: Path) -> None:
    for i in range(1000):
        (tmp_path / f"r{i:04d}.run").write_text(f"q Q0 d{i % 2} 1 1 t\n")
    track = leadline.read({"q": {"d0": 1}}, tmp_path)
    assert leadline.evaluate(track, ["P@1"]).array("P@1")[:, 0].tolist() == [1.0, 0.0] * 500


@pytest.mark.parametrize("grade", [TOP, -TOP - 1])
def test_extreme_grades(grade: int, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(f"q 0 d1 {grade}\nq 0 d2 1\n")
    track = leadline.read(tmp_path / "qrels", {"q": {"d2": 2.0, "d1": 1.0, "x": 0.5}})
    assert sorted(track.judgments.grade.tolist()) == sorted([grade, 1])
    got = leadline.evaluate(track, ["nDCG", "P@2"])
    third = 1 / np.log2(3)
    if grade > 0:
        assert got.array("nDCG").item() == pytest.approx((1 + TOP * third) / (TOP + third), rel=1e-14)
    else:
        assert got.array("nDCG").item() == 1.0
    assert got.array("P@2").item() == (1.0 if grade > 0 else 0.5)


@pytest.mark.parametrize("grade", [TOP + 1, -TOP - 2, 2**63, 10**30])
def test_grades_beyond_are_told(grade: int, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(f"q 0 d1 {grade}\n")
    with pytest.raises(InputError, match=f'qrels:1: the grade is out of range, got "{grade}"'):
        read_files(tmp_path / "qrels", {"q": {"d1": 1.0}})
    with pytest.raises(InputError, match="out of range"):
        read_files({"q": {"d1": grade}}, {"q": {"d1": 1.0}})


def test_sums_of_large_gains_do_not_wrap() -> None:
    qrels = {"q": {f"d{i}": TOP for i in range(50)}}
    track = leadline.read(qrels, {"q": {f"d{i}": float(-i) for i in range(50)}})
    assert leadline.evaluate(track, ["DCG"]).array("DCG").item() == pytest.approx(
        TOP * (1 / np.log2(np.arange(50) + 2)).sum()
    )
    assert leadline.evaluate(track, ["nDCG"]).array("nDCG").item() == 1.0


def test_long_lines_and_ids(tmp_path: Path) -> None:
    long = "d" * 300_000
    (tmp_path / "qrels").write_text(f"q 0 {long} 1\nq 0 {long}x 1\n")
    (tmp_path / "a.run").write_text(f"q Q0 {long}y 1 3 t\nq Q0 {long}x 2 2 t\nq Q0 {long} 3 1 {'t' * 100_000}\n")
    assert read_files(tmp_path / "qrels", tmp_path / "a.run").rank.tolist() == [2, 3]
