r"""Distributions of lengths in bins that double: {0}, [1, 4], [5, 8], [9, 16], …, $[2^i+1, 2^{i+1}]$.

References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022, section 4.2. doi:10.1145/3477495.3532051
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from leadline.errors import UsageError
from leadline.rankings.entries import Floats, Ints

__all__ = ["Histogram", "average_histograms", "bin_edges", "bin_labels", "histogram"]


def bin_edges(longest: int) -> Ints:
    """Upper ends of the bins that hold the lengths 0 … ``longest``.

    >>> bin_edges(100).tolist()
    [0, 4, 8, 16, 32, 64, 128]
    """
    ends = [0, 4]
    while ends[-1] < longest:
        ends.append(2 * ends[-1])
    return np.array(ends)


def bin_labels(high: Ints) -> list[str]:
    """Bins as people write them, from their upper ends.

    >>> bin_labels(np.array([0, 1, 4, 8]))
    ['0', '1', '2–4', '5–8']
    """
    low = np.concatenate([[0], high[:-1] + 1])
    return [str(a) if a == b else f"{a}–{b}" for a, b in zip(low, high, strict=True)]


class Histogram:
    """Percentages of lists in each bin, by measure; beside them, of topics by their relevant documents."""

    def __init__(self, high: Ints, percent: Mapping[str, Floats], relevant: Floats, collections: int = 1) -> None:
        self.high = high
        self.low = np.concatenate([[0], high[:-1] + 1])
        self.percent = dict(percent)
        self.relevant = relevant
        self.collections = collections

    @property
    def labels(self) -> list[str]:
        """The bins as people write them: 0, 1–4, 5–8, …"""
        return bin_labels(self.high)

    def columns(self) -> dict[str, Any]:
        """Columns series (a measure, or ``relevant documents``), bin, low, high, percent."""
        series = {**self.percent, "relevant documents": self.relevant}
        bins = len(self.high)
        return {
            "series": [name for name in series for _ in range(bins)],
            "bin": self.labels * len(series),
            "low": np.tile(self.low, len(series)),
            "high": np.tile(self.high, len(series)),
            "percent": np.concatenate(list(series.values())),
        }


def histogram(lengths: Mapping[str, Floats], relevant: ArrayLike, *, longest: int = 0) -> Histogram:
    """Percentages of the lengths in each bin, whatever the arrays' shapes; NaN is left out.

    >>> h = histogram({"U": np.array([0.0, 3, 4, 9])}, [2, 7])
    >>> h.labels, h.percent["U"].tolist(), h.relevant.tolist()
    (['0', '1–4', '5–8', '9–16'], [25.0, 50.0, 0.0, 25.0], [0.0, 50.0, 50.0, 0.0])
    """
    flat = {name: values[~np.isnan(values)].ravel() for name, values in lengths.items()}
    counts = np.asarray(relevant, np.float64)
    most = max([longest, *(int(a.max(initial=0)) for a in [counts, *flat.values()])])
    high = bin_edges(most)
    return Histogram(high, {name: _percent(a, high) for name, a in flat.items()}, _percent(counts, high))


def _percent(values: Floats, high: Ints) -> Floats:
    counts = np.bincount(np.searchsorted(high, values), minlength=len(high)).astype(np.float64)
    return 100 * counts / len(values) if len(values) else np.full(len(high), np.nan)


def average_histograms(histograms: Sequence[Histogram]) -> Histogram:
    """The mean of several collections' percentages, bin by bin; each collection counts the same.

    >>> a, b = histogram({"U": np.array([0.0, 2])}, [1]), histogram({"U": np.array([6.0])}, [5])
    >>> both = average_histograms([a, b]); both.percent["U"].tolist(), both.collections
    ([25.0, 25.0, 50.0], 2)
    """
    if not histograms:
        raise UsageError("No histogram to average; give at least one.")
    names = list(histograms[0].percent)
    if any(list(h.percent) != names for h in histograms):
        raise UsageError(f"Histograms of different measures cannot be averaged. The first holds {', '.join(names)}.")
    high = max((h.high for h in histograms), key=len)

    def mean(columns: list[Floats]) -> Floats:
        padded = np.stack([np.pad(c, (0, len(high) - len(c))) for c in columns])
        known = ~np.isnan(padded).any(axis=1)
        return padded[known].mean(axis=0) if known.any() else np.full(len(high), np.nan)

    percent = {name: mean([h.percent[name] for h in histograms]) for name in names}
    return Histogram(high, percent, mean([h.relevant for h in histograms]), len(histograms))
