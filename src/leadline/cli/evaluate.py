"""``leadline evaluate``: scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from leadline.output.tables import Table


@click.command("evaluate")
@track_options()
@measure_option("AP", "nDCG@10", "P@10", "R@100", "RR", "RBP(p=0.8)")
@scoring_options
@click.option("-q", "--per-topic", is_flag=True, help="Every topic's score before the mean.")
@click.option("--stats", is_flag=True, help="With the mean: standard deviation, median and 95 % interval over topics.")
@plot_option
@out_options
def command(**options: Any) -> None:
    """Score runs against relevance judgments.

    A topic of the qrels that a run does not answer counts as an empty list; whatever is missing, doubled or undefined
    is told on standard error.

    \b
    leadline evaluate qrels.txt runs/*.run -m nDCG@10 -m AP
    leadline evaluate qrels.txt bm25.run -q --format jsonl
    """
    track = track_of(options)
    from leadline.api import evaluate
    from leadline.output.tables import Table, pivot

    scores = evaluate(
        track, options["measures"], undefined=options["undefined"], unjudged=options["unjudged"], rel=options["rel"]
    )
    save_plot("scores_plot", scores, options, track)
    format_ = wanted_format(options["format_"], options["output"])
    if format_ == "trec":
        from leadline.output.trec import trec_columns

        columns = trec_columns(scores, per_topic=options["per_topic"])
    elif options["stats"]:
        from leadline.output.summaries import described

        columns = described(scores)
    else:
        columns = scores.columns(per_topic=options["per_topic"])
    table = Table(columns)
    if format_ in ("table", "markdown", "latex") and not options["stats"]:
        table = pivot(table, lower=[str(m) for m in scores.measures if not m.higher_is_better])
    if format_ == "table" and not options["per_topic"] and not options["stats"]:
        table = _with_bars(table, str(scores.measures[0]))
    put(table, options, scores.findings)


def _with_bars(table: Table, measure: str) -> Table:
    """A small bar of the first measure beside each run, for the eye; the longest is the best run's."""
    from leadline.output.glyphs import bar

    values = [float("nan") if v is None else float(v) for v in table.columns[measure]]
    top = max((v for v in values if v == v), default=0.0)
    if top <= 0 or len(values) < 2:
        return table
    return table.but(columns={**table.columns, f"{measure} ▏": [bar(v / top, 8).rstrip() for v in values]})
