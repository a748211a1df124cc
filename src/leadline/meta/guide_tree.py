"""The question tree behind ``leadline guide``: what is asked, which property an answer decides, what it leads to.

After Amigó, Mizzaro, Spina (Ranking Interruptus, SIGIR 2022, Figure 4), extended by the guidelines of Lu, Moffat,
Culpepper (2016) on pools, Diaz' best case (2023) and several aspects (Maistro et al. 2021). Measure names are
templates: ``{k}`` depth, ``{p}`` persistence, ``{e}`` effort, ``{beta}`` and ``{docs}`` of OIE.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["JUDGED", "TREE", "Answer", "Leaf", "Question", "leaves", "questions"]


@dataclass(frozen=True)
class Leaf:
    """Measures that fit, the best first, and why; ``needs`` names the properties that they are chosen for."""

    measures: tuple[str, ...]
    why: str
    needs: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()  # for `leadline prefer`
    reads: str = ""  # 'few' or 'many': the depth assumed when none is given


@dataclass(frozen=True)
class Answer:
    """One answer: what it means, the property it decides on, and what follows."""

    value: str
    text: str
    decides: str
    next: Question | Leaf


@dataclass(frozen=True)
class Question:
    """A question with its answers; ``key`` is the option that answers it in a script."""

    key: str
    text: str
    answers: tuple[Answer, ...]


def _ask(key: str, text: str, *answers: tuple[str, str, str, Question | Leaf]) -> Question:
    return Question(key, text, tuple(Answer(*a) for a in answers))


# the system decides how long the list is ------------------------------------------------------------------------------
_SETS = Leaf(
    ("SetF(beta=1)", "SetP", "SetR"),
    "every returned document is read, so the list is a set: precision against recall",
    ("CONFIDENCE", "RECALL"),
)
_NIL_ONE = Leaf(
    ("RRT", "c@1"),
    "one answer is wanted and silence may be right: RRT credits stopping early where there is no answer, c@1 credits "
    "questions left open",
    ("NIL ANSWER", "CONFIDENCE"),
)
_NIL_MANY = Leaf(
    ("RBPT(p={p})", "nDCGT(ideal='full')"),
    "the end of the list counts as an answer, right where nothing (more) is to be found",
    ("NIL ANSWER", "CONFIDENCE", "RECALL"),
    reads="few",
)
_COMPLETE_NEW = Leaf(
    ("OIE(beta={beta}, docs={docs})", "ERRT"),
    "missed documents, useless tails and repetition all cost; OIE degenerates on long lists that nobody truncated, and "
    "on a fixed collection it does not discount repetition, which ERRT does",
    ("CONFIDENCE", "RECALL"),
)
_COMPLETE = Leaf(
    ("RBPT(p={p})", "nDCGT(ideal='full')", "DCGU(e={e})"),
    "missed documents and useless tails cost; DCGU is named here in the literature, but is blind to documents missed",
    ("CONFIDENCE", "RECALL"),
    reads="many",
)
_NEW_FEW = Leaf(
    ("ERRU(e={e})",),
    "each document costs effort, what was found before counts less again, and readers give up soon",
    ("CONFIDENCE", "REDUNDANCY"),
    reads="few",
)
_NEW_MANY = Leaf(
    ("RBU(p={p}, e={e})",),
    "each document costs effort, what was found before counts less again, and readers are patient",
    ("CONFIDENCE", "REDUNDANCY"),
    reads="many",
)
_UTILITY = Leaf(
    ("RBPU(p={p}, e={e})",),
    "each document brings its gain and costs its effort, discounted by rank",
    ("CONFIDENCE", "PRIORITY", "TOP-WEIGHTEDNESS"),
    reads="many",
)
_OWN_LENGTH = _ask(
    "weight", "Is a document lower in the list less likely to be read?",
    ("equal", "no, whatever is returned is read", "TOP-WEIGHTEDNESS", _SETS),
    ("falls", "yes", "TOP-WEIGHTEDNESS", _ask(
        "nil", "Are there topics with nothing to find, where silence is the right answer?",
        ("yes", "yes", "NIL ANSWER", _ask(
            "one", "Is one relevant document enough?",
            ("yes", "yes, as for questions", "REDUNDANCY", _NIL_ONE),
            ("no", "no", "REDUNDANCY", _NIL_MANY),
        )),
        ("no", "no", "NIL ANSWER", _ask(
            "recall", "Does it matter how many relevant documents were missed?",
            ("yes", "yes", "RECALL", _ask(
                "redundancy", "Is a relevant document worth less after others like it?",
                ("yes", "yes", "REDUNDANCY", _COMPLETE_NEW),
                ("no", "no", "REDUNDANCY", _COMPLETE),
            )),
            ("no", "no", "RECALL", _ask(
                "redundancy", "Is a relevant document worth less after others like it?",
                ("yes", "yes", "REDUNDANCY", _ask(
                    "reads", "How much is read?",
                    ("few", "the first few documents", "DEEPNESS", _NEW_FEW),
                    ("many", "dozens", "SHALLOWNESS", _NEW_MANY),
                )),
                ("no", "no", "REDUNDANCY", _UTILITY),
            )),
        )),
    )),
)  # fmt: skip

# the length is given --------------------------------------------------------------------------------------------------
_CORRELATION = Leaf(
    ("Kendall(docs={docs})", "Spearman(docs={docs})", "AUC(docs={docs})"),
    "all systems order the same documents and every rank counts alike: rank correlation",
    ("PRIORITY",),
)
_FIXED = Leaf(
    ("P@{k}", "R@{k}"),
    "exactly the first {k} are read, in whatever order",
    ("DEEPNESS", "SHALLOWNESS"),
    reads="few",
)
_FIRST = Leaf(
    ("RR", "RR@{k}"),
    "only the first relevant document counts; systems often tie, the more so the better they are",
    ("REDUNDANCY",),
    reads="few",
)
_BEST_CASE = Leaf(
    ("RR",),
    "the first relevant document decides, and where it ties the next one does: lexicographic precision compares two "
    "systems without a score of their own",
    ("REDUNDANCY",),
    preferences=("rrLP", "sgnLP"),
)
_WORST_CASE = Leaf(
    ("R@1000", "SetR"),
    "the last relevant document decides: recall as far as anyone reads, and lexirecall between two systems",
    ("RECALL",),
    preferences=("LR", "RPP"),
)
_BINARY = Leaf(
    ("AP", "RBP(p={p})"),
    "precision at every relevant document, missed ones counting 0; report a utility measure beside it, since AP moves "
    "with pool and depth",
    ("PRIORITY", "RECALL"),
    reads="many",
)
_GRADED = Leaf(
    ("nDCG@{k}", "Q(beta=1)", "RBP(p={p}, gain='linear')"),
    "gains discounted by rank against the ideal list; report a utility measure beside it, since nDCG moves with pool "
    "and depth",
    ("RECALL",),
    reads="few",
)
_SHALLOW = Leaf(
    ("RBP(p={p})", "Bpref", "nDCG(judged_only=True)@{k}"),
    "the pool does not reach as deep as the lists: weights that die out, reported with their residual, instead of a "
    "recall base that nobody knows",
    ("DEEPNESS",),
    reads="few",
)
_ERR = Leaf(
    ("ERR@{k}", "nERR@{k}"),
    "each relevant document makes it likelier that the reader is satisfied and stops, soon",
    ("REDUNDANCY", "DEEPNESS"),
    reads="few",
)
_IRBU = Leaf(
    ("iRBU(p={p})",),
    "each relevant document makes it likelier that the reader is satisfied, but readers are patient",
    ("REDUNDANCY", "SHALLOWNESS"),
    reads="many",
)
_RBP = Leaf(
    ("RBP(p={p})", "INST(T=3)"),
    "each relevant document brings its gain whatever else there is, discounted by how far people read",
    ("PRIORITY", "TOP-WEIGHTEDNESS", "DEEPNESS"),
    reads="few",
)
_GIVEN_LENGTH = _ask(
    "weight", "Is a document lower in the list less likely to be read?",
    ("equal", "no, and all systems order the same documents", "TOP-WEIGHTEDNESS", _CORRELATION),
    ("falls", "yes", "TOP-WEIGHTEDNESS", _ask(
        "fixed", "Are exactly the first N documents read, and no more?",
        ("yes", "yes, say --depth N", "DEEPNESS and SHALLOWNESS", _FIXED),
        ("no", "no", "DEEPNESS and SHALLOWNESS", _ask(
            "one", "Is one relevant document enough?",
            ("yes", "yes", "REDUNDANCY", _ask(
                "score", "Does each system need a score, or is it enough to say which of two is better?",
                ("score", "a score", "ties of RR", _FIRST),
                ("preference", "which is better", "best-case retrieval", _BEST_CASE),
            )),
            ("no", "no", "REDUNDANCY", _ask(
                "recall", "Does it matter how many relevant documents were missed?",
                ("all", "yes, not one may be missed", "worst-case retrieval", _WORST_CASE),
                ("yes", "yes", "RECALL", _ask(
                    "pool", "Does the judging reach as deep as the evaluation looks?",
                    ("deep", "yes, few unjudged documents", "pool depth", _ask(
                        "grades", "Is relevance graded?",
                        ("binary", "no, relevant or not", "gain", _BINARY),
                        ("graded", "yes", "gain", _GRADED),
                    )),
                    ("shallow", "no, or nobody knows", "pool depth", _SHALLOW),
                )),
                ("no", "no", "RECALL", _ask(
                    "redundancy", "Is a relevant document worth less after others like it?",
                    ("yes", "yes", "REDUNDANCY", _ask(
                        "reads", "How much is read?",
                        ("few", "the first few documents", "DEEPNESS", _ERR),
                        ("many", "dozens", "SHALLOWNESS", _IRBU),
                    )),
                    ("no", "no", "REDUNDANCY", _RBP),
                )),
            )),
        )),
    )),
)  # fmt: skip

TREE = _ask(
    "length", "Does the system decide how many documents it returns?",
    ("yes", "yes, and stopping well should pay", "CONFIDENCE", _OWN_LENGTH),
    ("no", "no", "CONFIDENCE", _GIVEN_LENGTH),
)  # fmt: skip

JUDGED = {
    "one": ("relevance only", ""),
    "order": ("several, as one order of label tuples", "TOMA"),
    "mean": ("several, good ones making up for bad ones", "CAM"),
    "weakest": ("several, failing in one is failing", "MM"),
}
"""Asked first; what it names is put around the measures found below."""


def leaves(node: Question | Leaf = TREE) -> Iterator[tuple[dict[str, str], Leaf]]:
    """Every leaf with the answers that lead to it."""
    if isinstance(node, Leaf):
        yield {}, node
        return
    for answer in node.answers:
        for path, leaf in leaves(answer.next):
            yield {node.key: answer.value} | path, leaf


def questions(node: Question | Leaf = TREE) -> dict[str, tuple[str, dict[str, str]]]:
    """Each option with its question and its answers, for command lines: ``{key: (text, {value: text})}``."""
    if isinstance(node, Leaf):
        return {}
    found: dict[str, tuple[str, dict[str, str]]] = {node.key: (node.text, {a.value: a.text for a in node.answers})}
    for answer in node.answers:
        for key, (text, answers) in questions(answer.next).items():
            found[key] = (text, found.get(key, (text, {}))[1] | answers)
    return found
