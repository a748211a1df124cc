"""Malformed inputs: how each is made, and the whole message it has to get.

``{…}`` in no message: what is expected is written out. Paths are given without their folder.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import zstandard

QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
RUN = b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n"
FORM = "A run has the columns: topic Q0 document rank score tag."
REMOVE = "Remove one, or read leniently (--lenient) to keep the best."
NUMBERS = "Use numbers such as 12.5, 1e-3 or -inf."
GRADES = "Use whole numbers such as 0, 1 or 2."
LAST = "Give a number, or read leniently (--lenient) to rank it last."
BINARY = "the file is binary, got a NUL byte. Give a text file, or one compressed with gzip, zstd, bzip2 or xz."
TRUNCATED = "data ends too early. The file is truncated: copy it again."
ASPECTS = "Further label columns are read if you declare them (--aspects)."


@dataclass(frozen=True)
class Recipe:
    """Content of the run file and of the qrels file, options, and the message."""

    name: str
    message: str
    run: bytes | None = RUN
    qrels: bytes | None = QRELS
    run_file: str = "a.run"
    qrels_file: str = "qrels.txt"
    options: Mapping[str, Any] = field(default_factory=dict)


def run(name: str, text: bytes | str, message: str, file: str = "a.run", **options: Any) -> Recipe:
    return Recipe(name, message, run=text.encode() if isinstance(text, str) else text, run_file=file, options=options)


def qrels(name: str, text: bytes | str, message: str, file: str = "qrels.txt", **options: Any) -> Recipe:
    data = text.encode() if isinstance(text, str) else text
    return Recipe(name, message, qrels=data, qrels_file=file, options=options)


GRADED = [("topicality", None), ("quality", ["low", "high"])]

RECIPES = [
    # columns of runs
    run("no tag", "q1 Q0 d1 1 2.5\n", 'a.run:1: expected 6 columns, got 5 ("q1 Q0 d1 1 2.5"). Is the run tag missing?'),
    run(
        "seven columns",
        "q1 Q0 d1 1 2.5 my tag\n",
        f'a.run:1: expected 6 columns, got 7 ("q1 Q0 d1 1 2.5 my tag"). {FORM}',
    ),
    run("one column", "q1 Q0 d1 1 2.5 t\noops\n", f'a.run:2: expected 6 columns, got 1 ("oops"). {FORM}'),
    run(
        "a qrels file as run",
        QRELS[:20],
        'a.run:1: expected 6 columns, got 4 ("q1 0 d1 1"). Is this a qrels file?\n'
        'a.run:2: expected 6 columns, got 4 ("q1 0 d2 0"). Is this a qrels file?',
    ),
    run(
        "comma separated without header",
        "q1,Q0,d1,1,2.5,t\n",
        f'a.run:1: expected 6 columns, got 1 ("q1,Q0,d1,1,2.5,t"). {FORM}',
    ),
    run(
        "carriage returns only",
        b"q1 Q0 d1 1 2.5 t\rq1 Q0 d2 2 1.5 t\r",
        'a.run:1: expected 6 columns, got 12 ("q1 Q0 d1 1 2.5 t\\rq1 Q0 d2 2 1.5 t"). '
        "Do the lines end as on old Macs? Convert the file.",
    ),
    run(
        "a long line",
        b"q1 Q0 " + b"d" * 200 + b" 1\n",
        f'a.run:1: expected 6 columns, got 4 ("q1 Q0 {"d" * 94}…"). Is this a qrels file?',
    ),
    run(
        "bytes that are no text",
        b"q1 Q0 d\xff\xfe 1 2.5\n",
        'a.run:1: expected 6 columns, got 5 ("q1 Q0 d\\xff\\xfe 1 2.5"). Is the run tag missing?',
    ),
    run(
        "lines count from one, blank ones too",
        "\n\n\nq1 Q0 d1 1 2.5 t\n\nq1 Q0\n",
        f'a.run:6: expected 6 columns, got 2 ("q1 Q0"). {FORM}',
    ),
    run(
        "crlf lines count once",
        "q1 Q0 d1 1 2.5 t\r\nq1 Q0\r\n",
        f'a.run:2: expected 6 columns, got 2 ("q1 Q0"). {FORM}',
    ),
    run(
        "a byte order mark is no column",
        b"\xef\xbb\xbfq1 Q0 d1 1 2.5\n",
        'a.run:1: expected 6 columns, got 5 ("q1 Q0 d1 1 2.5"). Is the run tag missing?',
    ),
    # scores
    run("score is a word", "q1 Q0 d1 1 high t\n", f'a.run:1: the score is no number, got "high". {NUMBERS}'),
    run("decimal comma", "q1 Q0 d1 1 2,5 t\n", f'a.run:1: the score is no number, got "2,5". {NUMBERS}'),
    run("hexadecimal", "q1 Q0 d1 1 0x1F t\n", f'a.run:1: the score is no number, got "0x1F". {NUMBERS}'),
    run("two points", "q1 Q0 d1 1 1.2.3 t\n", f'a.run:1: the score is no number, got "1.2.3". {NUMBERS}'),
    run("empty exponent", "q1 Q0 d1 1 1e t\n", f'a.run:1: the score is no number, got "1e". {NUMBERS}'),
    run("only a sign", "q1 Q0 d1 1 - t\n", f'a.run:1: the score is no number, got "-". {NUMBERS}'),
    run("underscore in a number", "q1 Q0 d1 1 1_000 t\n", f'a.run:1: the score is no number, got "1_000". {NUMBERS}'),
    run(
        "score and rank swapped with document",
        "q1 Q0 1 2.5 d1 t\n",
        f'a.run:1: the score is no number, got "d1". {NUMBERS}',
    ),
    run("NaN", "q1 Q0 d1 1 NaN t\n", f'a.run:1: the score is NaN, got "NaN". {LAST}'),
    run("negative NaN", "q1 Q0 d1 1 -nan t\n", f'a.run:1: the score is NaN, got "-nan". {LAST}'),
    run(
        "rank is no integer",
        "q1 Q0 d1 first 2.5 t\n",
        'a.run:1: the rank is no integer, got "first". Correct it, or choose another tie rule (--ties).',
        ties="rank",
    ),
    run(
        "bad score stays an error when lenient",
        "q1 Q0 d1 1 x t\n",
        f'a.run:1: the score is no number, got "x". {NUMBERS}',
        lenient=True,
    ),
    # duplicates
    run(
        "document twice",
        RUN + b"q1 Q0 d1 3 0.5 t\n",
        f'a.run:3: document "d1" appears twice in topic "q1", got it first on line 1. {REMOVE}',
    ),
    run(
        "document twice, unjudged",
        "q1 Q0 d9 1 2 t\nq1 Q0 d8 2 1 t\nq1 Q0 d9 3 0 t\n",
        f'a.run:3: document "d9" appears twice in topic "q1", got it first on line 1. {REMOVE}',
    ),
    run(
        "document twice, interleaved",
        "q1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n",
        f'a.run:3: document "d1" appears twice in topic "q1", got it first on line 1. {REMOVE}',
    ),
    run(
        "document twice, the better one below",
        "q1 Q0 d1 1 1 t\nq1 Q0 d1 2 2 t\n",
        f'a.run:2: document "d1" appears twice in topic "q1", got it first on line 1. {REMOVE}',
    ),
    run(
        "document three times, topic outside the qrels",
        "q1 Q0 d 1 1 t\nz Q0 d 1 3 t\nz Q0 d 2 2 t\nz Q0 d 3 1 t\n",
        f'a.run:3: document "d" appears twice in topic "z", got it first on line 2. {REMOVE}\n'
        f'a.run:4: document "d" appears twice in topic "z", got it first on line 2. {REMOVE}',
    ),
    run(
        "quotes in a document id",
        'q1 Q0 "a" 1 2 t\nq1 Q0 "a" 2 1 t\n',
        f'a.run:2: document ""a"" appears twice in topic "q1", got it first on line 1. {REMOVE}',
    ),
    # several at once
    run(
        "all problems of a file, in order",
        "q1 Q0 d1 1 x t\nq1 Q0\nq1 Q0 d1 1 nan t\nq1 Q0 d1 1 1 t\nq1 Q0 d1 1 1 t\n",
        f'a.run:1: the score is no number, got "x". {NUMBERS}\na.run:2: expected 6 columns, got 2 ("q1 Q0"). {FORM}\n'
        f'a.run:3: the score is NaN, got "nan". {LAST}\n'
        f'a.run:5: document "d1" appears twice in topic "q1", got it first on line 4. {REMOVE}',
    ),
    run(
        "the first twenty and a count",
        "".join(f"q1 Q0 d{i} 1 x t\n" for i in range(123)),
        "\n".join(f'a.run:{i}: the score is no number, got "x". {NUMBERS}' for i in range(1, 21)) + "\n… and 103 more",
    ),
    Recipe(
        "both files bad",
        f'qrels.txt:1: the grade is no integer, got "x". {GRADES}\na.run:1: the score is no number, got "y". {NUMBERS}',
        run=b"q1 Q0 d1 1 y t\n",
        qrels=b"q1 0 d1 x\n",
    ),
    # whole files
    run(
        "empty file",
        "",
        "a.run: the run file is empty, got no line with columns. "
        "Each line should be: topic Q0 document rank score tag.",
    ),
    run(
        "blank lines only",
        " \n\t\r\n\n",
        "a.run: the run file is empty, got no line with columns. "
        "Each line should be: topic Q0 document rank score tag.",
    ),
    run(
        "byte order mark only",
        b"\xef\xbb\xbf",
        "a.run: the run file is empty, got no line with columns. "
        "Each line should be: topic Q0 document rank score tag.",
    ),
    run("NUL bytes", b"q1 Q0 d1 1 2.5 t\nq1 Q0 d\x002 2 1.5 t\n", f"a.run:2: {BINARY}"),
    run("binary file", bytes(range(256)) * 40, f"a.run:1: {BINARY}"),
    run(
        "UTF-16",
        "q1 Q0 d1 1 2.5 t\n".encode("utf-16"),
        "a.run:1: the file is UTF-16 text, got a NUL byte. Save it as UTF-8.",
    ),
    Recipe("no such run", "a.run: no such file. Check the path of the run file.", run=None),
    Recipe("no such qrels", "qrels.txt: no such file. Check the path of the qrels file.", qrels=None),
    # compressed files
    run("truncated gzip", gzip.compress(RUN * 50)[:-9], f"a.run.gz: the gzip {TRUNCATED}", "a.run.gz"),
    run("gzip header only", gzip.compress(RUN)[:10], f"a.run.gz: the gzip {TRUNCATED}", "a.run.gz"),
    run("truncated zstd", zstandard.compress(RUN * 50)[:-5], f"a.run.zst: the zstd {TRUNCATED}", "a.run.zst"),
    run("truncated bzip2", bz2.compress(RUN * 50)[:-5], f"a.run.bz2: the bzip2 {TRUNCATED}", "a.run.bz2"),
    run("truncated xz", lzma.compress(RUN * 50)[:-5], f"a.run.xz: the xz {TRUNCATED}", "a.run.xz"),
    run(
        "decompresses to too much",
        gzip.compress(RUN * 1000),
        "a.run.gz: decompresses to more than 1,000 bytes. If that is right, raise max_size.",
        "a.run.gz",
        max_size=1000,
    ),
    run(
        "nothing in a gzip file",
        gzip.compress(b""),
        "a.run.gz: the run file is empty, got no line with columns. "
        "Each line should be: topic Q0 document rank score tag.",
        "a.run.gz",
    ),
    run(
        "bad line in a gzip file",
        gzip.compress(RUN + b"q1 Q0\n"),
        f'a.run.gz:3: expected 6 columns, got 2 ("q1 Q0"). {FORM}',
        "a.run.gz",
    ),
    # qrels
    qrels(
        "three columns",
        "q1 0 d1\n",
        'qrels.txt:1: expected 4 columns, got 3 ("q1 0 d1"). Qrels have the columns: topic iteration document grade.',
    ),
    qrels(
        "further label columns", "q1 0 d1 1 2\n", f'qrels.txt:1: expected 4 columns, got 5 ("q1 0 d1 1 2"). {ASPECTS}'
    ),
    qrels(
        "a run as qrels",
        RUN[:17],
        f'qrels.txt:1: expected 4 columns, got 6 ("q1 Q0 d1 1 2.5 t"). Is this a run file? {ASPECTS}',
    ),
    qrels("grade is a word", "q1 0 d1 yes\n", f'qrels.txt:1: the grade is no integer, got "yes". {GRADES}'),
    qrels("grade is a fraction", "q1 0 d1 0.5\n", f'qrels.txt:1: the grade is no integer, got "0.5". {GRADES}'),
    qrels("grade is a real number", "q1 0 d1 1.0\n", f'qrels.txt:1: the grade is no integer, got "1.0". {GRADES}'),
    qrels(
        "grade beyond 32 bits",
        "q1 0 d1 2147483648\n",
        'qrels.txt:1: the grade is out of range, got "2147483648". Use integers from -2147483648 to 2147483647.',
    ),
    qrels(
        "grade of thirty digits",
        f"q1 0 d1 -{'9' * 30}\n",
        f'qrels.txt:1: the grade is out of range, got "-{"9" * 30}". Use integers from -2147483648 to 2147483647.',
    ),
    qrels(
        "document judged twice",
        QRELS + b"q1 0 d2 0\n",
        'qrels.txt:4: document "d2" is judged twice in topic "q1", '
        "got it first on line 2. Remove one, or read leniently (--lenient) to keep the highest grade.",
    ),
    qrels(
        "empty qrels",
        "\n",
        "qrels.txt: the qrels file is empty, got no line with columns. "
        "Each line should be: topic iteration document grade.",
    ),
    qrels("binary qrels", b"q1 0 d1 1\n\x00", f"qrels.txt:2: {BINARY}"),
    qrels(
        "an aspect is missing",
        "q1 0 d1 1\n",
        'qrels.txt:1: expected 5 columns, got 4 ("q1 0 d1 1"). '
        "Qrels have the columns: topic iteration document topicality quality.",
        aspects=GRADED,
    ),
    qrels(
        "unknown label",
        "q1 0 d1 1 high\nq1 0 d2 0 so-so\n",
        "qrels.txt:2: the label of 'quality' is unknown, got \"so-so\". Declared are: low, high.",
        aspects=GRADED,
    ),
    qrels(
        "label of an aspect is no integer",
        "q1 0 d1 x low\n",
        f"qrels.txt:1: the label of 'topicality' is no integer, got \"x\". {GRADES}",
        aspects=GRADED,
    ),
    # tables and JSON
    run(
        "a CSV file without the columns",
        "a,b,c\n1,2,3\n",
        'a.csv: no column for the score, got "a, b, c". Name one of them score or sim or relevance.',
        "a.csv",
    ),
    run(
        "a CSV file without a document",
        "qid,score\nq1,3\n",
        'a.csv: no column for the document, got "qid, score". Name one of them doc_id or docno or docid.',
        "a.csv",
    ),
    run(
        "a short CSV line",
        "qid,docno,score\nq1,d1,1\nq1,d2\n",
        'a.csv:3: expected 3 columns, got 2 ("q1,d2"). Give every line as many as the header has.',
        "a.csv",
    ),
    run(
        "a CSV score",
        "qid,docno,score\nq1,d1,high\n",
        'a.csv:2: the score is no number, got "high". Use a number.',
        "a.csv",
    ),
    run(
        "a CSV duplicate",
        "qid,docno,score\nq1,d1,2\n\nq1,d1,1\n",
        f'a.csv:4: document "d1" appears twice in topic "q1", got it first on line 2. {REMOVE}',
        "a.csv",
    ),
    run("a CSV NaN", "qid,docno,score\nq1,d1,nan\n", f'a.csv:2: the score is NaN, got "nan". {LAST}', "a.csv"),
    run(
        "an empty id in CSV",
        "qid,docno,score\nq1,,1\n",
        "a.csv:2: a document id must be a non-empty string, got ''. Convert it first.",
        "a.csv",
    ),
    run(
        "an open quote in CSV",
        'qid,docno,score\nq1,"d1,1\n',
        'a.csv:2: no table, got "unexpected end of data". Check the quotes on this line.',
        "a.csv",
    ),
    run(
        "a header only",
        "qid,docno,score\n",
        "a.csv: the run file is empty, got no record after the header. Give at least one.",
        "a.csv",
    ),
    run(
        "broken JSON",
        '{"q1":\n {"d1": }}',
        'a.json:2: no JSON (Expecting value), got " {"d1": }}". Correct it.',
        "a.json",
    ),
    run(
        "JSON of another shape",
        "[1, 2]",
        'a.json: expected {topic: {document: value}} or a list of records, got "[1, 2]". '
        "Write one object for each topic.",
        "a.json",
    ),
    run(
        "a JSON score",
        json.dumps({"q1": {"d1": "high"}}),
        "a.json: topic 'q1', document 'd1': the score is no number, got 'high'. Convert it first.",
        "a.json",
    ),
    run(
        "a document twice in JSON",
        '{"q1": {"d1": 1, "d1": 2}}',
        'a.json: a key is given twice, got "d1". Remove one.',
        "a.json",
    ),
    run(
        "NaN in JSON",
        '{"q1": {"d1": NaN}}',
        f'a.json, topic "q1", document "d1": the score is NaN, got "nan". {LAST}',
        "a.json",
    ),
    run("an empty JSON object", "{}", "a.json: nothing in it, got no topic. Give at least one.", "a.json"),
    run(
        "a broken JSON line",
        '{"qid": "q1", "docno": "d1", "score": 1}\n{"qid": \n',
        'a.jsonl:2: no JSON (Expecting value), got "{"qid": ". Write one object per line.',
        "a.jsonl",
    ),
    run(
        "a JSON line without score",
        '{"qid": "q1", "docno": "d1", "score": 1}\n{"qid": "q1", "docno": "d2"}\n',
        "a.jsonl:2: \"score\" is missing, got \"{'qid': 'q1', 'docno': 'd2'}\". Add it.",
        "a.jsonl",
    ),
    qrels(
        "a CSV grade",
        "qid,docno,label\nq1,d1,0.5\n",
        'q.csv:2: the grade is no integer of 32 bits, got "0.5". Use a whole number.',
        "q.csv",
    ),
]
