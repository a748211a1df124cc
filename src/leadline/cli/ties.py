"""``leadline ties``: what tie-breaking decides."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from leadline.cli._options import (
    TIES,
    measure_option,
    out_options,
    plot_option,
    put,
    save_plot,
    scoring_options,
    tell,
    track_of,
    track_options,
    wanted_format,
)

if TYPE_CHECKING:
    from leadline.output.tables import Table

_TABLES = ("shares", "orders", "scores", "spread")


@click.command("ties")
@track_options()
@measure_option("AP", "nDCG@10", "RBP(p=0.8)")
@scoring_options
@click.option("--rule", "tie_rules", multiple=True, type=click.Choice(TIES),
              help="A tie rule to compare; repeat for more (default: all but rank).")  # fmt: skip
@click.option("--top", type=click.IntRange(1), default=20, show_default=True, help="Ties are counted among the first…")
@click.option("--table", "tables", multiple=True, type=click.Choice(_TABLES), default=("shares", "orders"),
              show_default=True, help="What to show; repeat for more.")  # fmt: skip
@plot_option
@out_options
def command(**options: Any) -> None:
    """Show how often scores are tied and what the order of systems owes to the rule that breaks ties.

    `shares`: share of topics with equal scores, under run `all` the lower median. `orders`: τ between the orders of
    systems under two rules. `scores`: score and place of every run under every rule. `spread`: the worst and the best
    score that any order of tied documents can give, for measures of which they are known. Runs are read once for each
    rule, so standard input will not do.

    \b
    leadline ties qrels.txt runs/*.run
    leadline ties qrels.txt runs/*.run -m AP --rule trec --rule run --table spread
    """
    track = track_of(options, keep_scores=True)
    from leadline.depths.tie_effects import RULES, ties

    found = ties(
        track, options["measures"], rules=options["tie_rules"] or RULES, top=options["top"],
        undefined=options["undefined"], unjudged=options["unjudged"], rel=options["rel"],
    )  # fmt: skip
    save_plot("ties_plot", found, options, track)
    from leadline.output.tables import Table

    columns = {
        "shares": found.columns, "orders": found.orders, "scores": found.scores, "spread": found.spread.columns,
    }  # fmt: skip
    chosen = [Table(columns[name]()) for name in dict.fromkeys(options["tables"])]
    if len(chosen) == 1:
        return put(chosen[0], options, found.findings)
    tell(found.findings)
    return _put_all(chosen, options)


def _put_all(tables: list[Table], options: dict[str, Any]) -> None:
    """Several tables one after the other, an empty line between them unless each line speaks for itself (jsonl)."""
    from leadline.output.tables import encode

    format_ = wanted_format(options["format_"], options["output"])
    if format_ == "parquet":
        raise click.UsageError("A parquet file holds one table: choose it with --table.")
    shown: dict[str, Any] = {"digits": options["digits"]}
    if format_ == "table":
        shown |= {"color": options["output"] is None and sys.stdout.isatty()}
    data = (b"" if format_ == "jsonl" else b"\n").join(encode(t, format_, **shown) for t in tables)
    if options["output"] is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    from leadline.io.write import atomic

    with atomic(options["output"]) as out:
        out.write(data)
