"""The depth-k pool of the variants that look at it, when some of what it holds is unjudged.

A Track does not know unjudged documents by name, so whether one of them is in the pool is certain only where its own
list says so: a document among the first k of a contributing run is in the depth-k pool. Elsewhere another contributor
may have brought it in. What is not known is taken to be whatever is worse for the bound, so that the interval still
holds all completions; it is exact where nothing is left open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadline.depths._bounds.problem import Block, Flags, Problem
from leadline.rankings.entries import Floats

__all__ = ["Pool", "pool_of"]


@dataclass(frozen=True, eq=False)
class Pool:
    """What is certain of the pool that a measure looks at; ``applies`` is False if it looks at all judgments."""

    p: Problem
    applies: bool
    alone: bool  # the only contributor: no other run can bring in a document

    def members(self) -> Flags:
        """Judgments in the pool."""
        if not self.applies:
            return np.ones(len(self.p.labels.judgments), bool)
        return self.p.lists.track.best_rank <= self.p.k

    def known(self, x: Block) -> Floats:
        """Relevant judgments in the pool, for each list."""
        counts = self.p.labels.judgments.count(self.p.labels.hit & self.members())
        return counts[x.topic].astype(np.float64)

    def joins(self, x: Block, best_case: bool) -> Flags:
        """Whether the new documents among the first k come into the pool."""
        if not self.applies:
            return np.ones(len(x.index), bool)
        feeds = self.p.lists.contributing[x.index]
        return feeds if best_case else np.ones(len(x.index), bool)

    def empty(self, x: Block) -> Flags:
        """Whether nothing known is in the pool, and nothing new need be."""
        if not self.applies:
            return np.zeros(len(x.index), bool)
        return np.asarray((self.known(x) == 0) & ~self.p.lists.contributing[x.index])

    def others(self, x: Block) -> Floats:
        """New relevant documents below the cut or outside the list that may be in the pool."""
        everything = np.asarray(x.outside + self.p.absent, np.float64)
        if not self.applies:
            return everything
        own = self.p.lists.contributing[x.index] & self.alone
        return np.where(own, 0.0, everything)

    def exact(self, x: Block) -> Flags:
        """Lists for which nothing about the pool is left open."""
        if not self.applies:
            return np.ones(len(x.index), bool)
        settled = self.others(x) == 0
        return np.asarray(settled & (self.p.lists.contributing[x.index] | (x.inside == 0)))


def pool_of(p: Problem, wanted: bool) -> Pool:
    """The pool of a measure whose variant asks for it; below the declared depth only does it differ."""
    track = p.lists.track
    depth = np.inf if track.pool_depth is None else track.pool_depth
    applies = wanted and p.k < depth
    return Pool(p, applies, int(track.contributors.sum()) == 1)
