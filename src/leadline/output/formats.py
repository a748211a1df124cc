"""The formats of a table, each a function of the table alone; `leadline.output.tables` chooses among them.

A `Style` says how a format prints each kind of value. Columns of one kind are formatted as a whole; only mixed ones are
looked at cell by cell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from leadline.errors import UsageError, require

if TYPE_CHECKING:
    from leadline.output.tables import Column, Table
    from leadline.output.terminal import Layout

__all__ = [
    "Style",
    "csv",
    "for_people",
    "is_count",
    "jsonl",
    "latex",
    "lists",
    "markdown",
    "parquet",
    "plain_text",
    "trec",
    "tsv",
    "values",
]

_P_VALUES = {"p", "p_adjusted", "median_p"}  # shown as <0.0001 rather than as 0.0000
_TREC_COLUMNS = {"run", "topic", "measure", "value"}


class Style(NamedTuple):
    """How one format prints a cell of each kind; ``text`` is asked once per distinct text."""

    text: Callable[[str], str] = str
    real: Callable[[float], str] = float.__repr__
    undefined: str = "nan"
    infinite: Callable[[float], str] = str
    absent: str = ""
    flags: tuple[str, str] = ("false", "true")
    mark: Callable[[str, int], str] = " {0:<{1}}".format  # a superscript, and the width of the widest of its column
    nested: bool = False  # whether the format has lists of its own; if not, they become one text

    def column(self, column: list[Any]) -> list[str]:
        """Every cell of a column as text."""
        kinds = set(map(type, column))
        if kinds == {str}:
            known = {v: self.text(v) for v in set(column)}
            return [known[v] for v in column]
        if kinds and kinds <= {float, int}:
            texts = [self.real(v) if type(v) is float else str(v) for v in column]
            if not all(map(math.isfinite, column)):
                texts = [t if math.isfinite(v) else self.cell(v) for v, t in zip(column, texts, strict=True)]
            return texts
        return list(map(self.cell, column))

    def cell(self, value: Any) -> str:
        """One cell of any kind."""
        if value is None:
            return self.absent
        if isinstance(value, bool):
            return self.flags[value]
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            if math.isnan(value):
                return self.undefined
            return self.infinite(value) if math.isinf(value) else self.real(value)
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(self.cell, value))}]" if self.nested else self.text("; ".join(map(str, value)))
        return self.text(str(value))


def values(column: Column) -> list[Any]:
    """The column as a list of Python objects, numpy's scalars made plain."""
    tolist = getattr(column, "tolist", None)
    out: list[Any] = list(column) if tolist is None else tolist()
    if any(hasattr(kind, "item") for kind in set(map(type, out))):
        out = [v.item() if hasattr(v, "item") else v for v in out]
    return out


def is_count(measure: object, counts: Collection[str]) -> bool:
    """Whether a measure, by its name without parameters, is among the counts."""
    base = re.match(r"\w+", str(measure))
    return base is not None and base[0] in counts


def lists(table: Table) -> dict[str, list[Any]]:
    """All columns as lists, the values of counts as whole numbers."""
    out = {name: values(column) for name, column in table.columns.items()}
    for name in out:
        if is_count(name, table.counts):
            out[name] = list(map(_whole, out[name]))
    if "measure" in out and "value" in out:
        counts = {m for m in set(out["measure"]) if is_count(m, table.counts)}
        if counts:
            pairs = zip(out["measure"], out["value"], strict=True)
            out["value"] = [_whole(v) if m in counts else v for m, v in pairs]
    return out


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


# for programs


def tsv(table: Table) -> str:
    """Tab-separated; tabs and line breaks inside a text become the two characters of their escape."""
    style = Style(text=_one_line)
    columns = [style.column(c) for c in lists(table).values()]
    rows = map("\t".join, zip(*columns, strict=True))
    return "\n".join(["\t".join(map(_one_line, table.columns)), *rows]) + "\n"


