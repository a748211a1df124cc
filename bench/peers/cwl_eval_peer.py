"""cwl_eval's command on each run: its own set of user-model measures (it has none of the ten).

It wants gains between 0 and 1, so grades are divided by the highest one first.
"""

import subprocess
import sys
import tempfile


def main(qrels_path: str, *paths: str) -> None:
    with open(qrels_path) as lines:
        rows = [line.split() for line in lines]
    top = max(int(row[3]) for row in rows)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as gains:
        gains.writelines(f"{t} {i} {d} {max(int(g), 0) / top}\n" for t, i, d, g in rows)
        gains.flush()
        for path in paths:
            subprocess.run(["cwl-eval", gains.name, path], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
