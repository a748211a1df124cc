"""``leadline properties``: which formal properties a measure has."""

from __future__ import annotations

from typing import Any

import click

from leadline.cli._options import _complete_measure, _import, out_options, put, wanted_format


@click.command("properties")
@click.argument("names", nargs=-1, metavar="[MEASURE...]")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    shell_complete=_complete_measure,
    help="A measure, like nDCG@10 or RBP(p=0.8); repeat for more (default: all).",
)
@click.option("--property", "only", multiple=True, metavar="NAME", help="Only this property; repeat for more.")
@click.option("--matrix", is_flag=True, help="One row for each measure, one column for each property.")
@click.option("--notes", is_flag=True, help="A column of thresholds and ranges.")
@click.option("--import", "imports", multiple=True, metavar="MODULE", help="Import your own measures first.")
@out_options  # fmt: skip
def command(**options: Any) -> None:
    """Check measures against formal properties by trying all short lists.

    Verdicts: holds strictly, holds with ties, always tied, violated (with the smallest counter-example found). In a
    matrix: ✓, (✓), = and ✗.

    \b
    leadline properties -m AP -m OIE
    leadline properties 'RBP(p=0.7)' --property SHALLOWNESS --notes
    leadline properties --matrix --format markdown
    """
    for module in options["imports"]:
        _import(module)
    from leadline.meta.properties import properties, standard_measures
    from leadline.output.tables import Table

    wanted = [*options["names"], *options["measures"]] or standard_measures()
    found = properties(wanted, only=options["only"] or None)
    format_ = wanted_format(options["format_"], options["output"])
    if options["matrix"]:
        columns = found.matrix()
        if format_ == "table" and len(found.measures) < len(columns):  # fits a terminal better the other way round
            names = columns.pop("measure")
            turned = zip(*columns.values(), strict=True)
            columns = {"property": list(columns)} | {m: list(row) for m, row in zip(names, turned, strict=True)}
        put(Table(columns), options)
        return
    put(Table(found.columns(notes=options["notes"] or format_ in ("table", "markdown", "latex"))), options)
