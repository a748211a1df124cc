"""leadline's Python interface on qrels and runs."""

import sys

import leadline

NAMES = ["AP", "nDCG", "nDCG@10", "P@10", "R@100", "RR", "Rprec", "Bpref", "NumRelRet", "Success@5"]


def main(qrels_path: str, *paths: str) -> None:
    print(leadline.evaluate(leadline.read(qrels_path, list(paths)), NAMES).mean())


if __name__ == "__main__":
    main(*sys.argv[1:])
