"""leadline's measures in ir_measures, and so in PyTerrier.

Importing this registers every leadline measure that ir_measures does not have under its own name, and adds leadline as
the last provider, so that nothing ir_measures computed before changes::

    import ir_measures
    import leadline.integrations.ir_measures

    measures = [ir_measures.parse_measure(m) for m in ("nDCG@10", "RBPU(p=0.98)", "OIE")]
    ir_measures.calc_aggregate(measures, qrels, run)

Topics that the run does not answer get their real score, not 0: OIE of an empty list is below zero where something is
relevant, RBPT of one is 1 where nothing is. Measures that both know by one name are ir_measures' own; leadline's
:data:`provider` computes those it means the same by, if it is asked itself. Tied documents are ordered as trec_eval 10
does (scores as 64-bit numbers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from leadline.errors import NothingToEvaluate, UsageError, require
from leadline.io.columns import Columns
from leadline.measures import names
from leadline.measures.base import Measure

if TYPE_CHECKING:
    from leadline.rankings.track import Track

__all__ = ["LeadlineMeasure", "LeadlineProvider", "convert", "provider", "register"]

ir: Any = require("ir_measures", "ir")
_GIVEN_TYPES: dict[str, Any] = {
    "float": (int, float), "int": int, "bool": bool, "str": str, "gain": (str, dict, tuple),
}  # fmt: skip
# What both mean the same by, and the parameters of ir_measures' form that leadline's has under the same name.
_RANKED = {"cutoff", "rel", "judged_only"}
_SAME = {
    "AP": _RANKED, "Bpref": {"rel"}, "IPrec": {"recall", "rel", "judged_only"}, "Judged": {"cutoff"}, "NumRel": {"rel"},
    "NumRet": {"rel"}, "P": _RANKED, "R": _RANKED, "RBP": {"cutoff", "p", "rel"}, "RR": _RANKED,
    "Rprec": {"rel", "judged_only"}, "SetF": {"rel", "judged_only"}, "SetP": {"rel", "judged_only"}, "SetR": {"rel"},
    "Success": _RANKED, "infAP": {"rel"}, "nDCG": {"cutoff", "dcg", "judged_only"},
}  # fmt: skip


class _Total:
    """What stands for all topics: a mean or a sum, over the topics where the measure is defined."""

    def __init__(self, total: str) -> None:
        self._total, self._sum, self._count = total, 0.0, 0

    def add(self, value: float) -> None:
        """One topic's score."""
        if value == value:
            self._sum += value
            self._count += 1

    def result(self) -> float:
        """The total."""
        if self._total == "sum":
            return self._sum
        return self._sum / self._count if self._count else float("nan")


class LeadlineMeasure(ir.Measure):  # type: ignore[misc]
    """A leadline measure in ir_measures' clothes; its text is leadline's own, ``RBPU(p=0.98, e=0.05)@10``."""

    leadline: ClassVar[type[Measure]]

    @cached_property
    def measure(self) -> Measure:
        """The leadline measure of these parameters."""
        given = dict(self.params)
        return self.leadline(given.pop(self.AT_PARAM, None), **given)

    def validate_params(self) -> None:
        """Raise leadline's own message if something is wrong with the parameters."""
        self.measure.full()

    def aggregator(self) -> _Total:
        """Mean or sum, as leadline reports it."""
        return _Total(self.leadline.total)

    def __repr__(self) -> str:
        try:
            return str(self.measure)
        except UsageError:  # a name that needs a cut-off or a parameter to be a measure
            return str(self.NAME)


def register(*measures: type[Measure]) -> list[str]:
    """Register measures (all of leadline's, without arguments) with ir_measures; returns the names that are new.

    Names that ir_measures has already stay its own. Measures over several aspects and of whole runs have no place
    there and are left out.
    """
    known = ir.measures.registry
    new = []
    for cls in measures or names.catalogue().values():
        usable = cls.per_topic and not cls.__module__.startswith("leadline.measures.aspects.")
        if usable and cls.name.isidentifier() and cls.name not in known:
            ir.measures.register(_clothed(cls)(), name=cls.name)
            new.append(cls.name)
    return new


def _clothed(cls: type[Measure]) -> type[LeadlineMeasure]:
    """The ir_measures class of a leadline measure."""
    info: Callable[..., Any] = ir.ParamInfo
    at = "recall" if cls.cutoff == "recall" else "cutoff"
    params = {n: info(dtype=_GIVEN_TYPES[p.kind], default=p.default, desc=p.doc) for n, p in cls.params.items()}
    if cls.cutoff != "none":
        params[at] = info(dtype=(int, float) if at == "recall" else int, desc="evaluation depth")
    words = (cls.__doc__ or "").strip().splitlines()[0]
    return type(
        f"_{cls.name}", (LeadlineMeasure,),
        {
            "__name__": cls.name, "NAME": cls.name, "PRETTY_NAME": cls.name, "SHORT_DESC": words, "AT_PARAM": at,
            "SUPPORTED_PARAMS": params, "leadline": cls, "__doc__": cls.__doc__, "__module__": __name__,
        },
    )  # fmt: skip


