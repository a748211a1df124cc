"""``leadline curve``: scores at every evaluation depth or truncation length."""

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


@click.command("curve")
@track_options()
@measure_option("AP", "nDCG", "RBP(p=0.8)")
@scoring_options
@click.option("--by", type=click.Choice(["depth", "length"]), default="depth", show_default=True,
              help="Depth: the evaluator looks at the first k. Length: the system itself stops after n.")  # fmt: skip
@click.option("--depths", metavar="LIST", help="Points: 5,10,20 or 0-100 or 0-1000:50 (default: every one).")
@click.option("-q", "--per-topic", is_flag=True, help="Every topic's curve before the mean.")
@plot_option
@out_options
def command(**options: Any) -> None:
    """Score at every evaluation depth or truncation length, with a 95 % band for the mean over topics.

    \b
    leadline curve qrels.txt runs/*.run -m nDCG -m 'RBPU(p=0.98)' --by length --depths 0-50
    """
    track = track_of(options)
    from leadline.depths.curves import curve
    from leadline.output.tables import Table

    curves = curve(
        track, options["measures"], by=options["by"], depths=points(options["depths"]), per_topic=options["per_topic"],
        unjudged=options["unjudged"], rel=options["rel"], undefined=options["undefined"],
    )  # fmt: skip
    save_plot("curves_plot", curves, options, track, pool_depth=track.pool_depth)
    put(Table(curves.columns(per_topic=options["per_topic"])), options, curves.findings)


def points(text: str | None) -> list[int] | None:
    """Depths as typed: single ones, ranges and ranges with a step, separated by commas."""
    if text is None:
        return None
    out: list[int] = []
    try:
        for part in text.split(","):
            span, _, step = part.partition(":")
            first, dash, last = span.partition("-")
            out += range(int(first), int(last or first) + 1, int(step or 1)) if dash else [int(first)]
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is no list of depths; write 5,10,20 or 0-100:10", param_hint="--depths"
        ) from None
    return out
