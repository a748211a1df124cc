"""What an order of label tuples says, for people: classes from best to worst, and the grid of two aspects."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leadline.errors import UsageError
from leadline.rankings.aspects import Order

__all__ = ["Cell", "explain", "label_grid", "order_line"]

_SHOWN = 12  # tuples of one class that are spelled out


def order_line(order: Order, *, values: bool = False) -> str:
    """All tuples from best to worst in one line, ``=`` within a class and ``>`` between classes.

    >>> from leadline.io.aspects import declare
    >>> from leadline.rankings.aspects import classes
    >>> order_line(classes(declare("relevance=nr,r correctness=nc,c"), "manhattan"))
    '(r, c) > (r, nc) = (nr, c) > (nr, nc)'
    """
    return " > ".join(
        " = ".join(order.aspects.spell(row, values=values) for row in order.members(c).tolist()) or "…"
        for c in range(len(order))
    )


def explain(order: Order, *, values: bool = False) -> str:
    """The classes as a small table: weight, distance to the best tuple, tuples.

    >>> from leadline.io.aspects import declare
    >>> from leadline.rankings.aspects import classes
    >>> print(explain(classes(declare("relevance=nr,r correctness=nc,c"))))
    relevance: nr 0 < r 1
    correctness: nc 0 < c 1
    euclidean distance to (r, c), full tuples, 3 classes, best first
    W  distance  tuples
    2         0  (r, c)
    1         1  (r, nc) = (nr, c)
    0        √2  (nr, nc)
    """
    aspects = order.aspects
    best = aspects.spell([n - 1 for n in aspects.shape], values=values)
    scales = []
    for a in aspects:
        importance = "" if a.weight == 1 else f"  (weight {a.weight})"
        steps = " < ".join(f"{label} {v}" for label, v in zip(a.labels, a.numbers, strict=True))
        scales.append(f"{a.name}: {steps}{importance}")
    title = f"{order.distance} distance to {best}, {order.tuples} tuples, {len(order)} classes, best first"
    rows = [("W", "distance", "tuples")]
    for c in range(len(order)):
        members = order.members(c).tolist()
        more = f" … and {len(members) - _SHOWN:,} more" if len(members) > _SHOWN else ""
        spelled = " = ".join(aspects.spell(row, values=values) for row in members[:_SHOWN]) or "not observed"
        rows.append((f"{order.class_weights[c]:g}", _distance(order, c), spelled + more))
    wide = [max(len(row[i]) for row in rows) for i in range(2)]
    table = [f"{w:>{wide[0]}}  {d:>{wide[1]}}  {t}" for w, d, t in rows]
    return "\n".join([*scales, title, *table, *map(str, order.findings)])


def _distance(order: Order, place: int) -> str:
    value = order.distances[place]
    if isinstance(value, float):
        return f"{value:.6g}"
    if order.distance != "euclidean":
        return str(value)
    root = Fraction(round(order.lengths[place] * value.denominator), value.denominator)
    return str(root) if root**2 == value else f"√{value}" if value.denominator == 1 else f"√({value})"


@dataclass(frozen=True)
class Cell:
    """One tuple of two aspects: where it lies, how far from the best one, and its class (None if it does not count)."""

    labels: tuple[str, str]
    x: float
    y: float
    distance: float
    place: int | None
    weight: float | None


def label_grid(order: Order) -> list[Cell]:
    """All label pairs of two aspects with distance, class and weight: what a picture of the order needs.

    x and y are the embedded labels, stretched by the importance of their aspect, so that distances can be seen.

    >>> from leadline.io.aspects import declare
    >>> from leadline.rankings.aspects import classes
    >>> label_grid(classes(declare("relevance=nr,r correctness=nc,c")))[-1]
    Cell(labels=('r', 'c'), x=1.0, y=1.0, distance=0.0, place=0, weight=2.0)
    """
    aspects = order.aspects
    if len(aspects) != 2 or order.table is None:
        raise UsageError(f"a label grid needs two aspects, got {len(aspects)} ({', '.join(aspects.names)})")
    first, second = aspects.aspects
    rows = np.stack(np.unravel_index(np.arange(order.table.size), aspects.shape), axis=1)
    keys = order.metric.keys(list(rows.T))
    place_x, place_y = ([float(w * v) for v in a.numbers] for w, a in zip(aspects.weights, aspects, strict=True))
    cells = []
    for (i, j), key, c in zip(rows.tolist(), keys, order.table.tolist(), strict=True):
        counts = c >= 0
        cells.append(
            Cell(
                (first.labels[i], second.labels[j]),
                place_x[i],
                place_y[j],
                order.metric.length(key),
                c if counts else None,
                float(order.class_weights[c]) if counts else None,
            )
        )
    return cells
