r"""Several aspects as one order: classes of label tuples by their distance to the best tuple (TOMA).

Each aspect is embedded by a non-decreasing map $g_a$, stretched by its importance $w_a$; a tuple $l$ is the better the
closer it lies to the tuple $l^*$ of the highest declared labels, and tuples at the same distance form a class:

$$d_2^2(l) = \sum_a \delta_a^2 \qquad d_1(l) = \sum_a \delta_a \qquad d_\infty(l) = \max_a \delta_a
\qquad \delta_a = w_a\,(g_a(l^*_a) - g_a(l_a))$$

The worst class weighs 0, each better one 1 more (or as the user says); any measure then runs on the weights. A user's
weights may differ, but never contradict the order.

Reference: Maistro, Chaves Lima, Simonsen, Lioma. Principled multi-aspect evaluation measures of rankings. CIKM 2021.
doi:10.1145/3459637.3482287
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError, UnknownName, UsageError
from leadline.findings import Findings
from leadline.io.aspects import TUPLES, Aspect, AspectSet
from leadline.rankings.aspect_distances import LIMIT, Distance, Floats, Keys, LabelRows, Metric, metric_of, name_of

__all__ = ["OWN_WEIGHTS", "WEIGHTS", "Order", "Weight", "classes", "dominance_violations", "own_weight"]

Ints: TypeAlias = NDArray[np.int32]
Weight: TypeAlias = str | Sequence[float] | Callable[[Floats], Any]
Pair: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]

WEIGHTS = {
    "step": "worst class 0, each better one 1 more",
    "square": "height squared",
    "root": "square root of the height",
    "exp": "2^height − 1",
    "distance": "how much closer to the best tuple than the worst class is",
}
OWN_WEIGHTS: dict[str, Callable[[Floats], Any]] = {}  # the user's weight functions, by name
_COMPARED = 5_000  # tuples of an unlisted grid whose dominance is checked pair by pair


@dataclass(frozen=True, eq=False)
class Order:
    """The classes of label tuples, best first (class 0), with their distances and weights.

    ``distances`` are exact (squared for ``euclidean``), ``lengths`` the distances themselves. A *height* is the number
    of worse classes: the weight with step 1, and a grade for measures that want whole numbers.
    """

    aspects: AspectSet
    distance: str
    tuples: str
    weight: str
    distances: tuple[Fraction | float, ...]
    lengths: Floats
    class_weights: Floats
    findings: Findings
    metric: Metric = field(repr=False)
    keys: Keys = field(repr=False)
    table: Ints | None = field(repr=False)  # class of each tuple of the grid, −1 where it does not count
    rows: LabelRows = field(repr=False)  # tuples seen in the judgments, when the grid is too large for a table

    def __len__(self) -> int:
        return len(self.class_weights)

    def classes_of(self, labels: LabelRows) -> Ints:
        """Class of each label row, 0 = best; a tuple that does not count is an error."""
        rows = self.aspects.check(labels)
        if self.table is not None:
            found: Ints = self.table[np.ravel_multi_index(tuple(rows.T), self.aspects.shape)]
        else:
            keys = self.metric.keys(list(rows.T))
            place = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
            known = np.asarray(self.keys[place] == keys, bool)
            if self.tuples == "feasible":
                known &= self.aspects.feasible(list(rows.T))
            found = np.where(known, place, -1).astype(np.int32)
        if (found < 0).any():
            self._refuse(rows, found < 0)
        return found

    def _refuse(self, rows: LabelRows, bad: NDArray[np.bool_]) -> None:
        first, count = int(np.argmax(bad)), int(bad.sum())
        feasible = self.tuples == "feasible" and not self.aspects.feasible(list(rows[first])).all()
        why = "the rules exclude" if feasible else "are not among the observed ones"
        do = "Use tuples='full', or change such labels by AspectSet.apply_rules." if feasible else "Use tuples='full'."
        tuple_ = self.aspects.spell(rows[first])
        raise InputError(f"labels, row {first}: {count:,} rows carry tuples that {why}, first {tuple_}. {do}")

    def heights(self, labels: LabelRows) -> Ints:
        """How many classes are worse than each label row's."""
        return np.subtract(len(self) - 1, self.classes_of(labels), dtype=np.int32)

    def weights(self, labels: LabelRows) -> Floats:
        """The TOMA weight W of each label row."""
        return self.class_weights[self.classes_of(labels)]

    @property
    def gains(self) -> dict[int, float]:
        """Weight of each height: a gain table for measures that run on heights as grades."""
        return {h: float(w) for h, w in enumerate(self.class_weights[::-1])}

    def members(self, place: int) -> LabelRows:
        """The tuples of a class, highest labels first (of a grid too large to list: those seen in the judgments)."""
        if self.table is not None:
            codes = np.flatnonzero(self.table == place)[::-1]
            return _tuples(codes, self.aspects)
        chosen: LabelRows = self.rows[self.classes_of(self.rows) == place][::-1]
        return chosen

    def reweigh(self, weight: Weight, *, strict: bool = True) -> Order:
        """The same classes under another weight function: a name of :data:`WEIGHTS`, numbers or a callable.

        Numbers stand from the worst class to the best; a callable takes the heights 0, 1, 2, … and returns as many.
        They must be finite, 0 or more, and rise strictly (``strict=False``: must not fall).
        """
        found, n = _weigh(weight, self.lengths[::-1]), len(self)
        if found.shape != (n,):
            raise UsageError(f"weights: expected {n} numbers, one for each class from worst to best, got {found.size}")
        if not np.isfinite(found).all() or (found < 0).any():
            raise UsageError(
                f"weights: must be finite and 0 or more, got {_first(found[~(found >= 0) | np.isinf(found)])}"
            )
        step = np.diff(found)
        wrong = np.flatnonzero(~(step > 0) if strict else ~(step >= 0))
        if len(wrong):
            i = int(wrong[0])
            raise UsageError(
                f"weights: must {'rise' if strict else 'not fall'} from the worst class to the best, "
                f"got {found[i]:g} for height {i} and {found[i + 1]:g} for height {i + 1}"
            )
        notes = Findings(f for f in self.findings if f.code != "worst-weight-above-zero")
        if found[0] > 0:
            notes.add("worst-weight-above-zero", 1, [f"{found[0]:g}"], "unjudged documents still gain 0")
        name = weight if isinstance(weight, str) else name_of(weight) if callable(weight) else "given"
        return replace(self, weight=name, class_weights=found[::-1].copy(), findings=notes)

    @cached_property
    def collapsed(self) -> Order:
        """The distance order after every aspect is reduced to "lowest label" or "better"."""
        binary = AspectSet(tuple(Aspect(a.name, ("0", "1"), (0, 1), a.weight) for a in self.aspects))
        if self.tuples == "full":
            return classes(binary, self.metric.source)
        if self.table is None:
            seen = (self.rows > 0).astype(np.int32)
        else:
            columns = np.unravel_index(np.flatnonzero(self.table >= 0), self.aspects.shape)
            code = sum(((c > 0).astype(np.int64) << i for i, c in enumerate(columns)), start=np.int64(0))
            seen = (np.unique(code)[:, None] >> np.arange(len(self.aspects)) & 1).astype(np.int32)
        return classes(binary, self.metric.source, tuples="observed", observed=seen)

    def binary(self, labels: LabelRows, how: str | float = "aspects") -> NDArray[np.bool_]:
        """Which label rows count as relevant for a binary measure.

        ``aspects``: reduce every aspect to lowest or better, order those tuples, relevant is what is not in the worst
        class · ``top-half``: the top ⌈K/2⌉ of K classes · a number: W at least that.
        """
        place = self.classes_of(labels)
        if how == "aspects":
            return self.collapsed.heights((np.asarray(labels) > 0).astype(np.int32)) > 0
        if how == "top-half":
            return place < (len(self) + 1) // 2
        try:
            threshold = float(how)
        except ValueError:
            raise UnknownName("binary option", str(how), ("aspects", "top-half", "a number")) from None
        best, worst = self.class_weights[0], self.class_weights[-1]
        if not worst < threshold <= best:
            raise UsageError(
                f"binary: the threshold on W must lie above the worst weight {worst:g} and not above the best, "
                f"{best:g}; got {how}"
            )
        return self.class_weights[place] >= threshold


