"""Scores: a (runs × topics) array for each measure, with the findings that belong to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import UnknownName, require
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from numpy.typing import NDArray

__all__ = ["Scores"]


class Scores:
    """What :func:`leadline.evaluate` returns.

    >>> import leadline
    >>> track = leadline.read({"q1": {"a": 1, "b": 0}}, {"mine": {"q1": {"a": 2.0, "b": 1.0}}})
    >>> scores = leadline.evaluate(track, ["RR", "P@2"])
    >>> scores.array("P@2"), scores.mean("RR")
    (array([[0.5]]), array([1.]))
    """

    def __init__(
        self,
        runs: Sequence[str],
        topics: Sequence[str],
        values: Mapping[Measure, NDArray[np.float64]],
        findings: Findings,
    ) -> None:
        self.runs = tuple(runs)
        self.topics = tuple(topics)
        self.findings = findings
        self._values = dict(values)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order asked for."""
        return tuple(self._values)

    def array(self, measure: str | Measure) -> NDArray[np.float64]:
        """Scores of one measure, runs × topics; NaN where undefined and ``undefined='nan'``."""
        wanted = parse(measure)
        if wanted not in self._values:
            raise UnknownName("measure in these scores", str(wanted), map(str, self._values))
        return self._values[wanted]

    def mean(self, measure: str | Measure | None = None) -> NDArray[np.float64]:
        """What stands under topic ``all``: one measure's value for each run, or runs × measures."""
        if measure is not None:
            wanted = parse(measure)
            return wanted.aggregate(self.array(wanted))
        return np.stack([m.aggregate(a) for m, a in self._values.items()], axis=1)

    def columns(self, *, per_topic: bool = True, total: bool = True) -> dict[str, Any]:
        """Columns run, topic, measure, value: the records of ``leadline evaluate``."""
        topics = [*(self.topics if per_topic else ()), *(["all"] if total else [])]
        names, values, kept = [], [], []
        for m, a in self._values.items():
            cells = [a] if per_topic and m.per_topic else []
            own = topics if m.per_topic else topics[len(topics) - total :]
            if total:
                cells.append(m.aggregate(a)[:, None])
            values.append(np.concatenate(cells, axis=1) if cells else np.zeros((len(self.runs), 0)))
            names.append(str(m))
            kept.append(own)
        run, topic, name, value = [], [], [], []
        for r, run_name in enumerate(self.runs):
            for j, own in enumerate(kept):
                run += [run_name] * len(own)
                topic += own
                name += [names[j]] * len(own)
                value.append(values[j][r])
        return {"run": run, "topic": topic, "measure": name, "value": np.concatenate(value) if value else np.zeros(0)}

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """``{run: {topic: {measure: value}}}``, the form of pytrec_eval with one more level."""
        by_run: dict[str, dict[str, dict[str, float]]] = {}
        for r, run in enumerate(self.runs):
            by_run[run] = {
                topic: {str(m): float(a[r, t]) for m, a in self._values.items() if m.per_topic}
                for t, topic in enumerate(self.topics)
            }
        return by_run

    def to_pandas(self) -> pandas.DataFrame:
        """Columns run, topic, measure, value as a pandas DataFrame."""
        pd: Any = require("pandas", "tables")
        frame: pandas.DataFrame = pd.DataFrame(self.columns(total=False))
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Columns run, topic, measure, value as a polars DataFrame."""
        pl: Any = require("polars", "tables")
        frame: polars.DataFrame = pl.DataFrame(self.columns(total=False))
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """Columns run, topic, measure, value as an arrow Table."""
        pa: Any = require("pyarrow", "tables")
        return pa.table(self.columns(total=False))

    def __repr__(self) -> str:
        names = ", ".join(map(str, self._values))
        return f"<Scores: {len(self.runs)} runs × {len(self.topics)} topics × {len(self._values)} measures ({names})>"
