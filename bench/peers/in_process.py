"""One peer's whole job, from files to means, inside a process where everything is imported and has run once.

    python in_process.py ranx_peer 5 QRELS RUN...

prints the seconds of each of five repeats.
"""

import contextlib
import io
import sys
import time
from importlib import import_module


def main(peer: str, repeats: str, *files: str) -> None:
    job = import_module(peer).main
    seconds = []
    for _ in range(int(repeats) + 1):
        began = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            job(*files)
        seconds.append(time.perf_counter() - began)
    print(*seconds[1:])


if __name__ == "__main__":
    main(*sys.argv[1:])
