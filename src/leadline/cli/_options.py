"""Options that commands share, and the way from them to a Track and to an output."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from leadline.findings import Findings
    from leadline.io.aspect_reading import Declared
    from leadline.output.tables import Table
    from leadline.rankings.track import Track

__all__ = [
    "measure_option", "out_options", "plot_option", "put", "rng_option", "save_plot", "tell", "track_of",
    "track_options",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("table", "trec", "tsv", "csv", "jsonl", "markdown", "latex", "parquet")
TIES = ("trec", "trec32", "run", "file", "rank", "share", "mean-gain")


def _stack(options: Sequence[Callable[[F], F]]) -> Callable[[F], F]:
    def decorate(f: F) -> F:
        for option in reversed(options):
            f = option(f)
        return f

    return decorate


def track_options(*, runs: bool = True, required: bool = True) -> Callable[[F], F]:
    """QRELS RUN… and the options that settle how they are read; ``required=False`` for what needs none of them."""
    given: list[Callable[[F], F]] = [click.argument("qrels", required=required)]
    if runs:
        given.append(click.argument("runs", nargs=-1, required=required, metavar="RUN..."))
    given += [
        click.option(
            "--ties", type=click.Choice(TIES), default="trec", show_default=True, help="Order of equal scores."),
        click.option(
            "--topics", type=click.Choice(["qrels", "common"]), default="qrels", show_default=True,
            help="Topics that count: all of the qrels, or those every run answers."),
        click.option("--select", metavar="TOPICS", help="Only these topics: ids and commas, or a file of ids."),
        click.option(
            "--name", type=click.Choice(["file", "tag"]), default="file", show_default=True, help="Runs are named by…"),
        click.option("--lenient", is_flag=True, help="Turn duplicate documents and NaN scores into findings."),
        click.option("--nil", type=click.Choice(["truncate", "answer"]), help="Read the document id NIL as an answer."),
        click.option(
            "--aspects", multiple=True, metavar="NAME=LABELS...",
            help="Label columns of the qrels: relevance=0..3 correctness=nc,pc,c, or a TOML file."),
        click.option("--pool-depth", type=click.IntRange(1), metavar="D", help="Depth to which the qrels were pooled."),
        click.option("--contributors", metavar="FILE", help="File naming the runs that fed the pool (default: all)."),
        click.option("--import", "imports", multiple=True, metavar="MODULE", help="Import your own measures first."),
        click.option("--threads", type=click.IntRange(1), help="Threads for reading (default: all cores)."),
        click.option("--max-size", metavar="SIZE", help="Largest decompressed input accepted, e.g. 4G."),
    ]  # fmt: skip
    return _stack(given)


def scoring_options(f: F) -> F:
    """Options that settle how lists are scored."""
    return _stack([
        click.option(
            "--undefined", type=click.Choice(["zero", "nan", "raise"]), default="zero", show_default=True,
            help="Scores without a definition, e.g. AP without relevant documents."),
        click.option(
            "--unjudged", type=click.Choice(["nonrelevant", "condense"]), default="nonrelevant", show_default=True,
            help="Unjudged documents count as not relevant, or are taken out."),
        click.option("--rel", type=int, help="Lowest grade that counts as relevant, for all measures."),
    ])(f)  # fmt: skip


def measure_option(*default: str) -> Callable[[F], F]:
    """``-m MEASURE``, repeated."""
    return click.option(
        "-m", "--measure", "measures", multiple=True, default=default, show_default=bool(default), metavar="MEASURE",
        required=not default, shell_complete=_complete_measure,
        help="A measure, like nDCG@10 or RBP(p=0.8); repeat for more.",
    )  # fmt: skip


def _complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from leadline.measures.names import catalogue

    return [name for name in catalogue() if name.lower().startswith(incomplete.lower())]


def rng_option(f: F) -> F:
    """``--seed``."""
    return click.option("--seed", type=int, default=0, show_default=True, help="Seed of everything random.")(f)


def out_options(f: F) -> F:
    """``--format`` and ``-o``."""
    return _stack([
        click.option(
            "--format", "format_", type=click.Choice(FORMATS), help="Default: table on a terminal, tsv in a pipe."),
        click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all."),
        click.option(
            "--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals shown to people."),
        click.option(
            "--safe-csv", is_flag=True, help="In csv, keep spreadsheets from running names as formulas (a ' before)."),
    ])(f)  # fmt: skip


def plot_option(f: F) -> F:
    """``--plot FILE``."""
    return click.option(
        "--plot", "figure", type=click.Path(), metavar="FILE", callback=_figure,
        help="Draw a figure, too (of the first measure if it holds one): .png, .svg, .pdf, .html, .json.",
    )(f)  # fmt: skip


def _figure(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """The file of the figure; an unknown ending or a missing package is told before anything is computed."""
    if value is not None and not ctx.resilient_parsing:
        from leadline.output.plots._theme import altair_
        from leadline.output.save import ending_of

        ending_of(value)
        altair_()
    return value


def save_plot(name: str, found: Any, options: dict[str, Any], track: Track | None = None, **how: Any) -> None:
    """Draw the figure ``name`` of :mod:`leadline.output.plots`, with the rules below its title, if ``--plot`` asks."""
    if not options.get("figure"):
        return
    from leadline.output import plots
    from leadline.output.save import save_figure

    rules = [] if track is None else [f"ties {track.ties}"]
    rules += [f"{name} {options[name]}" for name in ("unjudged", "undefined") if options.get(name)]
    rules += [f"relevant from grade {options['rel']}"] if options.get("rel") is not None else []
    if track is not None and track.pool_depth is not None:
        rules.append(f"pool depth {track.pool_depth}")
    save_figure(getattr(plots, name)(found, rules=" · ".join(rules), **how), options["figure"])


def track_of(options: dict[str, Any], *, runs: Sequence[str] | None = None, **reading: Any) -> Track:
    """Read the Track that the options of :func:`track_options` describe; they are taken out of ``options``."""
    take = options.pop
    for module in take("imports"):
        _import(module)
    contributors, select, max_size = take("contributors"), take("select"), take("max_size")
    qrels, given, aspects = inputs(options)
    if not qrels:
        raise click.UsageError("Missing argument 'QRELS'.")
    rules = take("rules", ())  # of the commands that have such an option
    declared = _declared(qrels, aspects, rules) if aspects else None
    if declared is not None:
        qrels, reading["aspects"] = declared.qrels, declared.columns
    reading |= {n: take(n) for n in ("ties", "name", "lenient", "threads")}
    preparing = {n: take(n) for n in ("topics", "nil", "pool_depth")}
    from leadline.io import start_read

    pending = start_read(
        qrels, list(runs if runs is not None else given), nil="NIL" if preparing["nil"] else None,
        max_size=_bytes(max_size), **reading,
    )  # fmt: skip
    from leadline import api  # brings numpy, while native threads are reading already
    from leadline.rankings.track import Track

    gc.freeze()  # what is loaded by now stays
    gc.enable()
    with progress() as advance:
        found = pending.result(advance)
    track = Track.of(found, None if declared is None else declared.aspects)
    if declared is not None:
        track.findings.extend(declared.findings)
    return api.prepare(
        track,
        select=None if select is None else api.topic_list(select),
        contributors=None if contributors is None else api.topic_list(contributors),
        **preparing,
    )


def inputs(options: dict[str, Any]) -> tuple[str, list[str], list[str]]:
    """Qrels, runs and aspects, taken out of ``options``.

    ``--aspects a=0,1 b=0,1``: what looks like a further aspect is neither qrels nor run.
    """
    words = [w for w in (options.pop("qrels"), *(options.pop("runs", None) or ())) if w is not None]
    aspects = [*options.pop("aspects")]
    if aspects:
        more = [w for w in words if "=" in w and not os.path.exists(w)]
        aspects, words = aspects + more, [w for w in words if w not in more]
    return (words[0] if words else ""), words[1:], aspects


def _declared(qrels: str, given: Sequence[str], rules: Sequence[str]) -> Declared:
    from leadline.io.aspect_reading import declared_qrels
    from leadline.io.aspects import declare

    return declared_qrels(qrels, declare([word for text in given for word in text.split()], rules=rules))


def _import(module: str) -> None:
    from importlib import import_module

    from leadline.errors import UsageError

    folder, name = os.path.split(module) if module.endswith(".py") else ("", module)
    sys.path.insert(0, os.path.abspath(folder))
    try:
        import_module(name.removesuffix(".py"))
    except ModuleNotFoundError as error:
        raise UsageError(f"--import {module}: {error}") from None
    finally:
        sys.path.pop(0)


def _bytes(text: str | None) -> int | None:
    if text is None:
        return None
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].upper() in "KMGT" else (text, "")
    try:
        return int(float(number) * 1024 ** " KMGT".index(unit or " "))
    except ValueError:
        raise click.BadParameter(f"{text!r} is no size; write 500M or 4G", param_hint="--max-size") from None


class progress:
    """A bar on standard error while many files are read; nothing unless that is a terminal."""

    def __enter__(self) -> Callable[[int, int], None] | None:
        self._shown = False
        return self._advance if sys.stderr.isatty() else None

    def _advance(self, done: int, total: int) -> None:
        if total < 8:
            return
        self._shown = True
        filled = 30 * done // total
        sys.stderr.write(f"\rreading {'█' * filled}{'·' * (30 - filled)} {done}/{total} ")
        sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def tell(findings: Findings) -> None:
    """Findings to standard error, one line each."""
    for finding in findings:
        click.echo(f"leadline: {finding}", err=True)


def wanted_format(format_: str | None, output: str | None) -> str:
    """The format asked for, or the one that fits where the output goes."""
    if format_:
        return format_
    if output:
        ending = output.rsplit(".", 1)[-1].lower()
        by_ending = {
            "csv": "csv",
            "jsonl": "jsonl",
            "json": "jsonl",
            "md": "markdown",
            "tex": "latex",
            "parquet": "parquet",
        }
        return by_ending.get(ending, "tsv")
    return "table" if sys.stdout.isatty() else "tsv"


def put(table: Table, options: dict[str, Any], findings: Findings | None = None) -> None:
    """Write a table as asked and tell the findings."""
    from leadline.output.tables import write

    if findings is not None:
        tell(findings)
    format_ = wanted_format(options.get("format_"), options.get("output"))
    how = {"digits": options.get("digits", 4), "safe_csv": options.get("safe_csv", False)}
    write(table, format_, options.get("output"), color=sys.stdout.isatty(), **how)
