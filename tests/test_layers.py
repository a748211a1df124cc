"""Imports point backwards along the stages, heavy packages are imported where they are used, and the package is light.

The rules are checked on the syntax trees of the sources, and the checker itself on sources that break them.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from leadline.cli import cli

SOURCES = Path(__file__).parents[1] / "src" / "leadline"

# A stage imports from earlier ones only. `_core` (the native reader) stands before them all.
STAGES = [
    ["_core", "errors"],
    ["findings", "_simulated"],
    ["simulate"],
    ["io"],
    ["rankings"],
    ["measures"],
    ["stats"],
    ["depths"],
    ["systems"],
    ["meta"],
    ["output"],
    ["api"],
    ["cli"],
    ["__main__"],
]
LEVEL = {name: level for level, names in enumerate(STAGES) for name in names}
HEAVY = {
    "altair", "click", "duckdb", "ir_datasets", "ir_measures", "isal", "matplotlib", "narwhals", "pandas", "polars",
    "pyarrow", "pyspark", "pyterrier", "pytrec_eval", "ranx", "rich", "scipy", "statsmodels", "vl_convert", "zstandard",
}  # fmt: skip


@dataclass(frozen=True)
class Import:
    """One imported module: where, what, and whether it happens in a function or for the type checker only."""

    line: int
    target: str
    in_function: bool
    typing_only: bool


def imports(source: str, module: str, is_package: bool) -> Iterator[Import]:
    """Every import of a module, `import_module("…")` and `require("…")` included, as absolute names."""
    package = module.split(".") if is_package else module.split(".")[:-1]

    def walk(node: ast.AST, in_function: bool, typing_only: bool) -> Iterator[Import]:
        for target in _targets(node, package):
            yield Import(getattr(node, "lineno", 0), target, in_function, typing_only)
        inside = in_function or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.iter_child_nodes(node):
            guarded = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) and child in node.body
            yield from walk(child, inside, typing_only or guarded)

    yield from walk(ast.parse(source), False, False)


def _targets(node: ast.AST, package: list[str]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else []
        origin = ".".join([*base, *([node.module] if node.module else [])])
        # `from leadline import io` names a stage, `from leadline.io import trec` a module of it
        return [f"{origin}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        name = node.args[0].value
        if called in ("import_module", "__import__", "require") and isinstance(name, str):
            return [".".join(package) + name if name.startswith(".") else name]
    return []


def problems(source: str, module: str, is_package: bool = False) -> list[str]:
    """What is wrong with the imports of one module."""
    stage = module.split(".")[1] if "." in module else ""
    out = []
    for found in imports(source, module, is_package):
        top, *rest = found.target.split(".")
        at = f"{module}:{found.line}: "
        if top in HEAVY and not (found.in_function or found.typing_only or stage == "integrations"):
            if not (top == "click" and stage == "cli"):
                out.append(f"{at}{top} is heavy: import it inside the function that needs it")
        elif top == "leadline":
            out += [at + text for text in _direction(stage, rest, found)]
    return out


def _direction(stage: str, rest: list[str], found: Import) -> list[str]:
    target = rest[0] if rest else ""
    if stage == "integrations" or rest == ["__version__"]:
        return []
    if stage == "":  # the package itself: names appear when they are asked for
        return [] if found.in_function or found.typing_only else [f"leadline must not import {target} at once"]
    if target == "integrations":
        lazy = stage in ("api", "cli") and (found.in_function or found.typing_only)
        return [] if lazy else ["only functions of api and cli may import integrations"]
    if target not in LEVEL:
        return [f"{found.target} is no stage: import it from the module that defines it"]
    if stage not in LEVEL:
        return [f"{stage} has no place in the order of stages"]
    if LEVEL[target] > LEVEL[stage] or (LEVEL[target] == LEVEL[stage] and target != stage):
        return [f"{stage} must not import {target}, a later stage"]
    return []


def modules() -> list[tuple[str, Path]]:
    """Every module of the package, by its dotted name."""
    out = []
    for path in sorted(SOURCES.rglob("*.py")):
        parts = ["leadline", *path.relative_to(SOURCES).with_suffix("").parts]
        out.append((".".join(parts[:-1] if parts[-1] == "__init__" else parts), path))
    return out


@pytest.mark.parametrize(("module", "path"), modules(), ids=[name for name, _ in modules()])
def test_imports_point_backwards(module: str, path: Path) -> None:
    assert problems(path.read_text("utf-8"), module, path.name == "__init__.py") == []


def test_every_stage_is_there() -> None:
    found = {name.split(".")[1] for name, _ in modules() if "." in name}
    assert found - {"integrations"} <= set(LEVEL)
    assert {"errors", "findings", "simulate", "io", "rankings", "measures", "stats", "output", "cli"} <= found


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("leadline.io.trec", "from leadline.rankings import Track"),
        ("leadline.io.trec", "import leadline.measures.base"),
        ("leadline.io.trec", "from ..cli import main"),
        ("leadline.io.trec", "from .. import stats"),
        ("leadline.io.trec", "from leadline import output"),
        ("leadline.io.trec", "def f():\n    from leadline.rankings import Track"),
        ("leadline.io.trec", "if TYPE_CHECKING:\n    from leadline.rankings import Track"),
        ("leadline.io.trec", "import_module('leadline.cli')"),
        ("leadline.io.trec", "from leadline import evaluate"),
        ("leadline.io.trec", "import leadline"),
        ("leadline.simulate", "from leadline.io import read"),
        ("leadline.errors", "from leadline.findings import Finding"),
        ("leadline._simulated", "from leadline.findings import Finding"),
        ("leadline.output.html", "from leadline.api import evaluate"),
        ("leadline.output.html", "def f():\n    from leadline.integrations import spark"),
        ("leadline.cli.evaluate", "from leadline.integrations import spark"),
        ("leadline.api", "def f():\n    from leadline.cli import main"),
        ("leadline.somewhere", "from leadline.errors import UsageError"),
        ("leadline", "from leadline.api import evaluate"),
        ("leadline.stats.paired", "import scipy.stats"),
        ("leadline.stats.paired", "from scipy import stats"),
        ("leadline.stats.paired", "try:\n    import pandas\nexcept ImportError:\n    pandas = None"),
        ("leadline.stats.paired", "class C:\n    import polars"),
        ("leadline.stats.paired", "if TYPE_CHECKING:\n    pass\nelse:\n    import scipy"),
        ("leadline.stats.paired", "sp = require('scipy.stats', 'tables')"),
        ("leadline.output.tables", "import click"),
        ("leadline.cli.evaluate", "import rich"),
    ],
)
def test_checker_finds(module: str, source: str) -> None:
    assert len(problems(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "leadline.io.trec",
            "from leadline.errors import InputError\nfrom leadline import _core\nfrom . import a",
        ),
        ("leadline.io.trec", "from leadline import __version__\nimport numpy as np\nimport os.path"),
        ("leadline.output.tables", "from ..io.write import atomic\nfrom leadline.stats import paired"),
        ("leadline.stats.paired", "def f():\n    from scipy import stats\n    require('pandas', 'tables')"),
        ("leadline.stats.paired", "if TYPE_CHECKING:\n    import pandas as pd"),
        ("leadline.cli.evaluate", "import click\ndef f():\n    from leadline.integrations import spark"),
        ("leadline.api", "def f():\n    from leadline.integrations import spark"),
        ("leadline.integrations.spark", "import pyspark\nfrom leadline.cli import main"),
        ("leadline", "def __getattr__(name):\n    return import_module('leadline.api')"),
    ],
)
def test_checker_lets_pass(module: str, source: str) -> None:
    assert problems(source, module) == []


def test_checker_resolves_relative_imports_of_a_package() -> None:
    assert problems("from .trec import read", "leadline.io", is_package=True) == []
    assert len(problems("from ..cli import main", "leadline.io", is_package=True)) == 1
    assert [i.target for i in imports("from . import a", "leadline.io", True)] == ["leadline.io.a"]


def test_importing_leadline_loads_no_other_package(tmp_path: Path) -> None:
    code = "import sys, leadline; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "leadline" in loaded.stdout.split()
    assert not set(loaded.stdout.split()) & (HEAVY | {"numpy"})


def test_a_short_command_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    """What a cold ``evaluate`` to a pipe imports is most of its time: each of these was once on its way."""
    (tmp_path / "q.txt").write_text("q 0 d 1\n")
    (tmp_path / "a.run").write_text("q Q0 d 1 1.0 t\n")
    needless = ["scipy", "rich", "json", "dataclasses", "numpy.typing", "concurrent.futures", "narwhals"]
    code = (
        "import sys, leadline.cli as cli; cli._leave = lambda code: None; "
        "sys.argv = ['leadline', 'evaluate', 'q.txt', 'a.run', '-m', 'AP', '-m', 'nDCG@10', '-m', 'RBP']; cli.main(); "
        f"print([m for m in {needless} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "a\tall\tAP\t1.0" in done.stdout
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize(("name", "given", "threads"), [
    ("evaluate", None, "1"), ("evaluate", "4", "4"), ("compare", None, None),
])  # fmt: skip
def test_blas_threads_are_left_to_commands_with_large_products(
    monkeypatch: pytest.MonkeyPatch, name: str, given: str | None, threads: str | None
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", given or "")
    if given is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    assert cli.get_command(click.Context(cli), name) is not None
    assert os.environ.get("OPENBLAS_NUM_THREADS") == threads
