"""``leadline diagnose``: can this evaluation be trusted."""

from __future__ import annotations

import sys
from typing import Any

import click

from leadline.cli._options import measure_option, out_options, put, tell, track_of, track_options, wanted_format


@click.command("diagnose")
@track_options()
@measure_option("AP", "nDCG@10", "P@10", "RBP(p=0.8)")
@click.option("--rel", type=int, help="Lowest grade that counts as relevant, for all measures.")
@click.option("--depth", type=click.IntRange(1), default=10, show_default=True, help="Where unjudged documents count.")
@click.option("--threshold", "thresholds", multiple=True, metavar="CHECK=VALUE[,VALUE]",
              help="Where a check begins to warn, and to be serious.")  # fmt: skip
@out_options
def command(**options: Any) -> None:
    """Check whether an evaluation of these runs with these measures can be trusted, on one page.

    Each check is ok, a note, a warning or serious, and says what it means and what to do. The exit code is 0 whatever
    is found; use --format jsonl to act on it.

    \b
    leadline diagnose qrels.txt runs/*.run -m AP -m nDCG@10 --pool-depth 20
    leadline diagnose qrels.txt runs/*.run --threshold unjudged=0.05,0.2 --format jsonl
    """
    track = track_of(options, keep_scores=True)
    from leadline.meta.diagnosis import diagnose

    found = diagnose(
        track, options["measures"], depth=options["depth"], rel=options["rel"],
        thresholds=dict(_threshold(text) for text in options["thresholds"]),
    )  # fmt: skip
    if wanted_format(options["format_"], options["output"]) != "table":
        from leadline.output.tables import Table

        return put(Table(found.columns()), options, found.findings)
    tell(found.findings)
    if options["output"] is None:
        from shutil import get_terminal_size

        width = min(get_terminal_size((80, 24)).columns, 100) if sys.stdout.isatty() else 80
        return click.echo(found.page(width), nl=False)
    from leadline.io.write import atomic

    with atomic(options["output"]) as out:
        out.write(found.page().encode())
    return None


def _threshold(text: str) -> tuple[str, tuple[float, ...]]:
    name, equals, values = text.partition("=")
    try:
        numbers = tuple(float(v) for v in values.split(","))
    except ValueError:
        numbers = ()
    if not equals or not 1 <= len(numbers) <= 2:
        raise click.BadParameter(f"{text!r}; write unjudged=0.1 or unjudged=0.1,0.3", param_hint="--threshold")
    return name, numbers
