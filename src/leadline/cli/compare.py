"""``leadline compare``: who really wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leadline.cli._options import (
    measure_option,
    out_options,
    plot_option,
    put,
    rng_option,
    save_plot,
    scoring_options,
    track_of,
    track_options,
    wanted_format,
)

if TYPE_CHECKING:
    from leadline.output.tables import Table
    from leadline.systems.comparison import Comparison

TESTS = ("t", "wilcoxon", "sign", "permutation", "bootstrap", "tukey", "randomised-tukey")
CORRECTIONS = ("none", "bonferroni", "holm", "bh")


@click.command("compare")
@track_options()
@measure_option("nDCG@10", "AP")
@scoring_options
@click.option("--baseline", metavar="RUN", help="Compare every run with this one (default: all pairs).")
@click.option("--test", type=click.Choice(TESTS), default="t", show_default=True, help="Test of each difference.")
@click.option(
    "--correction", type=click.Choice(CORRECTIONS),
    help="For the number of pairs (default: holm; none for the Tukey tests, which need none).")  # fmt: skip
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
              help="Significant means adjusted p below this.")  # fmt: skip
@click.option("-B", "--resamples", type=click.IntRange(1), default=10_000, show_default=True,
              help="Of permutation, bootstrap and randomised-tukey.")  # fmt: skip
@rng_option
@click.option("--letters", is_flag=True, help="Means of runs with letters: who shares one does not differ.")
@click.option("--power", is_flag=True, help="Also power, topics needed and smallest detectable difference (t-test).")
@click.option("--beta", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.2, show_default=True,
              help="With --power: accepted chance of missing a difference.")  # fmt: skip
@plot_option
@out_options
def command(**options: Any) -> None:
    """Test every pair of runs, with effect size, interval, wins, and the doubts as flags.

    Markdown and LaTeX give runs × measures with superscripts: runs that share a letter do not differ significantly;
    against a baseline ↑ is significantly better and ↓ significantly worse.

    \b
    leadline compare qrels.txt runs/*.run -m nDCG@10 --test randomised-tukey
    leadline compare qrels.txt runs/*.run -m AP --baseline bm25 --format latex
    leadline compare qrels.txt a.run b.run -m AP --power
    """
    threads = options["threads"]
    track = track_of(options)
    from leadline.output.tables import Table
    from leadline.systems.comparison import compare

    result = compare(
        track, options["measures"], baseline=_run(track.runs, options["baseline"]), test=options["test"],
        correction=options["correction"], alpha=options["alpha"], resamples=options["resamples"], rng=options["seed"],
        undefined=options["undefined"], unjudged=options["unjudged"], rel=options["rel"], threads=threads,
    )  # fmt: skip
    save_plot("comparison_plot", result, options, track)
    format_ = wanted_format(options["format_"], options["output"])
    if options["letters"] or format_ in ("markdown", "latex"):
        table = _score_table(result, format_)
    else:
        columns = result.columns(power=options["power"], beta=options["beta"])
        table = Table(columns, notes=[result.described()] if format_ == "table" else ())
    put(table, options, result.findings)


def _score_table(result: Comparison, format_: str) -> Table:
    """Runs × measures with superscripts for people, run, measure, value, marks for programs."""
    from leadline.output.tables import Table

    columns, marks = result.score_columns()
    if format_ not in ("table", "markdown", "latex"):
        names = [str(m) for m in result.measures]
        return Table({
            "run": [run for run in result.runs for _ in names],
            "measure": names * len(result.runs),
            "value": [columns[name][r] for r in range(len(result.runs)) for name in names],
            "marks": [marks[name][r] for r in range(len(result.runs)) for name in names],
        })  # fmt: skip
    meaning = (
        "Runs that share a letter do not differ significantly"
        if result.baseline is None
        else f"↑ significantly better, ↓ significantly worse than {result.baseline}"
    )
    best = {str(m): "max" if m.higher_is_better else "min" for m in result.measures}
    return Table(columns, notes=[f"{meaning} ({result.described()})."], best=best, marks=marks)


def _run(runs: tuple[str, ...], given: str | None) -> str | None:
    """A run by its name, or by the path of its file."""
    if given is None or given in runs:
        return given
    from leadline.io.formats import plain_name

    named = plain_name(given)
    return named if named in runs else given
