"""W2x: one reading; 25 measures, the best length for 12 measures, curves at all depths for four."""

import sys
import time
from itertools import pairwise

EVALUATED = [
    "AP", "nDCG", "nDCG@10", "P@10", "R@100", "RR", "Rprec", "Bpref", "NumRelRet", "Success@5", "ERR@20", "RBP(p=0.8)",
    "RBP(p=0.95)", "Q(beta=1)", "infAP", "AP(norm='min')@10", "iRBU(p=0.98)", "U(e=0.05)", "RBPU(p=0.98, e=0.05)",
    "DCGU(e=0.05)", "ERRU(e=0.05)", "RRT", "RBPT(p=0.8)", "nDCGT", "OIE(beta=1.05)",
]  # fmt: skip
TRUNCATED = [
    "U(e=0.05)", "RBPU(p=0.98, e=0.05)", "DCGU(e=0.05)", "RBU(p=0.98, e=0.05)", "ERRU(e=0.05)", "RRT", "RBPT(p=0.8)",
    "nDCGT", "APT", "ERRT", "OIE(beta=1.05)", "SetF(beta=1)",
]  # fmt: skip
CURVED = ["AP", "nDCG", "RBP(p=0.95)", "ERR"]


def main(qrels_path: str, *paths: str) -> None:
    import leadline

    steps = [("import", time.perf_counter())]
    track = leadline.read(qrels_path, list(paths))
    steps.append(("read", time.perf_counter()))
    print(leadline.evaluate(track, EVALUATED).mean().sum())
    steps.append(("evaluate", time.perf_counter()))
    print(leadline.truncate(track, TRUNCATED))
    steps.append(("truncate", time.perf_counter()))
    print(sum(c.sum() for c in (leadline.curve(track, m, by="depth").mean(m) for m in CURVED)))
    steps.append(("curves", time.perf_counter()))
    for (_, a), (name, b) in pairwise(steps):
        print(f"{name}={b - a:.3f}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
