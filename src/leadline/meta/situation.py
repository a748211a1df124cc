"""What the checks of a diagnosis share: a verdict, the situation it is about, and the two families of measures.

A measure is *recall-based* if its score depends on relevant documents that were not retrieved, else *utility-based*;
that is found by asking it, so that it holds for anybody's measure.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from leadline.depths.pools import judged_to, pool_depth
from leadline.errors import LeadlineError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.scores import Scores
from leadline.measures.scoring import score_track
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.track import Track

__all__ = ["SEVERITIES", "Check", "Limits", "Situation", "listed", "percent", "recall_based", "short", "verdict"]

SEVERITIES = ("ok", "note", "warning", "serious")
Limits = tuple[float, ...]


class Check:
    """One verdict: its name, how grave it is, the value that decided it, the threshold, and a text for people.

    ``figure`` is the value as people would say it.
    """

    def __init__(self, check: str, severity: str, value: float, threshold: float, figure: str, text: str) -> None:
        self.check, self.severity = check, severity
        self.value, self.threshold = float(value), float(threshold)
        self.figure, self.text = figure, text

    def __repr__(self) -> str:
        return f"<Check {self.check}: {self.severity}, {self.figure}>"


class Situation:
    """A Track and the measures reported for it, with what several checks ask for."""

    def __init__(self, track: Track, measures: list[Measure], depth: int) -> None:
        self.track, self.measures, self.depth = track, measures, depth
        self.findings = Findings(track.findings)

    @cached_property
    def scores(self) -> Scores:
        """The scores of all runs."""
        scores = score_track(self.track, self.measures)
        self.findings.extend(scores.findings)
        return scores

    def means(self, m: Measure) -> Floats:
        """Mean scores, the higher the better."""
        return self.scores.mean(m) if m.higher_is_better else -self.scores.mean(m)

    @cached_property
    def pool_depth(self) -> int | None:
        """Depth of the pool, declared or found."""
        return pool_depth(self.track, self.findings)

    @cached_property
    def judged_to(self) -> Ints:
        """Depth to which all lists of each run are judged."""
        return judged_to(self.track)

    @property
    def longest(self) -> int:
        """Length of the longest list."""
        return int(self.track.lengths.max(initial=0))

    @cached_property
    def recall(self) -> list[Measure]:
        """The recall-based measures."""
        return [m for m in self.measures if recall_based(m)]

    @cached_property
    def utility(self) -> list[Measure]:
        """The utility-based measures."""
        return [m for m in self.measures if recall_based(m) is False]


def recall_based(m: Measure) -> bool | None:
    """Whether a relevant document that was not retrieved changes the score; None for what measures no quality.

    A count, or a score that does not care whether the list is relevant (Judged), is of neither family.

    >>> from leadline.measures.names import parse
    >>> [recall_based(parse(name)) for name in ("AP", "nDCG@10", "RBP(p=0.8)", "P@10", "Judged@10")]
    [True, True, False, False, None]
    """
    try:
        found = m.score("1 0 1 0 0 1", rels="1 1 1", gmax=1)
        more = m.score("1 0 1 0 0 1", rels="1 1 1 1 1 1", gmax=1)
        nothing = m.score("0 0 0 0 0 0", rels="1 1 1", gmax=1)
    except LeadlineError:  # it needs more than a list of grades, several aspects say
        return None
    return None if m.total == "sum" or found == nothing else found != more


def verdict(value: float, limits: Limits, *, less_is_worse: bool = False) -> str:
    """Severity by one or two thresholds: past the first a warning, past the second serious.

    >>> verdict(0.2, (0.1, 0.3)), verdict(12, (50, 25), less_is_worse=True)
    ('warning', 'serious')
    """
    sign = -1.0 if less_is_worse else 1.0
    past = [sign * value > sign * limit for limit in limits]
    return "serious" if len(past) > 1 and past[1] else "warning" if past[0] else "ok"


def percent(x: float) -> str:
    """A share in per cent.

    >>> percent(0.123), percent(0.0012)
    ('12 %', '0.12 %')
    """
    return f"{100 * x:.0f} %" if x == 0 or x >= 0.01 else f"{short(100 * x)} %"


def short(x: float) -> str:
    """A number in two digits, or as many as it has before the point.

    >>> short(0.1234), short(5.678), short(123.4)
    ('0.12', '5.7', '123')
    """
    return f"{x:.0f}" if abs(x) >= 10 else f"{x:.2g}"


def listed(names: Iterable[object], most: int = 3) -> str:
    """The first few names, and how many more there are.

    >>> listed("abcde"), listed([])
    ('a, b, c and 2 more', 'none')
    """
    found = [str(n) for n in names]
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more or "none"
