"""What a caller may hand over as qrels or runs, and what it is called."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leadline.errors import InputError, UsageError
from leadline.findings import Findings
from leadline.io.columns import Columns
from leadline.io.formats import TABLES, plain_name

__all__ = ["Source", "check_names", "qrels_source", "run_sources", "tables_module"]

STDIN = "standard input"


class Source:
    """One input: a path, standard input, a nested dictionary or columns."""

    __slots__ = ("kind", "name", "value", "where")

    def __init__(self, kind: str, value: Any, name: str, where: str) -> None:
        self.kind = kind  # "path", "stdin", "dict" or "columns"
        self.value = value
        self.name = name
        self.where = where

    def __repr__(self) -> str:
        return f"<{self.kind} {self.where}>"


def _is_path(value: object) -> bool:
    return isinstance(value, (str, os.PathLike))


def _is_table(value: object) -> bool:
    """Every data frame and Arrow table has ``columns``; asked of the type, since a lazy frame computes them."""
    return hasattr(type(value), "columns")


def _is_nested(value: object) -> bool:
    """Whether a mapping holds runs rather than topics: two levels of mappings below it."""
    if not isinstance(value, Mapping):
        return False
    inner = [v for v in value.values() if v is not None]
    if not all(isinstance(v, Mapping) for v in inner):
        return bool(inner) and all(_is_path(v) or isinstance(v, (Columns, Mapping)) or _is_table(v) for v in inner)
    return any(isinstance(x, Mapping) for v in inner for x in v.values())


def qrels_source(qrels: Any, aspects: Sequence[str] | None = None) -> Source:
    """The source of judgments."""
    if isinstance(qrels, Columns):
        return Source("columns", qrels, "qrels", qrels.where or "qrels")
    if isinstance(qrels, Mapping):
        return Source("dict", qrels, "qrels", "qrels")
    if _is_path(qrels):
        path = os.fspath(qrels)
        if path == "-":
            return Source("stdin", None, "qrels", STDIN)
        return Source("path", path, plain_name(path), path)
    return Source("columns", _from_table(qrels, aspects), "qrels", "qrels")


def run_sources(runs: Any, findings: Findings) -> list[Source]:
    """The sources of runs, folders unfolded."""
    found: list[Source] = []
    _add(runs, None, found, findings)
    if not found:
        raise UsageError("No run was given. Give at least one run file, folder or dictionary.")
    if sum(s.kind == "stdin" for s in found) > 1:
        raise UsageError("Standard input (-) was given twice. It can be read only once.")
    unnamed = [s for s in found if not s.name]
    for i, source in enumerate(unnamed, 1):
        source.name = "run" if len(unnamed) == 1 else f"run{i}"
        source.where = source.where or f"run {source.name!r}"
    return found


def _add(runs: Any, name: str | None, found: list[Source], findings: Findings) -> None:
    if _is_path(runs):
        _add_path(os.fspath(runs), name, found, findings)
    elif isinstance(runs, Columns):
        name = name or runs.name or ""
        found.append(Source("columns", runs, name, runs.where or (f"run {name!r}" if name else "")))
    elif _is_nested(runs):
        for inner, run in runs.items():
            _add(run, str(inner), found, findings)
    elif isinstance(runs, Mapping):
        found.append(Source("dict", runs, name or "", f"run {name!r}" if name else ""))
    elif isinstance(runs, tuple) and len(runs) == 2 and isinstance(runs[0], str) and not _is_path(runs[1]):
        _add(runs[1], runs[0], found, findings)
    elif isinstance(runs, Iterable) and not _is_table(runs):
        for run in runs:
            _add(run, None, found, findings)
    else:
        for columns in _from_tables(runs):
            _add(columns, name, found, findings)


def _add_path(path: str, name: str | None, found: list[Source], findings: Findings) -> None:
    if path == "-":
        found.append(Source("stdin", None, name or "stdin", STDIN))
    elif os.path.isdir(path):
        inside = sorted(os.path.join(path, inner) for inner in os.listdir(path))
        files = [p for p in inside if not os.path.isdir(p) and not os.path.basename(p).startswith(".")]
        findings.add("ignored-in-folder", len(inside) - len(files), (p for p in inside if p not in files),
                     "subfolders and hidden files are not read")  # fmt: skip
        if not files:
            raise InputError(f"{path}: the folder holds no run files, got {len(inside)} other entries. Give run files.")
        found.extend(Source("path", p, plain_name(p), p) for p in files)
    elif path.endswith(TABLES):
        columns = tables_module().file_runs(path)
        if len(columns) == 1:
            found.append(Source("columns", columns[0], name or plain_name(path), path))
        else:
            found.extend(Source("columns", c, c.name, f"{path}, run {c.name!r}") for c in columns)
    else:
        found.append(Source("path", path, name or plain_name(path), path))


def check_names(names: Sequence[str], sources: Sequence[Source]) -> None:
    """Two runs of one name cannot be told apart."""
    first: dict[str, Source] = {}
    for name, source in zip(names, sources, strict=True):
        if name in first:
            raise UsageError(
                f"Two runs are called {name!r}: {first[name].where} and {source.where}. "
                "Rename one, or use the run tags as names (--name tag)."
            )
        first[name] = source


def tables_module() -> Any:
    """The readers of data frames and parquet, imported only when there is one to read.

    It offers ``runs_columns(table) -> list[Columns]`` (one for each run in the table), ``qrels_columns(table, aspects)
    -> Columns`` and ``parquet_columns(data, where, kind, aspects) -> Columns``.
    """
    from importlib import import_module

    return import_module("leadline.io.tables")


def _from_table(table: Any, aspects: Sequence[str] | None) -> Columns:
    _check_table(table, "qrels")
    columns: Columns = tables_module().qrels_columns(table, aspects)
    return columns


def _from_tables(table: Any) -> list[Columns]:
    _check_table(table, "runs")
    columns: list[Columns] = tables_module().runs_columns(table)
    return columns


def _check_table(value: Any, what: str) -> None:
    """Anything that is no table is a slip of the caller."""
    if not _is_table(value):
        got = f"{type(value).__name__} {value!r}"
        raise UsageError(f"Cannot read {what} from {got}. Give a path, a dictionary or a table.")
