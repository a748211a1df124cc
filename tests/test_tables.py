"""Every format of a result, read back by an independent reader where there is one."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
from pathlib import Path
from unicodedata import east_asian_width

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import UnknownName, UsageError
from leadline.output.glyphs import bar, sparkline
from leadline.output.tables import FORMATS, Table, encode, pivot, render, write
from leadline.output.terminal import Layout, lay_out

SCORES = Table(
    {
        "run": ["bm25", "bm25", "bm25", "dense", "dense", "dense"],
        "topic": ["301", "all", "all", "301", "all", "all"],
        "measure": ["AP", "AP", "NumRet", "AP", "AP", "NumRet"],
        "value": np.array([0.25, 1 / 3, 2000.0, math.nan, 0.5, 1999.0]),
    }
)
names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)
texts = st.text(max_size=12)


def lines(text: str) -> list[str]:
    assert text.endswith("\n")
    return text[:-1].split("\n")


# trec


def test_trec_has_the_columns_of_trec_eval() -> None:
    one = Table({name: column[:3] for name, column in SCORES.columns.items()})
    assert render(one, "trec") == (
        "AP                    \t301\t0.2500\nAP                    \tall\t0.3333\nNumRet                \tall\t2000\n"
    )


def test_trec_names_the_run_before_each_block_if_there_are_several() -> None:
    assert lines(render(SCORES, "trec")) == [
        "runid                 \tall\tbm25",
        "AP                    \t301\t0.2500",
        "AP                    \tall\t0.3333",
        "NumRet                \tall\t2000",
        "runid                 \tall\tdense",
        "AP                    \t301\t   nan",
        "AP                    \tall\t0.5000",
        "NumRet                \tall\t1999",
    ]


def test_trec_gathers_the_lines_of_a_run() -> None:
    mixed = Table({"run": ["a", "b", "a"], "measure": ["P", "P", "R"], "value": [0.1, 0.2, 0.3]})
    assert [line.split("\t")[-1] for line in lines(render(mixed, "trec"))] == ["a", "0.1000", "0.3000", "b", "0.2000"]


def test_trec_prints_like_c() -> None:
    values = [0.0, -0.5, 12.34567, 1234567.0, 0.00004, -0.00004]
    printed = lines(render(Table({"measure": ["a-measure-of-more-than-22"] * 6, "value": values}), "trec"))
    assert printed == [f"a-measure-of-more-than-22\tall\t{v:6.4f}" for v in values]


def test_trec_refuses_what_it_cannot_hold() -> None:
    with pytest.raises(UsageError, match=r"holds measure, topic and value only\. Got measure, depth, value"):
        render(Table({"measure": ["P"], "depth": [1], "value": [0.5]}), "trec")
    with pytest.raises(UsageError, match="holds measure"):
        render(Table({"run": ["a"]}), "trec")


# tsv, csv, jsonl, parquet


def test_tsv_has_all_digits_and_says_nan() -> None:
    assert render(SCORES, "tsv") == (
        "run\ttopic\tmeasure\tvalue\n"
        "bm25\t301\tAP\t0.25\nbm25\tall\tAP\t0.3333333333333333\nbm25\tall\tNumRet\t2000\n"
        "dense\t301\tAP\tnan\ndense\tall\tAP\t0.5\ndense\tall\tNumRet\t1999\n"
    )


def test_jsonl_says_null_for_undefined_infinite_and_absent() -> None:
    table = Table(
        {"x": [0.1, math.nan, math.inf, -math.inf], "y": [None, 1, True, "a"], "z": [[1, math.nan], (), ["b"], 0.5]}
    )
    assert [json.loads(line, parse_constant=pytest.fail) for line in lines(render(table, "jsonl"))] == [
        {"x": 0.1, "y": None, "z": [1, None]},
        {"x": None, "y": 1, "z": []},
        {"x": None, "y": True, "z": ["b"]},
        {"x": None, "y": "a", "z": 0.5},
    ]


@given(st.lists(st.tuples(texts, st.floats(allow_nan=False, allow_infinity=False)), max_size=5), texts)
def test_jsonl_gives_back_what_it_got(rows: list[tuple[str, float]], name: str) -> None:
    name += "%s"
    table = Table({name: [t for t, _ in rows], "value%": np.array([v for _, v in rows])})
    assert [tuple(json.loads(line).values()) for line in render(table, "jsonl").split("\n")[:-1]] == rows
    if rows:
        assert set(json.loads(render(table, "jsonl").split("\n")[0])) == {name, "value%"}


def test_jsonl_of_bytes_that_are_no_utf8_is_valid_json() -> None:
    name = b"d\xff".decode("utf-8", "surrogateescape")
    assert json.loads(encode(Table({"doc": [name]}), "jsonl"))["doc"] == name
    assert encode(Table({"doc": [name]}), "tsv") == b"doc\nd\xff\n"


@given(st.lists(st.tuples(texts, st.floats(), texts), min_size=1, max_size=5))
def test_csv_gives_back_what_it_got(rows: list[tuple[str, float, str]]) -> None:
    table = Table(dict(zip(("a", "b", "c"), zip(*rows, strict=True), strict=True)))
    read = list(csv.reader(io.StringIO(render(table, "csv"), newline="")))
    assert read[0] == ["a", "b", "c"]
    assert [(a, repr(float(b)), c) for a, b, c in read[1:]] == [(a, repr(b), c) for a, b, c in rows]


@given(st.lists(st.tuples(texts, texts), max_size=5))
def test_tsv_has_one_line_per_row_and_one_field_per_column(rows: list[tuple[str, str]]) -> None:
    table = Table({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    printed = render(table, "tsv").split("\n")
    assert len(printed) == len(rows) + 2
    assert all(line.count("\t") == 1 for line in printed[:-1])


def test_safe_csv_disarms_text_and_leaves_numbers() -> None:
    table = Table({"run": ["=1+1", "+x", "-x", "@x", "\tx", "x=1"], "value": [-0.5, -1.0, 0.0, 1.0, 2.0, 3.0]})
    read = list(csv.reader(io.StringIO(render(table, "csv", safe_csv=True))))
    assert [row[0] for row in read[1:]] == ["'=1+1", "'+x", "'-x", "'@x", "'\tx", "x=1"]
    assert [row[1] for row in read[1:]] == ["-0.5", "-1.0", "0.0", "1.0", "2.0", "3.0"]
    assert "\n=1+1,-0.5\n" in render(table, "csv")


def test_csv_of_lists_flags_and_nothing() -> None:
    table = Table({"flags": [["n=8", 'a,"b"'], []], "ok": [True, False], "text": ["", None]})
    assert render(table, "csv") == 'flags,ok,text\n"n=8; a,""b""",true,""\n"",false,\n'


