"""``leadline score``: a list typed by hand."""

from __future__ import annotations

from typing import Any

import click

from leadline.cli._options import measure_option, out_options, plot_option, put, save_plot


@click.command("score", context_settings={"ignore_unknown_options": True})
@click.argument("ranking")
@click.option("--rels", help="Grades of all relevant documents of the topic (default: those in the list).")
@click.option("--gmax", type=click.IntRange(1), help="Top grade of the scale (default: the highest one given).")
@measure_option("all")
@click.option("--curve", "by", type=click.Choice(["depth", "length"]), help="The score at every depth or length.")
@plot_option
@out_options
def command(
    ranking: str, rels: str | None, gmax: int | None, measures: tuple[str, ...], by: Any, **options: Any
) -> None:
    """Score a list typed by hand: grades in rank order, - for an unjudged document.

    \b
    leadline score '1 0 - 2' --rels '2 1 1'
    leadline score '1 0 - 2' -m nDCG@3 -m RBPU --curve length
    """
    from leadline.depths.curves import curve
    from leadline.measures.explain import usual
    from leadline.measures.scoring import score_track
    from leadline.output.glyphs import sparkline
    from leadline.output.tables import Table
    from leadline.rankings.typed import typed

    track = typed(ranking, rels, gmax)
    wanted = usual() if measures == ("all",) else list(measures)
    if options["figure"]:
        drawn = curve(track, wanted, by=by or "length", undefined="nan")
        labels = [0] * int(track.lengths[0])
        for rank, row in zip(track.entries.rank.tolist(), track.entries.row.tolist(), strict=True):
            labels[rank - 1] = int(track.judgments.grade[row])
        save_plot("utility_plot", drawn, options, labels=labels)
    if by is not None:
        columns = curve(track, wanted, by=by).columns()
        put(Table({n: columns[n] for n in ("measure", by, "value")}), options)
        return
    scores = score_track(track, wanted, undefined="nan")
    columns = {"measure": [str(m) for m in scores.measures], "value": scores.mean()[0]}
    if options["format_"] in (None, "table"):
        curves = curve(track, scores.measures, by="length", undefined="nan")
        columns["by length"] = [sparkline(curves.mean(m)[0]) for m in curves.measures]
    put(Table(columns), options)
