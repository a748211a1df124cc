"""trec_eval's measures under its own names, options and output format (versions 9 and 10).

What leadline has of its own is computed by that; the measures that only trec_eval knows have their formulas here. Where
the two differ on purpose, this follows trec_eval: topics missing from the run are left out unless ``complete`` is set,
and a document with a negative grade counts as not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from leadline.errors import InputError, NothingToEvaluate, UnknownName, UsageError
from leadline.integrations import _trec_only as only
from leadline.integrations._trec_only import Lists
from leadline.rankings.entries import Floats
from leadline.rankings.track import Track
from leadline.rankings.view import ratio

__all__ = ["FAMILIES", "NICKNAMES", "Results", "chosen", "evaluate", "read_zscores"]

_CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(i / 10 for i in range(11))
_LEAST = 1e-5  # what 0 counts as in a geometric mean
_NO_ZSCORE = -1000000.0


# trec_eval's table of measures ----------------------------------------------------------------------------------------
class Family(NamedTuple):
    """A measure as trec_eval lists it: how it is parametrised, computed, summed up and printed."""

    name: str
    value: Callable[[Lists, Any], Any]
    params: str = ""  # "cuts", "levels": a value for each; "numbers", "pairs": all for one value
    default: tuple[float, ...] = ()
    total: str = "mean"  # or "sum", "geometric"
    whole: bool = False
    shown: str = "both"  # or "summary", "topics"


def _own(measure: str) -> Callable[[Lists, Any], Floats]:
    return lambda lists, k: lists.of(measure, k)


def _log(measure: str) -> Callable[[Lists, Any], Floats]:
    return lambda lists, _: np.log(np.maximum(lists.of(measure), _LEAST))


FAMILIES: tuple[Family, ...] = (
    Family("runid", lambda lists, _: lists.track.reading, shown="summary"),
    Family("num_q", lambda lists, _: np.ones(len(lists.track.topics)), total="sum", whole=True, shown="summary"),
    Family("num_ret", lambda lists, _: lists.counts[0], total="sum", whole=True),
    Family("num_rel", lambda lists, _: lists.counts[1], total="sum", whole=True),
    Family("num_rel_ret", lambda lists, _: lists.counts[2], total="sum", whole=True),
    Family("map", _own("AP")),
    Family("gm_map", _log("AP"), total="geometric", shown="summary"),
    Family("Rprec", _own("Rprec")),
    Family("bpref", _own("Bpref")),
    Family("recip_rank", _own("RR")),
    Family("iprec_at_recall", _own("IPrec"), "levels", _TENTHS),
    Family("P", _own("P"), "cuts", _CUTS),
    Family("relstring", lambda lists, length: lists.grade_at_ranks(int(length[0])), "numbers", (10,), shown="topics"),
    Family("recall", _own("R"), "cuts", _CUTS),
    Family("infAP", _own("infAP")),
    Family("gm_bpref", _log("Bpref"), total="geometric", shown="summary"),
    Family("Rprec_mult", only.at_multiple_of_r, "levels", tuple(i / 5 for i in range(1, 11))),
    Family("utility", only.utility, "numbers", (1.0, -1.0, 0.0, 0.0)),
    Family("11pt_avg", only.eleven_points, "numbers", _TENTHS),
    Family("binG", only.bin_g),
    Family("G", only.gain_over_cost, "pairs"),
    Family("dcg", lambda lists, pairs: only.dcg(lists, pairs)[0], "pairs"),
    Family("ideal_dcg", lambda lists, pairs: only.dcg(lists, pairs)[1], "pairs"),
    Family("ndcg", lambda lists, pairs: np.nan_to_num(ratio(*only.dcg(lists, pairs))), "pairs"),
    Family("ndcg_rel", only.ndcg_rel, "pairs"),
    Family("Rndcg", only.rndcg, "pairs"),
    Family("ndcg_cut", _own("nDCG"), "cuts", _CUTS),
    Family("map_cut", _own("AP"), "cuts", _CUTS),
    Family("relative_P", only.relative_p, "cuts", _CUTS),
    Family("success", _own("Success"), "cuts", (1, 5, 10)),
    Family("set_P", _own("SetP")),
    Family("set_relative_P", only.set_relative_p),
    Family("set_recall", _own("SetR")),
    Family("set_map", only.set_map),
    Family("set_F", lambda lists, x: lists.of("SetF", beta=x[0] ** 0.5), "numbers", (1.0,)),
    Family("num_nonrel_judged_ret", lambda lists, _: lists.judged() - lists.counts[2], total="sum", whole=True),
    Family("yaap", only.yaap),
    Family("rbp", only.rbp, "pairs"),
    Family("rbp_resid", only.rbp_residual, "pairs"),
    Family("unj", only.unjudged, "cuts", (5, 10, 20)),
)  # fmt: skip

_OFFICIAL = (
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    "iprec_at_recall", "P",
)  # fmt: skip
_SET = ("set_P", "set_recall", "set_relative_P", "set_map", "set_F")
NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": _OFFICIAL,
    "set": ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", *_SET),
    "all_trec": tuple(f.name for f in FAMILIES if f.name not in ("dcg", "ideal_dcg", "yaap")),
}
_OTHER_INPUT = ("prefs", "all_prefs", "qrels_jg")


class Chosen(NamedTuple):
    """A family with its parameters as they were given."""

    family: Family
    given: str = ""

    def members(self) -> list[tuple[str, Any]]:
        """The name printed for each value, and what to compute it with."""
        f = self.family
        try:
            if f.params in ("cuts", "levels"):
                numbers = sorted(map(float, self.given.split(","))) if self.given else list(f.default)
                if f.params == "levels":
                    return [(f"{f.name}_{x:3.2f}", x) for x in numbers]
                if any(int(x) < 1 for x in numbers) or len({int(x) for x in numbers}) < len(numbers):
                    raise ValueError
                return [(f"{f.name}_{int(x)}", int(x)) for x in numbers]
            name = f"{f.name}_{self.given}" if self.given else f.name
            if f.params == "pairs":
                pairs = [pair.split("=") for pair in self.given.split(",")] if self.given else []
                return [(name, {level: float(gain) for level, gain in pairs})]
            if f.params == "numbers":
                return [(name, tuple(map(float, self.given.split(","))) if self.given else f.default)]
        except ValueError:
            raise UsageError(f"Cannot read the parameters of the measure {f.name}.{self.given}.") from None
        if self.given:
            raise UsageError(f"The measure {f.name} takes no parameters. Got {self.given!r}.")
        return [(f.name, None)]


def chosen(measures: Iterable[str]) -> list[Chosen]:
    """Measures by trec_eval's names and nicknames, in trec_eval's order; parameters follow a point: ``P.5,10``.

    >>> [name for c in chosen(["ndcg_cut.20,5", "map"]) for name, _ in c.members()]
    ['map', 'ndcg_cut_5', 'ndcg_cut_20']
    """
    known = {f.name for f in FAMILIES}
    wanted: dict[str, str] = {}
    for text in measures:
        name, _, given = text.partition(".")
        if name in _OTHER_INPUT or name.startswith("prefs_") or name.endswith("_avgjg"):
            raise UsageError(f"The measure {name!r} needs preferences or judgment groups, which are not read here.")
        if name not in known and name not in NICKNAMES:
            raise UnknownName("trec_eval measure", name, [*known, *NICKNAMES])
        for member in NICKNAMES.get(name, (name,)):
            if member == name and given and not wanted.get(member):  # the first parameters given count
                wanted[member] = given
            wanted.setdefault(member, "")
    return [Chosen(f, wanted[f.name]) for f in FAMILIES if f.name in wanted]


class Results(NamedTuple):
    """Values for each topic and in all, in trec_eval's order."""

    topics: tuple[str, ...]
    rows: list[tuple[Family, str, Any, Any]]  # family, name, value of each topic, value of all

    def text(self, *, per_topic: bool = False, summary: bool = True) -> str:
        """As trec_eval prints it."""
        order = sorted(range(len(self.topics)), key=lambda t: self.topics[t].encode("utf-8", "surrogateescape"))
        lines = []
        for t in order if per_topic else ():
            rows = [row for row in self.rows if row[0].shown != "summary"]
            lines += [_line(family, name, self.topics[t], values[t]) for family, name, values, _ in rows]
        if summary:
            lines += [_line(family, name, "all", total) for family, name, _, total in self.rows if total is not None]
        return "".join(lines)


