"""The question tree of `leadline guide` as a page and a figure, drawn from the tree itself.

python docs/make_guide.py          # writes docs/guide.md and docs/assets/guide.svg
python docs/make_guide.py --check  # says whether they are up to date (a test does the same)
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from textwrap import wrap

from leadline.meta.guide import CAUTIONS, guide
from leadline.meta.guide_tree import JUDGED, TREE, Leaf, Question, leaves, questions

HERE = Path(__file__).parent
PAGE, FIGURE = HERE / "guide.md", HERE / "assets" / "guide.svg"

WIDTH, GAP, STEP = 150, 36, 62  # of a box, between columns, between leaves
LEAF = 230
COLOURS = {"question": ("#eef3f8", "#3b6ea5"), "leaf": ("#fdf3e3", "#c77c11")}


@dataclass
class Node:
    """A placed box."""

    lines: list[str]
    kind: str
    column: int
    y: float = 0.0
    children: list[tuple[str, str, Node]] = field(default_factory=list)


def _placed(node: Question | Leaf, path: dict[str, str], column: int, rows: list[float]) -> Node:
    """Leaves one below the other, a question in the middle of what follows it."""
    if isinstance(node, Leaf):
        advice = guide(**path)
        names = [*advice.names, *(f"{p} (preference)" for p in advice.preferences)]
        y = rows[-1] + STEP if rows else STEP / 2
        rows.append(y)
        return Node(names, "leaf", column, y)
    box = Node(wrap(node.text, 24), "question", column)
    for answer in node.answers:
        child = _placed(answer.next, path | {node.key: answer.value}, column + 1, rows)
        box.children.append((answer.value, answer.decides, child))
    box.y = (box.children[0][2].y + box.children[-1][2].y) / 2
    return box


def _x(column: int) -> float:
    return 10 + column * (WIDTH + GAP + 66)


def _draw(node: Node, last: int, out: list[str]) -> None:
    column = last if node.kind == "leaf" else node.column
    width = LEAF if node.kind == "leaf" else WIDTH
    fill, line = COLOURS[node.kind]
    height = 12 + 13 * len(node.lines)
    x, top = _x(column), node.y - height / 2
    for value, decides, child in node.children:
        x1, x2 = x + width, _x(last if child.kind == "leaf" else child.column)
        bend = x1 + GAP / 2
        out.append(f'<path d="M{x1:g} {node.y:g}H{bend:g}V{child.y:g}H{x2:g}" class="edge"/>')
        out.append(f'<text x="{bend + 4:g}" y="{child.y - 4:g}" class="answer">{escape(value)}</text>')
        out.append(f'<text x="{bend + 4:g}" y="{child.y + 10:g}" class="decides">{escape(_short(decides))}</text>')
        _draw(child, last, out)
    out.append(f'<rect x="{x:g}" y="{top:g}" width="{width}" height="{height}" rx="5" fill="{fill}" stroke="{line}"/>')
    for i, text in enumerate(node.lines):
        kind = "name" if node.kind == "leaf" else "question"
        out.append(f'<text x="{x + 7:g}" y="{top + 16 + 13 * i:g}" class="{kind}">{escape(text)}</text>')


def _short(text: str) -> str:
    return {"TOP-WEIGHTEDNESS": "TOP-WEIGHT.", "DEEPNESS and SHALLOWNESS": "DEEP./SHALLOW."}.get(text, text)


def figure() -> str:
    """The tree as SVG, readable on white and on dark pages."""
    rows: list[float] = []
    root = _placed(TREE, {}, 0, rows)
    last = max(_columns(root))
    width, height = _x(last) + LEAF + 10, rows[-1] + STEP
    out: list[str] = []
    _draw(root, last, out)
    around = ", ".join(f"{name} ({text.removeprefix('several, ')})" for text, name in JUDGED.values() if name)
    note = f"Several aspects judged: put around the measure {around}."
    out.append(f'<text x="10" y="{height - 8:g}" class="answer">{escape(note)}</text>')
    style = (
        "text{font-family:system-ui,sans-serif;font-size:11px;fill:#222}.answer{font-weight:600;fill:#555}"
        ".decides{font-size:8.5px;fill:#777}.name{font-family:ui-monospace,monospace;font-size:11px}"
        ".edge{fill:none;stroke:#999}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img" aria-label="Which measure fits: questions, answers and measures">',
            f"<style>{style}</style>",
            f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
            *out,
            "</svg>\n",
        ]
    )


def _columns(node: Node) -> list[int]:
    return [node.column, *(c for _, _, child in node.children for c in _columns(child))]


def page() -> str:
    """The guide in words."""
    rows = []
    for path, leaf in leaves():
        advice = guide(**path)
        flags = " ".join(f"--{key} {value}" for key, value in path.items())
        names = ", ".join(f"`{name}`" for name in (*advice.names, *advice.preferences))
        rows.append(f"| `{flags}` | {names} | {', '.join(leaf.needs)} | {advice.why} |")
    asked = [
        f"- `--{key}`: {text} ({'; '.join(f'`{value}` {meaning}' for value, meaning in answers.items())})"
        for key, (text, answers) in questions().items()
    ]
    around = [f"- `--judged {value}`: {text}" + (f" (`{name}` around the measure)" if name else "")
              for value, (text, name) in JUDGED.items()]  # fmt: skip
    return "\n".join(
        [
            "# Which measure fits?",
            "",
            "Made by `docs/make_guide.py` from the question tree itself. `leadline guide` asks these questions on a "
            "terminal, `leadline guide QRELS RUN…` looks at your data as well, and the options below answer in scripts.",
            "",
            "![Questions, answers and measures](assets/guide.svg)",
            "",
            "## What comes out",
            "",
            "The best measure stands first. Depths, p, e and β are set by `--depth`, `--worth`, `--silence-rank` and "
            "`--always-read`; `leadline guide --calibrate` shows how.",
            "",
            "| answers | measures | chosen for | why |",
            "|---|---|---|---|",
            *rows,
            "",
            "## Questions",
            "",
            *asked,
            "",
            "Several aspects (asked first; what is named goes around the measures above):",
            "",
            *around,
            "",
            "## Whatever comes out",
            "",
            *(f"- {caution}" for caution in CAUTIONS),
            "",
            "After Amigó, Mizzaro, Spina (SIGIR 2022, Figure 4), with the guidelines of Lu, Moffat, Culpepper (2016), "
            "the best-case view of Diaz (2023) and the multi-aspect case of Maistro et al. (2021). Where the published "
            "workflow and the [properties found by the checker](properties.md) disagree, the checker decides: DCGU does "
            "not see missed documents, OIE does not discount repetition on a fixed collection.",
            "",
        ]
    )


def main() -> int:
    """Write page and figure, or compare them."""
    made = {PAGE: page(), FIGURE: figure()}
    if "--check" in sys.argv:
        return int(any(not p.exists() or p.read_text("utf-8") != text for p, text in made.items()))
    for path, text in made.items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
