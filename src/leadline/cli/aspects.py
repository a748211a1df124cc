"""``leadline aspects``: several aspects at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leadline.cli._options import (
    inputs,
    measure_option,
    out_options,
    plot_option,
    put,
    rng_option,
    save_plot,
    scoring_options,
    tell,
    track_of,
    track_options,
    wanted_format,
)

if TYPE_CHECKING:
    from leadline.measures.aspects._compound import AspectMeasure
    from leadline.measures.base import Measure
    from leadline.rankings.aspects import Order
    from leadline.rankings.track import Track


@click.command("aspects")
@track_options(required=False)
@measure_option("nDCG")
@scoring_options
@click.option("-q", "--per-topic", is_flag=True, help="Every topic's score before the mean.")
@click.option("--rule", "rules", multiple=True, metavar="RULE",
              help="Tuples that cannot be, like 'relevance=nr => correctness=nc'; repeat for more.")  # fmt: skip
@click.option("--explain", is_flag=True, help="The classes of label tuples from best to worst; needs no files.")
@click.option("--lists", metavar="A,B,TOPIC", help="Why run A beats run B on a topic, rank by rank.")
@click.option("--study", is_flag=True, help="Compare the methods: agreement, power, documents on top.")
@click.option("--sensitivity", is_flag=True, help="What hangs on embedding, distance and weights.")
@click.option("--pairs", is_flag=True, help="With --sensitivity: which pairs of runs are robust.")
@click.option("--bounds", is_flag=True, help="The reachable maximum of CAM and MM on each topic.")
@click.option(
    "--resamples", type=click.IntRange(1), default=10_000, show_default=True, help="Bootstrap samples (--study)."
)
@click.option(
    "--alpha", type=click.FloatRange(0, 1), default=0.01, show_default=True, help="Significance level (--study)."
)
@rng_option
@plot_option
@out_options
def command(**options: Any) -> None:
    """Score runs by several aspects at once: relevance, credibility, correctness …

    The qrels have a label column for each aspect. A plain measure (`-m nDCG@10`) stands for five methods: TOMA with
    Euclidean, Manhattan and Chebyshev distance, CAM and MM; `-m "TOMA(measure='AP', distance='manhattan')"` for itself.

    \b
    leadline aspects qrels.txt runs/*.run --aspects relevance=nr,mr,fr,hr correctness=nc,pc,c
    leadline aspects --explain --aspects relevance=0..3 correctness=nc:0,pc:1.5,c:3 -m "TOMA(measure='AP')"
    leadline aspects qrels.txt runs --aspects aspects.toml --study
    leadline aspects qrels.txt runs --aspects aspects.toml --lists bm25,dense,q17
    """
    if options["explain"]:
        return _explain(options)
    track = track_of(options)
    from leadline.systems.aspect_study import methods_of

    asked = methods_of(options["measures"])
    if options["figure"] and (options["lists"] or options["sensitivity"]):
        raise click.UsageError("--lists and --sensitivity have no figure.")
    if options["lists"]:
        return _lists(track, asked, options)
    if options["study"]:
        return _study(track, options)
    if options["sensitivity"]:
        return _sensitivity(track, options)
    if options["bounds"]:
        return _bounds(track, asked, options)
    return _scores(track, asked, options)


def _plain(names: tuple[str, ...]) -> Measure:
    """The one-aspect measure that a study or an analysis is about."""
    from leadline.measures.aspects._compound import AspectMeasure
    from leadline.measures.names import parse_all

    m = parse_all(names)[0]
    return m.inner if isinstance(m, AspectMeasure) else m


def _scores(track: Track, asked: list[AspectMeasure], options: dict[str, Any]) -> None:
    from leadline.api import evaluate
    from leadline.output.tables import Table, pivot

    scores = evaluate(
        track, asked, undefined=options["undefined"], unjudged=options["unjudged"], rel=options["rel"]
    )  # fmt: skip
    save_plot("scores_plot", scores, options, track)
    table = Table(scores.columns(per_topic=options["per_topic"]))
    if wanted_format(options["format_"], options["output"]) in ("table", "markdown", "latex"):
        table = pivot(table, lower=[str(m) for m in scores.measures if not m.higher_is_better])
    put(table, options, scores.findings)


# explanations ---------------------------------------------------------------------------------------------------------
def _explain(options: dict[str, Any]) -> None:
    from leadline.errors import UsageError
    from leadline.measures.aspects.toma import TOMA
    from leadline.systems.aspect_study import methods_of

    orders: list[tuple[str, Order]] = []
    for m in methods_of(options["measures"]):
        if isinstance(m, TOMA):
            orders.append((m.distance, _order(m, options)))
    if not orders:
        raise UsageError("--explain is about TOMA; ask for -m \"TOMA(distance='manhattan')\" or for a plain measure.")
    save_plot("aspect_grid_plot", orders[0][1], {"figure": options["figure"]})
    output = options["output"]
    if output and output.lower().endswith(".svg"):
        from leadline.io.write import atomic
        from leadline.output.aspect_picture import grid_svg

        with atomic(output) as out:
            out.write(grid_svg(orders[0][1]).encode())
        return
    if options["format_"] is None and not output:
        click.echo("\n\n".join(_told(order) for _, order in orders))
        return
    from leadline.output.tables import Table

    put(Table(_class_columns(orders)), options)


def _order(m: AspectMeasure, options: dict[str, Any]) -> Order:
    """The order of tuples, from the declaration alone or, where QRELS are given, from what they hold."""
    from leadline.errors import UsageError
    from leadline.io.aspects import declare
    from leadline.measures.aspects.toma import TOMA

    assert isinstance(m, TOMA)
    qrels, _, given = inputs({n: options[n] for n in ("qrels", "runs", "aspects")})
    if qrels:
        track = track_of(dict(options)) if "track" not in options else options["track"]
        options["track"] = track
        return m.order(track)
    if not given:
        raise UsageError("--explain needs the aspects: --aspects relevance=nr,mr,hr correctness=nc,c, or a TOML file")
    aspects = declare([word for text in given for word in text.split()], rules=options["rules"])
    return m.order_of(aspects)


def _told(order: Order) -> str:
    from leadline.output.aspect_picture import grid_text
    from leadline.rankings.aspect_explain import explain

    text = explain(order)
    return f"{text}\n\n{grid_text(order)}" if len(order.aspects) == 2 and order.table is not None else text


def _class_columns(orders: list[tuple[str, Order]]) -> dict[str, list[Any]]:
    rows = [
        (name, float(order.class_weights[c]), float(order.lengths[c]), order.aspects.spell(row))
        for name, order in orders
        for c in range(len(order))
        for row in order.members(c).tolist()
    ]
    return {name: [row[i] for row in rows] for i, name in enumerate(("order", "weight", "distance", "labels"))}


def _lists(track: Track, asked: list[AspectMeasure], options: dict[str, Any]) -> None:
    from leadline.errors import UsageError
    from leadline.output.tables import Table
    from leadline.systems.aspect_lists import compare_lists

    parts = options["lists"].split(",")
    if len(parts) != 3:
        raise UsageError(f"--lists expects RUN,RUN,TOPIC. Got {options['lists']!r} instead.")
    duel = compare_lists(track, asked[0], *parts)
    a, b = duel.runs
    notes = [f"{duel.measure} on topic {duel.topic}: a is {a} ({duel.values[0]:.4f}), b is {b} ({duel.values[1]:.4f})"]
    put(Table(duel.columns(), title=duel.verdict, notes=notes), options, track.findings)


# analyses -------------------------------------------------------------------------------------------------------------
def _study(track: Track, options: dict[str, Any]) -> None:
    from leadline.output.tables import Table
    from leadline.systems.aspect_study import aspect_study

    inner = _plain(options["measures"])
    study = aspect_study(
        track, inner, alpha=options["alpha"], resamples=options["resamples"], rng=options["seed"]
    )  # fmt: skip
    save_plot("aspect_study_plot", study, {"figure": options["figure"]}, track)
    title = f"Methods for several aspects: {inner}, {len(track.runs)} runs, {len(track.topics)} topics"
    put(Table(study.columns(), title=title), options, study.findings)


def _sensitivity(track: Track, options: dict[str, Any]) -> None:
    from leadline.output.tables import Table
    from leadline.systems.aspect_sensitivity import aspect_sensitivity

    found = aspect_sensitivity(track, _plain(options["measures"]))
    distinct, changes = len(found.distinct), found.winner_changes
    notes = [
        f"{distinct} distinct of {len(found.names)} alternatives; another run wins under {changes:.0%} of them",
        f"{found.robust_share:.0%} of pairs of runs stand the same way round under all",
    ]
    for note in notes:
        click.echo(f"leadline: {note}", err=True)
    put(Table(found.pairs() if options["pairs"] else found.columns(), notes=notes), options, found.findings)


def _bounds(track: Track, asked: list[AspectMeasure], options: dict[str, Any]) -> None:
    from leadline.measures.aspects._bounds import bounds
    from leadline.measures.aspects._per_aspect import PerAspectMeasure
    from leadline.output.tables import Table

    rows: list[tuple[str, str, str, float, float]] = []
    drawn = {}
    for m in (m for m in asked if isinstance(m, PerAspectMeasure)):
        drawn[str(m)] = found = bounds(m, track, limited=False)
        best = [found.strategies[i] for i in found.values.argmax(axis=0).tolist()]
        rows += [
            (topic, str(m), strategy, float(reached), float(ideal))
            for topic, strategy, reached, ideal in zip(track.topics, best, found.reachable, found.ideal, strict=True)
        ]
        tell(found.findings)
    if drawn:
        save_plot("aspect_bounds_plot", drawn, {"figure": options["figure"]}, track)
    names = ("topic", "measure", "strategy", "reachable", "ideal")
    put(Table({name: [row[i] for row in rows] for i, name in enumerate(names)}), options, track.findings)
