"""Coverage-guided fuzzing of compressed and structured input (needs atheris): ``python fuzz/compressed.py -runs=20000``.

Any bytes are either read or refused with an InputError; nothing else may come out.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["leadline.io"]):
    from leadline.errors import InputError, NothingToEvaluate
    from leadline.io import read_files
    from leadline.io.compressed import compression, decompress

FILE = Path(tempfile.mkdtemp()) / "a.run"
QRELS = {"q1": {"d1": 1, "d2": 0}}


def test_one(data: bytes) -> None:
    kind = compression(data)
    try:
        if kind is not None:
            for _ in decompress(data, kind, "fuzz", max_size=1 << 20):
                pass
        FILE.write_bytes(data)
        read_files(QRELS, FILE, threads=1, max_size=1 << 20)
    except (InputError, NothingToEvaluate):
        pass


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one)
    atheris.Fuzz()