def convert(measure: Any) -> Measure:
    """leadline's form of an ir_measures measure; UsageError where it has none that means the same.

    >>> import ir_measures
    >>> convert(ir_measures.parse_measure("nDCG(dcg='exp-log2')@10")), convert(ir_measures.NumRet(rel=2))
    (nDCG(gain='raw-exp')@10, NumRelRet(rel=2))
    """
    if _is_own(measure):
        own: Measure = measure.measure
        return own
    found = _same(measure)
    if found is None:
        raise UsageError(f"leadline has no measure that is the same as {measure} of ir_measures.")
    return found


def _is_own(measure: Any) -> bool:
    return hasattr(type(measure), "leadline")


def _same(measure: Any) -> Measure | None:
    taken = _SAME.get(str(measure.NAME))
    usual = {n: info.default for n, info in measure.SUPPORTED_PARAMS.items()}
    given = {n: v for n, v in measure.params.items() if n not in usual or usual[n] != v}
    if taken is None or not given.keys() <= taken:
        return None
    name = str(measure.NAME)
    if name == "RBP" and "rel" not in given:
        return None  # grades as gains, in a way of its own
    if name == "NumRet" and "rel" in given:
        name = "NumRelRet"
    if measure.AT_PARAM in taken and measure.AT_PARAM not in given and names.find(name).cutoff == "required":
        return None
    return names.find(name)(given.pop(measure.AT_PARAM, None), **given)


class LeadlineProvider(ir.Provider):  # type: ignore[misc]
    """leadline as a provider of ir_measures."""

    NAME = "leadline"
    SUPPORTED_MEASURES: ClassVar[list[Any]] = []

    def supports(self, measure: Any) -> bool:
        """Whether leadline computes this measure, and means the same by it."""
        measure.validate_params()
        return _is_own(measure) or _same(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> LeadlineEvaluator:
        return LeadlineEvaluator(list(measures), qrels)


class LeadlineEvaluator(ir.Evaluator):  # type: ignore[misc]
    """Scores of runs against one set of qrels."""

    def __init__(self, measures: list[Any], qrels: Any) -> None:
        self._qrels = _given(qrels, "relevance")
        self._wanted = {convert(m): m for m in measures}
        self._empty = self._unanswered()
        super().__init__(measures, set(self._empty.topics))

    def _unanswered(self) -> Track:
        """The Track of a run that answers nothing, as a real one cannot be read."""
        from leadline.api import read

        qrels = self._qrels
        topic = next(iter(qrels)) if isinstance(qrels, Mapping) else _first_topic(qrels)
        return read(qrels, {"run": {topic: {}}})

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        from leadline.api import evaluate, read

        given = _given(run, "score")
        try:
            empty = not len(given) if isinstance(given, Mapping) else not len(given.values)
            track = self._empty if empty else read(self._qrels, [("run", given)])
        except NothingToEvaluate:
            track = self._empty
        scores = evaluate(track, list(self._wanted))
        for m in scores.measures:
            for topic, value in zip(scores.topics, scores.array(m)[0].tolist(), strict=True):
                yield ir.Metric(query_id=topic, measure=self._wanted[m], value=value)


def _given(found: Any, value: str) -> Any:
    """Qrels or a run as ir_measures takes them: a dictionary, a data frame or an iterable of named tuples."""
    if isinstance(found, (Mapping, Columns)):
        return found
    if hasattr(type(found), "columns"):
        from leadline.io.tables import qrels_table, run_table

        own = found[["query_id", "doc_id", value]]
        return run_table(own)[0] if value == "score" else qrels_table(own)
    topics, docs, values = [], [], []
    for record in found:
        topics.append(record.query_id)
        docs.append(record.doc_id)
        values.append(getattr(record, value))
    return Columns(topics, docs, values)


def _first_topic(columns: Columns) -> str:
    topics: Any = columns.topics
    if isinstance(topics, tuple):
        data, starts = topics
        return bytes(data[starts[0] : starts[1]]).decode("utf-8", "surrogateescape")
    return str(topics[0])


provider = LeadlineProvider()


def _install() -> None:
    """Register, in place of what an earlier import of this module may have registered (notebooks reload modules)."""
    known = ir.measures.registry
    for name in [n for n, m in known.items() if _is_own(m)]:
        del known[name]
    used = ir.DefaultPipeline.providers
    used[:] = [*(p for p in used if p.NAME != provider.NAME), provider]
    ir.providers.register(provider)
    register()


_install()


def __getattr__(name: str) -> Any:
    if name in ir.measures.registry:
        return ir.measures.registry[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
