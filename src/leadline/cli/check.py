"""``leadline check``: a gate for continuous integration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from leadline.cli._options import scoring_options, tell, track_of, track_options

if TYPE_CHECKING:
    from leadline.measures.base import Measure
    from leadline.measures.scores import Scores
    from leadline.rankings.track import Track


class Limit(NamedTuple):
    """A bound on the mean of a measure."""

    measure: Measure
    least: bool
    value: float


@click.command("check")
@track_options()
@scoring_options
@click.option("--min", "least", multiple=True, metavar="MEASURE=VALUE", help="The mean must reach this; repeat.")
@click.option("--max", "most", multiple=True, metavar="MEASURE=VALUE", help="The mean must not exceed this; repeat.")
@click.option("--no-worse-than", "baseline", metavar="RUN", help="A run file that must not be better.")
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE",
    help="With --no-worse-than: measures to compare (default: those of --min and --max, else nDCG@10).")  # fmt: skip
@click.option("--tolerance", type=click.FloatRange(0), default=0.0, show_default=True,
              help="With --no-worse-than: a loss up to this is accepted.")  # fmt: skip
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True),
              help="With --no-worse-than: only a loss with a paired t-test's p below this counts.")  # fmt: skip
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Leave with exit code 1 if a run misses a limit or is worse than another.

    Means are compared as computed, without rounding. The run compared with may have the same name.

    \b
    leadline check qrels.txt new.run --min 'nDCG@10=0.41' --max 'ESL=3'
    leadline check qrels.txt new.run --no-worse-than released.run -m AP --alpha 0.05
    """
    if not (options["least"] or options["most"] or options["baseline"]):
        raise click.UsageError("Nothing to check; give --min, --max or --no-worse-than.")
    given = dict(options)
    track = track_of(options)
    limits = [_limit(text, least=True) for text in options["least"]]
    limits += [_limit(text, least=False) for text in options["most"]]
    from leadline.measures.scoring import wanted_measures

    chosen = options["measures"] or [lim.measure for lim in limits] or ["nDCG@10"]
    compared = wanted_measures(chosen, unjudged=options["unjudged"], rel=options["rel"]) if options["baseline"] else []
    scores = _scores(track, [*[lim.measure for lim in limits], *compared], options)
    tell(scores.findings)
    verdicts = [_verdict(scores, run, lim, options) for run in scores.runs for lim in limits]
    if options["baseline"]:
        baseline = _scores(track_of({**given, "runs": (options["baseline"],)}), compared, options)
        for run in scores.runs:
            verdicts += [_against(scores, run, baseline, m, options) for m in compared]
    for met, text in verdicts:
        click.echo(f"{'ok    ' if met else 'FAILED'}  {text}")
    failed = sum(not met for met, _ in verdicts)
    if failed:
        click.echo(f"leadline: {failed} of {len(verdicts)} checks failed", err=True)
        ctx.exit(1)


def _limit(text: str, *, least: bool) -> Limit:
    from leadline.measures.names import parse

    name, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = float("nan")
    if not equals or value != value:
        option = "--min" if least else "--max"
        raise click.UsageError(f"{option} {text!r}: write MEASURE=VALUE, such as nDCG@10=0.41.")
    return Limit(parse(name), least, value)


def _scores(track: Track, measures: list[Measure], options: dict[str, Any]) -> Scores:
    from leadline.api import evaluate

    return evaluate(
        track, measures, undefined=options["undefined"], unjudged=options["unjudged"], rel=options["rel"]
    )  # fmt: skip


def _as_scored(m: Measure, options: dict[str, Any]) -> Measure:
    from leadline.measures.scoring import wanted_measures

    return wanted_measures([m], unjudged=options["unjudged"], rel=options["rel"])[0]


def _verdict(scores: Scores, run: str, limit: Limit, options: dict[str, Any]) -> tuple[bool, str]:
    m = _as_scored(limit.measure, options)
    mean = float(scores.mean(m)[scores.runs.index(run)])
    if mean != mean:
        return False, f"{run}: {m} is undefined, wanted {'at least' if limit.least else 'at most'} {limit.value:g}"
    met = mean >= limit.value if limit.least else mean <= limit.value
    sign = {(True, True): "≥", (True, False): "<", (False, True): "≤", (False, False): ">"}[limit.least, met]
    off = "" if met else f", off by {abs(mean - limit.value):.4g}"
    return met, f"{run}: {m} = {mean:.4f} {sign} {limit.value:g}{off}"


def _against(scores: Scores, run: str, other: Scores, m: Measure, options: dict[str, Any]) -> tuple[bool, str]:
    """One run against the other, over the topics both have."""
    import numpy as np

    shared = [t for t in scores.topics if t in set(other.topics)]
    mine = scores.array(m)[scores.runs.index(run)][[scores.topics.index(t) for t in shared]]
    theirs = other.array(m)[0][[other.topics.index(t) for t in shared]]
    if m.per_topic:
        here, there = (float(m.aggregate(x[None, :])[0]) for x in (mine, theirs))
    else:
        here, there = float(scores.mean(m)[scores.runs.index(run)]), float(other.mean(m)[0])
    loss = there - here if m.higher_is_better else here - there
    said = f"{run}: {m} = {here:.4f}, {other.runs[0]} ({options['baseline']}) {there:.4f}"
    if loss != loss:
        return False, f"{said}: undefined"
    met = loss <= options["tolerance"]
    if options["alpha"] is not None and m.per_topic and not met:
        from leadline.stats import paired_t

        p = float(paired_t(np.stack([mine, theirs])).p[0])
        met = p >= options["alpha"]
        said += f", p = {p:.3g}"
    if met:
        return True, f"{said}: {'no worse' if loss <= 0 else f'worse by {loss:.4g}, accepted'}"
    return False, f"{said}: worse by {loss:.4g}"
