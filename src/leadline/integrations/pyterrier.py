"""PyTerrier: leadline's measures in its experiments, and its frames as a Track.

::

    import pyterrier as pt
    from leadline.integrations.pyterrier import measures, read

    pt.Experiment(systems, topics, qrels, measures("nDCG@10", "RBPU(p=0.98)", "OIE"))

    track = read(qrels, {"bm25": bm25(topics), "dense": dense(topics)})    # everything else leadline can do
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from leadline.errors import UnknownName, UsageError, require

if TYPE_CHECKING:
    from leadline.rankings.track import Track

__all__ = ["measures", "read"]


def measures(*wanted: str) -> list[Any]:
    """Measures for ``pt.Experiment`` and ``pt.Evaluate`` by name, leadline's and ir_measures' own.

    PyTerrier itself takes names of trec_eval only.

    >>> measures("nDCG@10", "RBPU(p=0.9)@20")
    [nDCG@10, RBPU(p=0.9, e=0.05)@20]
    """
    ir: Any = require("ir_measures", "ir")
    import_module("leadline.integrations.ir_measures")  # registers leadline's
    found = []
    for name in wanted:
        try:
            found.append(ir.parse_measure(name))
        except NameError:
            raise UnknownName("measure", name.partition("@")[0].partition("(")[0], ir.measures.registry) from None
        found[-1].validate_params()
    return found


def read(qrels: Any, results: Any, *, names: Sequence[str] | None = None, **reading: Any) -> Track:
    """A Track of PyTerrier frames: qrels (``qid, docno, label``) and results (``qid, docno, score``), one or several.

    ``results`` is a frame, ``{name: frame}``, or frames with ``names``; options as in :func:`leadline.read`. PyTerrier
    orders tied documents by its rank column: ``ties="rank"`` follows it (its ranks start at 0).
    """
    from leadline import api

    if names is None or isinstance(results, Mapping):
        return api.read(qrels, results, **reading)
    if len(names) != len(results):
        raise UsageError(f"names must name each result. Got {len(names)} names for {len(results)} results instead.")
    return api.read(qrels, dict(zip(names, results, strict=True)), **reading)
