"""``leadline ranges``: what unjudged documents leave open."""

from __future__ import annotations

from typing import Any

import click

from leadline.cli._options import (
    measure_option,
    out_options,
    plot_option,
    put,
    save_plot,
    scoring_options,
    track_of,
    track_options,
    wanted_format,
)
from leadline.cli.curve import points


@click.command("ranges")
@track_options()
@measure_option("AP", "nDCG@10", "P@10", "RBP(p=0.8)")
@scoring_options
@click.option("--missing", type=click.IntRange(0), default=0, show_default=True, metavar="M",
              help="Relevant documents that may exist outside each list.")  # fmt: skip
@click.option("--short-run", type=click.Choice(["unknown", "zero"]), default="unknown", show_default=True,
              help="Residuals of RBP and ERR: what lies past the end of a short run.")  # fmt: skip
@click.option("--depths", metavar="LIST", help="Every measure at these evaluation depths: 1,4,10,40 or 10-100:10.")
@click.option("--over-runs", is_flag=True, help="One row for each measure: the mean over the runs that fed the pool.")
@click.option("--residual-below", type=click.FloatRange(0, min_open=True), metavar="X",
              help="Instead: the smallest depth from which on the mean residual stays below X.")  # fmt: skip
@click.option("-q", "--per-topic", is_flag=True, help="Every topic's range before the mean.")
@plot_option
@out_options
def command(**options: Any) -> None:
    """The lowest and the highest score over all labels that unjudged documents could have.

    R and the ideal list change with the labels, so that recall-based measures have ranges as well. `exact` says whether
    both ends are scores of some completion; otherwise the interval holds them all and may be too wide. The residual is
    that of the literature for RBP, ERR and P (tails included), else upper - lower; `condensed` is the score without the
    unjudged documents. Bpref and infAP ignore unjudged documents, so that their score may lie outside its range.

    \b
    leadline ranges qrels.txt runs/*.run -m AP -m nDCG@10
    leadline ranges qrels.txt runs/*.run -m 'RBP(p=0.95)' --depths 1,4,10,40,100 --over-runs
    leadline ranges qrels.txt runs/*.run -m 'RBP(p=0.8)' --residual-below 0.05
    """
    if options["per_topic"] and options["over_runs"]:
        raise click.UsageError("--per-topic and --over-runs exclude each other.")
    track = track_of(options)
    from leadline.depths.ranges import ranges
    from leadline.output.tables import Table

    depths = points(options["depths"])
    names = ("missing", "short_run", "undefined", "unjudged", "rel")
    shared = {name: options[name] for name in names} | {"depths": depths}
    if options["residual_below"] is not None:
        from leadline.depths.residual_depths import residual_depths

        smallest = residual_depths(track, options["measures"], options["residual_below"], **shared)
        put(Table(smallest.columns()), options, smallest.findings)
        return
    found = ranges(track, options["measures"], **shared)
    save_plot("residuals_plot", found, options, track)
    columns = found.columns(per_topic=options["per_topic"], over_runs=options["over_runs"])
    if wanted_format(options["format_"], options["output"]) in ("table", "markdown", "latex"):
        columns = {name: column for name, column in columns.items() if name != "topic" or options["per_topic"]}
    put(Table(columns), options, found.findings)
