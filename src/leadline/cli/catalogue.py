"""``leadline catalogue``: every measure, explained."""

from __future__ import annotations

import click

from leadline.cli._options import _import


@click.command("catalogue")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option("--bibtex", "as_bibtex", is_flag=True, help="BibTeX of what the measures cite.")
@click.option("--import", "imports", multiple=True, metavar="MODULE", help="Import your own measures first.")
def command(names: tuple[str, ...], as_bibtex: bool, imports: tuple[str, ...]) -> None:
    """List all measures, or explain the named ones: formula, meaning, when it misleads, parameters, reference."""
    from leadline.measures.explain import explain, overview
    from leadline.measures.names import catalogue, find
    from leadline.measures.references import bibtex

    for module in imports:
        _import(module)
    if as_bibtex:
        click.echo(bibtex([find(n) for n in names] or catalogue().values()))
    elif names:
        click.echo("\n\n".join(explain(find(n)) for n in names))
    else:
        click.echo(overview())
