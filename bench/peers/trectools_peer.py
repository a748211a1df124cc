"""trectools on qrels and runs: the seven of the ten measures that it has."""

import sys
import warnings

warnings.simplefilter("ignore")
from trectools import TrecEval, TrecQrel, TrecRun  # noqa: E402


def main(qrels_path: str, *paths: str) -> None:
    qrels = TrecQrel(qrels_path)
    for path in paths:
        score = TrecEval(TrecRun(path), qrels)
        print(
            path, score.get_map(depth=1000), score.get_ndcg(), score.get_ndcg(depth=10), score.get_precision(depth=10),
            score.get_reciprocal_rank(), score.get_rprec(), score.get_bpref(),
        )  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
