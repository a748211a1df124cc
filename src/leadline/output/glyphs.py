"""Bars and sparklines made of characters, with plain ASCII for terminals that know nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterable

__all__ = ["bar", "sparkline"]

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_STEPS = "▁▂▃▄▅▆▇█"
_ASCII_STEPS = "_.-~=+*#"


def bar(x: float, width: int = 10, *, ascii: bool = False) -> str:  # noqa: A002  the word everyone looks for
    """A horizontal bar for ``x`` between 0 and 1, exactly ``width`` characters wide; undefined is blank.

    >>> bar(0.5, 4), bar(0.3, 4), bar(0.5, 4, ascii=True)
    ('██  ', '█▎  ', '##..')
    """
    if math.isnan(x):
        return " " * width
    x = min(max(x, 0.0), 1.0)
    if ascii:
        full = round(x * width)
        return "#" * full + "." * (width - full)
    full, rest = divmod(round(x * width * 8), 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def sparkline(
    values: Iterable[float],
    *,
    low: float | None = None,
    high: float | None = None,
    ascii: bool = False,  # noqa: A002
) -> str:
    """One character per value, its height between ``low`` and ``high`` (default: the extremes); undefined is blank.

    >>> sparkline([0, 1, 2, 3, 4, 5, 6, 7]), sparkline([0, 7, float("nan"), 3.5], ascii=True)
    ('▁▂▃▄▅▆▇█', '_# =')
    """
    points = [float(v) for v in values]
    finite = [v for v in points if math.isfinite(v)]
    if not finite:
        return " " * len(points)
    bottom = min(finite) if low is None else low
    span = (max(finite) if high is None else high) - bottom
    steps = _ASCII_STEPS if ascii else _STEPS
    return "".join(" " if math.isnan(v) else steps[_step(v, bottom, span, len(steps))] for v in points)


def _step(value: float, bottom: float, span: float, steps: int) -> int:
    if math.isinf(value):
        return steps - 1 if value > 0 else 0
    share = (value - bottom) / span if span > 0 else 0.0
    return min(max(int(share * steps), 0), steps - 1)
