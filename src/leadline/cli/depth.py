"""``leadline depth``: does the order of systems survive a change of depth."""

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
)
from leadline.cli.curve import points

_STATISTICS = {"tau": "Kendall's τ", "tau_ap": "τ_ap", "rbo": "rank-biased overlap"}


@click.command("depth")
@track_options()
@measure_option("AP(norm='min')", "nDCG", "RBP(p=0.95)")
@scoring_options
@click.option("--depths", metavar="LIST", help="Evaluation depths: 5,10,20 or 1-1000:10 (default: a few).")
@click.option("--reference", type=click.IntRange(1), metavar="K", help="Depth to compare with (default: the pool's).")
@click.option(
    "--pooled", type=click.IntRange(1), metavar="D", help="Restrict the judgments to a pool of depth D first."
)
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
              help="Significant means p below this.")  # fmt: skip
@click.option("--volatility", is_flag=True,
              help="τ between the orders at all pairs of depths, of one measure or between two.")  # fmt: skip
@click.option("--statistic", type=click.Choice(["tau", "tau_ap", "rbo"]), default="tau", show_default=True,
              help="With --volatility: the correlation of orders.")  # fmt: skip
@plot_option
@out_options
def command(**options: Any) -> None:
    """Compare every evaluation depth of a measure with a reference depth.

    Mean score, median p and discrimination (share of pairs of runs that differ significantly) at each depth; coverage
    and inversion (share of the reference's significant pairs confirmed, and turned round), τ, τ_ap, RBO, Pearson's
    correlation and RMSE against the reference.

    \b
    leadline depth qrels.txt runs/*.run -m nDCG -m 'RBP(p=0.95)' --depths 1-100:5 --pool-depth 20
    leadline depth qrels.txt runs/*.run -m AP --volatility --depths 1-1000 -o volatility.parquet --format parquet
    """
    track = track_of(options)
    from leadline.output.tables import Table

    depths = points(options["depths"])
    shared = {name: options[name] for name in ("pooled", "undefined", "unjudged", "rel")}
    found: Any
    if options["volatility"]:
        found = _volatility(track, depths, options, shared)
        save_plot("volatility_plot", found, options, track, statistic=_STATISTICS[options["statistic"]])
    else:
        from leadline.depths.stability import depth

        found = depth(
            track, options["measures"], depths=depths, reference=options["reference"], alpha=options["alpha"], **shared
        )
        save_plot("depth_plot", found, options, track)
    put(Table(found.columns()), options, found.findings)


def _volatility(track: Any, depths: list[int] | None, options: dict[str, Any], shared: dict[str, Any]) -> Any:
    from leadline.depths.stability import volatility

    names = options["measures"]
    ctx = click.get_current_context()
    if ctx.get_parameter_source("measures") is click.core.ParameterSource.DEFAULT:
        names = names[:1]
    if len(names) > 2:
        raise click.UsageError("--volatility takes one measure, or two to compare with each other.")
    return volatility(track, *names, depths=depths, statistic=options["statistic"], **shared)
