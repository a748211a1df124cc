"""Explanations made from the measures themselves: the docstring is the help text."""

from __future__ import annotations

import inspect

from leadline.measures.base import Measure
from leadline.measures.names import catalogue

__all__ = ["explain", "overview", "parts_of", "usual"]


def parts_of(cls: type[Measure]) -> tuple[str, str, str]:
    """First sentence, body and references of a measure's docstring, without its examples."""
    text = inspect.cleandoc(cls.__doc__ or "").split("\n>>>", 1)[0].rstrip()
    head, _, rest = text.partition("\n")
    body, _, references = rest.partition("References:")
    return head.strip(), body.strip(), " ".join(references.split())


def explain(cls: type[Measure]) -> str:
    """One measure on a page: what it is, formula, when it misleads, parameters, references."""
    head, body, references = parts_of(cls)
    cut = {"none": "", "optional": "[@k]", "required": "@k", "recall": "@recall"}[cls.cutoff]
    lines = [f"{cls.name}{cut}: {head}", "", body, "", "Parameters"]
    lines += [
        f"  {name}={spec.show(spec.default) if not spec.required else '…'}: {spec.doc} ({spec.allowed})"
        for name, spec in cls.params.items()
    ]
    if cls.aliases:
        lines += ["", f"Also called {', '.join(cls.aliases)}"]
    return "\n".join([*lines, "", f"References: {references}"])


def overview() -> str:
    """All measures, a line each, by family."""
    families: dict[str, list[str]] = {}
    for name, cls in catalogue().items():
        parts = cls.__module__.split(".")
        family = parts[-2] if cls.__module__.startswith("leadline.measures.") else parts[0]
        families.setdefault(family, []).append(f"  {name:<10} {parts_of(cls)[0]}")
    blocks = [f"{family}\n" + "\n".join(lines) for family, lines in families.items()]
    return "\n\n".join(blocks) + "\n\nleadline catalogue NAME explains one: formula, meaning, parameters, reference."


def usual() -> list[Measure]:
    """Every measure with its defaults, for a first look at a list: depth 10 or recall 0.5 where one is needed.

    Measures of several aspects are left out: a typed list has one.
    """
    cuts = {"required": 10, "recall": 0.5}
    return [
        cls(cuts.get(cls.cutoff))
        for cls in catalogue().values()
        if not any(spec.required for spec in cls.params.values()) and cls.per_topic and "measure" not in cls.params
    ]