def _line(family: Family, name: str, topic: str, value: Any) -> str:
    if family.name == "relstring":
        shown = f"'{value}'"
    elif family.name == "runid":
        shown = str(value)
    else:
        shown = str(int(value)) if family.whole else f"{value:6.4f}"
    return f"{name:<22}\t{topic}\t{shown}\n"


def evaluate(
    track: Track,
    measures: Iterable[str] = ("official",),
    *,
    level: int = 1,
    complete: bool = False,
    judged_only: bool = False,
    most: int | None = None,
    docs: int = 0,
    zscores: Mapping[tuple[str, str], tuple[float, float]] | None = None,
) -> Results:
    """One run by trec_eval's measures; the options are trec_eval's -l, -c, -J, -M, -N and -Z.

    >>> import leadline
    >>> track = leadline.read({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"b": 2.0, "a": 1.0}}})
    >>> print(evaluate(track, ["recip_rank", "P.1,2"]).text(), end="")
    recip_rank            	all	0.5000
    P_1                   	all	0.0000
    P_2                   	all	0.5000
    """
    if len(track.runs) != 1:
        raise UsageError(f"trec_eval evaluates one run at a time. Got {len(track.runs)} runs.")
    if not complete:
        track = track.common()
    if most is not None:
        track = track.truncated(np.full(len(track.lengths), most))
    tag = track.reading.tags[0] if track.reading is not None and track.reading.tags[0] else track.runs[0]
    lists = Lists(track, level, judged_only, docs)
    rows: list[tuple[Family, str, Any, Any]] = []
    for choice in chosen(measures):
        family = choice.family
        for name, given in choice.members():
            if family.name == "runid":
                rows.append((family, name, None, tag))
                continue
            values = family.value(lists, given)
            if family.shown == "topics":
                rows.append((family, name, values, None))
                continue
            if complete and family.name == "utility":
                values = np.where(track.answered, values, 0.0)
            if zscores is not None and family.name != "num_q":
                values = _standardised(values, name, track.topics, zscores)
            rows.append((family, name, values, _total(family, values)))
    return Results(track.topics, rows)


