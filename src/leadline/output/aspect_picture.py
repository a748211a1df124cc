"""A picture of the order of two aspects' labels: the grid, the weights, and contours of equal distance."""

from __future__ import annotations

from html import escape

from leadline.rankings.aspect_explain import Cell, label_grid
from leadline.rankings.aspects import Order

__all__ = ["grid_svg", "grid_text"]

_SIZE, _MARGIN = 360.0, 70.0
_CONTOURS = 40  # more lines than this would be a grey blot


def grid_text(order: Order) -> str:
    """Weights of all label pairs, the first aspect along the line, the second one upwards; ``.`` does not count.

    >>> from leadline.io.aspects import declare
    >>> from leadline.rankings.aspects import classes
    >>> print(grid_text(classes(declare("relevance=nr,mr,hr correctness=nc,c"), "manhattan")))
    correctness
              c  1  2  3
             nc  0  1  2
                nr mr hr  relevance
    """
    first, second = order.aspects.aspects
    by_label = {cell.labels: cell for cell in label_grid(order)}

    def shown(cell: Cell) -> str:
        return "." if cell.weight is None else f"{cell.weight:.4g}"

    head = max(len(second.name), *(len(label) for label in second.labels))
    wide = max(*(len(label) for label in first.labels), *(len(shown(c)) for c in by_label.values()))
    lines = [second.name]
    for label in reversed(second.labels):
        cells = " ".join(f"{shown(by_label[x, label]):>{wide}}" for x in first.labels)
        lines.append(f"{label:>{head}} {cells}")
    lines.append(f"{'':>{head}} {' '.join(f'{label:>{wide}}' for label in first.labels)}  {first.name}")
    return "\n".join(lines)


def grid_svg(order: Order) -> str:
    """The same as a drawing (SVG): labels where their numbers put them, lines of equal distance to the best pair."""
    cells = label_grid(order)
    first, second = order.aspects.aspects
    left, right = min(c.x for c in cells), max(c.x for c in cells)
    low, high = min(c.y for c in cells), max(c.y for c in cells)
    scale = _SIZE / max(right - left, high - low, 1e-9)  # one scale for both, so that a circle is round
    width, height = (right - left) * scale + 2 * _MARGIN, (high - low) * scale + 2 * _MARGIN

    def at(x: float, y: float) -> tuple[float, float]:
        return _MARGIN + (x - left) * scale, _MARGIN + (high - y) * scale

    best = at(right, high)
    lengths = sorted({float(r) for r in order.lengths if r > 0})[:_CONTOURS]
    parts = [_contour(order.distance, best, r * scale) for r in lengths]
    box = (_MARGIN - 22, _MARGIN - 22, width - 2 * _MARGIN + 44, height - 2 * _MARGIN + 44)
    points = []
    for c in cells:
        x, y = at(c.x, c.y)
        title = f"({', '.join(c.labels)}) distance {c.distance:.4g}" + ("" if c.weight is None else f", W {c.weight:g}")
        fill, shown = ("#bbbbbb", "–") if c.weight is None else ("#1f6f8b", f"{c.weight:.4g}")
        points.append(
            f'<g><title>{escape(title)}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="13" fill="{fill}"/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}" fill="white">{shown}</text></g>'
        )
    texts = [_text(at(c.x, low)[0], height - 24, c.labels[0]) for c in cells if c.labels[1] == second.labels[0]]
    texts += [_text(26, at(left, c.y)[1] + 4, c.labels[1]) for c in cells if c.labels[0] == first.labels[0]]
    texts += [_text(width / 2, height - 6, first.name), _text(width / 2, 16, f"{second.name} ↑, {order.distance}")]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" '
        f'font-size="12" text-anchor="middle"><clipPath id="box"><rect x="{box[0]:.1f}" y="{box[1]:.1f}" '
        f'width="{box[2]:.1f}" height="{box[3]:.1f}"/></clipPath><g clip-path="url(#box)" fill="none" '
        f'stroke="#9bb7c4">{"".join(parts)}</g>{"".join(points)}{"".join(texts)}</svg>\n'
    )


def _contour(distance: str, centre: tuple[float, float], r: float) -> str:
    x, y = centre
    if distance == "euclidean":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>'
    if distance == "manhattan":
        corners = [(x - r, y), (x, y - r), (x + r, y), (x, y + r)]
        return f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in corners)}"/>'
    if distance == "chebyshev":
        return f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r:.1f}" height="{2 * r:.1f}"/>'
    return ""  # a user's distance has no shape that is known here


def _text(x: float, y: float, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="#333333">{escape(words)}</text>'
