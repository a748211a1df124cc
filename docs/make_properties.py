"""The matrix of formal properties of all measures, found by trying all short lists.

python docs/make_properties.py          # writes docs/properties.md
python docs/make_properties.py --check  # says whether it is up to date (a test does the same)
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from leadline.meta import properties as module
from leadline.meta.properties import PROPERTIES, SIGNS, Properties, properties, standard_measures

PAGE = Path(__file__).parent / "properties.md"
SEVEN = PROPERTIES[: PROPERTIES.index("MONOTONICITY")]


def page(found: Properties | None = None) -> str:
    """The page, from the verdicts on all of leadline's measures."""
    if found is None:
        own = [m for m in standard_measures() if type(m).__module__.startswith("leadline.")]
        found = properties(own)
    signs = ", ".join(f"{sign} {verdict}" for verdict, sign in SIGNS.items())
    parts = [
        "# Formal properties of measures",
        "",
        "Made by `docs/make_properties.py` from the checker itself; `leadline properties -m MEASURE` does the same for "
        "any measure, parameters and your own measures included.",
        "",
        *_meanings(),
        "",
        f"Signs: {signs}. A property that holds does so on all lists tried (binary to length 9, graded to length 6, and "
        "constructed long ones), which is no proof; one that is violated comes with its smallest counter-example below.",
        "",
        "## Rankings: the seven properties of Amigó, Mizzaro and Spina",
        "",
        *_matrix(found, SEVEN),
        "",
        "## Depth, range, silence",
        "",
        *_matrix(found, PROPERTIES[len(SEVEN) :]),
        "",
        "## Counter-examples and thresholds",
        "",
        "Lists are written in grades, the first rank first; scores stand in parentheses. Check one by hand, or with "
        "`leadline score '0 0 1 2 0' -m Q`.",
        "",
    ]
    for m in found.measures:
        own_verdicts = [v for v in found if v.measure == m]
        rows = [f"- {v.property}: {v.counter_example}" for v in own_verdicts if v.counter_example]
        sizes = [f"{v.property} {v.note}" for v in own_verdicts if v.size is not None]
        parts += [f"### {m}", "", *([f"Thresholds: {'; '.join(sizes)}.", ""] if sizes else []), *rows]
        parts += [""] if rows else []
    return "\n".join(parts).rstrip() + "\n"


def _meanings() -> list[str]:
    """The table of the module's docstring, as Markdown."""
    lines = inspect.cleandoc(module.__doc__ or "").splitlines()
    rules = [i for i, line in enumerate(lines) if line.startswith("====")]
    width = lines[rules[0]].index(" ")
    rows = [(line[:width].strip(), line[width:].strip()) for line in lines[rules[1] + 1 : rules[2]]]
    after = " ".join(lines[rules[2] + 1 :]).split("References:")[0].strip().replace("``", "`")
    return ["| property | what must be so |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows), "", after]


def _matrix(found: Properties, names: tuple[str, ...]) -> list[str]:
    table = found.matrix()
    head = " | ".join(name.replace(" (", "<br>(") for name in names)
    lines = [f"| measure | {head} |", "|---|" + ":-:|" * len(names)]
    for i, m in enumerate(table["measure"]):
        cells = " | ".join(table[name][i] or "" for name in names)
        lines.append(f"| `{m}` | {cells} |")
    return lines


def main() -> int:
    """Write the page, or compare it."""
    text = page()
    if "--check" in sys.argv:
        return int(not PAGE.exists() or PAGE.read_text("utf-8") != text)
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
