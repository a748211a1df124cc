"""From a Track to labelled lists: thresholds, gains, condensing and shared ties, settled once for all measures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from leadline.rankings.entries import Entries, Ints
from leadline.rankings.labels import Labels
from leadline.rankings.ties import shared
from leadline.rankings.track import Track
from leadline.rankings.view import Labelled

__all__ = ["Labeller"]

Gain = str | tuple[tuple[int, float], ...]


class Labeller:
    """Labelled lists of one Track, kept while several measures ask for the same ones."""

    def __init__(self, track: Track) -> None:
        self.track = track
        self._labels: dict[object, Labels] = {}
        self._seen: dict[object, tuple[Entries, Ints]] = {}
        self._labelled: dict[object, Labelled] = {}

    def __call__(
        self, *, rel: int = 1, gain: Gain = "binary", gmax: int | None = None, judged_only: bool = False,
        all_judged: bool = False,
    ) -> Labelled:  # fmt: skip
        """The lists under one labelling; ``all_judged`` keeps the non-relevant documents among the entries."""
        key = (rel, gain, gmax, judged_only, all_judged)
        if key not in self._labelled:
            self._labelled[key] = self._label(self._labels_for(rel, gain, gmax), judged_only, all_judged)
        return self._labelled[key]

    def _labels_for(self, rel: int, gain: Gain, gmax: int | None) -> Labels:
        key = (rel, gain, gmax)
        if key not in self._labels:
            table: str | Mapping[int, float] = gain if isinstance(gain, str) else dict(gain)
            self._labels[key] = Labels(self.track.judgments, rel, table, gmax)
        return self._labels[key]

    def _label(self, labels: Labels, judged_only: bool, all_judged: bool) -> Labelled:
        track = self.track
        keep = None if all_judged else labels.seen
        entries, lengths = self._entries(keep, judged_only)
        gain = hit = None
        if track.ties in ("share", "mean-gain") and not all_judged:
            entries, gain, hit = shared(track, labels, judged_only)
        return Labelled(
            entries, labels, lengths, track.topic_of_list,
            gain=gain, hit=hit,
            places=track.entries if judged_only else None,
            best_rank=lambda: track.best_rank,
            pool_depth=np.inf if track.pool_depth is None else track.pool_depth,
            terminal=track.terminal,
        )  # fmt: skip

    def _entries(self, keep: NDArray[np.bool_] | None, judged_only: bool) -> tuple[Entries, Ints]:
        """Entries that can be seen, and the lengths of the lists; one copy for all gain maps that see the same rows."""
        key = (None if keep is None else keep.tobytes(), judged_only)
        if key not in self._seen:
            entries, lengths = self.track.entries, self.track.lengths
            if judged_only:
                entries, lengths = condensed(entries), entries.counts
            if keep is not None:
                entries = entries.where(keep[entries.row])
            self._seen[key] = (entries, lengths)
        return self._seen[key]


def condensed(entries: Entries) -> Entries:
    """Judged documents moved up over the unjudged ones: the j-th of a list gets rank j."""
    rank = np.arange(1, len(entries) + 1) - np.repeat(entries.offsets[:-1], entries.counts)
    return Entries(rank.astype(np.int32), entries.row, entries.offsets)
