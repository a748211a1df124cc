"""ranx's ``Qrels`` and ``Run``, both ways and without loss, and a Track straight from them.

::

    from leadline.integrations.ranx import from_ranx, read, to_ranx_run

    track = read(qrels, [bm25, dense])            # ranx.Qrels, ranx.Run
    leadline.evaluate(track, ["nDCG@10", "OIE"])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from leadline.errors import UsageError, require

if TYPE_CHECKING:
    from leadline.rankings.track import Track

__all__ = ["from_ranx", "read", "to_ranx_qrels", "to_ranx_run"]


def from_ranx(found: Any) -> dict[str, dict[str, Any]]:
    """A ranx ``Run`` or ``Qrels`` as ``{topic: {doc: value}}``: scores as float, grades as int, the order kept.

    ranx keeps tied documents in an order of its own; read the result with ``ties="run"`` to follow it.
    """
    held = getattr(found, "run", None) if hasattr(found, "run") else getattr(found, "qrels", None)
    if held is None:
        raise UsageError(f"Cannot read a {type(found).__name__}; give a ranx Run or Qrels.")
    plain: Any = float if hasattr(found, "run") else int
    return {str(topic): {str(d): plain(v) for d, v in held[topic].items()} for topic in held}


def to_ranx_run(run: Mapping[str, Mapping[str, float]], *, name: str | None = None) -> Any:
    """A ranx ``Run`` of ``{topic: {doc: score}}``; topics with an empty answer are kept."""
    ranx: Any = require("ranx", "ranx")
    return _filled(ranx.Run, {t: {d: float(s) for d, s in docs.items()} for t, docs in run.items()}, name)


def to_ranx_qrels(qrels: Mapping[str, Mapping[str, int]], *, name: str | None = None) -> Any:
    """A ranx ``Qrels`` of ``{topic: {doc: grade}}``."""
    ranx: Any = require("ranx", "ranx")
    return _filled(ranx.Qrels, {t: {d: int(g) for d, g in docs.items()} for t, docs in qrels.items()}, name)


def _filled(kind: Any, values: dict[str, dict[str, Any]], name: str | None) -> Any:
    """ranx's constructor cannot take topics without documents, so these are added afterwards."""
    held = {topic: docs for topic, docs in values.items() if docs}
    found = kind(held, name=name) if held else kind(name=name)
    if len(held) < len(values):
        from numba import types
        from numba.typed import Dict

        own = found.run if hasattr(found, "run") else found.qrels
        number = types.float64 if hasattr(found, "run") else types.int64
        for topic in values.keys() - held.keys():
            own[topic] = Dict.empty(types.unicode_type, number)
    return found


def read(qrels: Any, runs: Any, **reading: Any) -> Track:
    """A Track of ranx objects; ``runs`` is a ``Run`` or several, named by their ``name``. Options as in leadline.read.

    Where ranx's objects and others (files, dictionaries) are mixed, each is read as what it is.
    """
    from leadline import api

    several: Iterable[Any] = runs if isinstance(runs, (list, tuple)) else [runs]
    given = [(str(r.name), from_ranx(r)) if _is_ranx(r) and r.name else _plain(r) for r in several]
    return api.read(_plain(qrels), given, **reading)


def _is_ranx(found: Any) -> bool:
    return type(found).__module__.split(".")[0] == "ranx"


def _plain(found: Any) -> Any:
    return from_ranx(found) if _is_ranx(found) else found