def _total(family: Family, values: Floats) -> float:
    total = float(np.sum(values))
    if family.total == "sum":
        return total
    mean = total / len(values)
    return float(np.exp(mean)) if family.total == "geometric" else mean


def _standardised(
    values: Floats, name: str, topics: Sequence[str], zscores: Mapping[tuple[str, str], tuple[float, float]]
) -> Floats:
    out = np.full(len(values), _NO_ZSCORE)
    for t, topic in enumerate(topics):
        mean, sd = zscores.get((topic, name), (0.0, -1.0))
        if sd > 0:
            out[t] = (values[t] - mean) / sd
        elif sd == 0 and values[t] == mean:
            out[t] = 0.0
    return out


def read_zscores(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Means and standard deviations by topic and measure, from lines ``topic measure mean deviation``."""
    from leadline.io.aspect_files import text_rows

    found: dict[tuple[str, str], tuple[float, float]] = {}
    problems = []
    for number, fields in text_rows(path):
        try:
            topic, name, mean, deviation = fields
            found[topic, name] = float(mean), float(deviation)
        except ValueError:
            problems.append(f"{path}:{number}: expected topic, measure, mean and deviation, got {' '.join(fields)!r}")
    if problems:
        raise InputError(problems)
    if not found:
        raise NothingToEvaluate(f"{path}: holds no mean and deviation.")
    return found
