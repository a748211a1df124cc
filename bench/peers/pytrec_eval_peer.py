"""pytrec_eval on qrels and runs: as its README reads them, or with the leanest reading we could write (--lean)."""

import sys

import pytrec_eval

MEASURES = {
    "map", "ndcg", "ndcg_cut_10", "P_10", "recall_100", "recip_rank", "Rprec", "bpref", "num_rel_ret", "success_5",
}  # fmt: skip


def lean_run(path: str) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    with open(path) as lines:
        for line in lines:
            topic, _, doc, _, score, _ = line.split()
            if topic not in run:
                run[topic] = {}
            run[topic][doc] = float(score)
    return run


def main(qrels_path: str, *paths: str) -> None:
    lean = "--lean" in paths
    with open(qrels_path) as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), MEASURES)
    for path in paths:
        if path == "--lean":
            continue
        if lean:
            run = lean_run(path)
        else:
            with open(path) as lines:
                run = pytrec_eval.parse_run(lines)
        scores = evaluator.evaluate(run)
        for name in sorted(MEASURES):
            values = [s[name] for s in scores.values()]
            print(path, name, pytrec_eval.compute_aggregated_measure(name, values))


if __name__ == "__main__":
    main(*sys.argv[1:])
