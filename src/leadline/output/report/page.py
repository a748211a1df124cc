"""Putting the page together: template, style, script and data in one file."""

from __future__ import annotations

import datetime
import json
import shlex
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from leadline.findings import Findings
from leadline.io.write import atomic
from leadline.measures.base import Measure
from leadline.output.report.collect import Choices, collect
from leadline.rankings.track import Track

__all__ = ["DEFAULT", "Report", "report"]

DEFAULT = ("nDCG@10", "AP", "P@10", "RR", "RBP(p=0.8)", "RBPU(p=0.98, e=0.05)")


class Report:
    """A finished page."""

    def __init__(self, html: str, data: dict[str, Any], findings: Findings) -> None:
        self.html = html
        self.data = data
        self.findings = findings

    def save(self, target: str | Path) -> None:
        """Write the page, whole or not at all."""
        with atomic(target) as out:
            out.write(self.html.encode("utf-8"))


def report(
    track: Track,
    measures: Sequence[str | Measure] = DEFAULT,
    *,
    output: str | Path | None = None,
    truncation: str | Measure = "RBPU(p=0.98, e=0.05)",
    title: str = "Evaluation report",
    command: Sequence[str] = (),
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    rel: int | None = None,
) -> Report:
    """One self-contained page about a Track: leaderboard, depth, truncation, trust, preferences, topics.

    ``truncation`` is the measure whose best lengths are shown and marked in the label strips; ``command`` is what to
    type to get the page again.

    >>> from leadline.rankings.typed import typed
    >>> report(typed("1 0 - 1"), ["AP"]).html.splitlines()[0]
    '<!doctype html>'
    """
    options = {"undefined": undefined, "unjudged": unjudged, "rel": rel}
    data = collect(track, Choices(measures, truncation, options))
    data["about"] = {
        "title": title,
        "made": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC",
        "version": version("leadline"),
        "command": shlex.join(command),
        "rules": _rules(track, options),
    }
    page = Report(_page(data), data, track.findings)
    if output is not None:
        page.save(output)
    return page


def _rules(track: Track, options: dict[str, Any]) -> dict[str, str]:
    runs, topics = track.shape
    pool = "not declared" if track.pool_depth is None else str(track.pool_depth)
    fed = int(track.contributors.sum())
    return {
        "runs × topics": f"{runs} × {topics}",
        "documents retrieved": f"{int(track.lengths.sum()):,}",
        "judgments": f"{len(track.judgments):,}, grades up to {track.gmax}",
        "ties": track.ties,
        "unjudged documents": str(options["unjudged"]),
        "undefined scores": str(options["undefined"]),
        "relevant from grade": "the measure's own" if options["rel"] is None else str(options["rel"]),
        "pool depth": f"{pool}; {fed} of {runs} runs contributed",
        "tests": "paired t, Holm, α = 0.05; intervals are 95 % of the mean over topics",
    }


def _page(data: dict[str, Any]) -> str:
    """The template with everything put in; data cannot end the script element it stands in."""
    parts = files("leadline.output.report")
    text = {name: (parts / name).read_text(encoding="utf-8") for name in ("page.html", "page.css", "page.js")}
    packed = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")
    page = text["page.html"].replace("/*STYLE*/", text["page.css"])
    return page.replace("/*DATA*/", packed).replace("/*SCRIPT*/", text["page.js"])
