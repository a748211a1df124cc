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
    from leadline.depths.full_versus_truncated import FullVersusTruncated, full_versus_truncated
    from leadline.depths.judging import ToJudge, to_judge
    from leadline.depths.leave_out import LeaveOut, leave_out
    from leadline.depths.policies import Policy
    from leadline.depths.pools import PoolGrowth, RunPools, pool, pool_runs
    from leadline.depths.ranges import Ranges, ranges
    from leadline.depths.self_truncation import SelfTruncation, self_truncation
    from leadline.depths.stability import DepthStudy, Volatility, depth, volatility
    from leadline.depths.stopping import Stopping, stop
    from leadline.depths.tie_effects import Ties, ties
    from leadline.depths.truncation import Truncation, truncate
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
    from leadline.measures.collections import Collections, evaluate_collections
    from leadline.measures.names import catalogue, parse
    from leadline.measures.scores import Scores
    from leadline.measures.usermodel._cwl import ContinuationMeasure
    from leadline.meta.agreement import Agreement, agree
    from leadline.meta.diagnosis import Diagnosis, diagnose
    from leadline.meta.guide import Advice, guide
    from leadline.meta.properties import Properties, Verdict, properties
    from leadline.meta.unanimity import Coverage, coverage
    from leadline.output.report import Report, report
    from leadline.rankings.track import Track
    from leadline.rankings.typed import typed
    from leadline.systems.aspect_sensitivity import Sensitivity, aspect_sensitivity
    from leadline.systems.aspect_study import AspectStudy, aspect_study, aspects
    from leadline.systems.comparison import Comparison, compare
    from leadline.systems.preferences import Preferences, prefer

__version__ = "0.1.0"

# Where each public name lives; nothing is imported before it is asked for.
_HOME = {
    "Advice": "meta.guide",
    "Agreement": "meta.agreement",
    "AspectStudy": "systems.aspect_study",
    "BinaryMeasure": "measures.base",
    "Collections": "measures.collections",
    "Comparison": "systems.comparison",
    "ContinuationMeasure": "measures.usermodel._cwl",
    "Coverage": "meta.unanimity",
    "Curves": "depths.curves",
    "DepthStudy": "depths.stability",
    "Diagnosis": "meta.diagnosis",
    "Finding": "findings",
    "Findings": "findings",
    "FullVersusTruncated": "depths.full_versus_truncated",
    "GainMeasure": "measures.base",
    "InputError": "errors",
    "LeadlineError": "errors",
    "LeaveOut": "depths.leave_out",
    "Measure": "measures.base",
    "MissingExtra": "errors",
    "NothingToEvaluate": "errors",
    "Policy": "depths.policies",
    "PoolGrowth": "depths.pools",
    "Preferences": "systems.preferences",
    "Properties": "meta.properties",
    "Ranges": "depths.ranges",
    "Report": "output.report",
    "RunPools": "depths.pools",
    "Scores": "measures.scores",
    "SelfTruncation": "depths.self_truncation",
    "Sensitivity": "systems.aspect_sensitivity",
    "Stopping": "depths.stopping",
    "Ties": "depths.tie_effects",
    "ToJudge": "depths.judging",
    "Track": "rankings.track",
    "Truncation": "depths.truncation",
    "UndefinedScore": "errors",
    "UnknownName": "errors",
    "UsageError": "errors",
    "Verdict": "meta.properties",
    "Volatility": "depths.stability",
    "agree": "meta.agreement",
    "aspect_sensitivity": "systems.aspect_sensitivity",
    "aspect_study": "systems.aspect_study",
    "aspects": "systems.aspect_study",
    "catalogue": "measures.names",
    "compare": "systems.comparison",
    "coverage": "meta.unanimity",
    "curve": "depths.curves",
    "depth": "depths.stability",
    "diagnose": "meta.diagnosis",
    "evaluate": "api",
    "evaluate_collections": "measures.collections",
    "full_versus_truncated": "depths.full_versus_truncated",
    "gain_param": "measures.base",
    "guide": "meta.guide",
    "leave_out": "depths.leave_out",
    "measure": "measures.base",
    "param": "measures.base",
    "parse": "measures.names",
    "pool": "depths.pools",
    "pool_runs": "depths.pools",
    "prefer": "systems.preferences",
    "properties": "meta.properties",
    "ranges": "depths.ranges",
    "read": "api",
    "report": "output.report",
    "self_truncation": "depths.self_truncation",
    "simulate": "",
    "stop": "depths.stopping",
    "ties": "depths.tie_effects",
    "to_judge": "depths.judging",
    "truncate": "depths.truncation",
    "typed": "rankings.typed",
    "volatility": "depths.stability",
}

__all__ = [
    "Advice",
    "Agreement",
    "AspectStudy",
    "BinaryMeasure",
    "Collections",
    "Comparison",
    "ContinuationMeasure",
    "Coverage",
    "Curves",
    "DepthStudy",
    "Diagnosis",
    "Finding",
    "Findings",
    "FullVersusTruncated",
    "GainMeasure",
    "InputError",
    "LeadlineError",
    "LeaveOut",
    "Measure",
    "MissingExtra",
    "NothingToEvaluate",
    "Policy",
    "PoolGrowth",
    "Preferences",
    "Properties",
    "Ranges",
    "Report",
    "RunPools",
    "Scores",
    "SelfTruncation",
    "Sensitivity",
    "Stopping",
    "Ties",
    "ToJudge",
    "Track",
    "Truncation",
    "UndefinedScore",
    "UnknownName",
    "UsageError",
    "Verdict",
    "Volatility",
    "agree",
    "aspect_sensitivity",
    "aspect_study",
    "aspects",
    "catalogue",
    "compare",
    "coverage",
    "curve",
    "depth",
    "diagnose",
    "evaluate",
    "evaluate_collections",
    "full_versus_truncated",
    "gain_param",
    "guide",
    "leave_out",
    "measure",
    "param",
    "parse",
    "pool",
    "pool_runs",
    "prefer",
    "properties",
    "ranges",
    "read",
    "report",
    "self_truncation",
    "simulate",
    "stop",
    "ties",
    "to_judge",
    "truncate",
    "typed",
    "volatility",
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