def classes(
    aspects: AspectSet,
    distance: str | Distance = "euclidean",
    *,
    tuples: str | None = None,
    observed: LabelRows | None = None,
    weight: Weight = "step",
    strict: bool = True,
) -> Order:
    """The distance order of label tuples: equal distance to the best tuple is one class, exactly.

    ``tuples`` overrides the declaration's choice; ``observed`` holds the judgments' label rows and is needed for
    ``tuples="observed"``. A user's ``distance(points, best)`` gets M embedded tuples at once and returns M numbers;
    they are compared to 12 significant digits and must respect dominance. Grids of more than 5 million tuples are
    not laid out: the classes are found from the attainable distances, or, where that is impossible (rules, a user's
    distance), among the observed tuples, with a finding.

    >>> from leadline.io.aspects import declare
    >>> order = classes(declare("relevance=0..3 correctness=0..2"), "manhattan")
    >>> order.weights(np.array([[3, 2], [3, 1], [2, 2], [0, 0]]))
    array([5., 4., 4., 0.])
    """
    kind = _choice(aspects, tuples, observed)
    metric, findings = metric_of(aspects, distance), Findings()
    seen = np.zeros((0, len(aspects)), np.int32) if observed is None else aspects.check(observed)
    table: Ints | None = None
    if prod(aspects.shape) <= LIMIT:
        rows = seen[:0]
        keys, table = _listed(aspects, metric, kind, seen)
    else:
        rows = np.unique(seen, axis=0)
        if kind == "feasible":
            rows = rows[aspects.feasible(list(rows.T))]
        keys = _unlisted(aspects, metric, kind, rows, findings)
    if len(keys) == 1:
        findings.add("one-class", 1, (), "all tuples lie equally far from the best one, so every document weighs 0")
    lengths = np.array([metric.length(k) for k in keys])
    exactly = tuple(metric.value(k) for k in keys)
    order = Order(aspects, metric.name, kind, "", exactly, lengths, lengths, findings, metric, keys, table, rows)
    if callable(metric.source):
        _check_dominance(order)
    return order.reweigh(weight, strict=strict)


