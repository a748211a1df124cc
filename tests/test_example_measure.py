"""A user's own measure (examples/my_measure.py) is known to names, scores, curves, documents and the command line."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import leadline
from leadline.measures.base import REGISTRY
from leadline.measures.explain import explain, overview
from leadline.rankings.typed import typed

EXAMPLE = Path(__file__).parent.parent / "examples" / "my_measure.py"


@pytest.fixture
def mine() -> Iterator[ModuleType]:
    """The example, imported; its measures are forgotten again afterwards."""
    leadline.catalogue()  # loads all others, so that they stay
    known = dict(REGISTRY)
    spec = spec_from_file_location("my_measure", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    REGISTRY.clear()
    REGISTRY.update(known)


def test_its_examples_run(mine: ModuleType) -> None:
    found = doctest.DocTestFinder(exclude_empty=True).find(mine)
    runner = doctest.DocTestRunner()
    assert [runner.run(test).failed for test in found if test.examples] == [0, 0]


def test_names_scores_and_curves(mine: ModuleType) -> None:
    m = leadline.parse("HalfLife(h=2)@3")
    assert m == mine.HalfLife(3, h=2)
    assert leadline.parse(str(m)) == m
    track = typed("0 0 1 1", "1 1 1")
    assert leadline.evaluate(track, ["HalfLife(h=2)", "Restless", "RR"]).mean("HalfLife(h=2)").tolist() == [0.5]
    for by in ("depth", "length"):
        curve = leadline.curve(track, "HalfLife(h=2)", by=by)
        np.testing.assert_array_equal(curve.mean("HalfLife(h=2)"), [[0, 0, 0, 0.5, 0.5]])
    with pytest.raises(leadline.UsageError, match=r"HalfLife: h must be a number in \(0, inf\). Got 0 instead."):
        leadline.parse("HalfLife(h=0)")


def test_a_reader_of_ones_own(mine: ModuleType) -> None:
    """Gains 1 0 1 and nothing after them: V = 1, .9, .45, .405 and then halves."""
    m = mine.Restless(p=0.9, q=0.5)
    seen = 1 + 0.9 + 0.45 + 0.405 / (1 - 0.5)
    assert m.score("1 0 1") == pytest.approx(1.45 / seen, abs=1e-15)
    assert leadline.parse("ED(of='Restless(p=0.9, q=0.5)')").score("1 0 1") == pytest.approx(seen, abs=1e-14)
    assert leadline.parse(f"ETU(of={str(m)!r})").score("1 0 1") == pytest.approx(1.45, abs=1e-14)
    np.testing.assert_allclose(m.weights("1 0 1", ranks=5), np.array([1, 0.9, 0.45, 0.405, 0.2025]) / seen, rtol=1e-14)
    np.testing.assert_allclose(m.leaving("1 0 1", ranks=3), [0.1, 0.45, 0.045], rtol=1e-14)
    padded = m.but(pad=4)
    assert padded.score("1 0 1") == pytest.approx(1.45 / 2.755, abs=1e-15)


def test_documents_and_references(mine: ModuleType) -> None:
    assert "HalfLife" in leadline.catalogue()
    assert "HalfLife   The first relevant document" in overview()
    assert "ranks that cost half of the worth (a number in (0, inf))" in explain(mine.HalfLife)


@pytest.mark.parametrize("name", ["RR", "F1", "c@1", "MAP"])
def test_a_name_is_taken_once(name: str) -> None:
    """Also against leadline's own measures that nobody has asked for yet, hence in a fresh process."""
    program = f"""import leadline
kind = type("Other", (leadline.BinaryMeasure,), {{"name": {name!r}, "__doc__": "Another one."}})
try:
    leadline.measure(kind)
except leadline.UsageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"A measure {name!r} exists already, in leadline.measures.classic.")


@pytest.mark.parametrize("given", ["examples/my_measure.py", str(EXAMPLE)])
def test_command_line(given: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "x.run").write_text("q1 Q0 b 1 3.0 x\nq1 Q0 c 2 2.0 x\nq1 Q0 a 3 1.0 x\n")
    call = [sys.executable, "-c", "import sys; from leadline.cli import main; sys.exit(main())", "evaluate"]
    call += [str(tmp_path / "qrels.txt"), str(tmp_path / "x.run"), "-m", "HalfLife(h=2)", "--format", "jsonl"]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*call, *more], capture_output=True, text=True, cwd=EXAMPLE.parent.parent, check=False)

    done = run("--import", given)
    assert done.returncode == 0, done.stderr
    record = {"run": "x", "topic": "all", "measure": "HalfLife(h=2)", "value": 0.5}
    assert [json.loads(line) for line in done.stdout.splitlines()] == [record]
    unknown = run()
    assert unknown.returncode == 2
    assert "Unknown measure 'HalfLife'" in unknown.stderr
