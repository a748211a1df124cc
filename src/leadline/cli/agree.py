"""``leadline agree``: do measures order systems alike."""

from __future__ import annotations

from typing import Any

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


@click.command("agree")
@track_options()
@measure_option("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20")
@scoring_options
@click.option(
    "--by",
    type=click.Choice(["mean", "topic"]),
    default="mean",
    show_default=True,
    help="Orders of the runs by mean score, or on each topic, averaged.",
)
@click.option(
    "--coverage",
    "reference",
    multiple=True,
    metavar="REF",
    help="Cov of each measure against these reference measures, e.g. P@10,R@100,RR.",
)
@click.option(
    "--topic-pairs",
    metavar="N|all",
    default="1000",
    show_default=True,
    help="Topic pairs drawn for --coverage, or all of them.",
)
@click.option("--discrimination", is_flag=True, help="Share of run pairs that each measure tells apart (paired t).")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of the test of --discrimination.",
)
@click.option(
    "--rbo-p",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    help="Persistence of the rank-biased overlap.",
)
@rng_option
@plot_option
@out_options  # fmt: skip
def command(**options: Any) -> None:
    """Compare measures by how they order the runs.

    Kendall's tau-b, tau_ap (measure_a is the estimate) and rank-biased overlap of every ordered pair of measures.

    \b
    leadline agree qrels.txt runs/*.run -m AP -m nDCG@10 -m 'RBPU(p=0.98)'
    leadline agree qrels.txt runs/*.run -m AP -m OIE --coverage P@10,R@100,RR
    """
    track = track_of(options)
    from leadline.meta.agreement import agree, power
    from leadline.output.tables import Table

    measures = options["measures"]
    rules = {name: options[name] for name in ("undefined", "unjudged", "rel")}
    if options["figure"] and (options["reference"] or options["discrimination"]):
        raise click.UsageError("--plot draws the agreement of measures; leave --coverage and --discrimination out.")
    if options["reference"]:
        from leadline.meta.unanimity import coverage

        found = coverage(
            track, _settled(measures, rules), reference=_names(options["reference"]),
            pairs=_pairs(options["topic_pairs"]), rng=options["seed"],
        )  # fmt: skip
        put(Table(found.columns()), options, found.findings)
    elif options["discrimination"]:
        put(Table(power(track, _settled(measures, rules), alpha=options["alpha"]).columns()), options)
    else:
        agreement = agree(track, measures, by=options["by"], p=options["rbo_p"], **rules)
        save_plot("agreement_plot", agreement, options, track)
        people = wanted_format(options["format_"], options["output"]) == "table" and len(agreement.measures) <= 8
        columns = agreement.matrix() if people else agreement.columns()
        put(Table(columns, title="Kendall's tau" if people else ""), options, agreement.findings)


def _settled(measures: Any, rules: dict[str, Any]) -> list[Any]:
    from leadline.measures.scoring import wanted_measures

    return list(wanted_measures(measures, unjudged=rules["unjudged"], rel=rules["rel"]))


def _pairs(text: str) -> Any:
    if text == "all":
        return text
    try:
        return int(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no number; write 1000 or all", param_hint="--topic-pairs") from None


def _names(given: tuple[str, ...]) -> list[str]:
    """Measures separated by commas; a comma within parentheses belongs to its measure."""
    names, depth, start = [], 0, 0
    for text in given:
        depth = start = 0
        for i, letter in enumerate(f"{text},"):
            depth += (letter == "(") - (letter == ")")
            if letter == "," and depth == 0:
                names.append(text[start:i].strip())
                start = i + 1
    return [name for name in names if name]
