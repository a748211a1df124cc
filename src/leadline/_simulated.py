"""All lists of one simulated run as arrays: sorting, scaling, pooling and printing them, every topic at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

__all__ = ["MILLION", "NIL", "Lists", "best", "eight_digits", "judge", "open_run", "run_text", "scale"]

MILLION = 1_000_000  # scores are whole millionths until they are printed
NIL = b"NIL"


@dataclass(frozen=True, eq=False)
class Lists:
    """All lists of one run: candidates and scores (in millionths) by topic and rank, and how long each list is."""

    candidate: NDArray[np.int32]
    score: NDArray[np.int32]
    length: NDArray[np.int64]  # -1: the run does not answer the topic
    whole_digits: int
    decimals: int


def best(z: NDArray[np.float32], depth: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Candidates and evidence by descending evidence; one integer holds both, so plain sorting does it."""
    bits = (z.shape[1] - 1).bit_length()
    key = (z * np.float32(-(2.0**24))).astype(np.int64)
    key <<= bits
    key |= np.arange(z.shape[1])
    key.sort(axis=1)
    key = key[:, :depth]
    return (key & ((1 << bits) - 1)).astype(np.int32), (key >> bits).astype(np.float32) * np.float32(-(2.0**-24))


def scale(y: NDArray[np.float32], low: float, high: float, decimals: int) -> NDArray[np.int32]:
    """Scores in millionths between ``low`` and ``high``: all different in a list, or rounded to few decimals."""
    lowest, highest = float(y.min()), float(y.max())
    unit = (y.astype(np.float64) - lowest) / max(highest - lowest, 1e-9)
    score: NDArray[np.int64] = np.rint((low + unit * (high - low)) * MILLION).astype(np.int64)
    if decimals < 6:
        step = 10 ** (6 - decimals)
        score = (score + step // 2) // step * step
    else:
        rank = np.arange(y.shape[1])
        score = np.minimum.accumulate(score + rank, axis=1) - rank
    return score.astype(np.int32)


def judge(judged: NDArray[np.bool_], lists: Lists, depth: int) -> None:
    """Mark the first ``depth`` documents of every list, ties by descending document id (that is, candidate)."""
    candidates = judged.shape[1]
    listed = np.arange(lists.candidate.shape[1]) < lists.length[:, None]
    beyond = np.int64(2**62)
    key = np.where(listed, -(lists.score.astype(np.int64) * candidates + lists.candidate), beyond)
    key = np.sort(key, axis=1)[:, :depth]
    topic, _ = np.nonzero(key < beyond)
    judged[topic, -key[key < beyond] % candidates] = True


def open_run(path: Path, compress: bool) -> IO[bytes]:
    """The file to write a run to, ``.gz`` added if compressed; equal lists give equal bytes, so no date inside."""
    if not compress:
        return path.open("wb")
    from gzip import GzipFile

    return GzipFile(f"{path}.gz", "wb", compresslevel=1, mtime=0)  # type: ignore[return-value]


def run_text(
    topics: tuple[str, ...], docnos: NDArray[np.bytes_], lists: Lists, tag: str
) -> Iterator[bytes | memoryview]:
    """The lines of one run, topic by topic.

    All topics are laid out at once in a byte matrix, in which a line's width depends on the digits of its rank only: so
    a shorter list is a prefix of its row.
    """
    count, depth = lists.candidate.shape
    head, tail = np.array([f"{t} Q0 " for t in topics], "S")[:, None], f" {tag}\n".encode()
    docs = np.take_along_axis(docnos, lists.candidate, axis=1)
    scores = _digits(lists)
    sections, ends, at = [], [np.zeros(1, np.int64)], 0
    for digits in range(1, len(str(depth)) + 1):
        ranks = np.arange(10 ** (digits - 1), min(10**digits, depth + 1))
        columns = ("head", head.dtype), ("doc", docs.dtype), ("rank", f"S{digits + 2}"), ("score", scores.dtype)
        line = np.dtype([*columns, ("tail", f"S{len(tail)}")])
        sections.append((ranks, line, at))
        ends.append(at + np.arange(1, len(ranks) + 1) * line.itemsize)
        at += len(ranks) * line.itemsize
    page = np.empty((count, at), np.uint8)
    for ranks, line, start in sections:
        here = slice(ranks[0] - 1, ranks[-1])
        lines = page[:, start : start + len(ranks) * line.itemsize].view(line)
        lines["head"], lines["tail"] = head, tail
        lines["rank"] = np.array([f" {k} " for k in ranks], "S")
        lines["doc"], lines["score"] = docs[:, here], scores[:, here]
    stop = np.concatenate(ends)[lists.length.clip(min=0)]
    rows = (page[t, : stop[t]] for t in range(count))
    if docnos[0, -1] == NIL:  # shorter than the other ids, so padded
        return (row.tobytes().replace(b"\0", b"") for row in rows)
    return (row.data for row in rows)


def eight_digits(number: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Eight characters for each number below 10⁸, four at a time from a table."""
    four = np.array([f"{i:04d}" for i in range(10_000)], "S4").view(np.uint32)
    out = np.empty((*number.shape, 2), np.uint32)
    high, low = np.divmod(number, 10_000)
    out[..., 0], out[..., 1] = four[high], four[low]
    return out.view(np.uint8)


def _digits(lists: Lists) -> NDArray[np.bytes_]:
    """The scores as text of one width."""
    digits = eight_digits(np.abs(lists.score))
    out = np.empty((*lists.score.shape, 10), np.uint8)
    out[..., 1:3], out[..., 3], out[..., 4:] = digits[..., :2], ord("."), digits[..., 2:]
    start = 3 - lists.whole_digits
    if lists.score[0, 0] < 0:
        start -= 1
        out[..., start] = ord("-")
    return np.ascontiguousarray(out[..., start : 4 + lists.decimals]).view(f"S{4 + lists.decimals - start}")[..., 0]
