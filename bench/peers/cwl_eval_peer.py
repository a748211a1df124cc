"""cwl_eval's command on one run: its own set of user-model measures (it has none of the ten)."""

import subprocess
import sys


def main(qrels_path: str, *paths: str) -> None:
    for path in paths:
        subprocess.run(["cwl-eval", qrels_path, path], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
