"""ir_measures on qrels and runs, with its own readers."""

import sys

import ir_measures

NAMES = ["AP", "nDCG", "nDCG@10", "P@10", "R@100", "RR", "Rprec", "Bpref", "NumRelRet", "Success@5"]


def main(qrels_path: str, *paths: str) -> None:
    measures = [ir_measures.parse_measure(n) for n in NAMES]
    qrels = list(ir_measures.read_trec_qrels(qrels_path))
    evaluator = ir_measures.evaluator(measures, qrels)
    for path in paths:
        print(path, evaluator.calc_aggregate(ir_measures.read_trec_run(path)))


if __name__ == "__main__":
    main(*sys.argv[1:])
