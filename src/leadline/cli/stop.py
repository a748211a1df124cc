"""``leadline stop``: learn where to stop."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leadline.cli._options import (
    _import,
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
    from leadline.depths.policies import OwnPolicy, Policy
    from leadline.depths.stopping import Stopping
    from leadline.output.tables import Table
    from leadline.rankings.track import Track

RECOMMENDED, ORACLE = "recommended", "oracle"


@click.command("stop")
@track_options()
@measure_option("RBPU")
@scoring_options
@click.option("--policy", "policies", multiple=True, metavar="POLICY",
              help="fixed-k, score-threshold, relative-to-top, relative-drop, score-mass, z-score (tuned), NAME=VALUE "
                   "(as it is), or MODULE:FUNCTION of your own; repeat for more (default: all).")  # fmt: skip
@click.option("--folds", type=click.IntRange(2), default=10, show_default=True, help="Folds of topics.")
@click.option("--together", metavar="FILE", help="File of lines TOPIC GROUP: topics of a group are held out together.")
@click.option("--apply", "rule", metavar="RULE",
              help="Write the runs as a rule leaves them into the folder -o: recommended, a policy as tuned, "
                   "NAME=VALUE, a JSON file, or oracle.")  # fmt: skip
@click.option(
    "--save", type=click.Path(dir_okay=False), help="Write the recommended rule of each run to this JSON file."
)
@rng_option
@plot_option
@out_options
def command(**options: Any) -> None:
    """Learn a stopping rule from the runs' scores, and say what it is worth on topics it has not seen.

    Every rule is tuned for each run by cross-validation over topics and compared with returning everything, with the
    best fixed length and with an oracle. A rule is recommended only if it is shown to help.

    \b
    leadline stop qrels.txt bm25.run -m 'RBPU(p=0.98)'
    leadline stop qrels.txt bm25.run -m U --policy score-threshold --policy mine:half
    leadline stop qrels.txt bm25.run -m U --apply recommended -o shorter/
    leadline stop qrels.txt bm25.run --apply score-threshold=12.5 -o shorter/
    """
    if options["rule"] is not None and options["output"] is None:
        raise click.UsageError("--apply writes run files: name a folder for them with -o.")
    track = track_of(options, keep_scores=True)
    fixed = None if options["rule"] is None else _given_rule(options["rule"])
    if fixed is not None:
        return _write(track, fixed, options["output"])
    from leadline.depths.stopping import stop

    policies = [_own(p) if ":" in p and "=" not in p else p for p in options["policies"]]
    found = [
        stop(
            track, m, policies=policies or None, folds=options["folds"], groups=_groups(options["together"]),
            rng=options["seed"], undefined=options["undefined"], unjudged=options["unjudged"], rel=options["rel"],
        )
        for m in dict.fromkeys(options["measures"])
    ]  # fmt: skip
    save_plot("stopping_plot", found[0], options, track)
    if options["save"]:
        _save(found[0], options["save"])
    if options["rule"] is not None:
        tell(found[0].findings)
        return _write(track, _learned_rules(found[0], options["rule"]), options["output"])
    return _put(found, options)


def _put(found: list[Stopping], options: dict[str, Any]) -> None:
    from leadline.findings import Findings
    from leadline.output.tables import Table, render, write

    findings = Findings([f for s in found for f in s.findings])
    if wanted_format(options["format_"], options["output"]) != "table":
        columns = [s.columns() for s in found]
        put(Table({name: [x for c in columns for x in c[name]] for name in columns[0]}), options, findings)
        return
    tell(findings)
    tables = [_table(s, run, options["digits"]) for s in found for run in s.runs]
    if options["output"]:
        from leadline.io.write import atomic

        with atomic(options["output"]) as out:
            out.write("\n".join(render(t, "table", width=80) for t in tables).encode("utf-8", "surrogateescape"))
        return
    for i, table in enumerate(tables):
        if i:
            click.echo()
        write(table, "table", color=sys.stdout.isatty())


def _table(found: Stopping, run: str, digits: int) -> Table:
    """One run: every policy on a line, the recommendation below."""
    from textwrap import fill

    from leadline.output.tables import Table

    columns = found.columns()
    columns["half"] = [(high - low) / 2 for low, high in zip(columns["low"], columns["high"], strict=True)]
    rows = [i for i, name in enumerate(columns["run"]) if name == run]

    def text(name: str, form: str) -> list[str]:
        cells = ["" if columns[name][i] is None else format(columns[name][i], form) for i in rows]
        return [cell.rjust(max(map(len, cells))) for cell in cells]

    advice = found.recommendation(run)
    by_fold = sorted({f"{p.value:g}" for p in found.by_fold(run, advice.name) if hasattr(p, "value")}, key=float)
    folds = f" By fold: {', '.join(by_fold)}." if len(by_fold) > 1 else ""
    star = ["* shown to beat never and fixed-k"] if any(columns["claim"][i] for i in rows) else []
    notes = [*star, "\n" + fill(f"{run}: {advice.sentence}{folds}", 79, break_on_hyphens=False)]
    return Table(
        {
            "policy": [columns["policy"][i] + (" *" if columns["claim"][i] else "") for i in rows],
            "value": text("value", f".{digits}f"),
            "±95 %": text("half", f".{digits}f"),
            "regret": text("regret", f".{digits}f"),
            "length": text("length", ".1f"),
            "empty": text("empty", ".0%"),
            "parameter": text("parameter", ".4g"),
            "stable": text("stability", ".2f"),
        },
        title=f"{run}, {found.measure}, held-out topics",
        notes=notes,
    )


def _own(name: str) -> OwnPolicy:
    from leadline.depths.policies import OwnPolicy
    from leadline.errors import UsageError

    module, _, function = name.partition(":")
    _import(module)
    found = getattr(sys.modules[Path(module).stem if module.endswith(".py") else module], function, None)
    if not callable(found):
        raise UsageError(f"--policy {name}: there is no function {function!r} in {module}.")
    return OwnPolicy(found, name=function)


def _groups(path: str | None) -> dict[str, str] | None:
    if path is None:
        return None
    from leadline.errors import InputError

    groups: dict[str, str] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split()
        if len(cells) not in (0, 2):
            raise InputError(f"{path}:{number}: expected a topic and its group, got {line!r}.")
        if cells:
            groups[cells[0]] = cells[1]
    return groups


def _given_rule(rule: str) -> Policy | dict[str, Policy] | None:
    """A rule that needs no learning: NAME=VALUE, JSON or a file of it; None for those that are learned."""
    from leadline.depths.policies import POLICIES, NeverStop, TunedPolicy, policy_of
    from leadline.errors import UnknownName

    if rule in (RECOMMENDED, ORACLE) or (rule in POLICIES and rule != NeverStop.name):
        return None
    if rule.lstrip().startswith("{"):
        return _from_json(rule)
    if Path(rule).is_file():
        return _from_json(Path(rule).read_text(encoding="utf-8"))
    name, given, value = rule.partition("=")
    kind = POLICIES.get(name)
    if kind is None:
        raise UnknownName("rule", name, [RECOMMENDED, ORACLE, *POLICIES])
    return policy_of(name, {kind.parameter: value} if given and issubclass(kind, TunedPolicy) else {})


def _from_json(text: str) -> Policy | dict[str, Policy]:
    """One policy for all runs, or one for each, as ``--save`` writes them."""
    import json

    from leadline.depths.policies import Policy

    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, dict) and found and all(isinstance(v, dict) for v in found.values()):
        return {run: Policy.from_json(json.dumps(v)) for run, v in found.items()}
    return Policy.from_json(text)


def _learned_rules(found: Stopping, rule: str) -> dict[str, Any]:
    if rule == ORACLE:
        lengths = found.length(ORACLE)
        return {
            run: {t: int(n) for t, n in zip(found.topics, row, strict=True)}
            for run, row in zip(found.runs, lengths, strict=True)
        }
    if rule == RECOMMENDED:
        advice = [found.recommendation(run) for run in found.runs]
        for a in advice:
            click.echo(f"leadline: {a}", err=True)
        return {a.run: a.policy for a in advice}
    return {run: found.policy(run, rule) for run in found.runs}


def _write(track: Track, rules: Any, folder: str) -> None:
    from leadline.depths.truncated_runs import write_truncated

    written = write_truncated(track, rules, folder)
    tell(written.findings)
    click.echo(f"leadline: wrote {len(written.files)} runs to {folder}", err=True)


def _save(found: Stopping, path: str) -> None:
    import json

    from leadline.io.write import atomic

    advice = [found.recommendation(run) for run in found.runs]
    text = json.dumps({a.run: json.loads(a.policy.to_json()) for a in advice}, indent=2) + "\n"
    with atomic(path) as out:
        out.write(text.encode("utf-8", "surrogateescape"))
