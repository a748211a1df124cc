"""Mutation testing: change the code in small ways and see whether a test notices.

    pip install cosmic-ray coverage
    python tests/mutate.py --sample 70 --seed 1      # so many mutants at random of each of measures, stats and systems
    python tests/mutate.py --again mutants.json      # the survivors of an earlier sample, after new tests

The mutants are cosmic-ray's (comparisons, arithmetic, numbers ± 1, booleans, loops, decorators) and removed statements.
One run of the tests under coverage says which of them reach which line; each mutant then has those run, its group's own
files before the others and the quickest first, in a process forked with the heavy imports already made. Sources and
tests are copied first and nothing is ever written into them: the mutated module is handed to the import system. Unix
only.

Mutants that cannot be told from the original by any test stand in ``tests/equivalent_mutants.toml``, with the reason.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.machinery import SourceFileLoader
from itertools import islice
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a fork must not meet threads

HERE = Path(__file__).parents[1]
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
GROUPS = {
    "measures": "src/leadline/measures/**/*.py",
    "stats": "src/leadline/stats/*.py",
    "systems": "src/leadline/systems/[!a]*.py",  # comparisons and preferences; the studies of aspects are left out
}
HOME = {  # test files that are likely to notice
    "measures": ["definitions", "doctests", "names"],
    "stats": ["doctests", "stats_agreement", "stats_design", "stats_paired", "stats_resampling", "stats_tukey"],
    "systems": ["compare", "compare_cli", "doctests", "prefer", "prefer_studies"],
}
OTHERS = [
    "agree", "aspects", "aspects_measures", "aspects_study", "claims", "collections", "contract", "depth",
    "example_measure", "pipeline", "pools", "properties", "ties", "trec_eval", "truncation", "truncation_nil",
]  # fmt: skip
TESTS = sorted({name for names in HOME.values() for name in names} | set(OTHERS))
MOST_SECONDS = 20  # of tests for one mutant, the quickest ones
ARITHMETIC = "Add|Sub|Mul|Div|FloorDiv|Pow"
ORDER = "Eq|NotEq|Lt|LtE|Gt|GtE"
REMOVED = "RemoveStatement"
OPERATORS = re.compile(
    rf"core/(AddNot|NumberReplacer|RemoveDecorator|ZeroIterationForLoop|Replace(And|Or|True|False|Break|Continue)With\w+"
    rf"|ReplaceBinaryOperator_(({ARITHMETIC})_({ARITHMETIC})|BitAnd_BitOr|BitOr_BitAnd)"
    rf"|ReplaceComparisonOperator_(({ORDER})_({ORDER})|Is_IsNot|IsNot_Is)|ReplaceUnaryOperator_\w+)"
)


@dataclass(frozen=True)
class Mutant:
    """One change: where, and the module's text with it."""

    path: str
    line: int
    operator: str
    was: str
    now: str
    code: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is known by as lines move."""
        return self.path, self.was, self.now

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.operator}\n    - {self.was}\n    + {self.now}"


# ------------------------------------------------------------------------------------------------------------- mutants


Spec = tuple[str, str, int]  # module, operator, its place among all places where the operator applies


def places(root: Path, path: str) -> Iterator[Spec]:
    """Every place of a module where something can be changed."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    source = (root / path).read_text("utf-8")
    nodes = list(ast_nodes(get_ast(source)))
    for name in sorted(operator_names()):
        if OPERATORS.fullmatch(name):
            maker = get_operator(name)()
            count = sum(1 for node in nodes for _ in maker.mutation_positions(node))
            yield from ((path, name, i) for i in range(count))
    yield from ((path, REMOVED, i) for i in range(len(_statements(source))))


