"""Tables that are nothing but parquet files: workers open them, and their rows never pass through Java.

To hand twenty million rows over to Python takes Spark longer than it takes to evaluate them. Where a DataFrame is a
plain folder of files that can be seen from here, and no topic is in two of the partitions that they are dealt to,
workers read the files themselves. Everything else goes the ordinary way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

__all__ = ["Scan", "parquet_rows", "plain_files", "scanned"]

_ROWS = 2_500_000  # of one partition, about


@dataclass(frozen=True)
class Scan:
    """The files of each partition, their columns by our names, and the judged topics that none of them has."""

    shares: tuple[tuple[str, ...], ...]
    columns: dict[str, str]
    unanswered: Any


def plain_files(session: Any, frame: Any) -> list[str]:
    """The files of a DataFrame that is one folder of parquet files as it stands; none if it is anything else."""
    try:
        addresses = [urlsplit(address) for address in frame.inputFiles()]
    except Exception:  # not every plan can tell (a stream, say), and each in its own words
        return []
    files = sorted(Path(unquote(a.path)) for a in addresses if a.scheme in ("", "file") and a.path.endswith(".parquet"))
    folders = {file.parent for file in files}
    if len(files) < len(addresses) or len(folders) != 1 or not all(file.is_file() for file in files):
        return []
    return list(map(str, files)) if frame.sameSemantics(session.read.parquet(str(folders.pop()))) else []


def scanned(
    session: Any, files: Sequence[str], columns: dict[str, str], judged: Any, partitions: int | None
) -> Scan | None:
    """How the files are dealt to partitions; None if a topic would be in two of them."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    rows = sum(pq.ParquetFile(file).metadata.num_rows for file in files)
    wanted = partitions or max(2 * session.sparkContext.defaultParallelism, rows // _ROWS)
    many = min(wanted, len(files))
    shares = tuple(tuple(files[i * len(files) // many : (i + 1) * len(files) // many]) for i in range(many))
    found = session.range(0, many, 1, many).mapInArrow(partial(_topics, shares, columns["topic"]), "topics binary")
    own = [pa.ipc.open_stream(row.topics).read_all()["topic"].combine_chunks() for row in found.collect()]
    topics = pa.concat_arrays(own)
    if topics.null_count or len(pc.unique(topics)) < len(topics):
        return None
    missing = pc.invert(pc.is_in(judged, value_set=topics.cast(pa.large_binary())))
    return Scan(shares, columns, judged.filter(missing))


def _topics(shares: tuple[tuple[str, ...], ...], column: str, batches: Iterator[Any]) -> Iterator[Any]:
    """The topics of each partition, once each, as one cell; runs on a worker."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for batch in batches:
        for i in batch.column("id").to_pylist():
            names = pc.unique(parquet_rows(shares[i], {"topic": column})["topic"])
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, pa.schema([("topic", names.type)])) as out:
                out.write_batch(pa.record_batch([names], ["topic"]))
            yield pa.RecordBatch.from_pydict({"topics": [sink.getvalue().to_pybytes()]})


def parquet_rows(files: Sequence[str], columns: dict[str, str]) -> Any:
    """The rows of parquet files, columns under our names; ids as texts, decimal scores as numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = list(dict.fromkeys(columns.values()))
    table = pa.concat_tables(
        (pq.ParquetFile(file).read(columns=names) for file in files), promote_options="permissive"
    ).combine_chunks()  # fmt: skip
    cells = {}
    for role, name in columns.items():
        cell = table[name]
        if role in ("topic", "doc", "run"):
            cell = cell.cast(pa.large_string())
        elif pa.types.is_decimal(cell.type):
            cell = cell.cast(pa.float64())
        cells[role] = cell
    return pa.table(cells).combine_chunks()
