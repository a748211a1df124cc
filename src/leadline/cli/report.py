"""``leadline report``: all of it, on one page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from leadline.cli._options import measure_option, scoring_options, tell, track_of, track_options


@click.command("report")
@track_options()
@measure_option("nDCG@10", "AP", "P@10", "RR", "RBP(p=0.8)", "RBPU(p=0.98, e=0.05)")
@scoring_options
@click.option(
    "--truncation", default="RBPU(p=0.98, e=0.05)", show_default=True, help="Measure whose best lengths are shown."
)
@click.option("--title", default="Evaluation report", show_default=True, help="Title of the page.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), default="report.html", show_default=True, help="The page."
)
def command(**options: Any) -> None:
    """Write one self-contained page: leaderboard, depth, truncation, trust, preferences, topics.

    It needs no network, opens from disk and prints well.

    \b
    leadline report qrels.txt runs/*.run -o report.html
    """
    typed = ["leadline", *sys.argv[1:]]
    track = track_of(options, keep_scores=True)
    from leadline.output.report import report

    page = report(
        track, options["measures"], truncation=options["truncation"], title=options["title"], command=typed,
        undefined=options["undefined"], unjudged=options["unjudged"], rel=options["rel"],
    )  # fmt: skip
    page.save(options["output"])
    tell(page.findings)
    size = Path(options["output"]).stat().st_size / 1e6 if Path(options["output"]).is_file() else 0
    click.echo(f"Wrote {options['output']} ({size:.1f} MB).", err=True)
