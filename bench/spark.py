"""leadline on Spark against leadline alone (run files) and against Spark's own ways (a table of rankings).

    python bench/spark.py files [--runs 100] [--topics 250] [--depth 1000]
    python bench/spark.py table [--rows 20_000_000] [--peer-rows 500_000]

One Spark of all processors on this machine. Start-up, that is the session and a first small job that starts the Python
workers, is left out. ``table`` compares rows per second: the peers are slow, so they get a part of the table. leadline
computes ten measures; a function per topic with ``applyInArrow`` nine of them (with pytrec_eval) or only nDCG@10, and
``RankingMetrics`` three (after the joins and sorts it needs). As a measure of what is Spark's own share, the same rows are
also only handed to Python and dropped; leadline's workers open the parquet files themselves, or get the rows from Spark.
Needs Java, ``pip install 'leadline[spark]'`` and pytrec_eval.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import leadline
from leadline.integrations import spark

MEASURES = ["AP", "nDCG", "nDCG@10", "P@10", "R@100", "RR", "Rprec", "Bpref", "NumRelRet", "RBP(p=0.8)"]


def session() -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    found = (
        SparkSession.builder.master("local[*]")
        .config("spark.driver.memory", "6g")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100000")
        .getOrCreate()
    )
    found.sparkContext.setLogLevel("ERROR")
    return found


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    before = time.perf_counter()
    found = work()
    return time.perf_counter() - before, found


def warm(on: Any, folder: Path) -> None:
    """Start the Python workers and load what they need."""
    spark.evaluate(spark.read(on, folder / "qrels.txt", sorted((folder / "runs").iterdir())[:2]), MEASURES).rows.count()


def files(args: argparse.Namespace) -> None:
    """Run files: rows of scores on Spark against local evaluate, interleaved."""
    from leadline import simulate

    with tempfile.TemporaryDirectory() as place:
        folder = simulate.simulate(runs=args.runs, topics=args.topics, depth=args.depth, rng=1).write(place)
        on = session()
        warm(on, folder)
        seconds: dict[str, list[float]] = {"local": [], "spark": []}
        for _ in range(args.repeats):
            taken, local = timed(
                lambda: leadline.evaluate(leadline.read(folder / "qrels.txt", folder / "runs"), MEASURES).mean()
            )
            seconds["local"].append(taken)
            taken, rows = timed(
                lambda: (
                    spark.evaluate(spark.read(on, folder / "qrels.txt", folder / "runs"), MEASURES).totals().collect()
                )
            )
            seconds["spark"].append(taken)
        found = {(r.run, r.measure): r.value for r in rows}
        runs = sorted({r.run for r in rows})
        worst = max(
            abs(found[run, str(leadline.parse(m))] - local[i, j])
            for i, run in enumerate(runs)
            for j, m in enumerate(MEASURES)
        )
        documents = args.runs * args.topics * args.depth
        middle = {name: statistics.median(s) for name, s in seconds.items()}
        print(
            f"{args.runs} run files, {documents / 1e6:.0f} M lines, {len(MEASURES)} measures, {os.cpu_count()} processors"
        )
        for name, taken in middle.items():
            print(
                f"  {name:6} {taken:7.2f} s  {documents / taken / 1e6:6.2f} M lines/s  (all: {', '.join(f'{s:.2f}' for s in seconds[name])})"
            )
        print(f"  spark / local = {middle['spark'] / middle['local']:.2f}; largest difference of means {worst:.1e}")
        on.stop()


def make_table(place: str, rows: int, depth: int, judged: int) -> tuple[str, str, int]:
    """Rankings and qrels as parquet: `depth` documents of each topic, the judged among the better ranked."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(3)
    topics = rows // depth
    names = pa.array([f"q{t}" for t in range(topics)])
    docs = pa.array([f"clueweb-{d:07d}" for d in range(depth * 2)])
    runs, qrels = os.path.join(place, "runs"), os.path.join(place, "qrels")
    os.mkdir(runs)
    os.mkdir(qrels)
    per_file = max(topics // 8, 1)
    for start in range(0, topics, per_file):
        own = np.arange(start, min(start + per_file, topics))
        chosen = np.argsort(rng.random((len(own), depth * 2), dtype=np.float32), axis=1)
        ranked = chosen[:, :depth]
        pq.write_table(pa.table({
            "qid": names.take(np.repeat(own, depth)), "docno": docs.take(ranked.ravel()),
            "score": rng.random(ranked.size),
        }), os.path.join(runs, f"{start}.parquet"))  # fmt: skip
        few = chosen[:, -2 * judged :: 1][:, :judged]
        few = np.concatenate([ranked[:, : judged // 2], few[:, : judged - judged // 2]], axis=1)
        pq.write_table(pa.table({
            "qid": names.take(np.repeat(own, judged)), "docno": docs.take(few.ravel()),
            "label": rng.integers(0, 3, few.size),
        }), os.path.join(qrels, f"{start}.parquet"))  # fmt: skip
    return runs, qrels, topics


def ndcg_of_a_topic(table):  # type: ignore[no-untyped-def]
    """nDCG@10 of one topic, as one writes it for applyInArrow."""
    import pyarrow as pa

    order = np.argsort(-table["score"].to_numpy(), kind="stable")[:10]
    label = np.nan_to_num(table["label"].to_numpy())
    discount = 1 / np.log2(np.arange(2, 12))
    best = np.sort(label)[::-1][:10]
    ideal = float((best * discount[: len(best)]).sum())
    value = float((label[order] * discount[: len(order)]).sum()) / ideal if ideal else 0.0
    return pa.table({"qid": table["qid"].slice(0, 1), "value": [value]})


NINE = ["map", "ndcg", "ndcg_cut_10", "P_10", "recall_100", "recip_rank", "Rprec", "bpref", "num_rel_ret"]


def nine_of_a_topic(table):  # type: ignore[no-untyped-def]
    """Nine of leadline's ten measures of one topic with pytrec_eval."""
    import pyarrow as pa
    import pytrec_eval

    topic = table["qid"][0].as_py()
    docs, scores, labels = (table[name].to_pylist() for name in ("docno", "score", "label"))
    run = {doc: score for doc, score in zip(docs, scores, strict=True) if score is not None}
    judged = {doc: label for doc, label in zip(docs, labels, strict=True) if label is not None}
    found = pytrec_eval.RelevanceEvaluator({topic: judged}, set(NINE)).evaluate({topic: run}).get(topic, {})
    return pa.table({"qid": [topic]} | {name: [float(found.get(name, 0))] for name in NINE})


def nine_in_arrow(runs: Any, qrels: Any) -> Any:
    joined = runs.join(qrels, ["qid", "docno"], "full").select("qid", "docno", "score", "label")
    schema = "qid string, " + ", ".join(f"{name} double" for name in NINE)
    return joined.groupBy("qid").applyInArrow(nine_of_a_topic, schema).agg(dict.fromkeys(NINE, "avg")).collect()


def dropped(batches):  # type: ignore[no-untyped-def]
    import pyarrow as pa

    yield pa.RecordBatch.from_pydict({"n": [sum(batch.num_rows for batch in batches)]})


def handed_over(runs: Any, qrels: Any) -> Any:
    return runs.repartition("qid").mapInArrow(dropped, "n long").collect()


def apply_in_arrow(runs: Any, qrels: Any) -> Any:
    joined = runs.join(qrels, ["qid", "docno"], "left").select("qid", "score", "label")
    return (
        joined.groupBy("qid").applyInArrow(ndcg_of_a_topic, "qid string, value double").agg({"value": "avg"}).collect()
    )


def ranking_metrics(runs: Any, qrels: Any) -> Any:
    """Spark's RankingMetrics: needs each topic's documents as lists, the ranking in order."""
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import functions as sql

    ranked = runs.groupBy("qid").agg(
        sql.expr("transform(sort_array(collect_list(struct(score, docno)), false), x -> x.docno) AS ranked")
    )
    relevant = qrels.where("label > 0").groupBy("qid").agg(sql.collect_list("docno").alias("relevant"))
    metrics = RankingMetrics(ranked.join(relevant, "qid").select("ranked", "relevant").rdd.map(tuple))
    return metrics.precisionAt(10), metrics.ndcgAt(10), metrics.meanAveragePrecision


def table(args: argparse.Namespace) -> None:
    """A table of rankings: rows per second."""
    with tempfile.TemporaryDirectory() as place:
        run_path, qrels_path, topics = make_table(place, args.rows, args.depth, args.judged)
        on = session()
        runs, qrels = on.read.parquet(run_path), on.read.parquet(qrels_path)
        part = "cast(substr(qid, 2) as int) < {}"
        warm_runs, warm_qrels = (f.where(part.format(5_000)).persist() for f in (runs, qrels))
        some_runs, some_qrels = (f.where(part.format(args.peer_rows // args.depth)).persist() for f in (runs, qrels))
        for frame in (warm_runs, warm_qrels, some_runs, some_qrels):
            frame.count()
        speed: dict[str, float] = {}

        def show(name: str, work: Callable[[Any, Any], Any], runs: Any, qrels: Any, rows: int) -> float:
            work(warm_runs, warm_qrels)  # starts Python's workers, has Java compile
            taken, _ = timed(lambda: work(runs, qrels))
            print(f"  {name:44} {rows:>11,} rows {taken:7.2f} s {rows / taken / 1e6:7.3f} M rows/s", flush=True)
            return rows / taken

        for name, peer in (
            ("applyInArrow per topic, 9 measures", nine_in_arrow),
            ("applyInArrow per topic, 1 measure", apply_in_arrow),
            ("RankingMetrics, 3 measures", ranking_metrics),
        ):
            speed[name] = show(name, peer, some_runs, some_qrels, some_runs.count())
        show("rows by topic to Python and dropped", handed_over, runs, qrels, args.rows)
        for name, broadcast in (("workers open the files", True), ("rows through Spark", False)):
            own = show(
                f"leadline, {name}, {len(MEASURES)} measures",
                lambda r, q, broadcast=broadcast: (
                    spark.evaluate(spark.read(on, q, r, broadcast=broadcast), MEASURES).totals().collect()
                ),
                runs, qrels, args.rows,
            )  # fmt: skip
            for peer, its in speed.items():
                print(f"      {own / its:6.1f} × {peer}")
        on.stop()
    print(f"{topics:,} topics of {args.depth} documents, {os.cpu_count()} processors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["files", "table"])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--topics", type=int, default=250)
    parser.add_argument("--depth", type=int, help="documents of a ranking; 1000 in files, 20 in the table")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--judged", type=int, default=2, help="judgments of a topic in the table")
    parser.add_argument("--peer-rows", type=int, default=1_000_000)
    args = parser.parse_args()
    args.depth = args.depth or {"files": 1000, "table": 20}[args.what]
    {"files": files, "table": table}[args.what](args)


if __name__ == "__main__":
    main()
