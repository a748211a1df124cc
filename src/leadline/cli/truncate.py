"""``leadline truncate``: where should each list have stopped?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    wanted_format,
)

if TYPE_CHECKING:
    from leadline.depths.histogram import Histogram
    from leadline.depths.self_truncation import SelfTruncation
    from leadline.depths.truncation import Truncation
    from leadline.output.tables import Table
    from leadline.rankings.track import Track

_BAR = 5  # characters of a bar
_ABREAST = 5  # measures beside each other, so that a line stays within 80


@click.command("truncate")
@track_options()
@measure_option("SetF", "RBPU", "DCGU", "OIE", "nDCGT")
@scoring_options
@click.option("-q", "--per-topic", is_flag=True, help="Every topic's best length before the means.")
@click.option(
    "--histogram", is_flag=True, help="The distribution of best lengths, and of relevant documents per topic."
)
@click.option("--against", multiple=True, metavar="MEASURE",
              help="Kendall's τ of the systems by this measure of whole lists with them by -m, stopped.")  # fmt: skip
@click.option("--own", is_flag=True, help="How well do the systems stop by themselves (NIL, short lists)?")
@click.option(
    "--max-len", type=click.IntRange(1), help="--own: a shorter list ended by choice (NIL: 5, else the longest)."
)
@plot_option
@out_options
def command(**options: Any) -> None:
    """Find the length at which each list would have scored best, and what stopping there gains.

    Returning nothing (length 0) is a choice, too. Of several best lengths the smallest is taken.

    \b
    leadline truncate qrels.txt runs/*.run -m RBPU -m OIE
    leadline truncate qrels.txt runs/*.run -q -m 'U(e=0.1)' --format jsonl
    leadline truncate qrels.txt runs/*.run -m OIE -m RBPU --against AP --against nDCG
    leadline truncate qrels.txt runs/*.run --own
    """
    if options["own"]:
        options["nil"] = "answer"
        return _own(track_of(options), options)
    track = track_of(options)
    if options["against"]:
        return _against(track, options)
    from leadline.depths.truncation import truncate
    from leadline.output.tables import Table

    found = truncate(track, options["measures"], **_scoring(options))
    save_plot("best_lengths_plot", found, options, track)
    if options["histogram"]:
        return put(Table(found.histogram().columns()), options, found.findings)
    if wanted_format(options["format_"], options["output"]) == "table" and not options["per_topic"]:
        return put(_summary(found), options, found.findings)
    return put(Table(found.columns(per_topic=options["per_topic"])), options, found.findings)


def _scoring(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("undefined", "unjudged", "rel")}


def _against(track: Track, options: dict[str, Any]) -> None:
    from leadline.depths.full_versus_truncated import full_versus_truncated
    from leadline.output.tables import Table

    found = full_versus_truncated(track, options["against"], options["measures"], **_scoring(options))
    save_plot("full_versus_truncated_plot", found, options, track)
    columns = found.columns()
    shown = {name: columns[name] for name in ("full", "truncated", "tau", "p")}
    put(Table(shown, title="Kendall's τ of systems: whole lists against best lengths"), options, found.findings)


def _own(track: Track, options: dict[str, Any]) -> None:
    from leadline.depths.self_truncation import self_truncation
    from leadline.output.tables import Table

    found = self_truncation(track, max_len=options["max_len"], undefined=options["undefined"], rel=options["rel"])
    save_plot("self_truncation_plot", found, options, track)
    table = Table(found.columns())
    if wanted_format(options["format_"], options["output"]) == "table":
        table = _own_table(found)
    put(table, options, found.findings)


def _own_table(found: SelfTruncation) -> Table:
    """One line for each run: how often it stops, how well it knows when to stay silent, its scores."""
    from textwrap import wrap

    from leadline.output.tables import Table

    said, scores, agreement = found.detection(), found.columns(), found.agreement()
    columns: dict[str, Any] = {
        "run": list(found.runs),
        "truncated": _texts(found.truncated.mean(axis=1).tolist(), ".0%"),
        "empty": said["empty"], "precision": said["precision"], "recall": said["recall"],
    }  # fmt: skip
    runs = len(found.runs)
    for i, (plain, terminal) in enumerate(found.pairs):
        columns[str(plain)] = scores["original"][i * runs : (i + 1) * runs]
        columns[str(terminal)] = scores["terminal"][i * runs : (i + 1) * runs]
    order = [f"{a}/{b} {tau:.3f}" for a, b, tau, _ in zip(*agreement.values(), strict=True)]
    lengths = [f"{label}: {a}→{b}" for label, a, b in found.length_bins()]
    texts = [
        f"Lists by length, as handed in → as they say: {', '.join(lengths)}.",
        f"Kendall's τ of the systems' order: {', '.join(order)}.",
        f"Topics without an answer: {int(found.nil_topics.sum())} of {len(found.topics)}.",
    ]
    return Table(columns, notes=["\n" + "\n".join(line for text in texts for line in wrap(text, 79))])


def _summary(found: Truncation) -> Table:
    from leadline.output.tables import Table

    columns = found.summary()
    names = ("run", "measure", "length", "empty", "value", "full", "gain")
    columns["length"] = _texts(columns["length"], ".1f")
    columns["empty"] = _texts(columns["empty"], ".0%")
    bars = "\n".join(histogram_lines(found.histogram()))
    return Table({name: columns[name] for name in names}, notes=[f"\n{bars}"])


def _texts(numbers: list[float], form: str) -> list[str]:
    cells = ["–" if x != x else format(x, form) for x in numbers]  # NaN is not itself
    return [cell.rjust(max(map(len, cells))) for cell in cells]


def histogram_lines(found: Histogram) -> list[str]:
    """Percentages of lists by best length as bars, with the topics by relevant documents in the last column."""
    from textwrap import wrap

    from leadline.output.glyphs import bar

    series = list(found.percent.items())
    short = _short_names([name for name, _ in series])
    width = max(len("best length"), *map(len, found.labels))
    most = max([1.0, *(x for values in [*found.percent.values(), found.relevant] for x in values.tolist() if x == x)])
    lines: list[str] = []
    for first in range(0, max(len(series), 1), _ABREAST):
        part = [(short[name], values) for name, values in series[first : first + _ABREAST]]
        part.append(("relevant", found.relevant))
        lines.append("  ".join(["best length".ljust(width), *(name.ljust(_BAR + 4) for name, _ in part)]).rstrip())
        for i, label in enumerate(found.labels):
            cells = [f"{bar(values[i] / most, _BAR)}{_percent(values[i])}" for _, values in part]
            lines.append("  ".join([label.ljust(width), *cells]).rstrip())
        lines.append("")
    known = [f"{short[name]} = {name}" for name, _ in series if short[name] != name]
    legend = ["Percent of lists by best length, of topics by relevant documents", *known]
    return [*lines, *wrap("; ".join(legend) + ".", 79)]


def _percent(value: float) -> str:
    if value != value or value == 0:
        return "   –" if value != value else "   ·"
    return f"{value:4.0f}" if value >= 0.5 else "  <1"


def _short_names(names: list[str]) -> dict[str, str]:
    """Names of at most nine characters, different from each other."""
    room = _BAR + 4
    short = {name: name if len(name) <= room else name.split("(")[0].split("@")[0][:room] for name in names}
    twice = {s for s in short.values() if list(short.values()).count(s) > 1}
    return {name: f"{s[: room - 3]}.{i}" if s in twice else s for i, (name, s) in enumerate(short.items(), 1)}
