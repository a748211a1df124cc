"""``leadline prefer``: lexicographic preferences between rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leadline.cli._options import (
    out_options,
    plot_option,
    put,
    rng_option,
    save_plot,
    tell,
    track_of,
    track_options,
    wanted_format,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from leadline.findings import Findings
    from leadline.rankings.track import Track
    from leadline.systems.preferences import Preferences

TESTS = ("t", "wilcoxon", "sign", "tukey")
CORRECTIONS = ("none", "bonferroni", "holm", "bh")
ORDERS = ("mean", "borda", "copeland", "mc4")


@click.command("prefer")
@track_options()
@click.option("-m", "--measure", "preferences", multiple=True, default=("rrLP",), show_default=True,
              metavar="PREFERENCE", help="rrLP, sgnLP, LR, RPP or RR; repeat for more.")  # fmt: skip
@click.option("--rel", type=int, help="Lowest grade that counts as relevant.")
@click.option("--baseline", metavar="RUN", help="Compare every run with this one (default: all pairs).")
@click.option("--test", type=click.Choice(TESTS), help="Default: t for rrLP, RPP, RR; sign for sgnLP, LR.")
@click.option("--correction", type=click.Choice(CORRECTIONS), help="Adds p_adjusted and significant.")
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
              help="Significant means adjusted p below this.")  # fmt: skip
@click.option("-q", "--per-topic", is_flag=True, help="Every topic's preference, and the recall level that decided.")
@click.option("--summary", is_flag=True, help="Share of ties and of significant pairs for each preference.")
@click.option("--order", multiple=True, type=click.Choice([*ORDERS, "all"]), help="Order of the runs; repeat for more.")
@click.option("--levels", is_flag=True, help="Which recall level decides, and how often each one is tied.")
@click.option("--chance", is_flag=True, help="Ties by rank of the first relevant document, observed and by chance.")
@click.option("--locality", is_flag=True, help="Correlation of the differences at recall levels 1 to 8.")
@click.option("--regression", is_flag=True, help="Regression of each level's difference on the next four.")
@click.option("--tied-before", is_flag=True, help="With --regression: only pairs tied before the level.")
@click.option("--signs", is_flag=True, help="With --locality and --regression: signs instead of differences.")
@click.option("--suffix", is_flag=True, help="Does what comes after the first relevant document predict it?")
@click.option("--removal", type=click.Choice(["labels", "requests"]), help="Agreement after random removal.")
@click.option("--samples", type=click.IntRange(1), default=10, show_default=True, help="Random samples of --removal.")
@click.option("--explain", nargs=3, metavar="TOPIC A B", help="The two lists, and the recall level that decided.")
@rng_option
@plot_option
@out_options
def command(**options: Any) -> None:
    """Prefer one ranking to another: reciprocal rank, refined until it no longer ties.

    Lexicographic precision (rrLP, sgnLP) agrees with reciprocal rank where that decides and otherwise looks at the
    second relevant document, the third, …; lexicographic recall (LR) looks from the far end; RPP counts all levels.

    \b
    leadline prefer qrels.txt runs/*.run -m rrLP -m sgnLP
    leadline prefer qrels.txt runs/*.run -m RR -m rrLP -m sgnLP --summary --test tukey
    leadline prefer qrels.txt runs/*.run --order all
    leadline prefer qrels.txt runs/*.run --explain 301 bm25 dense
    """
    track = track_of(options)
    if options["figure"] and (options["explain"] or options["suffix"]):
        raise click.UsageError("--explain and --suffix have no figure.")
    if options["explain"]:
        _explain(track, options)
        return
    for name, study in _STUDIES.items():
        if options[name]:
            _put(study(track, options), options, _left_out(track, options))
            return
    _preferences(track, options)


def _preferences(track: Track, options: dict[str, Any]) -> None:
    from leadline.cli.compare import _run
    from leadline.systems.preferences import prefer

    found = prefer(
        track, options["preferences"], baseline=_run(track.runs, options["baseline"]), test=options["test"],
        correction=options["correction"] or "none", alpha=options["alpha"], rel=options["rel"],
    )  # fmt: skip
    save_plot("preference_plot", found, options, track)
    if options["order"]:
        columns = _orders(found, options["order"])
    elif options["summary"]:
        columns = found.summary()
    elif options["per_topic"]:
        columns = found.topic_columns()
    else:
        columns = found.columns(adjusted=options["correction"] is not None)
    _put(columns, options, found.findings)


def _orders(found: Preferences, methods: tuple[str, ...]) -> dict[str, Any]:
    from leadline.systems.preference_orders import preference_orders

    return preference_orders(found, ORDERS if "all" in methods else tuple(dict.fromkeys(methods))).columns()


def _levels(track: Track, options: dict[str, Any]) -> dict[str, Any]:
    from leadline.systems.tie_chances import deciding_levels

    found = deciding_levels(track, rel=_rel(options))
    click.echo(f"leadline: ties of pairs: RR {found.rr_ties:.2%}, lexicographic {found.lp_ties:.2%}", err=True)
    save_plot("deciding_levels_plot", found, options, track)
    return found.columns()


def _chance(track: Track, options: dict[str, Any]) -> dict[str, Any]:
    from leadline.systems.tie_chances import tie_chances

    found = tie_chances(track, rel=_rel(options))
    save_plot("tie_chances_plot", found, options, track)
    return found.columns()


def _locality(track: Track, options: dict[str, Any]) -> dict[str, Any]:
    from leadline.systems.locality import locality

    found = locality(track, rel=_rel(options), tied_before=options["tied_before"], signs=options["signs"])
    save_plot("regression_plot" if options["regression"] else "locality_plot", found, options, track)
    return found.regression_columns() if options["regression"] else found.columns()


def _suffix(track: Track, options: dict[str, Any]) -> dict[str, Any]:
    from leadline.systems.suffix import suffix_agreement

    return suffix_agreement(track, rel=_rel(options)).columns()


def _removal(track: Track, options: dict[str, Any]) -> dict[str, Any]:
    from leadline.systems.removal import removal

    found = removal(track, options["removal"], samples=options["samples"], rel=_rel(options), rng=options["seed"])
    save_plot("removal_plot", found, options, track)
    return found.columns()


_STUDIES: dict[str, Callable[[Track, dict[str, Any]], dict[str, Any]]] = {
    "levels": _levels,
    "chance": _chance,
    "locality": _locality,
    "regression": _locality,
    "suffix": _suffix,
    "removal": _removal,
}


def _explain(track: Track, options: dict[str, Any]) -> None:
    """The lists as text for people, the recall levels as a table for programs."""
    from leadline.output.tables import Table
    from leadline.systems.explain import explain_preference

    topic, a, b = options["explain"]
    told = [explain_preference(track, topic, a, b, p, rel=options["rel"]) for p in options["preferences"]]
    if wanted_format(options["format_"], options["output"]) != "table":
        click.echo("\n".join(one.verdict for one in told), err=True)
        put(Table(told[0].columns()), options, track.findings)
        return
    tell(track.findings)
    click.echo("\n\n".join(one.text for one in told) + "\n")
    put(Table(told[0].columns()), options)


def _put(columns: dict[str, Any], options: dict[str, Any], findings: Findings) -> None:
    from leadline.output.tables import Table

    put(Table(columns), options, findings)


def _left_out(track: Track, options: dict[str, Any]) -> Findings:
    """The Track's findings and the topics that have nothing to prefer."""
    from leadline.findings import Findings
    from leadline.systems.recall_levels import RecallLevels

    return Findings([*track.findings, *RecallLevels.of(track, _rel(options)).finding])


def _rel(options: dict[str, Any]) -> int:
    return 1 if options["rel"] is None else int(options["rel"])