def _tuples(codes: NDArray[np.int64], aspects: AspectSet) -> LabelRows:
    return np.stack(np.unravel_index(codes, aspects.shape), axis=1)


def _choice(aspects: AspectSet, tuples: str | None, observed: LabelRows | None) -> str:
    kind = tuples or aspects.tuples
    if kind not in TUPLES:
        raise UnknownName("choice of tuples", kind, TUPLES)
    if kind == "feasible" and not aspects.rules:
        raise UsageError("tuples='feasible' needs a rule, e.g. 'relevance=nr => correctness=nc'")
    if kind == "observed" and observed is None:
        raise UsageError("tuples='observed' needs the judgments' labels (observed=…)")
    return kind


def _listed(aspects: AspectSet, metric: Metric, kind: str, seen: LabelRows) -> tuple[Keys, Ints]:
    grid = np.ix_(*(np.arange(n) for n in aspects.shape))
    counts = np.ones(prod(aspects.shape), bool)
    if kind == "feasible":
        counts = np.broadcast_to(aspects.feasible(grid), aspects.shape).ravel()
    elif kind == "observed":
        counts = np.zeros(len(counts), bool)
        counts[np.ravel_multi_index(tuple(seen.T), aspects.shape)] = True
    if not counts.any():
        raise UsageError(
            f"no label tuple is left: {'the rules exclude all' if kind == 'feasible' else 'none observed'}"
        )
    keys, place = np.unique(metric.keys(grid)[counts], return_inverse=True)
    table = np.full(len(counts), -1, np.int32)
    table[counts] = place
    return keys, table


