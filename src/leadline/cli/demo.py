"""``leadline demo``: a simulated track to play with."""

from __future__ import annotations

from pathlib import Path

import click

from leadline.cli._options import rng_option


@click.command("demo")
@click.argument("folder", default="demo", type=click.Path(file_okay=False))
@click.option("--runs", default=12, show_default=True, type=click.IntRange(1), help="Runs to simulate.")
@click.option("--topics", default=25, show_default=True, type=click.IntRange(1), help="Topics to simulate.")
@click.option("--depth", default=100, show_default=True, type=click.IntRange(1), help="Documents in a full list.")
@click.option("--pool-depth", default=20, show_default=True, type=click.IntRange(1), help="Depth of the judged pool.")
@rng_option
def command(folder: str, runs: int, topics: int, depth: int, pool_depth: int, seed: int) -> None:
    """Write a simulated track (FOLDER/qrels.txt, FOLDER/runs/*.run) and evaluate it."""
    from leadline.simulate import simulate

    target = Path(folder)
    simulate(runs=runs, topics=topics, depth=depth, pool_depth=pool_depth, rng=seed).write(target)
    qrels, runs_folder = target / "qrels.txt", target / "runs"
    click.echo(f"Wrote {qrels} and {runs} runs in {runs_folder}.\n", err=True)
    click.echo(f"$ leadline evaluate {qrels} {runs_folder}", err=True)
    from leadline.cli.evaluate import command as evaluate

    arguments = [str(qrels), str(runs_folder), "--pool-depth", str(pool_depth), "--format", "table"]
    evaluate.main(arguments, standalone_mode=False)
    for name, question in _NEXT.items():
        click.echo(f"Next: leadline {name} {qrels} {runs_folder}   ({question})", err=True)


_NEXT = {
    "truncate": "where should each list have stopped?",
    "compare": "who really wins?",
    "diagnose": "how far can this be trusted?",
}
