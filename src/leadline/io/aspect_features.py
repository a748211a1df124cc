"""Aspects of documents: labels from a number per document, such as PageRank or a spam score; merging of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError, UsageError
from leadline.findings import Findings
from leadline.io.aspect_files import AspectLabels, Source, fill_missing, join_aspects, read_aspect_qrels, text_rows
from leadline.io.aspects import Aspect, AspectSet, exact

__all__ = ["document_labels", "labels_from_feature", "merge_labels", "read_aspects", "read_feature"]

Labels: TypeAlias = NDArray[np.int32]

_COLUMNS = ("doc value", "value doc")
_REPORTED = 100


def labels_from_feature(
    values: Sequence[float] | NDArray[np.floating],
    *,
    thresholds: Sequence[float] | None = None,
    quantiles: Sequence[float] | None = None,
    higher: bool = True,
) -> Labels:
    """Label indices from numbers: one label more for each threshold reached, or for each quantile exceeded.

    ``quantiles=(0.85, 0.95)`` gives at most 5 % the highest label, at most another 10 % the middle one: equal values
    never part, and ties go down. ``higher=False`` reverses the feature: small numbers are good (reaching a threshold
    then means not exceeding it). NaN gives −1, not assessed.

    >>> labels_from_feature([12, 80, 89, 90], thresholds=(80, 90))          # spam scores: spam, fair, fair, none
    array([0, 1, 1, 2], dtype=int32)
    >>> np.bincount(labels_from_feature(np.arange(100), quantiles=(0.85, 0.95)))
    array([85, 10,  5])
    """
    if (thresholds is None) == (quantiles is None):
        raise UsageError("labels from a feature: give either thresholds or quantiles")
    x = np.asarray(values, np.float64) * (1 if higher else -1)
    known = ~np.isnan(x)
    if thresholds is not None:
        cuts = _ascending(thresholds, "thresholds")
        sides = np.array(cuts, np.float64) if higher else -np.array(cuts, np.float64)[::-1]
        found = np.searchsorted(sides, x, side="right")
    else:
        cuts = _ascending(quantiles or (), "quantiles")
        if not 0 < cuts[0] <= cuts[-1] < 1:
            raise UsageError(f"quantiles: must lie between 0 and 1, got {', '.join(map(str, quantiles or ()))}")
        ordered = np.sort(x[known])
        if not len(ordered):
            return np.full(len(x), -1, np.int32)
        last = [ceil(q * len(ordered)) - 1 for q in cuts]  # exact, so that 0.85 of 100 is 85
        found = np.searchsorted(ordered[last], x, side="left")
    return np.where(known, found, -1).astype(np.int32)


def _ascending(numbers: Sequence[float], what: str) -> list[Fraction]:
    cuts = [exact(n, what) for n in numbers]
    if not cuts or any(b <= a for a, b in pairwise(cuts)):
        raise UsageError(f"{what}: expected ascending numbers, got {', '.join(map(str, numbers)) or 'none'}")
    return cuts


def read_feature(path: Source, columns: str = "doc value") -> tuple[list[str], NDArray[np.float64]]:
    """Documents and their numbers from a file of two columns, ``doc value`` or ``value doc``."""
    if columns not in _COLUMNS:
        raise UsageError(f"columns: expected {' or '.join(map(repr, _COLUMNS))}, got {columns!r}")
    at = columns.split().index("value")
    docs: list[str] = []
    numbers: list[float] = []
    problems: list[str] = []
    for number, fields in text_rows(path):
        try:
            if len(fields) != 2:
                raise ValueError
            numbers.append(float(fields[at]))
            docs.append(fields[1 - at])
        except ValueError:
            problems.append(f'{path}:{number}: expected {columns} with a number, got "{" ".join(fields)}"')
            if len(problems) == _REPORTED:
                break
    if problems:
        raise InputError(problems)
    last = {doc: i for i, doc in enumerate(docs)}
    if len(last) < len(docs):
        twice = next(doc for i, doc in enumerate(docs) if last[doc] != i)
        raise InputError(
            f"{path}: {len(docs) - len(last)} documents occur again, first {twice}; keep one line for each"
        )
    return docs, np.array(numbers, np.float64)


def document_labels(aspect: Aspect, docs: Sequence[str]) -> tuple[Labels, Findings]:
    """Labels of an aspect of documents for the given ones, from the feature file that the aspect declares.

    Quantiles are those of the whole file. A document that the file lacks is not assessed (−1).
    """
    feature = aspect.feature
    if feature is None:
        raise UsageError(f"aspect {aspect.name!r} declares no feature file")
    known, values = read_feature(feature.path, feature.columns)
    labels = labels_from_feature(
        values, thresholds=feature.thresholds, quantiles=feature.quantiles, higher=feature.higher
    )
    place = {doc: i for i, doc in enumerate(known)}
    rows = np.array([place.get(doc, -1) for doc in docs], np.int64)
    padded = np.append(labels, np.int32(-1))  # row −1 is the pad: not in the file
    found: Labels = padded[rows]
    findings = Findings()
    absent = {doc for doc, row in zip(docs, rows.tolist(), strict=True) if row < 0}
    findings.add("documents-without-feature", len(absent), sorted(absent), f"not in {feature.path}")
    return found, findings


def merge_labels(aspect: Aspect, mapping: Mapping[str, str]) -> tuple[Aspect, Labels]:
    """The aspect with some labels merged into others, and the new index of each old one (``new[labels]``).

    >>> merged, new = merge_labels(Aspect("relevance", ("junk", "nr", "fr", "hr")), {"junk": "nr"})
    >>> merged.labels, new
    (('nr', 'fr', 'hr'), array([0, 0, 1, 2], dtype=int32))
    """
    target = {label: label for label in aspect.labels}
    target |= {aspect.labels[aspect.index(old)]: aspect.labels[aspect.index(new)] for old, new in mapping.items()}
    for old, new in target.items():
        if target[new] != new:
            raise UsageError(f"aspect {aspect.name!r}: {old} is merged into {new}, which is itself merged away")
    kept = [i for i, label in enumerate(aspect.labels) if target[label] == label]
    labels = tuple(aspect.labels[i] for i in kept)
    values = None if aspect.values is None else [aspect.numbers[i] for i in kept]
    renamed = ((old, target[new]) for old, new in aspect.aliases)
    merged = tuple((old, new) for old, new in target.items() if old != new)
    found = replace(aspect, labels=labels, values=values, aliases=(*renamed, *merged))
    return found, np.array([labels.index(target[label]) for label in aspect.labels], np.int32)


def read_aspects(path: Source | None, aspects: AspectSet) -> AspectLabels:
    """All labels of a declaration, filled by its rules.

    ``path`` is a qrels file with one label column for each aspect that has no file of its own (None if all have); the
    others come from the qrels and feature files that the declaration names.
    """
    own = [a for a in aspects if a.qrels is None and a.feature is None]
    if (path is None) == bool(own):
        need = f"label columns for {', '.join(a.name for a in own)}" if own else "no qrels file besides those declared"
        raise UsageError(f"aspects: the declaration needs {need}")
    parts: dict[str, AspectLabels] = {}
    if path is not None:
        shared = read_aspect_qrels(path, own)
        for i, aspect in enumerate(own):
            parts[aspect.name] = replace(shared, labels=shared.labels[:, i : i + 1])
    for aspect in aspects:
        if aspect.qrels is not None:
            parts[aspect.name] = read_aspect_qrels(aspect.qrels, [aspect])
    if not parts:
        raise UsageError("aspects: all come from features of documents; at least one must be judged for topics")
    judged = AspectSet(tuple(Aspect(a.name, a.labels) for a in aspects if a.name in parts))
    joined = join_aspects(parts, judged)
    labels = np.full((len(joined), len(aspects)), -1, np.int32)
    notes = Findings(joined.findings)
    for a, aspect in enumerate(aspects):
        if aspect.name in parts:
            labels[:, a] = joined.labels[:, judged.position(aspect.name)]
        else:
            labels[:, a], found = document_labels(aspect, joined.docs)
            notes.extend(found)
    return fill_missing(AspectLabels(joined.topics, joined.docs, labels, notes), aspects)
