"""The generated pages are up to date."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"


def load_make():
    spec = importlib.util.spec_from_file_location("docs_make", DOCS / "make.py")
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", list(load_make().PAGES))
def test_generated_pages_are_up_to_date(page: str) -> None:
    assert (DOCS / page).read_text(encoding="utf-8") == load_make().PAGES[page](), "run: python docs/make.py"


def test_every_measure_has_a_section() -> None:
    from leadline.measures.names import catalogue

    text = (DOCS / "measures.md").read_text(encoding="utf-8")
    for name, cls in catalogue().items():
        if cls.__module__.startswith("leadline.measures."):
            assert f"### {name}" in text
            assert cls.cites, f"{name} cites nothing"


PAGES = sorted([*DOCS.rglob("*.md"), DOCS.parent / "README.md"])


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the demo track, as a reader of the pages would have it."""
    from leadline.simulate import simulate

    folder = tmp_path_factory.mktemp("docs")
    simulate(runs=12, topics=25, depth=100, pool_depth=20, rng=0).write(folder / "demo")
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS.parent)))
def test_python_blocks_run(page: Path, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python of a page runs from top to bottom, as one program."""
    monkeypatch.chdir(demo)
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS.parent)))
def test_shell_blocks_name_commands_and_options_that_exist(page: Path) -> None:
    """Every `leadline …` line of a page parses: the command exists and so do its options."""
    from leadline.cli import cli

    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            words = line.split("#")[0].split()
            if words[:1] != ["leadline"] or len(words) < 2:
                continue
            command = cli.get_command(None, words[1])
            known = {o for p in command.params for o in [*p.opts, *p.secondary_opts]} | {"--help", "-h"}
            used = {w.split("=")[0] for w in words[2:] if re.match(r"--?[a-zA-Z]", w)}
            if words[1] != "trec_eval":
                assert used <= known, f"{line}: no option {used - known}"