def _unlisted(aspects: AspectSet, metric: Metric, kind: str, rows: LabelRows, findings: Findings) -> Keys:
    keys = metric.attainable() if kind == "full" else None
    if keys is not None:
        return keys
    size = prod(aspects.shape)
    if not len(rows):
        raise UsageError(f"{size:,} label tuples are too many to list; give the judgments' labels (observed=…)")
    if kind != "observed":
        text = f"of {size:,} tuples are observed; classes and weights are those of the observed ones"
        findings.add("too-many-tuples", len(rows), (), text)
    return np.unique(metric.keys(list(rows.T)))


def _weigh(weight: Weight, lengths: Floats) -> Floats:
    """Weights of the classes, worst first; ``lengths`` are their distances, worst first."""
    height = np.arange(len(lengths), dtype=np.float64)
    if callable(weight):
        return np.asarray(weight(height), np.float64)
    if not isinstance(weight, str):
        return np.asarray(weight, np.float64)
    if weight in OWN_WEIGHTS:
        return np.asarray(OWN_WEIGHTS[weight](height), np.float64)
    if weight not in WEIGHTS:
        raise UnknownName("weight function", weight, (*WEIGHTS, *OWN_WEIGHTS))
    if weight == "exp" and len(height) > 1000:
        raise UsageError(f"weights 'exp': 2^height overflows with {len(height):,} classes; use step, square or root")
    named: dict[str, Floats] = {
        "step": height,
        "square": height**2,
        "root": np.sqrt(height),
        "distance": lengths[0] - lengths,
    }
    return named[weight] if weight in named else np.exp2(height) - 1


def own_weight(function: Callable[[Floats], Any]) -> Callable[[Floats], Any]:
    """Make a weight function known by its name, so that measures can be asked for it: ``TOMA(weights='name')``.

    A decorator. The function gets the heights 0, 1, 2, … of the classes and returns as many rising numbers.

    >>> from leadline.io.aspects import declare
    >>> @own_weight
    ... def tripled(height):
    ...     return 3 * height
    >>> classes(declare("a=0,1 b=0,1"), "manhattan", weight="tripled").class_weights
    array([6., 3., 0.])
    """
    name = name_of(function)
    if name in WEIGHTS or not name.isidentifier():
        raise UsageError(f"weights {name!r}: give the function a name of its own, other than {', '.join(WEIGHTS)}")
    OWN_WEIGHTS[name] = function
    return function


def _first(x: Floats) -> str:
    return f"{x[0]:g}"


def dominance_violations(order: Order, limit: int = 3) -> list[Pair]:
    """Pairs (dominated tuple, dominating tuple) that the order ranks the wrong way round; empty for a sound one.

    A tuple dominates another if no label of it is lower. Of a grid too large to list, the observed tuples are compared.
    """
    if order.table is None:
        return _pairs(order.rows, order.heights(order.rows), np.arange(len(order.rows)), limit)
    codes = np.flatnonzero(order.table >= 0)
    rows = _tuples(codes, order.aspects)
    height = np.subtract(len(order) - 1, order.table[codes], dtype=np.int32)
    flat = np.full(order.table.shape, -1, np.int32)
    flat[codes] = height
    grid = flat.reshape(order.aspects.shape)
    for axis in range(grid.ndim):  # afterwards: the greatest height among all tuples that a cell dominates
        grid = np.maximum.accumulate(grid, axis=axis)
    return _pairs(rows, height, np.flatnonzero(grid.ravel()[codes] > height), limit)


def _pairs(rows: LabelRows, height: Ints, suspects: NDArray[np.int64], limit: int) -> list[Pair]:
    found: list[Pair] = []
    for i in suspects:
        for j in np.flatnonzero((rows <= rows[i]).all(axis=1) & (height > height[i])):
            if len(found) == limit:
                return found
            found.append((tuple(rows[j].tolist()), tuple(rows[i].tolist())))
    return found


def _check_dominance(order: Order) -> None:
    if order.table is None and len(order.rows) > _COMPARED:
        order.findings.add("dominance-unchecked", len(order.rows), (), "too many tuples to compare pair by pair")
        return
    for worse, better in dominance_violations(order, limit=1):
        raise UsageError(
            f"distance {order.distance}: must not put a tuple above one that dominates it, but ranks "
            f"{order.aspects.spell(worse)} above {order.aspects.spell(better)}"
        )
