"""Qrels and official runs of ir_datasets, by dataset id.

::

    track = leadline.read(qrels("msmarco-passage/trec-dl-2019/judged"), "bm25.run")

ir_datasets downloads and keeps what is asked for; nothing else here uses the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from leadline.errors import InputError, UnknownName, UsageError, require
from leadline.io.columns import Columns

if TYPE_CHECKING:
    from leadline.io.aspect_files import AspectLabels

__all__ = ["aspect_qrels", "label_fields", "qrels", "scored_docs"]

_NO_LABELS = ("query_id", "doc_id", "iteration")


def _dataset(dataset: Any) -> Any:
    """A dataset by its id, or as it is."""
    if not isinstance(dataset, str):
        return dataset
    ir_datasets: Any = require("ir_datasets", "ir")
    try:
        return ir_datasets.load(dataset)
    except KeyError:
        raise UnknownName("ir_datasets dataset", dataset, list(ir_datasets.registry)) from None


def label_fields(dataset: Any) -> tuple[str, ...]:
    """The numeric label fields of a dataset's qrels, the main one first.

    TREC qrels have ``relevance``; others have several, such as TREC's diversity and misinformation tracks.
    """
    kind = _dataset(dataset).qrels_cls()
    types = kind.__annotations__
    found = [f for f in kind._fields if f not in _NO_LABELS and types.get(f, int) in (int, float, "int", "float")]
    return tuple(sorted(found, key=lambda f: f != "relevance"))


def _records(dataset: Any) -> Iterable[Any]:
    held = _dataset(dataset)
    if not held.has_qrels():
        raise UsageError(f"The dataset {dataset!r} has no qrels; choose a subset that has, such as …/judged.")
    found: Iterable[Any] = held.qrels_iter()
    return found


def qrels(dataset: Any, *, label: str | None = None, repeated: str = "raise") -> Columns:
    """The qrels of a dataset, to be given to :func:`leadline.read`.

    ``label`` names the field that holds the grade, if there are several (:func:`label_fields`). Qrels by passage or
    subtopic judge a document more than once: ``repeated="max"`` takes its highest grade, ``"raise"`` leaves it to the
    reader to complain.
    """
    if repeated not in ("raise", "max"):
        raise UsageError(f"repeated must be 'raise' or 'max'. Got {repeated!r} instead.")
    records = iter(_records(dataset))
    first = next(records, None)
    if first is None:
        raise InputError(f"{dataset}: the dataset holds no judgment.")
    field = label or _grade_field(first)
    if field not in first._fields:
        raise UnknownName("label of these qrels", field, [f for f in first._fields if f not in _NO_LABELS])
    rows = [(str(r.query_id), str(r.doc_id), getattr(r, field)) for r in chain([first], records)]
    if repeated == "max":
        best: dict[tuple[str, str], Any] = {}
        for topic, doc, grade in rows:
            best[topic, doc] = max(best.get((topic, doc), grade), grade)
        rows = [(topic, doc, grade) for (topic, doc), grade in best.items()]
    topics, docs, grades = (list(column) for column in zip(*rows, strict=True))
    return Columns(topics, docs, grades, where=f"qrels of {dataset if isinstance(dataset, str) else 'a dataset'}")


def _grade_field(record: Any) -> str:
    if "relevance" in record._fields:
        return "relevance"
    others = [f for f in record._fields if f not in _NO_LABELS and isinstance(getattr(record, f), int)]
    if len(others) == 1:
        return str(others[0])
    raise UsageError(f"These qrels have the labels {', '.join(others) or 'none'}; choose one (label=).")


def aspect_qrels(dataset: Any, aspects: Any, *, fields: Mapping[str, str] | None = None) -> AspectLabels:
    """Several label fields as aspects, declared as in :func:`leadline.read` (``fields``: aspect → field)."""
    from leadline.io.aspect_reading import labels_from_records
    from leadline.io.aspects import declare

    return labels_from_records(_records(dataset), declare(aspects), fields=fields)


def scored_docs(dataset: Any, *, name: str | None = None) -> Columns:
    """The official run of a dataset, where it has one (reranking tasks), to be given to :func:`leadline.read`."""
    held = _dataset(dataset)
    if not held.has_scoreddocs():
        raise UsageError(f"The dataset {dataset!r} has no scored documents.")
    rows = [(str(r.query_id), str(r.doc_id), float(r.score)) for r in held.scoreddocs_iter()]
    topics, docs, scores = (list(column) for column in zip(*rows, strict=True))
    return Columns(topics, docs, scores, name=name)
