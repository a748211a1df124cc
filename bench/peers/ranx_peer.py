"""ranx on qrels and runs, with its own readers; --warm evaluates once before, so that its compilation is not counted."""

import sys
import time
import warnings

warnings.simplefilter("ignore")
import ranx  # noqa: E402

NAMES = ["map", "ndcg", "ndcg@10", "precision@10", "recall@100", "mrr", "r-precision", "bpref", "hits", "hit_rate@5"]


def evaluate(qrels_path: str, paths: list[str]) -> None:
    qrels = ranx.Qrels.from_file(qrels_path, kind="trec")
    for path in paths:
        run = ranx.Run.from_file(path, kind="trec")
        print(path, ranx.evaluate(qrels, run, NAMES, make_comparable=True))


def main(qrels_path: str, *given: str) -> None:
    paths = [p for p in given if p != "--warm"]
    if "--warm" in given:
        evaluate(qrels_path, paths[:1])
    began = time.perf_counter()
    evaluate(qrels_path, paths)
    print(f"seconds={time.perf_counter() - began}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
