"""``leadline guide``: which measure fits my task."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from leadline.cli._options import out_options, put
from leadline.meta.guide_tree import JUDGED, questions  # plain data: no array package comes with it

F = TypeVar("F", bound=Callable[..., Any])


def _answers(f: F) -> F:
    """An option for each question of the tree."""
    for key, (text, answers) in reversed(questions().items()):
        f = click.option(f"--{key}", type=click.Choice(list(answers)), help=text)(f)
    meanings = "; ".join(f"{value}: {text}" for value, (text, _) in JUDGED.items())
    return click.option("--judged", type=click.Choice(list(JUDGED)), help=f"What is judged. {meanings}.")(f)


@click.command("guide")
@click.argument("qrels", required=False)
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@_answers
@click.option("--pool-depth", type=click.IntRange(1), metavar="D", help="Depth to which the qrels were pooled.")
@click.option("--lenient", is_flag=True, help="Turn duplicate documents and NaN scores into findings.")
@click.option("--aspects", multiple=True, metavar="NAME=LABELS...", help="Label columns of the qrels, as elsewhere.")
@click.option("--depth", type=float, metavar="N", help="Documents people read on average: sets p, and k of P@k.")
@click.option("--worth", type=click.IntRange(2), metavar="N", help="Documents that one relevant one is worth: sets e.")
@click.option(
    "--silence-rank",
    type=click.IntRange(2),
    metavar="R",
    help="Rank at which a single relevant document is no better than silence: sets beta of OIE.",
)
@click.option("--always-read", type=click.IntRange(2), metavar="M", help="Documents always read: bounds beta of OIE.")
@click.option("--docs", type=click.IntRange(1), metavar="N", help="Documents in the collection.")
@click.option("--calibrate", is_flag=True, help="Only the parameters these numbers give; with runs, what |D| changes.")
@click.option("--names", is_flag=True, help="Only the names of the measures, one a line.")
@click.option("--ask/--no-ask", default=None, help="Ask what was not answered (default: on a terminal).")
@out_options  # fmt: skip
def command(**options: Any) -> None:
    """Find the measure that fits a task, by questions and answers.

    Every answer decides on a formal property; the advice names measures ready to paste. With qrels and runs it also
    says what they make doubtful. What is not given as an option is asked, on a terminal.

    \b
    leadline guide
    leadline guide qrels.txt runs/*.run
    leadline guide --length no --weight falls --fixed no --one no --recall no --redundancy no --depth 10 --names
    leadline guide --calibrate --depth 10 --worth 20 --silence-rank 20
    """
    track = _track(options)
    if options["calibrate"]:
        _calibrate(options, track)
        return
    from leadline.meta.guide import guide

    asking = sys.stdin.isatty() if options["ask"] is None else options["ask"]
    judged = options["judged"]
    if judged is None and asking:
        from leadline.meta.guide_data import hints

        likely = "one" if track is None else hints(track)["judged"]
        judged = _prompt("judged", "What is judged?", {v: t for v, (t, _) in JUDGED.items()}, likely)
    numbers = {n: options[n] for n in ("depth", "worth", "silence_rank", "always_read", "docs")}
    answers = {key: options[key] for key in questions() if options[key] is not None}
    advice = guide(track, judged=judged or "one", ask=_prompt if asking else None, **numbers, **answers)
    click.echo("\n".join(advice.names) if options["names"] else str(advice))


def _prompt(key: str, text: str, answers: Mapping[str, str], suggestion: str | None) -> str:
    """Ask on standard error, so that the advice alone is output."""
    click.echo(f"\n{text}", err=True)
    for value, meaning in answers.items():
        click.echo(f"  {value}: {meaning}", err=True)
    hint = " (your data suggest the default)" if suggestion else ""
    chosen = click.prompt(f"--{key}{hint}", type=click.Choice(list(answers)), default=suggestion, err=True)
    return str(chosen)


def _track(options: dict[str, Any]) -> Any:
    if options["qrels"] is None:
        return None
    from leadline.api import read

    runs, aspects = list(options["runs"]), " ".join(options["aspects"]) or None
    if not runs:
        raise click.UsageError("Give runs beside the qrels: what is doubtful depends on both.")
    return read(options["qrels"], runs, pool_depth=options["pool_depth"], aspects=aspects, lenient=options["lenient"])


def _calibrate(options: dict[str, Any], track: Any) -> None:
    """The calibration table."""
    from leadline.meta import calibration
    from leadline.output.tables import Table

    docs = options["docs"] or calibration.DOCS
    if track is not None:
        put(Table(calibration.collection_size(track, reference=options["docs"]).columns()), options)
        return
    rows = []
    if options["depth"] is not None:
        rows.append(("p", calibration.persistence(options["depth"]), "expected depth", options["depth"]))
    if options["worth"] is not None:
        rows += [
            ("e", calibration.effort(options["worth"], name), f"one relevant document pays, {name}", options["worth"])
            for name in ("U", "DCGU", "RBPU", "RBU", "ERRU")
        ]
    if options["silence_rank"] is not None:
        rank = options["silence_rank"]
        rows.append(("beta", calibration.silence_beta(rank, docs=docs), f"silence is as good, {docs} documents", rank))
    if options["always_read"] is not None:
        read = options["always_read"]
        rows.append(("beta <", calibration.shallowness_bound(read), "documents always read, any collection", read))
        bound = calibration.shallowness_bound(read, docs=docs)
        rows.append(("beta <", bound, f"documents always read, {docs} documents", read))
    if not rows:
        raise click.UsageError("--calibrate needs --depth, --worth, --silence-rank, --always-read, or qrels and runs.")
    names = ("parameter", "value", "because", "given")
    put(Table({name: [row[i] for row in rows] for i, name in enumerate(names)}), options)
