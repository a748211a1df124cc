"""Parameters of measures, declared once: check, error text, command-line help and documentation come from here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from operator import index
from typing import Any

from leadline.errors import UsageError

__all__ = ["Param", "gain_param", "param"]

_INTERVAL = re.compile(r"([\[(])\s*(\S+?)\s*,\s*(\S+?)\s*([\])])")
ALWAYS_SHOWN = frozenset({"p", "e", "beta", "T"})  # tools disagree on these: a name without them says too little


class Param:
    """One parameter: default, allowed values and meaning."""

    def __init__(
        self, default: object, *, within: str = "", choices: tuple[object, ...] = (), kind: str = "", doc: str = ""
    ) -> None:
        self.default = default
        self.within = within
        self.choices = choices
        self.kind = kind or _kind_of(default)
        self.doc = doc
        self.name = ""

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.default is ...

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.choices:
            return " or ".join(repr(c) for c in self.choices)
        words = {"float": "a number", "int": "an integer", "bool": "True or False", "str": "a text", "gain": "a gain"}
        base = words[self.kind]
        if self.kind == "gain":
            return "'binary', 'linear', 'exp', 'raw', 'raw-exp' or a table {grade: gain}"
        return f"{base} in {self.within}" if self.within else base

    def check(self, value: object, owner: str) -> object:
        """The value in its canonical form, or an error that says what is allowed."""
        if value is None and self.default is None:
            return None
        fine = getattr(self, f"_{self.kind}")(value)
        if fine is None or (self.choices and fine not in self.choices) or not self._inside(fine):
            raise UsageError(f"{owner}: {self.name} must be {self.allowed}. Got {value!r} instead.")
        return fine

    def _inside(self, value: object) -> bool:
        if not self.within or not isinstance(value, int | float):
            return True
        match = _INTERVAL.fullmatch(self.within)
        assert match, f"{self.within!r} is no interval"
        left, low, high, right = match.groups()
        above = value >= float(low) if left == "[" else value > float(low)
        return above and (value <= float(high) if right == "]" else value < float(high))

    @staticmethod
    def _float(value: object) -> float | None:
        if isinstance(value, bool) or not hasattr(value, "__float__"):
            return None
        number = float(value)
        return None if number != number else number

    @staticmethod
    def _int(value: object) -> int | None:
        if isinstance(value, bool):
            return None
        if hasattr(value, "__index__"):
            return index(value)
        return int(value) if isinstance(value, float) and value.is_integer() else None

    @staticmethod
    def _bool(value: object) -> bool | None:
        return value if isinstance(value, bool) else None

    @staticmethod
    def _str(value: object) -> str | None:
        return value if isinstance(value, str) else None

    @staticmethod
    def _gain(value: object) -> object:
        from leadline.rankings.gains import GAINS

        if isinstance(value, Mapping):
            value = tuple(value.items())
        if isinstance(value, tuple):
            pairs = [pair for pair in value if isinstance(pair, tuple) and len(pair) == 2]
            table = [(Param._int(g), Param._float(x)) for g, x in pairs]
            good = len(table) == len(value) and all(g is not None and x is not None and isfinite(x) for g, x in table)
            return tuple(sorted(table)) if good else None
        return value if isinstance(value, str) and value in GAINS else None

    def show(self, value: object) -> str:
        """The value as it is written in a measure's name."""
        if isinstance(value, float):
            return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        if self.kind == "gain" and isinstance(value, tuple):
            return "{" + ", ".join(f"{g}: {self.show(x)}" for g, x in value) + "}"
        return repr(value)


def _kind_of(default: object) -> str:
    for kind, type_ in (("bool", bool), ("int", int), ("float", float), ("str", str)):
        if isinstance(default, type_):
            return kind
    raise TypeError("a parameter without a plain default needs kind=")


def param(default: Any = ..., **constraints: Any) -> Any:
    """Declare a parameter of a measure: ``p: float = param(0.8, within="(0, 1)", doc="…")``."""
    return Param(default, **constraints)


def gain_param(default: str) -> Any:
    """The gain of a grade (DEFINITIONS §1), with the measure's usual default."""
    return Param(default, kind="gain", doc="how a grade becomes a gain")
