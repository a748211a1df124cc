"""c@1."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings


@measure
class c_at_1(BinaryMeasure):
    r"""c@1: accuracy over questions that rewards silence over a wrong answer.

    $$c@1 = \frac{n_{ac}}{n} + \frac{n_{ac}}{n} \cdot \frac{n_u}{n}$$

    with n questions, $n_{ac}$ answered correctly (the first document is relevant) and $n_u$ left unanswered (an empty
    list). A question left open is credited at the rate of those answered correctly, so silence never pays for a system
    that is always wrong. Exists for a whole run only; a question's own value is 1, 0 or, unanswered, undefined.

    References: Peñas, Rodrigo. A simple measure to assess non-response. ACL 2011.

    >>> c_at_1().aggregate(np.array([[1.0, 1.0, 0.0, np.nan]]))
    array([0.625])
    """

    name: ClassVar[str] = "c@1"
    cutoff = "none"
    per_topic = False
    zero_if_undefined = False
    cites = ("penas2011",)

    def value(self, r: Rankings) -> Floats:
        """1 or 0 by the first document, undefined for an empty list."""
        return np.where(r.cut > 0, r.upto(r.hit * (r.rank == 1)), np.nan)

    def aggregate(self, values: Floats) -> Floats:
        """From (runs × questions) to runs."""
        questions = values.shape[-1]
        correct = np.nansum(values, axis=-1) / questions
        return np.asarray(correct + correct * np.isnan(values).sum(axis=-1) / questions, np.float64)
