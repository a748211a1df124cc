"""leadline measures rankings: how good they are, how far the evaluation can be trusted, where they should have stopped.

>>> import leadline
>>> track = leadline.read({"q1": {"a": 1, "b": 0, "c": 1}}, {"mine": {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}}})
>>> leadline.evaluate(track, ["AP", "RR"]).mean().round(3)
array([[0.583, 0.5  ]])
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leadline import simulate
    from leadline.api import evaluate, read
    from leadline.depths.curves import Curves, curve
    from leadline.errors import (
        InputError,
        LeadlineError,
        MissingExtra,
        NothingToEvaluate,
        UndefinedScore,
        UnknownName,
        UsageError,
    )
    from leadline.findings import Finding, Findings
    from leadline.measures.base import BinaryMeasure, GainMeasure, Measure, gain_param, measure, param
    from leadline.measures.names import catalogue, parse
    from leadline.measures.scores import Scores
    from leadline.measures.usermodel._cwl import ContinuationMeasure
    from leadline.rankings.track import Track
    from leadline.rankings.typed import typed
    from leadline.systems.comparison import Comparison, compare
    from leadline.systems.preferences import Preferences, prefer

__version__ = "0.1.0"

# Where each public name lives; nothing is imported before it is asked for.
_HOME = {
    "BinaryMeasure": "measures.base",
    "Comparison": "systems.comparison",
    "ContinuationMeasure": "measures.usermodel._cwl",
    "Curves": "depths.curves",
    "Finding": "findings",
    "Findings": "findings",
    "GainMeasure": "measures.base",
    "InputError": "errors",
    "LeadlineError": "errors",
    "Measure": "measures.base",
    "MissingExtra": "errors",
    "NothingToEvaluate": "errors",
    "Preferences": "systems.preferences",
    "Scores": "measures.scores",
    "Track": "rankings.track",
    "UndefinedScore": "errors",
    "UnknownName": "errors",
    "UsageError": "errors",
    "catalogue": "measures.names",
    "compare": "systems.comparison",
    "curve": "depths.curves",
    "evaluate": "api",
    "gain_param": "measures.base",
    "measure": "measures.base",
    "param": "measures.base",
    "parse": "measures.names",
    "prefer": "systems.preferences",
    "read": "api",
    "simulate": "",
    "typed": "rankings.typed",
}

__all__ = [
    "BinaryMeasure",
    "Comparison",
    "ContinuationMeasure",
    "Curves",
    "Finding",
    "Findings",
    "GainMeasure",
    "InputError",
    "LeadlineError",
    "Measure",
    "MissingExtra",
    "NothingToEvaluate",
    "Preferences",
    "Scores",
    "Track",
    "UndefinedScore",
    "UnknownName",
    "UsageError",
    "catalogue",
    "compare",
    "curve",
    "evaluate",
    "gain_param",
    "measure",
    "param",
    "parse",
    "prefer",
    "read",
    "simulate",
    "typed",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'leadline' has no attribute {name!r}")
    from importlib import import_module

    if not _HOME[name]:  # a module that is public itself
        return import_module(f"leadline.{name}")
    return getattr(import_module(f"leadline.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
