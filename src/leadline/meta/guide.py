"""Which measure fits a task: a walk through the question tree, with the user's own data looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Any

import numpy as np

from leadline.errors import UnknownName, UsageError
from leadline.findings import Finding
from leadline.measures.base import Measure
from leadline.measures.names import parse
from leadline.meta.calibration import DOCS, effort, persistence, shallowness_bound, silence_beta
from leadline.meta.guide_tree import JUDGED, TREE, Leaf, Question, questions
from leadline.rankings.track import Track

__all__ = ["Advice", "Step", "guide"]

_DEPTH = {"few": 5.0, "many": 50.0, "": 5.0}  # documents read on average when nobody said
_CUT = {"few": 10, "many": 100, "": 10}
_EFFORT, _BETA = 0.05, 1.05

CAUTIONS = (
    "fix measures, depths and tie rule before looking at results, and report them (leadline prints them)",
    "do not evaluate deeper than the pool reaches; report a utility measure beside a recall-based one",
    "for runs that did not feed the pool report unjudged documents or a residual (leadline ranges)",
)
"""Guidelines of Lu, Moffat and Culpepper (2016), in short."""


@dataclass(frozen=True)
class Step:
    """A question as it was answered, and the property that the answer decides."""

    question: str
    answer: str
    decides: str


@dataclass(frozen=True, eq=False)
class Advice:
    """Measures ready to paste, the way to them, and what the data say."""

    measures: tuple[Measure, ...]
    preferences: tuple[str, ...]
    why: str
    steps: tuple[Step, ...]
    needs: tuple[str, ...]
    warnings: tuple[Finding, ...]
    cautions: tuple[str, ...] = CAUTIONS

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the measures, the best first."""
        return tuple(str(m) for m in self.measures)

    @property
    def commands(self) -> tuple[str, ...]:
        """Command lines that use them."""
        asked = " ".join(f"-m {_quoted(name)}" for name in self.names)
        lines = [f"leadline evaluate QRELS RUNS {asked}"]
        if self.preferences:
            lines.append(f"leadline prefer QRELS RUNS {' '.join(f'-m {p}' for p in self.preferences)}")
        return tuple(lines)

    def __str__(self) -> str:
        lines = [f"{s.question}  {s.answer}  [{s.decides}]" for s in self.steps]
        also = f"; preferences {', '.join(self.preferences)}" if self.preferences else ""
        lines += ["", f"Use {', '.join(self.names)}{also}"]
        lines += [f"  {self.why}", f"  chosen for: {', '.join(self.needs)}", ""]
        lines += [f"  {line}" for line in self.commands]
        if self.warnings:
            lines += ["", "Your data:", *(f"  {w}" for w in self.warnings)]
        return "\n".join([*lines, "", "Remember:", *(f"  {c}" for c in self.cautions)])


def _quoted(name: str) -> str:
    """For a shell, and legible as long as that is possible."""
    return quote(name) if any(c in name for c in '"$`\\!') else f'"{name}"'


def guide(
    track: Track | None = None,
    *,
    judged: str = "one",
    depth: float | None = None,
    worth: int | None = None,
    silence_rank: int | None = None,
    always_read: int | None = None,
    docs: int | None = None,
    ask: Callable[[str, str, Mapping[str, str], str | None], str] | None = None,
    **answers: str,
) -> Advice:
    """Measures that fit a task.

    ``answers`` are those of the question tree (``length, weight, nil, fixed, one, score, recall, pool, grades,
    redundancy, reads``); a question on the way without one is put to ``ask(key, text, answers, suggestion)``, or else
    is an error that says what may be answered. ``depth`` is how many documents people read, ``worth`` how many
    documents one relevant document is worth reading, ``silence_rank`` the rank at which a single relevant document is
    no better than silence, ``always_read`` how many documents are read in any case: they set p and the depth, e and β.
    With a Track, the advice says what its data make doubtful.

    >>> found = guide(length="no", weight="falls", fixed="no", one="no", recall="no", redundancy="no", depth=10)
    >>> found.names, found.steps[-1].decides
    (('RBP(p=0.9)', 'INST(T=3)'), 'REDUNDANCY')
    """
    known = questions()
    for key, value in answers.items():
        if key not in known:
            raise UnknownName("question", key, known)
        if value not in known[key][1]:
            raise UnknownName(f"answer to {key}", value, known[key][1])
    if judged not in JUDGED:
        raise UnknownName("answer to judged", judged, JUDGED)
    suggested = {} if track is None else _hints(track)
    steps, leaf = _walk(answers, suggested, ask)
    if judged != "one":
        steps.insert(0, Step("What is judged?", JUDGED[judged][0], "several aspects"))
    values = _values(leaf, depth, silence_rank, always_read, docs)
    measures = tuple(_filled(name, values, worth, JUDGED[judged][1]) for name in leaf.measures)
    return Advice(
        measures, leaf.preferences if judged == "one" else (), leaf.why.format(**values), tuple(steps), leaf.needs,
        () if track is None else tuple(_warnings(track, measures)),
    )  # fmt: skip


def _hints(track: Track) -> dict[str, str]:
    from leadline.meta.guide_data import hints

    return hints(track)


def _warnings(track: Track, measures: tuple[Measure, ...]) -> list[Finding]:
    from leadline.meta.guide_data import warnings

    return warnings(track, measures)


def _walk(
    answers: Mapping[str, str],
    suggested: Mapping[str, str],
    ask: Callable[[str, str, Mapping[str, str], str | None], str] | None,
) -> tuple[list[Step], Leaf]:
    node: Question | Leaf = TREE
    steps = []
    while isinstance(node, Question):
        choices = {a.value: a for a in node.answers}
        texts = {a.value: a.text for a in node.answers}
        value = answers.get(node.key)
        if value is None and ask is not None:
            hint = suggested.get(node.key)
            value = ask(node.key, node.text, texts, hint if hint in choices else None)
        if value is None or value not in choices:
            wanted = ", ".join(f"{v} ({t})" for v, t in texts.items())
            raise UsageError(f"The guide needs {node.key}=: {node.text} Answers: {wanted}.")
        chosen = choices[value]
        steps.append(Step(node.text, chosen.text, chosen.decides))
        node = chosen.next
    return steps, node


def _values(
    leaf: Leaf, depth: float | None, silence_rank: int | None, always_read: int | None, docs: int | None
) -> dict[str, Any]:
    """What stands for the letters in the templates."""
    size = DOCS if docs is None else docs
    read = _DEPTH[leaf.reads] if depth is None else depth
    beta = _BETA if silence_rank is None else silence_beta(silence_rank, docs=size)
    bound = np.inf if always_read is None else shallowness_bound(always_read, docs=size)
    if beta >= bound:
        raise UsageError(
            f"β = {beta:.5g} breaks SHALLOWNESS for {always_read} documents that are always read: it must be below "
            f"{bound:.5g}. Name a later silence rank."
        )
    return {
        "k": _CUT[leaf.reads] if depth is None else max(1, round(depth)),
        "p": _short(persistence(read)) if any("{p}" in name for name in leaf.measures) else None,
        "e": _EFFORT,
        "beta": _short(beta),
        "docs": size,
    }


def _short(x: float) -> float:
    """Seven digits: exact enough, and fit to be typed."""
    return float(f"{x:.7g}")


def _filled(template: str, values: Mapping[str, Any], worth: int | None, around: str) -> Measure:
    m = parse(template.format(**values))
    if worth is not None and "e" in m.params:
        m = m.but(e=_short(effort(worth, m)))
    return parse(around).but(measure=str(m)) if around else m