def test_parquet_keeps_types_and_nulls() -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    table = Table(
        {**SCORES.columns, "ok": [True] * 6, "k": range(6), "flags": [["a"], [], [], [], [], []]}, title="Scores"
    )
    read = pq.read_table(io.BytesIO(encode(table, "parquet")))
    assert read.column_names == ["run", "topic", "measure", "value", "ok", "k", "flags"]
    assert read["value"].to_pylist() == [0.25, 1 / 3, 2000.0, None, 0.5, 1999.0]
    assert [str(read.schema.field(n).type) for n in ("run", "value", "ok", "k")] == [
        "string",
        "double",
        "bool",
        "int64",
    ]
    assert read.schema.metadata[b"title"] == b"Scores"
    with pytest.raises(UsageError, match="parquet is not text"):
        render(table, "parquet")


# for people


def test_table_on_a_terminal() -> None:
    assert lines(render(SCORES, "table", width=80)) == [
        "run    topic  measure   value",
        "─" * 29,
        "bm25   301    AP       0.2500",
        "bm25   all    AP       0.3333",
        "bm25   all    NumRet     2000",
        "dense  301    AP            –",
        "dense  all    AP       0.5000",
        "dense  all    NumRet     1999",
    ]


def test_title_notes_and_no_rows() -> None:
    empty = Table({"run": [], "value": []}, title="Scores", notes=["nothing left"])
    assert lines(render(empty, "table", width=80)) == ["Scores", "run  value", "─" * 10, "(no rows)", "nothing left"]
    assert render(empty, "tsv") == "run\tvalue\n"
    assert render(empty, "csv") == "run,value\n"
    assert render(empty, "jsonl") == ""
    for name in FORMATS:
        if name not in ("parquet", "trec"):
            render(Table({}), name)


