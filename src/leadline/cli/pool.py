"""``leadline pool``: what pooling left out."""

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
    tell,
    track_of,
    track_options,
)
from leadline.cli.curve import points


@click.command("pool")
@track_options()
@measure_option("AP", "nDCG@10", "RBP(p=0.8)", "RBP(p=0.95)")
@scoring_options
@click.option("--depths", metavar="LIST", help="Pool depths: 5,10,20 or 1-100:10 (default: a few, to the deepest).")
@click.option(
    "--per-run", is_flag=True, help="What each run has inside and past the pool, and its first unjudged rank."
)
@click.option("--leave-out", type=click.Choice(["run", "group"]),
              help="Score each run as if it, or its group, had not fed the pool.")  # fmt: skip
@click.option("--groups", metavar="FILE", help="File with a run and its group on each line (default: by run names).")
@click.option("--to-judge", type=click.IntRange(1), metavar="N", help="The N unjudged documents that weigh most.")
@click.option("--weights", default="RBP(p=0.95)", show_default=True, metavar="MEASURE",
              help="With --to-judge: the measure whose rank weights count.")  # fmt: skip
@plot_option
@out_options
def command(**options: Any) -> None:
    """Show how the pool grew and what it left out.

    Without an option: documents judged and relevant documents found by pools of each depth. Averages of --leave-out
    stand under run `all`, over runs (micro) and over groups (macro); the options about scores belong to it. With
    --to-judge, fill in the column `grade`: the file then reads as qrels. --format trec writes lines to append to the
    old qrels, with ? for the grade.

    \b
    leadline pool qrels.txt runs/*.run
    leadline pool qrels.txt runs/*.run --per-run --depths 10,20
    leadline pool qrels.txt runs/*.run --leave-out group --groups groups.txt -m AP -m 'RBP(p=0.8)'
    leadline pool qrels.txt runs/*.run --to-judge 200 -o form.tsv
    """
    if sum(bool(options[name]) for name in ("per_run", "leave_out", "to_judge")) > 1:
        raise click.UsageError("Give only one of --per-run, --leave-out and --to-judge.")
    track = track_of(options, keep_docs=bool(options["to_judge"]))
    depths = points(options["depths"])
    if options["to_judge"]:
        if options["figure"]:
            raise click.UsageError("--to-judge has no figure.")
        return _to_judge(track, options)
    from leadline.output.tables import Table

    found: Any
    if options["leave_out"]:
        found = _left_out(track, depths, options)
        save_plot("leave_out_plot", found, options, track)
    elif options["per_run"]:
        from leadline.depths.pools import pool_runs

        found = pool_runs(track, depths=depths, rel=options["rel"] or 1)
        save_plot("pool_runs_plot", found, {"figure": options["figure"]}, track)
    else:
        from leadline.depths.pools import pool

        found = pool(track, depths=depths, rel=options["rel"] or 1)
        save_plot("pool_growth_plot", found, {"figure": options["figure"]}, track, pool_depth=track.pool_depth)
    return put(Table(found.columns()), options, found.findings)


def _left_out(track: Any, depths: list[int] | None, options: dict[str, Any]) -> Any:
    from leadline.depths.leave_out import leave_out
    from leadline.depths.pools import group_file

    if depths is not None and len(depths) != 1:
        raise click.UsageError("--leave-out takes one pool depth, such as --depths 20.")
    return leave_out(
        track, options["measures"], by=options["leave_out"],
        groups=None if options["groups"] is None else group_file(options["groups"]),
        depth=None if depths is None else depths[0],
        undefined=options["undefined"], unjudged=options["unjudged"], rel=options["rel"],
    )  # fmt: skip


def _to_judge(track: Any, options: dict[str, Any]) -> None:
    from leadline.depths.judging import to_judge
    from leadline.output.tables import Table

    found = to_judge(track, options["to_judge"], measure=options["weights"])
    if options["format_"] != "trec":
        note = f"{100 * found.covered:.0f} % of the weight of all unjudged documents"
        return put(Table(found.columns(), notes=[note]), options, found.findings)
    tell(found.findings)
    if options["output"] is None:
        return click.echo(found.form(), nl=False)
    from leadline.io.write import atomic

    with atomic(options["output"]) as out:
        out.write(found.form().encode("utf-8", "surrogateescape"))
    return None
