"""What an unjudged document could turn out to be, as one measure sees it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.measures.base import Measure
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.gains import gain_of
from leadline.rankings.labels import Labels
from leadline.rankings.track import Track

__all__ = ["Options", "labels_of", "options_of", "reading_of", "sound"]


@dataclass(frozen=True, eq=False)
class Options:
    """The labels 0 … gmax, with what each is worth to the measure.

    Of a gain table only the grades that it knows can occur.
    """

    labels: Ints
    hit: NDArray[np.bool_]
    gain: Floats

    @property
    def low(self) -> int:
        """The least useful label."""
        return int(self.labels[np.lexsort((self.hit, self.gain))[0]])

    @property
    def high(self) -> int:
        """The most useful label."""
        return int(self.labels[np.lexsort((self.hit, self.gain))[-1]])

    @property
    def missed(self) -> int | None:
        """The label of a relevant document outside the list that weighs most; None if no label is relevant."""
        return int(self.labels[self.hit][np.argmax(self.gain[self.hit])]) if self.hit.any() else None

    @cached_property
    def gains(self) -> Floats:
        """The different gains, in rising order."""
        return np.unique(self.gain)

    @property
    def settled(self) -> bool:
        """Whether all labels come to the same."""
        return len(self.gains) == 1 and bool(self.hit.all() or not self.hit.any())

    @property
    def sound(self) -> bool:
        """Whether the gains can be chances."""
        return sound(self.gains)


def sound(gains: Floats) -> bool:
    """Whether gains can be chances."""
    return bool(gains.min(initial=0.0) >= 0 and gains.max(initial=0.0) <= 1)


def reading_of(m: Measure, track: Track) -> dict[str, Any]:
    """Threshold, gain map and top grade under which the measure reads labels."""
    inner = getattr(m, "inner", m)  # the expectations of a reader are read like that reader's own measure
    if "gain" not in inner.params and "rel" not in inner.params:  # grades are compared as they are
        return {"rel": 1, "gain": "raw", "gmax": track.gmax}
    return {
        "rel": getattr(inner, "rel", 1),
        "gain": getattr(inner, "gain", "binary"),
        "gmax": getattr(inner, "gmax", None) or track.gmax,
    }


def options_of(m: Measure, track: Track) -> Options:
    """What the labels 0 … gmax are worth to the measure."""
    reading = reading_of(m, track)
    labels = np.arange(reading["gmax"] + 1)
    gain = reading["gain"]
    if not isinstance(gain, str):
        gain = dict(gain)
        labels = np.array([g for g in sorted(gain) if 0 <= g <= reading["gmax"]] or [0])
    grades = labels.astype(np.int32)
    worth = gain_of(grades, gain, gmax=reading["gmax"], rel=reading["rel"])
    return Options(labels, grades >= reading["rel"], worth)


def labels_of(m: Measure, track: Track) -> Labels:
    """The judgments as the measure reads them."""
    reading = reading_of(m, track)
    gain = reading["gain"]
    return Labels(track.judgments, reading["rel"], gain if isinstance(gain, str) else dict(gain), reading["gmax"])