def test_digits_flags_small_p_values_and_minus_zero() -> None:
    table = Table({"p": [1e-9, 0.04999, 1.0], "x": [-1e-9, -0.05, 2.0], "ok": [True, False, None], "n": [1, -2, 3]})
    assert lines(render(table, "table", width=80, digits=2)) == [
        "    p      x  ok    n",
        "─" * 20 + "─",
        "<0.01   0.00  yes   1",
        " 0.05  -0.05  no   -2",
        " 1.00   2.00        3",
    ]


def test_wide_table_is_split_and_repeats_its_names() -> None:
    wide = pivot(
        Table(
            {
                "run": np.repeat([f"a-rather-long-name-of-run-{i}" for i in range(3)], 12),
                "measure": np.tile([f"nDCG@{k}" for k in range(1, 13)], 3),
                "value": np.linspace(0, 1, 36),
            }
        )
    )
    text = render(wide, "table", width=80)
    assert max(map(len, lines(text))) <= 80
    headers = [line.split() for line in lines(text) if line.startswith("run")]
    assert len(headers) > 1
    assert [m for header in headers for m in header[1:]] == [f"nDCG@{k}" for k in range(1, 13)]
    assert text.count("a-rather-l…e-of-run-2"[-6:]) == len(headers)
    assert set(re.findall(r"\d\.\d{4}", text)) == {f"{v:.4f}" for v in np.linspace(0, 1, 36)}


def test_names_are_not_shortened_into_one_another() -> None:
    cells = ["prefix-of-the-run-A-suffix-of-the-run", "prefix-of-the-run-B-suffix-of-the-run"]
    text = lay_out([Layout("run", cells), *(Layout(f"m{i}", ["0.1234"] * 2, right=True) for i in range(9))], 60)
    assert all(cell in text for cell in cells)


def test_prose_is_wrapped_not_cut() -> None:
    prose = "Thirty-one per cent of the documents at the first ten ranks are unjudged, so scores are lower bounds."
    table = Table({"check": ["unjudged"], "value": [0.31], "text": [prose]})
    text = render(table, "table", width=60)
    assert max(map(len, lines(text))) <= 60
    assert " ".join(line[18:].strip() for line in lines(text)[2:]) == prose


@settings(max_examples=60)
@given(
    st.lists(st.tuples(names, st.lists(names, min_size=2, max_size=2), st.booleans()), min_size=1, max_size=12),
    st.integers(40, 120),
)
def test_layout_loses_no_column_and_fits(columns: list[tuple[str, list[str], bool]], width: int) -> None:
    laid = [Layout(f"{header}", cells, right) for header, cells, right in columns]
    text = lay_out(laid, width)

    def cells(line: str) -> int:
        return sum(2 if east_asian_width(c) in "WF" else 1 for c in line)

    assert all(c.header.strip() in text for c in laid)
    widest = max(c.width for c in laid if not c.prose) if any(not c.prose for c in laid) else 0
    if widest <= width // 2 - 2 and text.isascii():
        assert max(map(cells, text.split("\n"))) <= width


