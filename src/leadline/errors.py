"""What can go wrong, as a tree of exceptions.

::

    LeadlineError
    ├── UsageError            a call or option that cannot be meant (exit code 2)
    │   ├── UnknownName       a name nobody knows; carries the nearest ones
    │   └── MissingExtra      an optional package is absent; carries its pip line
    ├── InputError            a file or table that cannot be read (exit code 3)
    ├── NothingToEvaluate     runs and qrels have no topic in common (exit code 4)
    └── UndefinedScore        a score is undefined and ``undefined="raise"`` was asked for (exit code 3)

Each message says where, what, got, do. The command line turns ``exit_code`` into its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = [
    "InputError",
    "LeadlineError",
    "MissingExtra",
    "NothingToEvaluate",
    "UndefinedScore",
    "UnknownName",
    "UsageError",
    "require",
]

_SHOWN = 20  # problems printed of one file; the rest is a count


class LeadlineError(Exception):
    """Anything leadline raises on purpose."""

    exit_code = 1


class UsageError(LeadlineError, ValueError):
    """An argument or option that cannot be meant."""

    exit_code = 2


class UnknownName(UsageError):
    """A name nobody knows, with the nearest known ones.

    >>> raise UnknownName("measure", "nDGC", ["nDCG", "AP"])
    Traceback (most recent call last):
    leadline.errors.UnknownName: Unknown measure 'nDGC'. Did you mean 'nDCG'?
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        from difflib import get_close_matches

        lower: dict[str, str] = {}
        for k in known:
            lower.setdefault(k.lower(), k)
        near = [lower[k] for k in get_close_matches(name.lower(), lower, n=3, cutoff=0.5)]
        hint = f" Did you mean {_either(near)}?" if near else f" Known: {', '.join(sorted(lower.values()))}."
        super().__init__(f"Unknown {kind} {name!r}.{hint}")


class MissingExtra(UsageError, ImportError):
    """An optional package is not installed."""


class InputError(LeadlineError):
    """Input that cannot be read; holds every problem found, prints the first twenty.

    >>> raise InputError(["a.run:3: expected 6 columns, got 5", "a.run:9: NaN score"])
    Traceback (most recent call last):
    leadline.errors.InputError: a.run:3: expected 6 columns, got 5
    a.run:9: NaN score
    """

    exit_code = 3

    def __init__(self, problems: str | Sequence[str], total: int | None = None) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        self.total = len(self.problems) if total is None else total
        shown = self.problems[:_SHOWN]
        more = self.total - len(shown)
        super().__init__("\n".join([*shown, f"… and {more} more"] if more > 0 else shown))


class NothingToEvaluate(LeadlineError):
    """No run shares a topic with the qrels, or nothing is left after selection."""

    exit_code = 4


class UndefinedScore(LeadlineError):
    """A score is undefined (no relevant document, say) and the caller asked to be stopped by it."""

    exit_code = 3


def _either(names: Sequence[str]) -> str:
    quoted = [repr(n) for n in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def require(module: str, extra: str) -> object:
    """Import an optional package, or say which extra brings it.

    >>> require("no_such_package", "plot")
    Traceback (most recent call last):
    leadline.errors.MissingExtra: This needs the package 'no_such_package': pip install 'leadline[plot]'
    """
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] != module.split(".")[0]:
            raise  # the package is there, but broken: its own message says more
        raise MissingExtra(f"This needs the package {module!r}: pip install 'leadline[{extra}]'") from None
