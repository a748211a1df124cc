"""The native reader against a slow one: the same lists or the same complaints, on whatever text comes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive_io
from leadline.errors import InputError
from leadline.io import read_files, start_read
from readers import Case, verdict

IDS = st.one_of(
    st.sampled_from(
        ["d1", "d2", "d3", "d10", "D1", "d", "#1", '"q"', "dé", "文書", "a" * 40, "a" * 40 + "b", "x" * 3000, "-1"]
    ),
    st.from_regex(r"[!-~]{1,20}", fullmatch=True),
    st.text(
        st.characters(min_codepoint=0x21, max_codepoint=0x2FFF, exclude_categories=["Cs", "Cc", "Z"]),
        min_size=1,
        max_size=9,
    ),
)
SCORES = st.one_of(
    st.sampled_from(
        ["1", "1.0", "2.5", "2.50", "-0.0", "0", "inf", "-inf", "1e5", "1E-3", "+3", ".5", "5.", "1e400", "-1e-400"]
    ),
    st.floats(allow_nan=False).map(repr),
    st.floats(0, 40).map(lambda x: f"{x:.4f}"),
    st.decimals(allow_nan=False, allow_infinity=False, places=17, min_value=-1000, max_value=1000).map(str),
    st.sampled_from(["16777217", "16777216", "0.1", "0.10000000149011612", "0.1000000014901161"]),
)
BAD_SCORES = st.sampled_from(["nan", "NaN", "-nan", "1,5", "x", "1e", "0x10", "--1", "1_0", "infi", "1.2.3", "."])
BLANKS = st.sampled_from([" ", " ", " ", "\t", "  ", " \t", "\v", "\f"])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", "\r\n \t\n"])


@st.composite
def run_text(draw: st.DrawFn, bad: bool) -> bytes:
    topics = draw(
        st.lists(
            st.sampled_from(["q1", "q2", "q3", "101", "longer-topic-name-1", "longer-topic-name-2", "é"]),
            min_size=1,
            max_size=4,
            unique=True,
        )
    )
    few_ids = draw(st.lists(IDS, min_size=1, max_size=8, unique=True))
    lines = []
    for _ in range(draw(st.integers(1, 40))):
        score = draw(st.one_of(SCORES, BAD_SCORES) if bad else SCORES)
        rank = draw(
            st.sampled_from(["1", "2", "-3", "07", "x"] if bad else ["1", "2", "3", "-3", "07", "4503599627370496"])
        )
        cells = [
            draw(st.sampled_from(topics)),
            "Q0",
            draw(st.sampled_from(few_ids)),
            rank,
            score,
            draw(st.sampled_from(["tag", "t" * 70])),
        ]
        if bad and draw(st.integers(0, 9)) == 0:
            cells = cells[: draw(st.integers(0, 5))] or [*cells, "more"]
        lines.append((cells, draw(ENDS)))
    if draw(st.booleans()):  # grouped, as most files are
        lines.sort(key=lambda x: x[0][0])
    if not bad or draw(st.booleans()):  # no document twice in a topic
        lines = list({(c[0], c[2] if len(c) > 2 else i): (c, e) for i, (c, e) in enumerate(lines)}.values())
    text = "".join(draw(BLANKS).join(cells) + end for cells, end in lines)
    text = draw(st.sampled_from(["", "", "\ufeff", " ", "\n"])) + text
    return (text.rstrip("\r\n") if draw(st.booleans()) else text).encode()


QRELS = b"".join(
    f"{t} 0 {d} {g}\n".encode()
    for t in ["q2", "q1", "101", "longer-topic-name-1", "é"]
    for d, g in [("d1", 1), ("d2", 0), ("a" * 40, 2), ("dé", 3), ("x" * 3000, 1), ("d10", -1)]
)


@pytest.mark.parametrize("ties", ["trec", "trec32", "run", "file", "rank"])
@pytest.mark.parametrize("lenient", [False, True])
@settings(max_examples=35, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_equal_to_slow_reader(
    ties: str, lenient: bool, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = data.draw(run_text(bad=data.draw(st.booleans())))
    chunk, threads = data.draw(st.sampled_from([1, 7, 100, 1 << 20])), data.draw(st.sampled_from([1, 3]))
    verdict(Case(QRELS, text, ties, lenient, chunk, threads), tmp_path_factory.getbasetemp())


@st.composite
def qrels_text(draw: st.DrawFn) -> bytes:
    grades = [
        "0",
        "1",
        "2",
        "-1",
        "+1",
        "007",
        *draw(st.sampled_from([[], ["1.0", "x", "2147483648", "-2147483649", "9" * 30]])),
    ]
    lines = []
    for _ in range(draw(st.integers(0, 30))):
        cells = [draw(st.sampled_from(["q1", "q2", "é"])), "0", draw(IDS), draw(st.sampled_from(grades))]
        lines.append(draw(BLANKS).join(cells[: draw(st.sampled_from([4] * 20 + [3]))]) + draw(ENDS))
    return "".join(lines).encode()


@pytest.mark.parametrize("lenient", [False, True])
@settings(max_examples=50, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(text=qrels_text())
def test_qrels_equal_to_slow_reader(lenient: bool, text: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    run = b"".join(topic + b" Q0 d1 1 1.0 tag\n" for topic in naive_io.read_qrels(text, lenient).topics)
    case = Case(text, run or b"q1 Q0 d1 1 1.0 tag\n", lenient=lenient)
    assert verdict(case, tmp_path_factory.getbasetemp()) in ("read", "refused")


def test_threads_and_chunks_do_not_matter(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    docs = [f"doc{i:05d}" for i in range(2000)]
    qrels = {
        f"q{t}": {str(d): int(rng.integers(-1, 3)) for d in rng.choice(docs, 60, replace=False)} for t in range(40)
    }
    files = []
    for r in range(3):
        lines = []
        for t in rng.permutation(45):
            scores = np.round(rng.random(150) * 5, 1)
            lines += [
                f"q{t} Q0 {d} {i} {s} r{r}"
                for i, (d, s) in enumerate(zip(rng.choice(docs, 150, replace=False), scores, strict=True))
            ]
        if r == 2:
            lines = [lines[i] for i in rng.permutation(len(lines))]  # interleaved
        files.append(tmp_path / f"{r}.run")
        files[-1].write_text("\n".join(lines))
    first = None
    for threads in (1, 2, 5):
        for chunk in (1, 1000, 20_000, 1 << 30):
            pending = start_read(
                qrels, files, threads=threads, chunk=chunk, keep_docs=True, keep_scores=True, nil="doc00007"
            )
            r = pending.result()
            assert r.docs is not None
            assert r.scores is not None
            assert r.nil_rank is not None
            parts = [r.lengths, r.offsets, r.rank, r.row, r.scores, r.nil_rank, r.answered, r.labels]
            found = [p.tobytes() for p in parts] + [r.docs.list(i) for i in range(len(r.lengths))] + [str(r.findings)]
            first = first or found
            assert found == first
    assert first is not None
    assert "topics-without-judgments: 5" in first[-1]


def test_zeros_are_equal_and_keep_their_order(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q Q0 a 1 -0.0 t\nq Q0 b 2 0 t\nq Q0 c 3 -0 t\nq Q0 d 4 1 t\n")
    for ties, expected in [("run", "dabc"), ("trec", "dcba"), ("file", "abcd")]:
        read = read_files({"q": {"a": 1}}, tmp_path / "a.run", ties=ties, keep_docs=True)
        assert read.docs is not None
        assert "".join(read.docs.list(0)) == expected


def test_documents_are_told_apart_by_their_bytes(tmp_path: Path) -> None:
    """So many ids that some share a 32-bit hash: none may pass for another, none for a duplicate."""
    n = 250_000
    docs = [f"d{i * 7919 % 1_000_003}" for i in range(n)]
    lines = [f"q Q0 {d} {i} {-i} t\n" for i, d in enumerate(docs)]
    (tmp_path / "a.run").write_text("".join(lines))
    read = read_files({"q": dict.fromkeys(docs[1::2], 1)}, tmp_path / "a.run")
    assert read.lengths.tolist() == [n]
    np.testing.assert_array_equal(read.rank, np.arange(2, n + 1, 2))
    np.testing.assert_array_equal(read.row, np.arange(n // 2))
    (tmp_path / "a.run").write_text("".join([*lines, lines[123_456].replace(" -", " -9")]))
    with pytest.raises(InputError, match=f'a.run:{n + 1}: document "{docs[123_456]}" appears twice .* on line 123457'):
        read_files({"q": {"d0": 1}}, tmp_path / "a.run")


@pytest.mark.parametrize("size", [63, 64, 65, 4095, 4096, 4097, 16383, 16384, 16385, 32768])
def test_sizes_at_the_edges_of_blocks_and_pages(size: int, tmp_path: Path) -> None:
    text, i = "", 0
    while len(text) < size - 60:
        text, i = f"{text}q{i // 50} Q0 d{i} 1 {-i} t\n", i + 1
    text += f"q{i // 50} Q0 last 1 {-i} t".ljust(size - len(text), "t")  # the tag fills it up, no line feed
    assert len(text) == size
    (tmp_path / "a.run").write_text(text)
    slow = naive_io.read_run(text.encode(), "trec", lenient=False)
    qrels = {t.decode(): {line.doc.decode(): 1 for line in lines} for t, lines in slow.topics.items()}
    for chunk in (1, 1 << 20):
        read = start_read(qrels, tmp_path / "a.run", chunk=chunk).result()
        assert read.lengths.tolist() == [len(lines) for lines in slow.topics.values()]
        assert len(read.rank) == sum(read.lengths)