def test_ascii_table_has_only_ascii() -> None:
    table = Table({"run": ["café", "a-name-much-too-long-for-the-width"], "AP": [math.nan, 0.5]})
    text = render(table, "table", width=30, ascii=True)
    assert text.isascii()
    assert "caf\\xe9" in text


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = render(Table({"run": ["a\x1b[31m\x07\x9b", "b\nc"]}), "table", width=80)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\x9b" not in text
    assert lines(text)[2:] == ["a\\x1b[31m\\x07\\x9b", "b\\nc"]


def test_wide_characters_take_two_cells() -> None:
    text = lay_out([Layout("run", ["検索", "ab"]), Layout("v", ["1", "2"], right=True)], 80)
    assert text.split("\n")[2:] == ["検索  1", "ab    2"]


def test_color_only_if_asked_and_never_with_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    wide = pivot(SCORES)
    plain, colored = render(wide, "table", width=80), render(wide, "table", width=80, color=True)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d+m", "", colored) == plain
    assert "\x1b[1m0.5000\x1b[0m" in colored
    monkeypatch.setenv("NO_COLOR", "1")
    assert render(wide, "table", width=80, color=True) == plain


def test_width_is_that_of_the_terminal_unless_given(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table({"run": ["a"], **{f"measure{i}": [0.5] for i in range(10)}})
    monkeypatch.setenv("COLUMNS", "50")
    assert render(table, "table") == render(table, "table", width=50)
    monkeypatch.setenv("COLUMNS", "500")
    assert render(table, "table") == render(table, "table", width=500) != render(table, "table", width=50)


def test_markdown() -> None:
    wide = pivot(
        Table({"run": ["a|b", "*c*"], "measure": ["AP", "AP"], "value": [-0.5, -0.25]}, title="T", notes=["n=2"])
    )
    assert lines(render(wide, "markdown")) == [
        "**T**",
        "",
        "| run | AP |",
        "| --- | --: |",
        r"| a\|b | -0.5000 |",
        r"| \*c\* | **-0.2500** |",
        "",
        "n=2",
    ]
    assert render(Table({"run": ["a_b", "_c_", "x<y", "[z]"]}), "markdown").split("\n")[2:-1] == [
        "| a_b |",
        r"| \_c\_ |",
        r"| x\<y |",
        r"| \[z] |",
    ]


def test_latex() -> None:
    wide = pivot(
        Table(
            {
                "run": ["a_b&c", "100%", "[x]"],
                "measure": ["AP"] * 3,
                "value": [-0.5, math.nan, -0.25],
            },
            title="Scores of $3 runs",
            notes=["one topic\nundefined"],
        )
    )
    assert lines(render(wide, "latex", digits=2)) == [
        r"% needs \usepackage{booktabs}",
        "% one topic undefined",
        r"\begin{table}",
        r"\centering",
        r"\caption{Scores of \$3 runs}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"run & AP \\",
        r"\midrule",
        r"a\_b\&c & $-0.50$ \\",
        r"100\% & -- \\",
        r"{[}x{]} & $\mathbf{-0.25}$ \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


@given(texts)
def test_latex_leaves_no_active_character(text: str) -> None:
    row = render(Table({"run": [text]}), "latex").split("\\midrule\n")[1].split(" \\\\\n\\bottomrule")[0]
    bare = re.sub(r"\\text\w+\{\}|\\[&%$#_{}]|\{[\[\]*]\}", "", row)
    assert not set(bare) & set("&%$#_{}\\~^<>|\n")


# pivot


def test_pivot_keeps_order_topics_and_gaps() -> None:
    wide = pivot(SCORES)
    assert wide.columns["run"] == ["bm25", "bm25", "dense", "dense"]
    assert wide.columns["topic"] == ["301", "all", "301", "all"]
    assert wide.columns["NumRet"] == [None, 2000.0, None, 1999.0]
    assert wide.best == {"AP": "max"}
    assert "2000" in render(wide, "table")
    assert "2000." not in render(wide, "table")


def test_pivot_drops_the_only_topic_and_stresses_the_smaller() -> None:
    table = Table({"run": ["a", "b"], "topic": ["all"] * 2, "measure": ["ESL"] * 2, "value": [3.0, 2.0], "sd": [1, 1]})
    wide = pivot(table, lower={"ESL"})
    assert list(wide.columns) == ["run", "ESL"]
    assert "**2.0000**" in render(wide, "markdown")
    assert "**3.0000**" not in render(wide, "markdown")


def test_pivot_of_one_run_and_of_none() -> None:
    one = Table({"run": ["a"], "measure": ["AP"], "value": [0.5]})
    assert "**" not in render(pivot(one), "markdown")
    assert pivot(Table({"measure": ["AP", "RR"], "value": [0.5, 1.0]})).columns == {"AP": [0.5], "RR": [1.0]}
    assert pivot(Table({"run": [], "measure": [], "value": []})).columns == {"run": []}
    with pytest.raises(UnknownName, match="Unknown column 'measures'"):
        pivot(one, by="measures")


def test_all_values_that_print_like_the_best_are_stressed() -> None:
    table = pivot(Table({"run": list("abc"), "measure": ["AP"] * 3, "value": [0.50001, 0.5, 0.4]}))
    assert render(table, "markdown").count("**0.5000**") == 2


# tables and files


def test_columns_must_be_equally_long() -> None:
    with pytest.raises(UsageError, match=r"equal lengths\. Got {'a': 1, 'b': 2}"):
        Table({"a": [1], "b": [1, 2]})


def test_numpy_scalars_and_numpy_columns_print_alike() -> None:
    as_list = Table(
        {"x": [np.float64(0.5), np.float64("nan")], "n": [np.int64(3), None], "b": [np.bool_(True), np.False_]}
    )
    as_array = Table({"x": np.array([0.5, np.nan]), "n": [3, None], "b": np.array([True, False])})
    for name in ("table", "tsv", "csv", "jsonl", "markdown", "latex"):
        assert render(as_list, name) == render(as_array, name)


def test_unknown_format_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"Unknown format 'json'\. Did you mean 'jsonl'"):
        render(SCORES, "json")


def test_write_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write(SCORES, "jsonl")
    assert capfdbinary.readouterr().out == encode(SCORES, "jsonl")


def test_write_to_a_terminal_that_knows_ascii_only(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    write(SCORES, "table", width=80)
    assert raw.getvalue() == render(SCORES, "table", width=80, ascii=True).encode()


def test_parquet_does_not_go_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with pytest.raises(UsageError, match="Name a file with -o"):
        write(SCORES, "parquet")


def test_write_to_a_file_is_atomic(tmp_path: Path) -> None:
    target = tmp_path / "scores.jsonl"
    target.write_text("before")
    with pytest.raises(UnknownName):
        write(SCORES, "jsnl", target)
    assert target.read_text() == "before"
    write(SCORES, "jsonl", target)
    assert target.read_bytes() == encode(SCORES, "jsonl")
    assert [p.name for p in tmp_path.iterdir()] == ["scores.jsonl"]


# glyphs


def test_bars_have_their_width() -> None:
    for x in (-1.0, 0.0, 0.01, 0.5, 0.99, 1.0, 2.0, math.nan):
        for plain in (True, False):
            assert len(bar(x, 7, ascii=plain)) == 7
    assert bar(1.0, 3) == "███"
    assert bar(0.0, 3, ascii=True) == "..."
    assert bar(math.nan, 3) == "   "
    lengths = [bar(x / 100, 8, ascii=True).count("#") for x in range(101)]
    assert lengths == sorted(lengths)


def test_sparklines() -> None:
    assert sparkline([]) == ""
    assert sparkline([math.nan]) == " "
    assert sparkline([1.0, 1.0]) == "▁▁"
    assert sparkline([0.5], low=0, high=1) == "▅"
    assert sparkline([-math.inf, 0, 1, math.inf]) == "▁▁██"
    assert sparkline([5, -5], low=0, high=1) == "█▁"
    assert sparkline(range(8), ascii=True).isascii()
