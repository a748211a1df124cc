"""A figure into a file: PNG, SVG, PDF, a page that opens without a network, or its Vega-Lite specification.

The ending of the name says which. The file is written whole or not at all.
"""

from __future__ import annotations

import json
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from leadline.errors import UnknownName, UsageError, require
from leadline.io.write import atomic

if TYPE_CHECKING:
    from leadline.output.plots._theme import Chart

__all__ = ["ENDINGS", "encode_figure", "page", "save_figure"]

ENDINGS = ("png", "svg", "pdf", "html", "json")
_SCALE = 2.0  # pixels of a PNG for each unit of the drawing

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body {{ margin: 1.5rem; background: white; font-family: sans-serif }}</style>
<script>{library}</script>
</head>
<body>
<div id="figure" role="img" aria-label="{title}"></div>
<script>
vegaEmbed("#figure", {spec}, {{"mode": "vega-lite", "actions": {{"editor": false}}}}).catch(console.error);
</script>
</body>
</html>
"""


def ending_of(target: str | PathLike[str]) -> str:
    """The format that a file name asks for.

    >>> ending_of("figures/curves.PDF")
    'pdf'
    >>> ending_of("curves.jpg")
    Traceback (most recent call last):
    leadline.errors.UnknownName: Unknown ending of a figure 'jpg'. Did you mean 'png'?
    """
    name = fspath(target)
    ending = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    if not ending:
        raise UsageError(f"{name!r} has no ending; name the figure like curves.png (or {', '.join(ENDINGS[1:])}).")
    if ending not in ENDINGS:
        raise UnknownName("ending of a figure", ending, ENDINGS)
    return ending


def save_figure(chart: Chart, target: str | PathLike[str], *, scale: float = _SCALE) -> None:
    """Write a figure to a file, in the format of its ending; ``scale`` counts for PNG."""
    content = encode_figure(chart, ending_of(target), scale=scale)
    with atomic(target) as out:
        out.write(content)


def encode_figure(chart: Chart, ending: str, *, scale: float = _SCALE) -> bytes:
    """A figure as the bytes of a PNG, SVG, PDF, HTML or JSON file."""
    if ending not in ENDINGS:
        raise UnknownName("ending of a figure", ending, ENDINGS)
    spec: dict[str, Any] = chart.to_dict(validate=False)
    if ending == "json":
        return json.dumps(spec, ensure_ascii=False, indent=1).encode()
    if ending == "html":
        return page(spec).encode()
    engine: Any = require("vl_convert", "plot")
    options: dict[str, Any] = {"vl_version": _version(spec)}
    if ending == "png":
        return bytes(engine.vegalite_to_png(spec, scale=scale, **options))
    if ending == "pdf":
        return bytes(engine.vegalite_to_pdf(spec, **options))
    return str(engine.vegalite_to_svg(spec, **options)).encode()


def page(spec: dict[str, Any]) -> str:
    """A page with the figure and everything that draws it; names cannot end the script they stand in."""
    from html import escape

    engine: Any = require("vl_convert", "plot")
    title = spec.get("title", "")
    words = title.get("text", "") if isinstance(title, dict) else str(title)
    safe = json.dumps(spec, ensure_ascii=False).replace("<", "\\u003c")
    library = str(engine.javascript_bundle(vl_version=_version(spec)))
    library = library.replace("</script", "<\\/script")
    return _PAGE.format(title=escape(str(words)), library=library, spec=safe)


def _version(spec: dict[str, Any]) -> str:
    """The version of Vega-Lite that the specification names, as far as the engine has it: ``6.1``."""
    engine: Any = require("vl_convert", "plot")
    known = [str(v) for v in engine.get_vegalite_versions()]
    named = str(spec.get("$schema", "")).rsplit("/v", 1)[-1].removesuffix(".json")
    short = ".".join(named.split(".")[:2])
    return short if short in known else known[-1]
