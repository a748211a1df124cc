"""Pages made from the program itself: the catalogue of measures, the command and API references, plots of weights.

python docs/make.py          # writes docs/measures.md, docs/commands.md, docs/api.md and docs/assets/weights/*.svg
python docs/make.py --check  # says whether they are up to date (a test does the same)
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

import click

HERE = Path(__file__).parent

# figure → (caption, curves, the measures whose sections show it)
WEIGHTS = {
    "precision": ("What a relevant document adds: inside the depth all ranks count alike", ["P@5", "P@10"], ["P"]),
    "first": ("What the first relevant document is worth (ERR: grade 1 of 1)", ["RR", "ERR"], ["RR", "ERR"]),
    "gain": ("What a document of gain 1 adds, by discount", ["DCG", "DCG(discount='zipf')"], ["DCG", "nDCG"]),
    "rbp": (
        "What a relevant document adds, by persistence", ["RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"], ["RBP", "nRBP"],
    ),
    "cwl": (
        "What a relevant document adds, by model of reading", ["INSQ(T=1)", "INSQ(T=3)", "SDCG@10"], ["INSQ", "SDCG"],
    ),
    "utility": (
        "What a document adds if relevant (> 0), costs if not (< 0)",
        ["RBPU(p=0.8)", "RBPU(p=0.98)"], ["RBPU"],
    ),
    "dcgu": ("What a document adds if relevant (> 0), costs if not (< 0)", ["DCGU", "U"], ["DCGU", "U"]),
}  # fmt: skip
RANKS = 20
COLOURS = ("#0072b2", "#d55e00", "#009e73")  # told apart by colour-blind readers, too
DASHES = ("", "6 3", "2 3")

STAGES = {
    "api": "Read and evaluate",
    "rankings": "Tracks",
    "measures": "Measures",
    "depths": "Depth, pools, truncation, ties",
    "systems": "Runs against runs",
    "meta": "Measures against measures",
    "output": "Reports",
    "simulate": "Simulated tracks",
    "findings": "Findings",
    "errors": "Errors",
}


def measures_page() -> str:
    """Every measure: formula, meaning, when it misleads, parameters, references."""
    from leadline.measures.explain import parts_of
    from leadline.measures.names import catalogue

    titles = {
        "classic": "Classic measures",
        "usermodel": "User models (C/W/L)",
        "truncation": "Truncation-aware measures: utility, terminal document, information",
        "aspects": "Several aspects",
    }
    families: dict[str, list[str]] = {}
    for name, cls in catalogue().items():
        if not cls.__module__.startswith("leadline.measures."):
            continue
        head, body, references = parts_of(cls)
        cut = {"none": "", "optional": "[@k]", "required": "@k", "recall": "@recall"}[cls.cutoff]
        rows = [
            f"| `{p}` | {'required' if spec.required else '`' + spec.show(spec.default) + '`'} | {spec.doc} ({spec.allowed}) |"
            for p, spec in cls.params.items()
        ]
        lines = [
            f"### {name}{cut}",
            "",
            head,
            "",
            body,
            "",
            "| parameter | default | meaning |",
            "|---|---|---|",
            *rows,
        ]
        for figure, (caption, _, shown) in WEIGHTS.items():
            if name in shown:
                lines += ["", f"![{caption}](assets/weights/{figure}.svg)"]
        lines += ["", f"*References:* {references}", ""]
        families.setdefault(cls.__module__.split(".")[2], []).append("\n".join(lines))
    parts = [
        "# Measures",
        "",
        "Made from the measures themselves by `docs/make.py`; `leadline catalogue NAME` prints the same.",
        "",
    ]
    for family, title in titles.items():
        if family in families:
            parts += [f"## {title}", "", *families[family]]
    return "\n".join(parts).rstrip() + "\n"


def commands_page() -> str:
    """The command line, from its own declarations."""
    from leadline.cli import cli

    parts = [
        "# Commands",
        "",
        "Made from the command line itself by `docs/make.py`; `leadline COMMAND --help` says the same.",
        "",
    ]
    context = click.Context(cli, info_name="leadline")
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        arguments = [p.metavar or p.human_readable_name for p in command.params if isinstance(p, click.Argument)]
        text = inspect.cleandoc(command.help or "").replace("\b\n", "")
        parts += [f"## {name}", "", f"`leadline {' '.join([name, *arguments])}`", "", *_prose(text), ""]
        rows = [_option_row(p) for p in command.params if isinstance(p, click.Option)]
        if rows:
            parts += ["| option | meaning |", "|---|---|", *rows, ""]
    return "\n".join(parts).rstrip() + "\n"


def _prose(text: str) -> list[str]:
    """Paragraphs as they are, examples (lines that call leadline) as code."""
    out: list[str] = []
    for paragraph in text.split("\n\n"):
        example = paragraph.lstrip().startswith("leadline ")
        out += ["```sh", *paragraph.splitlines(), "```", ""] if example else [paragraph, ""]
    return out[:-1]


def _option_row(option: click.Option) -> str:
    value = ""
    if isinstance(option.type, click.Choice):
        value = " " + " · ".join(map(str, option.type.choices))
    elif not option.is_flag:
        value = f" {option.metavar or option.type.name.upper()}"
    default = option.default
    shown = ", ".join(map(str, default)) if isinstance(default, tuple) else default
    told = f" (default: {shown})" if option.show_default and shown not in (None, "", False) else ""
    return f"| `{', '.join(option.opts)}`{value} | {option.help or ''}{told} |".replace("\n", " ")


def api_page() -> str:
    """Every public name with its signature and docstring, in the order of the stages."""
    import leadline

    parts = [
        "# API",
        "",
        f"The {len(leadline.__all__)} names of `leadline`, made from their own docstrings by `docs/make.py`. "
        "Everything else is internal and may change. Examples are run by the tests.",
        "",
    ]
    named = {name: getattr(leadline, name) for name in leadline.__all__}
    for stage, title in STAGES.items():
        own = [n for n, x in named.items() if _module(x).split(".")[1] == stage]
        own.sort(key=lambda n: (isinstance(named[n], type), n.lower(), n))  # functions first, then what they return
        if own:
            parts += [f"## {title}", ""]
        for name in own:
            parts += [f"### {name} {{#{name}}}", "", *_described(name, named[name]), ""]
    return "\n".join(parts).rstrip() + "\n"


def _module(x: Any) -> str:
    return x.__name__ if isinstance(x, ModuleType) else x.__module__


def _described(name: str, x: Any) -> list[str]:
    if isinstance(x, ModuleType):
        return [f"*module* `leadline.{name}`: `{'`, `'.join(x.__all__)}`", "", *_docstring(x)]
    lines = ["```text", _signature(name, x), "```", "", *_docstring(x)]
    if not isinstance(x, type) or issubclass(x, Exception):
        return lines
    members = [(n, m) for n, m in vars(x).items() if not n.startswith("_") and _speaks(m)]
    rows = []
    for n, m in sorted(members):
        call = "" if isinstance(m, property) or not callable(getattr(x, n)) else "()"
        summary = (inspect.getdoc(m) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
        rows.append(f"| `{n}{call}` | {_roles(summary)} |")
    return [*lines, "", "| member | |", "|---|---|", *rows] if rows else lines


def _speaks(member: object) -> bool:
    """A method or property that says something about itself."""
    spoken = isinstance(member, property | classmethod | staticmethod) or inspect.isfunction(member)
    return bool(spoken and inspect.getdoc(member))


def _signature(name: str, x: Any) -> str:
    """The call on one line, or a parameter a line if that is long."""
    try:
        signature = inspect.signature(x)
    except ValueError:  # an exception without an __init__ of its own
        return f"{name}(message)"
    shown, star = [], False
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        prefix = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        kind = "" if p.annotation is p.empty else f": {_annotation(p.annotation)}"
        default = "" if p.default is p.empty else f" = {'…' if p.default is ... else repr(p.default)}"
        shown.append(f"{prefix}{p.name}{kind}{default}")
    returned = signature.return_annotation
    arrow = "" if returned in (signature.empty, None, "None") else f" -> {_annotation(returned)}"
    line = f"{name}({', '.join(shown)}){arrow}"
    return line if len(line) <= 100 else "\n".join([f"{name}(", *(f"    {s}," for s in shown), f"){arrow}"])


def _annotation(x: Any) -> str:
    return x if isinstance(x, str) else getattr(x, "__name__", str(x))


def _docstring(x: Any) -> list[str]:
    """A docstring as Markdown: roles become links, examples become code."""
    out: list[str] = []
    for paragraph in (inspect.getdoc(x) or "").split("\n\n"):
        if paragraph.lstrip().startswith(">>>"):
            out += ["```pycon", *inspect.cleandoc(paragraph).splitlines(), "```", ""]
        else:
            out += [_roles(paragraph), ""]
    return out[:-1]


def _roles(text: str) -> str:
    import leadline

    def link(found: re.Match[str]) -> str:
        name = found[1].lstrip("~").removeprefix("leadline.")
        return f"[`{name}`](#{name})" if name in leadline.__all__ else f"`{name}`"

    return re.sub(r":\w+:`([^`]+)`", link, text)


def weights_figure(name: str) -> str:
    """What a document adds at each rank, as SVG; figures are rounded, so the same program draws the same file."""
    caption, measures, _ = WEIGHTS[name]
    curves = [(m, ys) for m in measures for ys in _weights(m)]
    high = max(max(ys) for _, ys in curves)
    low = min(0.0, *(min(ys) for _, ys in curves))
    left, top, width, height = 46, 34, 470, 190

    def x(rank: float) -> float:
        return left + width * (rank - 1) / (RANKS - 1)

    def y(value: float) -> float:
        return top + height * (high - value) / (high - low)

    grid = "".join(
        f'<text x="{x(r):.1f}" y="{top + height + 18}" text-anchor="middle">{r}</text>' for r in (1, 5, 10, 15, 20)
    ) + "".join(
        f'<line x1="{left}" x2="{left + width}" y1="{y(v):.1f}" y2="{y(v):.1f}" stroke="#ddd"/>'
        f'<text x="{left - 6}" y="{y(v) + 4:.1f}" text-anchor="end">{v:.3g}</text>'
        for v in sorted({0.0, high / 2, high})
    )  # fmt: skip
    lines = []
    for m, ys in curves:
        i = measures.index(m)
        points = " ".join(f"{x(r):.1f},{y(v):.1f}" for r, v in enumerate(ys, 1))
        dash = f' stroke-dasharray="{DASHES[i]}"' if DASHES[i] else ""
        lines.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[i]}" stroke-width="2"{dash}/>')
        lines += [f'<circle cx="{x(r):.1f}" cy="{y(v):.1f}" r="2.5" fill="{COLOURS[i]}"/>' for r, v in enumerate(ys, 1)]
    names = "".join(
        f'<line x1="{left + width - 170}" x2="{left + width - 140}" y1="{top + 12 + 18 * i}" y2="{top + 12 + 18 * i}" '
        f'stroke="{COLOURS[i]}" stroke-width="2" stroke-dasharray="{DASHES[i] or "none"}"/>'
        f'<text x="{left + width - 134}" y="{top + 16 + 18 * i}">{escape(m, quote=False)}</text>'
        for i, m in enumerate(measures)
    )  # fmt: skip
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 540 268" width="540" role="img" '
        f'font-family="sans-serif" font-size="12" fill="#333">\n<title>{escape(caption)}</title>\n'
        f'<rect width="540" height="268" fill="#fff"/>\n<text x="{left}" y="18" font-size="13">{escape(caption)}</text>\n'
        f'{grid}\n{"".join(lines)}\n{names}\n<text x="{left + width / 2}" y="262" text-anchor="middle">rank</text>\n</svg>\n'
    )


def _weights(name: str) -> list[Sequence[float]]:
    """Added by a relevant document at each rank; for measures with an effort, what an irrelevant one costs besides."""
    import numpy as np

    from leadline.depths.judging import rank_weights
    from leadline.measures.names import parse

    m = parse(name)
    if "e" not in m.params:
        return [rank_weights(m, RANKS).tolist()]
    return [np.diff(np.ravel(m.length_curve([label] * RANKS, [1] * RANKS))).tolist() for label in (1, 0)]


PAGES = {"measures.md": measures_page, "commands.md": commands_page, "api.md": api_page}
PAGES |= {f"assets/weights/{name}.svg": lambda name=name: weights_figure(name) for name in WEIGHTS}


def stale() -> list[str]:
    """Pages that are not what the program would write now."""
    return [
        n for n, make in PAGES.items() if not (HERE / n).exists() or (HERE / n).read_text(encoding="utf-8") != make()
    ]


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit("\n".join(f"docs/{n} is stale: run python docs/make.py" for n in stale()) or 0)
    for name, make in PAGES.items():
        (HERE / name).parent.mkdir(parents=True, exist_ok=True)
        (HERE / name).write_text(make(), encoding="utf-8")
