"""Results as flat dictionaries, for experiment loggers such as MLflow and Weights & Biases.

::

    mlflow.log_metrics(flat(scores, run="bm25", safe=True))
    wandb.log(flat(scores))
"""

from __future__ import annotations

import math
import re

from leadline.measures.scores import Scores

__all__ = ["flat"]


def flat(
    scores: Scores, *, run: str | None = None, prefix: str = "", per_topic: bool = False, safe: bool = False
) -> dict[str, float]:
    """``{"run/measure": value}`` of the means, or ``{"measure": value}`` of one run; undefined values are left out.

    ``per_topic`` adds ``measure/topic`` entries; ``safe`` writes names with letters, digits, ``_ - . /`` and spaces
    only, as MLflow wants them: ``nDCG@10`` becomes ``nDCG_at_10``.

    >>> import leadline
    >>> track = leadline.read({"q1": {"a": 1, "b": 0}}, {"mine": {"q1": {"a": 2.0, "b": 1.0}}})
    >>> flat(leadline.evaluate(track, ["RR", "P@2"]), prefix="test/")
    {'test/mine/RR': 1.0, 'test/mine/P@2': 0.5}
    >>> flat(leadline.evaluate(track, ["P@2", "RBP(p=0.8)"]), run="mine", safe=True)
    {'P_at_2': 0.5, 'RBP_p_0.8': 0.19...}
    """
    found: dict[str, float] = {}
    chosen = scores.runs if run is None else (run,)
    for name in chosen:
        r = _place(scores, name)
        start = prefix if run is not None else f"{prefix}{name}/"
        for m in scores.measures:
            found[f"{start}{m}"] = float(scores.mean(m)[r])
            if per_topic and m.per_topic:
                for topic, value in zip(scores.topics, scores.array(m)[r].tolist(), strict=True):
                    found[f"{start}{m}/{topic}"] = value
    kept = {name: value for name, value in found.items() if math.isfinite(value)}
    return {_safe(name): value for name, value in kept.items()} if safe else kept


def _place(scores: Scores, run: str) -> int:
    from leadline.errors import UnknownName

    if run not in scores.runs:
        raise UnknownName("run", run, scores.runs)
    return scores.runs.index(run)


def _safe(name: str) -> str:
    return re.sub(r"_*[^\w\-. /]+_*", "_", name.replace("@", "_at_").rstrip(")"))
