"""``leadline trec_eval``: trec_eval's own options and output."""

from __future__ import annotations

from typing import Any

import click


def _version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked:
        from leadline import __version__

        click.echo(f"trec_eval version 10.0 (leadline {__version__})", err=True)
        ctx.exit()


@click.command("trec_eval")
@click.argument("qrels", metavar="REL_INFO_FILE")
@click.argument("run", metavar="RESULTS_FILE")
@click.option("-q", "--query_eval_wanted", "per_topic", is_flag=True, help="Every topic, too.")
@click.option("-m", "--measure", "measures", multiple=True, metavar="NAME[.PARAMS]",
              help="A measure or official (default), set, all_trec; repeat.")  # fmt: skip
@click.option("-c", "--complete_rel_info_wanted", "complete", is_flag=True,
              help="All topics of the qrels, those missing from the run as 0.")  # fmt: skip
@click.option("-n", "--nosummary", "no_summary", is_flag=True, help="No values over all topics.")
@click.option("-l", "--level_for_rel", "level", type=int, default=1, show_default=True, help="Lowest relevant grade.")
@click.option("-J", "--Judged_docs_only", "judged_only", is_flag=True, help="Take unjudged documents out.")
@click.option("-M", "--Max_retrieved_per_topic", "most", type=click.IntRange(0), help="Documents per topic at most.")
@click.option("-N", "--Number_docs_in_coll", "docs", type=int, default=0, help="Documents in the collection.")
@click.option("-Z", "--Zscore", "zscores", metavar="FILE", help="Deviations from the means in this file instead.")
@click.option("-R", "--Rel_info_format", "rel_format", type=click.Choice(["qrels"]), default="qrels")
@click.option("-T", "--Results_format", "results_format", type=click.Choice(["trec_results"]), default="trec_results")
@click.option("-D", "--Debug_level", "debug", help="LEVEL.TOPIC evaluates only this topic.")
@click.option("-o", "--Output_old_results_format", "old", is_flag=True, hidden=True)
@click.option("-v", "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version)
@click.option("--ties", type=click.Choice(["trec", "trec32"]), default="trec", show_default=True,
              help="Scores as 64-bit numbers (trec_eval 10) or 32-bit ones (9).")  # fmt: skip
def command(**options: Any) -> None:
    """Evaluate a run as trec_eval does: its options, its measures, its output.

    Only topics that the run answers count, unless -c is given. Measures are printed in trec_eval's order; parameters
    follow a point.

    \b
    leadline trec_eval qrels.txt bm25.run
    leadline trec_eval -q -c -l2 -m map -m ndcg_cut.10,20 -m P.5 qrels.txt bm25.run
    """
    from leadline.io import start_read

    pending = start_read(options["qrels"], [options["run"]], ties=options["ties"])
    from leadline.integrations.trec_eval import chosen, evaluate, read_zscores
    from leadline.rankings.track import Track

    measures = options["measures"] or ("official",)
    try:
        chosen(measures)
    except BaseException:
        pending.cancel()
        raise
    track = Track.of(pending.result())
    _, _, topic = (options["debug"] or "").partition(".")
    if topic:
        track = track.select(topics=[topic])
    results = evaluate(
        track, measures, level=options["level"], complete=options["complete"], judged_only=options["judged_only"],
        most=options["most"], docs=options["docs"],
        zscores=None if options["zscores"] is None else read_zscores(options["zscores"]),
    )  # fmt: skip
    click.echo(results.text(per_topic=options["per_topic"], summary=not options["no_summary"]), nl=False)
