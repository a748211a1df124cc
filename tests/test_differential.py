"""The native reader and the slow one agree on changed files; ``fuzz/differential.py`` does the same for longer."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import naive_io
from mutations import MILD, WILD, case, simulated
from readers import Case, verdict

CASES = 900


def test_native_and_slow_reader_agree_on_changed_files(tmp_path: Path) -> None:
    seen = Counter(verdict(case(1, number), tmp_path) for number in range(CASES))
    assert min(seen["read"], seen["refused"]) > CASES / 4
    assert seen["another format"] < CASES / 100


def test_originals_are_read(tmp_path: Path) -> None:
    for qrels, run in simulated():
        assert verdict(Case(qrels, run), tmp_path) == "read"


def test_a_case_is_the_same_at_any_time() -> None:
    assert [case(3, i) for i in range(20)] == [case(3, i) for i in range(20)]
    assert len({mutator.__name__ for mutator in (*MILD, *WILD)}) >= 30


QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq1 0 d1 2\n"
RUN = b"q1 Q0 d1 1 2.5 t\nq2 Q0 d1 2 1.5 t\nq1 Q0 d2 2 nan t\nq1 Q0 d3 2 1.0 t\n"


@pytest.mark.parametrize(
    ("lenient", "name", "old", "new"),
    [
        (True, "qrels", b"d1 2", b"d1 1"),
        (True, "qrels", b"d2 0", b"d2 1"),
        (True, "qrels", b"d2 0", b"d20 0"),
        (True, "run", b"d3", b"d4"),
        (True, "run", b"2.5", b"2.6"),
        (True, "run", b"nan", b"0"),
        (True, "run", b"q2", b"q3"),
        (True, "run", b" t", b" u"),
        (True, "run", b"d3 2 1.0", b"d1 2 1.0"),
        (False, "qrels", b"d1 2", b"d3 2"),  # no duplicate
        (False, "qrels", b"d1", b"d4"),  # another one
        (False, "qrels", b"\n", b"\n\n"),  # on another line
        (False, "run", b"nan", b"0"),
        (False, "run", b"nan", b"NaN"),
        (False, "run", b"\n", b"\n\n"),
    ],
)
def test_a_difference_is_noticed(
    lenient: bool, name: str, old: bytes, new: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow reader is given a text that is not quite the same: what differs must come out."""
    read = getattr(naive_io, f"read_{name}")
    monkeypatch.setattr(naive_io, f"read_{name}", lambda text, *rest: read(text.replace(old, new), *rest))
    with pytest.raises(AssertionError):
        verdict(Case(QRELS, RUN, lenient=lenient), tmp_path)


def test_a_nul_byte_is_named_behind_any_number_of_other_problems(tmp_path: Path) -> None:
    run = b"q1 Q0 d1\n" * 30 + b"q1 Q0 d\0 1 1 t\n"
    for chunk in (1, 100, 1 << 20):
        assert verdict(Case(b"q1 0 d1 1\n", run, chunk=chunk), tmp_path) == "refused"
