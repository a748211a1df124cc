"""A system order from preferences between pairs: mean, Borda, Copeland, MC4."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from leadline.errors import UnknownName, UsageError
from leadline.stats._arrays import Floats, Ints
from leadline.systems.preference_names import Preference
from leadline.systems.preferences import Preferences

__all__ = ["ORDERS", "PreferenceOrders", "borda", "copeland", "mc4", "mean_preference", "preference_orders"]

TELEPORT = 0.05


def mean_preference(tensor: Floats) -> Floats:
    """Mean preference over topics and opponents; ``tensor`` is runs × runs × topics, antisymmetric.

    >>> mean_preference(np.array([[[0.0], [1.0]], [[-1.0], [0.0]]])).tolist()
    [1.0, -1.0]
    """
    runs = len(tensor)
    return np.asarray(tensor.mean(axis=2).sum(axis=1) / max(runs - 1, 1), np.float64)


def borda(tensor: Floats) -> Floats:
    """Per topic a point for each run beaten and half a point for each tied, summed over topics.

    >>> borda(np.array([[[0.0, 0.0], [0.2, 0.0]], [[-0.2, 0.0], [0.0, 0.0]]])).tolist()
    [1.5, 0.5]
    """
    beaten = np.count_nonzero(tensor > 0, axis=(1, 2))
    tied = np.count_nonzero(tensor == 0, axis=(1, 2)) - tensor.shape[2]  # less itself
    return np.asarray(beaten + 0.5 * tied, np.float64)


def copeland(tensor: Floats) -> Floats:
    """Runs beaten on more topics than lost, less runs lost to.

    >>> copeland(np.array([[[0.0, 0.0, 0.0], [0.2, -1.0, 0.1]], [[-0.2, 1.0, -0.1], [0.0, 0.0, 0.0]]])).tolist()
    [1.0, -1.0]
    """
    return np.asarray(_majority(tensor).sum(axis=1), np.float64)


def mc4(tensor: Floats, teleport: float = TELEPORT) -> Floats:
    r"""MC4: the share of time a walker spends at each run who moves to a random run if the majority prefers it.

    $$P(a, b) = \frac1m \;\text{if more topics prefer } b, \qquad x = x\bigl((1-\tau)P + \tfrac{\tau}{m}\bigr)$$

    The jumps with chance τ keep the walker from being caught. Shares sum to 1.

    References: Dwork, Kumar, Naor, Sivakumar. Rank aggregation methods for the web. WWW 2001.
    doi:10.1145/371920.372165

    >>> mc4(np.array([[[0.0], [1.0]], [[-1.0], [0.0]]])).round(4).tolist()
    [0.9524, 0.0476]
    """
    m = len(tensor)
    chain = (_majority(tensor).T > 0) / m
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    balance = ((1 - teleport) * chain + teleport / m).T - np.eye(m)
    balance[-1] = 1.0  # one equation is spare: the shares sum to 1
    return np.asarray(np.linalg.solve(balance, np.eye(m)[-1]), np.float64)


def _majority(tensor: Floats) -> Ints:
    return np.asarray(np.sign(np.count_nonzero(tensor > 0, axis=2) - np.count_nonzero(tensor < 0, axis=2)))


ORDERS: dict[str, Callable[[Floats], Floats]] = {
    "mean": mean_preference,
    "borda": borda,
    "copeland": copeland,
    "mc4": mc4,
}
"""Ways from preferences to an order, by name."""


class PreferenceOrders:
    """Scores of runs by several methods, for several preferences; a higher score is better."""

    def __init__(self, runs: Sequence[str], scores: dict[tuple[Preference, str], Floats]) -> None:
        self.runs = tuple(runs)
        self.scores = scores

    def order(self, preference: str | Preference, method: str) -> tuple[str, ...]:
        """Runs, best first; ties in the order given."""
        from leadline.systems.preference_names import parse_preference

        key = (parse_preference(preference), method)
        if key not in self.scores:
            raise UnknownName("order", f"{key[0]} {method}", [f"{p} {m}" for p, m in self.scores])
        return tuple(self.runs[i] for i in np.argsort(-self.scores[key], kind="stable"))

    def columns(self) -> dict[str, Any]:
        """Columns preference, method, rank, run, score; best first, equal scores share a rank."""
        columns: dict[str, list[Any]] = {n: [] for n in ("preference", "method", "rank", "run", "score")}
        for (p, method), score in self.scores.items():
            rounded = score.round(12)  # what is equal but for rounding is equal
            order = np.argsort(-rounded, kind="stable")
            columns["preference"] += [str(p)] * len(order)
            columns["method"] += [method] * len(order)
            columns["rank"] += (1 + (rounded[:, None] > rounded[order]).sum(axis=0)).tolist()
            columns["run"] += [self.runs[i] for i in order]
            columns["score"] += score[order].tolist()
        return dict(columns)


def preference_orders(found: Preferences, methods: Sequence[str] = tuple(ORDERS)) -> PreferenceOrders:
    """System orders from preferences between all pairs of runs.

    >>> import leadline
    >>> runs = {"x": {"q": {"d1": 2.0, "d2": 1.0}}, "y": {"q": {"d2": 2.0, "d1": 1.0}}}
    >>> preference_orders(leadline.prefer(leadline.read({"q": {"d1": 1}}, runs), "sgnLP")).order("sgnLP", "borda")
    ('x', 'y')
    """
    if found.baseline is not None:
        raise UsageError("An order needs preferences between all pairs; leave baseline out.")
    for method in methods:
        if method not in ORDERS:
            raise UnknownName("order", method, ORDERS)
    tensors = {p: found.tensor(p) for p in found.preferences}
    return PreferenceOrders(found.runs, {(p, m): ORDERS[m](tensors[p]) for p in found.preferences for m in methods})
