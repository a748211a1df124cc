"""`NIL` as an answer (question answering): the two conventions of DEFINITIONS §4."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import UsageError
from leadline.rankings.entries import Entries
from leadline.rankings.labels import Judgments
from leadline.rankings.track import Track

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["answer_nil", "truncate_at_nil"]


def _nil_rank(track: Track) -> NDArray[np.int32]:
    if track.nil_rank is None:
        raise UsageError("the Track was read without nil=; read it with nil='NIL' to use a NIL convention")
    return track.nil_rank


def truncate_at_nil(track: Track, max_len: int = 5) -> Track:
    """NIL ends the list (Liu et al. 2016): keep what is before the first NIL, and read the end as "no more".

    A list without NIL that is shorter than ``max_len`` ended by the system's choice as well; one of full length gives
    no evidence of a choice, and terminal-document measures fall back to their plain forms on it.
    """
    nil = _nil_rank(track)
    chose = (nil > 0) | (track.lengths < max_len)
    stopped = track.truncated(np.where(nil > 0, nil - 1, track.lengths))
    return stopped._with(terminal=chose)


def answer_nil(track: Track) -> Track:
    """NIL is an ordinary document (TREC 2001): relevant exactly on the topics without a relevant document.

    Such a topic gets one more judgment of the top grade, which makes R = 1; elsewhere NIL stays worthless.
    """
    nil = _nil_rank(track)
    old = track.judgments
    empty = old.count(old.grade >= 1) == 0
    added = np.concatenate([[0], np.cumsum(empty)])
    offsets = old.offsets + added
    row = np.arange(len(old)) + added[old.topic]
    labels = np.zeros((int(offsets[-1]), old.labels.shape[1]), np.int32)
    labels[row] = old.labels
    nil_row = offsets[1:] - 1  # the new row closes its topic
    labels[nil_row[empty], 0] = old.gmax
    row_id = np.full(len(labels), -1)
    row_id[row] = track.row_id
    lists = np.flatnonzero((nil > 0) & empty[track.topic_of_list])
    entries = track.entries
    merged_list = np.concatenate([entries.list, lists])
    merged_rank = np.concatenate([entries.rank, nil[lists]]).astype(np.int32)
    merged_row = np.concatenate([row[entries.row], nil_row[track.topic_of_list[lists]]]).astype(np.int32)
    order = np.lexsort((merged_rank, merged_list))
    counts = np.bincount(merged_list, minlength=len(track.lengths))
    return track._with(
        judgments=Judgments(offsets, labels, old.gmax),
        entries=Entries(merged_rank[order], merged_row[order], np.concatenate([[0], np.cumsum(counts)])),
        row_id=row_id,
    )
