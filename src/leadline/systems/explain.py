"""One decision in full: two lists of one topic, and the recall level that decided between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.errors import UnknownName
from leadline.rankings.labeller import Labeller
from leadline.rankings.track import Track
from leadline.systems.preference_names import Preference, parse_preference
from leadline.systems.preferences import prefer
from leadline.systems.recall_levels import RecallLevels

__all__ = ["Explanation", "explain_preference"]

_SHOWN = 60  # ranks of a list printed as signs


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Ranks of the relevant documents of two lists, and what follows from them.

    ``level`` is the recall level that decided, 0 for a tie, None if all of them did (RPP); ``signs`` are the two lists
    rank by rank: ``#`` relevant, ``o`` judged not relevant, ``.`` unjudged.
    """

    topic: str
    runs: tuple[str, str]
    preference: Preference
    relevant: int
    ranks: tuple[NDArray[np.int32], NDArray[np.int32]]
    docs: tuple[tuple[str, ...], tuple[str, ...]]
    value: float
    level: int | None
    signs: tuple[str, str]

    def columns(self) -> dict[str, Any]:
        """Columns level, rank_a, doc_a, rank_b, doc_b, delta, decides; a rank is absent where nothing is retrieved."""
        a, b = (ranks.tolist() for ranks in self.ranks)
        levels = max(len(a), len(b))
        columns: dict[str, Any] = {"level": list(range(1, levels + 1))}
        for name, ranks, docs in (("a", a, self.docs[0]), ("b", b, self.docs[1])):
            missing = [None] * (levels - len(ranks))
            columns[f"rank_{name}"] = [*ranks, *missing]
            columns[f"doc_{name}"] = [*docs, *([None] * (levels - len(docs)))]
        rr = [[1 / r if r else 0.0 for r in columns[name]] for name in ("rank_a", "rank_b")]
        columns["delta"] = [x - y for x, y in zip(*rr, strict=True)]
        columns["decides"] = [self.level == i for i in columns["level"]]
        return columns

    @property
    def verdict(self) -> str:
        """What was decided, in a sentence."""
        if self.value == 0:
            why = "both are ahead on as many levels" if self.level is None else "the deciding ranks are the same"
            return f"{self.preference}: a tie; {why}."
        winner = self.runs[0] if self.value > 0 else self.runs[1]
        if self.level is None:
            return f"{self.preference} = {self.value:+.4f}: {winner} is ahead on more of the {self.relevant} levels."
        a, b = (str(r[self.level - 1]) if self.level <= len(r) else "unretrieved" for r in self.ranks)
        where = f"recall level {self.level} of {self.relevant} decides: rank {a} against {b}"
        return f"{self.preference} = {self.value:+.4f}: {where}, so {winner} is preferred."

    @property
    def text(self) -> str:
        """Both lists as strips of signs, and the verdict."""
        wide = max(map(len, self.runs))
        strips = [f"{run:<{wide}}  {signs}" for run, signs in zip(self.runs, self.signs, strict=True)]
        legend = f"{'':<{wide}}  # relevant, o judged not relevant, . unjudged; > the list goes on"
        return "\n".join([f"Topic {self.topic}, {self.relevant} relevant", *strips, legend, self.verdict])


def explain_preference(
    track: Track, topic: str, a: str, b: str, preference: str | Preference = "rrLP", *, rel: int | None = None
) -> Explanation:
    """Why run ``a`` is preferred to run ``b`` on a topic, or not.

    >>> import leadline
    >>> runs = {"x": {"q": {"d1": 3.0, "d2": 2.0}}, "y": {"q": {"d1": 3.0, "d0": 2.0, "d2": 1.0}}}
    >>> print(explain_preference(leadline.read({"q": {"d1": 1, "d2": 1, "d0": 0}}, runs), "q", "x", "y").text)
    Topic q, 2 relevant
    x  ##
    y  #o#
       # relevant, o judged not relevant, . unjudged; > the list goes on
    rrLP = +0.1667: recall level 2 of 2 decides: rank 2 against 3, so x is preferred.
    """
    wanted = parse_preference(preference, rel)
    if topic not in track.topics:
        raise UnknownName("topic", topic, track.topics)
    one = track.select(runs=[a, b], topics=[topic])
    known = RecallLevels.of(one, wanted.rel)
    found = prefer(one, wanted)[wanted]
    entries = Labeller(one)(rel=wanted.rel).entries
    parts = [entries.block(i, i + 1) for i in (0, 1)]
    level = None if found.level is None else int(found.level[0, 0])
    signs = (_strip(one, a, topic, wanted.rel), _strip(one, b, topic, wanted.rel))
    return Explanation(
        topic, (a, b), wanted, int(known.relevant[0]), (parts[0].rank, parts[1].rank),
        (_ids(one, parts[0].row), _ids(one, parts[1].row)), float(found.value[0, 0]), level, signs,
    )  # fmt: skip


def _ids(track: Track, rows: NDArray[np.int32]) -> tuple[str, ...]:
    """Document ids of judgments, if the Track knows where it was read from."""
    if track.reading is None:
        return ()
    return tuple(track.reading.qrels_docs(track.row_id[rows]))


def _strip(track: Track, run: str, topic: str, rel: int) -> str:
    rows = track.indices(run, topic)
    shown = rows[:_SHOWN]
    grade = track.judgments.grade[np.maximum(shown, 0)] if len(track.judgments) else shown
    signs = np.where(shown < 0, ".", np.where(grade >= rel, "#", "o"))
    return "".join(signs.tolist()) + (">" if len(rows) > _SHOWN else "")
