"""From a Track to labelled lists: thresholds, gains, condensing and shared ties, settled once for all measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from leadline import _core
from leadline.rankings.entries import Entries, Ints
from leadline.rankings.labels import Labels
from leadline.rankings.ties import shared
from leadline.rankings.track import Track
from leadline.rankings.view import Labelled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Labeller"]

Above = tuple["NDArray[np.int32]", "NDArray[np.int32]"]
Gain = str | tuple[tuple[int, float], ...]


class Labeller:
    """Labelled lists of one Track, kept while several measures ask for the same ones."""

    def __init__(self, track: Track) -> None:
        self.track = track
        self._labels: dict[object, Labels] = {}
        self._seen: dict[object, tuple[Entries, Ints, Above]] = {}
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
        entries, lengths, above = self._entries(None if all_judged else labels.seen, judged_only)
        gain = hit = None
        if track.ties in ("share", "mean-gain") and not all_judged:
            entries, gain, hit = shared(track, labels, judged_only)
        return Labelled(
            entries, labels, lengths, track.topic_of_list,
            gain=gain, hit=hit, above=above, judged=track.entries,
            condensed=judged_only,
            best_rank=lambda: track.best_rank,
            pool_depth=np.inf if track.pool_depth is None else track.pool_depth,
            terminal=track.terminal,
            returned=track.lengths,
        )  # fmt: skip

    def _entries(self, keep: NDArray[np.bool_] | None, judged_only: bool) -> tuple[Entries, Ints, Above]:
        """Entries that can be seen, the lengths of the lists, and how many judged documents stand above each entry.

        One copy serves all gain maps that see the same rows.
        """
        key = (None if keep is None else keep.tobytes(), judged_only)
        if key not in self._seen:
            track, judged = self.track, self.track.entries
            grade = track.judgments.grade
            rows = np.ones(len(grade), bool) if keep is None else keep
            rank, row, offsets, *above = _core.select(judged.rank, judged.row, judged.offsets, rows, grade >= 0)
            lengths = track.lengths
            if judged_only:  # judged documents move up over the unjudged ones: the j-th of a list gets rank j
                rank, lengths = above[0] + np.int32(1), judged.counts
            self._seen[key] = (Entries(rank, row, offsets), lengths, (above[0], above[1]))
        return self._seen[key]
