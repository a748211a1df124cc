"""Measure names: ``Name(key=value)@k`` as in ir_measures, and trec_eval's own spellings.

``parse(str(m)) == m`` for every measure. A measure lives in a file named after it, so that a name loads only its own
module.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module

from leadline.errors import UnknownName, UsageError
from leadline.measures.base import REGISTRY, Measure

__all__ = ["catalogue", "find", "parse", "parse_all"]

_NAME = re.compile(r"\s*(?P<name>c@1|[A-Za-z_]\w*)\s*(?:\((?P<args>.*)\))?\s*(?:@\s*(?P<cut>[^@()\s]+))?\s*", re.DOTALL)
_TREC = {
    "map": "AP", "ndcg": "nDCG", "recip_rank": "RR", "Rprec": "Rprec", "bpref": "Bpref", "infAP": "infAP",
    "set_P": "SetP", "set_recall": "SetR", "set_F": "SetF", "num_ret": "NumRet", "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
}  # fmt: skip
_TREC_CUT = {
    "P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success",
    "iprec_at_recall": "IPrec", "unj": None,
}  # fmt: skip
_TREC_CUTS = {
    "P": (5, 10, 15, 20, 30, 100, 200, 500, 1000), "recall": (5, 10, 15, 20, 30, 100, 200, 500, 1000),
    "ndcg_cut": (5, 10, 15, 20, 30, 100, 200, 500, 1000), "map_cut": (5, 10, 15, 20, 30, 100, 200, 500, 1000),
    "success": (1, 5, 10), "iprec_at_recall": tuple(i / 10 for i in range(11)),
}  # fmt: skip
_ALIASES = {
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "F1": "SetF",
    "Rprecision": "Rprec",
}


@cache
def _modules() -> dict[str, str]:
    """Module of each measure file, by its lower-case stem; read from the folder, so that no list can go stale."""
    families = (f for f in os.scandir(os.path.dirname(__file__)) if f.is_dir() and not f.name.startswith("_"))
    return {
        file[:-3]: f"{__package__}.{family.name}.{file[:-3]}"
        for family in sorted(families, key=lambda f: f.name)
        for file in sorted(os.listdir(family))
        if file.endswith(".py") and not file.startswith("_")
    }


def _load_all() -> None:
    for module in _modules().values():
        import_module(module)


def load(name: str) -> None:
    """Make leadline's own measure of that name known, if there is one."""
    target = _ALIASES.get(name, name)
    module = _modules().get(target.lower().replace("@", "_at_"))
    if module is not None:
        import_module(module)
    if name in _ALIASES and target in REGISTRY:
        REGISTRY[name] = REGISTRY[target]


def _lookup(name: str) -> type[Measure]:
    name = _ALIASES.get(name, name)
    if name not in REGISTRY:
        load(name)
    if name not in REGISTRY:
        _load_all()
        same = sorted({_ALIASES.get(n, n) for n in [*REGISTRY, *_ALIASES] if n.lower() == name.lower()})
        if len(same) == 1:
            name = same[0]
    if name not in REGISTRY:
        raise UnknownName("measure", name, [*REGISTRY, *_ALIASES])
    return REGISTRY[name]


def find(name: str) -> type[Measure]:
    """The class of a measure by its bare name in any spelling."""
    try:
        return type(parse(name))
    except UnknownName:
        raise
    except UsageError:  # a name that needs a cut-off or a parameter to be a measure
        return _lookup(name)


def parse(name: str | Measure) -> Measure:
    """The measure of a name in any spelling.

    >>> parse("RBP(p=0.5)@10"), parse("ndcg_cut_10"), parse("map"), parse("P_5")
    (RBP(p=0.5)@10, nDCG@10, AP, P@5)
    >>> parse("nDGC")
    Traceback (most recent call last):
    leadline.errors.UnknownName: Unknown measure 'nDGC'. Did you mean 'nDCG'...
    """
    if isinstance(name, Measure):
        return name
    trec = _from_trec(name)
    if trec is not None:
        return trec
    match = _NAME.fullmatch(name)
    if match is None:
        raise UsageError(f"Cannot read the measure name {name!r}; write it like nDCG@10 or RBP(p=0.8)@20.")
    cls = _lookup(match["name"])
    return cls(_cut(match["cut"], name), **_arguments(match["args"] or "", name))


def parse_all(names: Iterable[str | Measure] | str | Measure) -> list[Measure]:
    """Several measures; trec_eval's families (``P``, ``ndcg_cut``, ``P.5,10``) stand for all their members.

    >>> parse_all(["P.5,10", "success"])
    [P@5, P@10, Success@1, Success@5, Success@10]
    """
    given = [names] if isinstance(names, str | Measure) else list(names)
    return list(dict.fromkeys(m for name in given for m in _members(name)))


def _members(name: str | Measure) -> Iterator[Measure]:
    if isinstance(name, str):
        family, dot, cuts = name.strip().partition(".")
        if family in _TREC_CUTS:
            members = cuts.split(",") if dot else _TREC_CUTS[family]
            target = _TREC_CUT[family]
            yield from (parse(f"{target}@{c}") for c in members)
            return
    yield parse(name)


def _from_trec(name: str) -> Measure | None:
    if name in _TREC:
        return _lookup(_TREC[name])()
    family, _, cut = name.rpartition("_")
    target = _TREC_CUT.get(family)
    if target is None or not re.fullmatch(r"\d+(\.\d+)?", cut):
        return None
    return _lookup(target)(_cut(cut, name))


def _cut(text: str | None, name: str) -> float | None:
    if text is None:
        return None
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        raise UsageError(f"The cut-off in {name!r} is no number: {text!r}") from None


def _arguments(text: str, name: str) -> dict[str, object]:
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError
        names = [k.arg for k in call.keywords]
        if None in names or len(set(names)) < len(names):
            raise ValueError
        given = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, TypeError, ValueError):
        raise UsageError(f"Cannot read the parameters of {name!r}; write them like (p=0.8, gain='exp').") from None
    if "k" in given:
        raise UsageError(f"The cut-off in {name!r} is written after the name, like nDCG@10.")
    return given


def catalogue() -> dict[str, type[Measure]]:
    """Every registered measure by name, in alphabetical order."""
    _load_all()
    return dict(sorted(((c.name, c) for c in set(REGISTRY.values())), key=lambda item: item[0].lower()))
