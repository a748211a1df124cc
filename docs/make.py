"""Pages made from the program itself: the catalogue of measures and the command reference.

python docs/make.py          # writes docs/measures.md and docs/commands.md
python docs/make.py --check  # says whether they are up to date (a test does the same)
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import click

HERE = Path(__file__).parent


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


PAGES = {"measures.md": measures_page, "commands.md": commands_page}


def stale() -> list[str]:
    """Pages that are not what the program would write now."""
    return [
        n for n, make in PAGES.items() if not (HERE / n).exists() or (HERE / n).read_text(encoding="utf-8") != make()
    ]


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit("\n".join(f"docs/{n} is stale: run python docs/make.py" for n in stale()))
    for name, make in PAGES.items():
        (HERE / name).write_text(make(), encoding="utf-8")