def _one_line(text: str) -> str:
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def csv(table: Table, *, safe: bool = False) -> str:
    """Comma-separated, quoted where needed; ``safe`` disarms text that a spreadsheet would run as a formula."""
    style = Style(text=partial(_quoted, safe))
    columns = [style.column(c) for c in lists(table).values()]
    rows = map(",".join, zip(*columns, strict=True))
    return "\n".join([",".join(map(style.text, table.columns)), *rows]) + "\n"


def _quoted(safe: bool, text: str) -> str:
    """Quoted where a reader needs it; an empty text too, since an absent one is nothing at all."""
    if safe and text.startswith(("=", "+", "-", "@", "\t", "\r")):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if not text or re.search('[",\r\n]', text) else text


def jsonl(table: Table) -> str:
    """One JSON object per line; what is undefined, infinite or absent is null."""
    style = Style(text=_json_text, undefined="null", infinite=lambda _: "null", absent="null", nested=True)
    columns = [style.column(c) for c in lists(table).values()]
    fields = [_json_text(name).replace("%", "%%") + ": %s" for name in table.columns]
    line = "{" + ", ".join(fields) + "}\n"
    return "".join(map(line.__mod__, zip(*columns, strict=True)))


def _json_text(text: str) -> str:
    from json import dumps

    try:
        text.encode()
    except UnicodeEncodeError:  # bytes that are no UTF-8 came in as surrogates
        return dumps(text)
    return dumps(text, ensure_ascii=False)


def trec(table: Table, digits: int) -> str:
    """trec_eval's columns: measure, topic, value; the runs one after the other, each after its name."""
    extra = [name for name in table.columns if name not in _TREC_COLUMNS]
    if extra or not {"measure", "value"} <= set(table.columns):
        held = ", ".join(table.columns)
        raise UsageError(f"The trec format holds measure, topic and value only. Got {held}; use tsv or jsonl.")
    columns = lists(table)
    topics = columns.get("topic", ["all"] * len(table))
    style = Style(real=f"%6.{digits}f".__mod__, undefined="   nan", infinite="%6.1f".__mod__)
    cells = zip(
        Style(text="%-22s".__mod__).column(columns["measure"]), topics, style.column(columns["value"]), strict=True
    )
    lines = list(map("%s\t%s\t%s\n".__mod__, cells))
    blocks: dict[Any, list[str]] = {}
    for run, line in zip(columns.get("run", [""] * len(lines)), lines, strict=True):
        blocks.setdefault(run, []).append(line)
    if len(blocks) > 1:
        for run, block in blocks.items():
            block.insert(0, f"{'runid':<22}\tall\t{run}\n")
    return "".join(line for block in blocks.values() for line in block)


def parquet(table: Table) -> bytes:
    """Parquet by pyarrow; undefined values are null, the title is kept in the schema."""
    from io import BytesIO

    pa: Any = require("pyarrow", "tables")
    pq: Any = require("pyarrow.parquet", "tables")
    columns = {name: pa.array(values(c), from_pandas=True) for name, c in table.columns.items()}
    data = pa.table(columns)
    if table.title:
        data = data.replace_schema_metadata({"title": table.title})
    out = BytesIO()
    pq.write_table(data, out)
    return out.getvalue()


# for people


def plain_text(ascii: bool) -> Style:  # noqa: A002
    """The style of the terminal."""
    return Style(text=partial(_visible, ascii), undefined="-" if ascii else "–", flags=("no", "yes"))


def _visible(ascii: bool, text: str) -> str:  # noqa: A002
    """Control characters, which could take over the terminal, as escapes; with ``ascii`` all other characters too."""
    text = re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda c: c[0].encode("unicode_escape").decode(), text)
    return text.encode("ascii", "backslashreplace").decode() if ascii else text


