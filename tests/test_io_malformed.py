"""Bad input gets its message: all of it, with the right line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.io import start_read
from malformed.recipes import RECIPES, Recipe


def test_the_corpus_is_large() -> None:
    assert len(RECIPES) >= 45
    assert len({r.name for r in RECIPES}) == len(RECIPES)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda r: r.name)
@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_message(recipe: Recipe, chunk: int, tmp_path: Path) -> None:
    run, qrels = tmp_path / recipe.run_file, tmp_path / recipe.qrels_file
    if recipe.run is not None:
        run.write_bytes(recipe.run)
    if recipe.qrels is not None:
        qrels.write_bytes(recipe.qrels)
    with pytest.raises(InputError) as caught:
        start_read(qrels, run, chunk=chunk, **recipe.options).result()
    assert str(caught.value).replace(f"{tmp_path}{os.sep}", "") == recipe.message
    assert caught.value.exit_code == 3
