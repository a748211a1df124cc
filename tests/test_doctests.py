"""Every example in a docstring runs, in the installed package.

pytest's own collection would import the sources beside the installed package, which it cannot when that is no editable
install; so the modules are imported by name.
"""

from __future__ import annotations

import doctest
import io
from importlib import import_module
from pkgutil import walk_packages

import pytest

import leadline
from leadline.errors import MissingExtra

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = sorted(
    m.name for m in walk_packages(leadline.__path__, "leadline.") if not m.name.endswith(("._core", ".__main__"))
)


def examples(name: str) -> list[doctest.DocTest]:
    return doctest.DocTestFinder(exclude_empty=True).find(import_module(name), name)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    try:
        found = examples(name)
    except MissingExtra as missing:
        assert name.startswith("leadline.integrations.")  # anything else imports without extras
        pytest.skip(str(missing))
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    failed = sum(runner.run(test, out=report.write, clear_globs=False).failed for test in found)
    assert failed == 0, report.getvalue()


def test_there_are_examples() -> None:
    assert sum(len(test.examples) for test in examples("leadline.errors")) >= 3
    assert {"leadline.errors", "leadline.output.tables", "leadline.simulate"} <= set(MODULES)