def made(root: Path, spec: Spec) -> Mutant | None:
    """The mutant; None if it is the same program: a changed annotation, a docstring, or nothing at all."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    path, name, i = spec
    source = (root / path).read_text("utf-8")
    removed = name == REMOVED
    code = _without(source, _statements(source)[i]) if removed else mutate_code(source, get_operator(name)(), i)
    try:
        if code is None or _program(code) == _program(source):
            return None
    except SyntaxError:
        return None
    steps = list(difflib.unified_diff(source.splitlines(), code.splitlines(), n=0, lineterm=""))[2:]
    line = int(re.match(r"@@ -(\d+)", steps[0])[1])  # type: ignore[index]
    was, now = (" ".join(s[1:].strip() for s in steps[1:] if s[0] == sign) for sign in "-+")
    return Mutant(path, line, name.removeprefix("core/"), was, now, code)


def _statements(source: str) -> list[ast.stmt]:
    kinds = ast.Assign | ast.AugAssign | ast.Expr | ast.Raise | ast.Return | ast.AnnAssign
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]


def _without(source: str, node: ast.stmt) -> str:
    lines = source.splitlines(keepends=True)
    last = node.end_lineno or node.lineno
    return "".join([*lines[: node.lineno - 1], " " * node.col_offset + "pass\n", *lines[last:]])


def _program(source: str) -> str:
    """What a module does: its tree without annotations, docstrings, ``__all__`` and what only type checkers see."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(None)
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _idle(part)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _idle(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        named = ast.unparse(node.targets[0])
        return named in ("__all__", "cites")
    if isinstance(node, ast.AnnAssign):
        return node.value is None or "TypeAlias" in ast.unparse(node.annotation)
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


# ------------------------------------------------------------------------------------------------- tests in a fork


def forked(work: Callable[[], int], seconds: int) -> int | None:
    """Exit code of ``work`` in a child process; None: it took more processor time than that, or never ended."""
    import resource  # not everywhere, and pytest imports this file when it looks for examples

    pid = os.fork()
    if pid == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        code = 70
        try:
            code = work()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    for _ in range(100 * 10 * seconds):  # a clock would go on while the machine sleeps
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return None if code in (-signal.SIGXCPU, -signal.SIGKILL) else code
        time.sleep(0.01)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def run_tests(root: Path, names: list[str], plugin: object, log: Path) -> int:
    """The tests of these files, as the plugin picks and orders them."""
    import pytest

    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(root)
    files = [str(root / "tests" / f"test_{name}.py") for name in names]
    options = ["-q", "-x", "--tb=short", "-p", "no:cacheprovider", "-o", "addopts="]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is loaded already
    return int(pytest.main([*options, *files], plugins=[plugin]))


class Watch:
    """Runs everything once and notes which test reaches which line, and how long it takes."""

    def __init__(self, root: Path, out: Path) -> None:
        import coverage

        self.root, self.out = root, out
        self.cover = coverage.Coverage(data_file=None, source=[str(root / "src")], config_file=False)
        self.cover.start()
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.cover.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0) + report.duration

    def pytest_sessionfinish(self) -> None:
        self.cover.stop()
        data, lines = self.cover.get_data(), {}
        for name in data.measured_files():
            by_line = data.contexts_by_lineno(name).items()
            lines[str(Path(name).relative_to(self.root))] = {str(n): [t for t in tests if t] for n, tests in by_line}
        self.out.write_text(json.dumps({"lines": lines, "seconds": self.seconds}), "utf-8")


class Pick:
    """Only the chosen tests, in the order given."""

    def __init__(self, chosen: list[str]) -> None:
        self.place = {nodeid: i for i, nodeid in enumerate(chosen)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.place), key=lambda i: self.place[i.nodeid])


class Reach:
    """Which tests to run for a mutant."""

    def __init__(self, root: Path, reached: dict[str, Any]) -> None:
        self.root, self.seconds = root, reached["seconds"]
        self.lines: dict[str, dict[str, list[str]]] = reached["lines"]

    def tests(self, mutant: Mutant) -> list[str]:
        """Those that reach its line; of what runs on import, those that reach the module. The quickest first."""
        lines = self.lines.get(mutant.path, {})
        own = set(lines.get(str(mutant.line), ())) if self._within_function(mutant) else set()
        home = HOME[group_of(mutant.path)]  # whose tests may look at what an import leaves behind
        name = mutant.path.removeprefix("src/").removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        chosen = own or {t for tests in lines.values() for t in tests} | {t for t in self.seconds if file_of(t) in home}
        chosen.add(f"tests/test_doctests.py::test_examples_run[{name}]")
        kept, total = [], 0.0
        for test in sorted(chosen, key=lambda t: self.seconds.get(t, 0)):
            total += self.seconds.get(test, 0)
            if total > MOST_SECONDS:
                break
            kept.append(test)
        return kept

    def _within_function(self, mutant: Mutant) -> bool:
        tree = ast.parse((self.root / mutant.path).read_text("utf-8"))
        return any(
            node.body[0].lineno <= mutant.line <= (node.end_lineno or 0)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
        )


def tried(root: Path, mutant: Mutant, reach: Reach) -> str:
    """How it ended: killed, timeout or survived."""
    chosen = reach.tests(mutant)
    home = [test for test in chosen if file_of(test) in HOME[group_of(mutant.path)]]
    target, plain = str(root / mutant.path), SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> Any:
        if self.path == target:
            return compile(mutant.code, target, "exec", dont_inherit=True)
        return plain(self, fullname)

    def work(tests: list[str]) -> int:
        SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        return run_tests(root, sorted(set(map(file_of, tests))), Pick(tests), root / "log.txt")

    for tests in (home, [test for test in chosen if test not in set(home)]):
        if tests:
            ended = forked(partial(work, tests), 30 + 4 * int(sum(reach.seconds.get(t, 0) for t in tests)))
            if ended != 0:
                return "timeout" if ended is None else "killed"
    return "survived"


def file_of(test: str) -> str:
    return test.removeprefix("tests/test_").partition(".py")[0]


def group_of(path: str) -> str:
    return path.split("/")[2]


# ---------------------------------------------------------------------------------------------------------- the command