def for_people(table: Table, digits: int, style: Style) -> list[Layout]:
    """Every column formatted to ``digits``, with the best values marked."""
    from leadline.output.terminal import Layout

    number = style._replace(real=partial(_rounded, digits))
    out = []
    for name, column in lists(table).items():
        right = all(v is None or (isinstance(v, (int, float)) and not isinstance(v, bool)) for v in column)
        cells = number.column(column)
        if name in _P_VALUES:
            least = 0.5 * 10.0**-digits
            tiny = style.text(f"<{10.0**-digits:.{digits}f}")
            cells = [tiny if isinstance(v, float) and v < least else c for v, c in zip(column, cells, strict=True)]
        bold = _best(column, cells, table.best[name]) if name in table.best and right else frozenset()
        marks = table.marks.get(name, ())
        if any(marks):
            wide = max(map(len, marks))
            cells = [c + style.mark(m, wide) for c, m in zip(cells, marks, strict=True)]
        out.append(Layout(style.text(name), cells, right and len(column) > 0, bold))
    return out


def _rounded(digits: int, value: float) -> str:
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _best(column: list[Any], cells: list[str], end: str) -> frozenset[int]:
    """The rows that print like the best value."""
    finite = [v for v in column if v is not None and math.isfinite(v)]
    if not finite:
        return frozenset()
    best = cells[column.index(max(finite) if end == "max" else min(finite))]
    return frozenset(i for i, cell in enumerate(cells) if cell == best)


def markdown(table: Table, digits: int) -> str:
    """A table of GitHub-flavoured markdown."""
    style = Style(text=_markdown_text, undefined="–", flags=("no", "yes"), mark=_markdown_mark)
    columns = for_people(table, digits, style)
    cells = [[f"**{t}**" if i in c.bold else t for i, t in enumerate(c.cells)] for c in columns]
    rows = [[c.header for c in columns], ["--:" if c.right else "---" for c in columns], *zip(*cells, strict=True)]
    title = [f"**{_markdown_text(table.title)}**", ""] if table.title else []
    notes = [line for note in table.notes for line in ("", _markdown_text(note))]
    return "\n".join([*title, *(f"| {' | '.join(row)} |" for row in rows), *notes]) + "\n"


def _markdown_mark(mark: str, _: int) -> str:
    return f"<sup>{_markdown_text(mark)}</sup>" if mark else ""


def _markdown_text(text: str) -> str:
    text = re.sub(r"([\\|*`<\[])|(?<!\w)(_)|(_)(?!\w)", r"\\\g<0>", text)
    return re.sub(r"\s*[\r\n]+\s*", " ", text)


_LATEX = str.maketrans(
    {
        **{c: f"\\{c}" for c in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "[": "{[}",  # after \\\\ a bracket or star would be taken for its argument
        "]": "{]}",
        "*": "{*}",
        "–": "--",
        "\n": " ",
        "\r": " ",
    }
)


def latex(table: Table, digits: int) -> str:
    """A booktabs tabular, in a table with a caption if there is a title; notes are comments."""
    style = Style(text=lambda t: t.translate(_LATEX), undefined="--", flags=("no", "yes"), mark=_latex_mark)
    columns = for_people(table, digits, style)
    cells = [[_latex_cell(t, c.right, i in c.bold) for i, t in enumerate(c.cells)] for c in columns]
    lines = [
        rf"\begin{{tabular}}{{{''.join('r' if c.right else 'l' for c in columns)}}}",
        r"\toprule",
        " & ".join(c.header for c in columns) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in zip(*cells, strict=True)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if table.title:
        caption = rf"\caption{{{table.title.translate(_LATEX)}}}"
        lines = [r"\begin{table}", r"\centering", caption, *lines, r"\end{table}"]
    notes = [f"% {' '.join(note.split())}" for note in table.notes]
    return "\n".join(["% needs \\usepackage{booktabs}", *notes, *lines]) + "\n"


def _latex_mark(mark: str, _: int) -> str:
    arrows = str.maketrans({"↑": r"$\uparrow$", "↓": r"$\downarrow$"})
    return rf"\textsuperscript{{{mark.translate(_LATEX).translate(arrows)}}}" if mark else ""


def _latex_cell(text: str, number: bool, stressed: bool) -> str:
    if number and text.startswith("-") and text != "--":
        return rf"$\mathbf{{{text}}}$" if stressed else f"${text}$"
    return rf"\textbf{{{text}}}" if stressed else text