def snapshot(root: Path) -> None:
    """Sources, tests and the native core as they are now; this copy is what gets imported from here on."""
    from leadline import _core

    for name in ("src/leadline", "tests"):
        shutil.copytree(HERE / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "corpus"))
    for name in ("pyproject.toml", "examples"):
        (shutil.copytree if (HERE / name).is_dir() else shutil.copy)(HERE / name, root / name)
    shutil.copy(_core.__file__, root / "src/leadline")
    sys.meta_path[:] = [f for f in sys.meta_path if not type(f).__module__.startswith("_editable")]
    for name in [n for n in sys.modules if n.partition(".")[0] == "leadline"]:
        del sys.modules[name]
    sys.path[:0] = [str(root / "src"), str(root / "tests")]


def preload() -> None:
    """What every test needs and no mutant changes."""
    import click.testing  # noqa: F401
    import hypothesis  # noqa: F401
    import numpy.random  # noqa: F401
    import pytest  # noqa: F401
    import rich.table  # noqa: F401
    import scipy.optimize
    import scipy.special
    import scipy.stats  # noqa: F401


def sample(root: Path, args: argparse.Namespace) -> list[Mutant]:
    """Mutants at random from each group; a change of one module leaves the choice from the others as it is."""
    chosen: list[Mutant] = []
    for group, pattern in GROUPS.items():
        paths = [str(path.relative_to(root)) for path in sorted(root.glob(pattern))]
        specs = [spec for path in paths if args.only in path for spec in places(root, path)]
        print(f"{group}: {len(specs)} places in {len(paths)} modules", flush=True)
        specs.sort(key=lambda spec: hashlib.sha256(f"{args.seed} {spec}".encode()).digest())
        chosen += islice((m for m in (made(root, spec) for spec in specs) if m is not None), args.sample)
    return chosen


def again(root: Path, results: list[dict[str, Any]]) -> list[Mutant]:
    """The survivors among earlier results, found anew in what the modules are now."""
    survived = [r for r in results if r["ended"] == "survived"]
    left = {(r["path"], r["was"], r["now"]) for r in survived}
    kinds = {(r["path"], r["operator"]) for r in survived}
    specs = [spec for path in sorted({path for path, _, _ in left}) for spec in places(root, path)]
    specs = [(path, name, i) for path, name, i in specs if (path, name.removeprefix("core/")) in kinds]
    return [m for m in (made(root, spec) for spec in specs) if m is not None and m.key in left]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sample", type=int, default=70, help="how many mutants of each group")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="part of the path of the modules to mutate")
    parser.add_argument("--again", type=Path, help="only the survivors in this file")
    parser.add_argument("--out", type=Path, default=Path("mutants.json"))
    args = parser.parse_args()
    known = {(e["path"], e["was"], e["now"]) for e in tomllib.loads(EQUIVALENT.read_text("utf-8")).get("mutant", [])}
    before = json.loads(args.again.read_text("utf-8")) if args.again else []
    results = {(r["path"], r["was"], r["now"]): r for r in before}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        snapshot(root)
        preload()
        start = time.monotonic()
        ended = forked(lambda: run_tests(root, list(TESTS), Watch(root, root / "reach.json"), root / "log.txt"), 1800)
        if ended != 0:
            raise SystemExit(f"The tests fail without any mutant:\n{(root / 'log.txt').read_text()[-3000:]}")
        reach = Reach(root, json.loads((root / "reach.json").read_text("utf-8")))
        print(f"{len(reach.seconds)} tests, {time.monotonic() - start:.0f} s", flush=True)
        alive: list[dict[str, Any]] = []
        for mutant in again(root, before) if before else sample(root, args):
            outcome = "equivalent" if mutant.key in known else tried(root, mutant, reach)
            row: dict[str, Any] = {k: v for k, v in asdict(mutant).items() if k != "code"} | {"ended": outcome}
            same = results.get(mutant.key)  # the same line may stand in a module twice: both must be killed
            results[mutant.key] = same if same in alive else row
            args.out.write_text(json.dumps(list(results.values()), indent=1, ensure_ascii=False), "utf-8")
            if outcome == "survived":
                alive.append(row)
                print(mutant, flush=True)
    report(list(results.values()), time.monotonic() - start)


def report(results: list[dict[str, Any]], seconds: float) -> None:
    """Killed out of those that could be, by group."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for r in results:
        for group in (group_of(r["path"]), "all"):
            counts[group][r["ended"]] += 1
    print("group      mutants  killed  timeout  survived  equivalent  score")
    for group in (*GROUPS, "all"):
        c, n = counts[group], sum(counts[group].values())
        dead, able = c["killed"] + c["timeout"], n - c["equivalent"]
        print(
            f"{group:10}{n:8}{c['killed']:8}{c['timeout']:9}{c['survived']:10}{c['equivalent']:12}"
            f"{dead / max(able, 1):7.1%}"
        )
    print(f"{seconds:.0f} s")


if __name__ == "__main__":
    main()
