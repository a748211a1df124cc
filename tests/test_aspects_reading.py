"""Judgments of several aspects by every way in: files, dictionaries, records, tables; gaps, merges, features."""

from __future__ import annotations

import gzip
import json
from collections import namedtuple

import numpy as np
import pytest

import leadline
from leadline.errors import InputError, UsageError
from leadline.io import from_columns
from leadline.io.aspect_reading import declared_qrels, labels_from_records
from leadline.io.aspects import declare

SPEC = "relevance=nr,mr,hr correctness=nc,c"
LABELS = {"q1": {"a": ("hr", "c"), "b": ("nr", "nc")}, "q2": {"a": ("mr", "nc"), "c": ("mr", "c")}}
RUN = {"x": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 2.0, "z": 1.0}}}
WANTED = {("q1", "a"): [2, 1], ("q1", "b"): [0, 0], ("q2", "a"): [1, 0], ("q2", "c"): [1, 1]}


def lines(gap=""):
    rows = [f"{t} 0 {d} {' '.join(labels)}" for t, docs in LABELS.items() for d, labels in docs.items()]
    return "".join(f"{row}\n" for row in rows + ([gap] if gap else []))


def read_back(track):
    """Labels by topic and document, as the Track holds them."""
    docs = track.reading.qrels_docs(track.row_id)
    topics = [track.topics[t] for t in track.judgments.topic]
    rows = track.judgments.labels.tolist()
    return {(t, d): row for t, d, row in zip(topics, docs, rows, strict=True)}


def test_a_file_with_further_columns(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text(lines())
    track = leadline.read(path, RUN, aspects=SPEC)
    assert read_back(track) == WANTED
    assert track.aspects == declare(SPEC)
    assert track.select(topics=["q2"]).aspects is track.aspects
    assert declared_qrels(path, SPEC).qrels is path  # left to the native reader
    packed = tmp_path / "qrels.txt.gz"
    packed.write_bytes(gzip.compress(lines().encode()))
    assert read_back(leadline.read(packed, RUN, aspects=SPEC)) == WANTED


def test_gaps_in_a_file_are_filled_and_told(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text(lines("q2 0 d mr -"))
    track = leadline.read(path, RUN, aspects=SPEC)
    assert read_back(track) == WANTED | {("q2", "d"): [1, 0]}
    assert str(track.findings[-1]) == "not-assessed: 1 (q2 d), correctness counted as lowest (nc)"


def test_labels_outside_the_declared_set_name_the_line(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text(lines("q2 0 d mr wrong"))
    with pytest.raises(InputError, match=rf"{path}:5: .*wrong"):
        leadline.read(path, RUN, aspects=SPEC)
    path.write_text(lines("q2 0 d - wrong"))
    with pytest.raises(InputError, match=rf"{path}:5: .*wrong"):
        leadline.read(path, RUN, aspects=SPEC)
    with pytest.raises(InputError, match="topic q, document d"):
        leadline.read({"q": {"d": ("hr", "wrong")}}, {"x": {"q": {"d": 1.0}}}, aspects=SPEC)


def test_merged_labels(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text(lines("q2 0 d junk c"))
    track = leadline.read(path, RUN, aspects="relevance=nr/junk,mr,hr correctness=nc,c")
    assert read_back(track)["q2", "d"] == [0, 1]


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "json", "nested.json"])
def test_tables_and_json(tmp_path, form):
    path = tmp_path / f"qrels.{form}"
    rows = [(t, d, *labels) for t, docs in LABELS.items() for d, labels in docs.items()]
    names = ("topic", "doc", "relevance", "correctness")
    if form in ("csv", "tsv"):
        mark = "," if form == "csv" else "\t"
        path.write_text("".join(mark.join(row) + "\n" for row in [names, *rows]))
    elif form == "jsonl":
        path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    elif form == "json":
        path.write_text(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
    else:
        path.write_text(json.dumps(LABELS))
    assert read_back(leadline.read(path, RUN, aspects=SPEC)) == WANTED


def test_a_gap_in_a_table_and_its_line(tmp_path):
    path = tmp_path / "qrels.csv"
    path.write_text("topic,doc,relevance,correctness\nq1,a,hr,\nq1,b,nr,nc\n")
    track = leadline.read(path, RUN, aspects=SPEC)
    assert read_back(track) == {("q1", "a"): [2, 0], ("q1", "b"): [0, 0]}
    path.write_text("topic,doc,relevance,correctness\nq1,a,hr,oops\n")
    with pytest.raises(InputError, match=rf"{path}:2: .*oops"):
        leadline.read(path, RUN, aspects=SPEC)


def test_dictionaries_columns_and_mappings():
    assert read_back(leadline.read(LABELS, RUN, aspects=SPEC)) == WANTED
    named = {
        t: {d: dict(zip(("relevance", "correctness"), x, strict=True)) for d, x in docs.items()}
        for t, docs in LABELS.items()
    }
    assert read_back(leadline.read(named, RUN, aspects=SPEC)) == WANTED
    flat = [(t, d, x) for t, docs in LABELS.items() for d, x in docs.items()]
    columns = from_columns([f[0] for f in flat], [f[1] for f in flat], np.array([f[2] for f in flat], object))
    assert (
        read_back(leadline.read(columns, RUN, aspects={"relevance": ["nr", "mr", "hr"], "correctness": "nc,c"}))
        == WANTED
    )
    indices = {t: {d: tuple(WANTED[t, d]) for d in docs} for t, docs in LABELS.items()}
    track = leadline.read(indices, RUN, aspects=[("relevance", None), ("correctness", None)])
    assert read_back(track) == WANTED
    assert track.aspects is None


def test_bad_dictionaries():
    run = {"x": {"q": {"d": 1.0}}}
    with pytest.raises(InputError, match="expected 2 labels"):
        leadline.read({"q": {"d": ("hr",)}}, run, aspects=SPEC)
    with pytest.raises(InputError, match="must map documents"):
        leadline.read({"q": 3}, run, aspects=SPEC)
    with pytest.raises(UsageError, match="Did you mean 'relevance'"):
        leadline.read({"q": {"d": {"relevanc": "hr"}}}, run, aspects=SPEC)


def test_a_data_frame():
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    rows = [(t, d, *labels) for t, docs in LABELS.items() for d, labels in docs.items()]
    frame = pandas.DataFrame(rows, columns=["topic", "doc", "relevance", "correctness"])
    assert read_back(leadline.read(frame, RUN, aspects=SPEC)) == WANTED
    frame.loc[0, "correctness"] = None
    track = leadline.read(frame, RUN, aspects=SPEC)
    assert read_back(track)["q1", "a"] == [2, 0]
    assert "not-assessed" in track.findings.codes


def test_records_of_ir_datasets():
    clueweb12 = pytest.importorskip("ir_datasets.datasets.clueweb12")
    health = [
        clueweb12.EhealthQrel("q1", "a", 2, 1, 3, "0"),
        clueweb12.EhealthQrel("q1", "b", 0, 0, 0, "0"),
    ]
    spec = "relevance=0..2 trustworthiness=0..3 understandability=0..3"
    assert read_back(leadline.read(health, RUN, aspects=spec)) == {("q1", "a"): [2, 1, 3], ("q1", "b"): [0, 0, 0]}
    misinfo = [clueweb12.MisinfoQrel("q1", "a", 1, -1, 2), clueweb12.MisinfoQrel("q1", "b", 2, 3, 0)]
    track = leadline.read(iter(misinfo), RUN, aspects="relevance=0..2 effectiveness=0/-1,1,2,3 credibility=0..2")
    assert read_back(track) == {("q1", "a"): [1, 0, 2], ("q1", "b"): [2, 3, 0]}
    if "redibility" in clueweb12.MisinfoQrel._fields:  # a slip of the real class
        assert "field-of-another-name" in track.findings.codes
    with pytest.raises(UsageError, match="no field for the aspect 'popularity'"):
        leadline.read(health, RUN, aspects="relevance=0..2 popularity=0,1")


def test_other_records():
    one = namedtuple("one", "qid docno rel cred")
    found = labels_from_records(
        [one("q", "d", 1, None), one("q", "e", 0, 1)], declare("relevance=0,1 credibility=0,1"),
        fields={"relevance": "rel", "credibility": "cred"},
    )  # fmt: skip
    assert found.labels.tolist() == [[1, -1], [0, 1]]
    mappings = [{"query_id": "q", "doc_id": "d", "a": 1.0}]
    assert labels_from_records(mappings, declare("a=0,1")).labels.tolist() == [[1]]
    with pytest.raises(InputError, match="no record"):
        labels_from_records([], declare("a=0,1"))


def test_one_file_per_aspect_and_a_feature(tmp_path):
    (tmp_path / "relevance.qrels").write_text("q1 0 a hr\nq1 0 b nr\nq2 0 c mr\n")
    (tmp_path / "correctness.qrels").write_text("q1 0 a c\nq2 0 c nc\n")
    (tmp_path / "pagerank.txt").write_text("a 0.9\nb 0.1\n")
    (tmp_path / "aspects.toml").write_text(
        "[aspects.relevance]\nlabels = ['nr', 'mr', 'hr']\n"
        "[aspects.correctness]\nlabels = ['nc', 'c']\nqrels = 'correctness.qrels'\n"
        "[aspects.popularity]\nlabels = ['low', 'high']\nfile = 'pagerank.txt'\nthresholds = [0.5]\n"
    )
    track = leadline.read(tmp_path / "relevance.qrels", RUN, aspects=tmp_path / "aspects.toml")
    assert read_back(track) == {("q1", "a"): [2, 1, 1], ("q1", "b"): [0, 0, 0], ("q2", "c"): [1, 0, 0]}
    assert {"not-assessed-not-relevant", "not-assessed", "documents-without-feature"} <= track.findings.codes
    assert leadline.evaluate(track, "TOMA").mean()[0, 0] > 0


def test_all_aspects_in_files_of_their_own(tmp_path):
    (tmp_path / "r.qrels").write_text("q1 0 a hr\n")
    (tmp_path / "c.qrels").write_text("q1 0 a c\n")
    (tmp_path / "aspects.toml").write_text(
        "[aspects.relevance]\nlabels = ['nr', 'mr', 'hr']\nqrels = 'r.qrels'\n"
        "[aspects.correctness]\nlabels = ['nc', 'c']\nqrels = 'c.qrels'\n"
    )
    track = leadline.read(str(tmp_path / "r.qrels"), RUN, aspects=str(tmp_path / "aspects.toml"))
    assert read_back(track) == {("q1", "a"): [2, 1]}
    with pytest.raises(UsageError, match="not a dictionary"):
        leadline.read({"q": {}}, RUN, aspects=str(tmp_path / "aspects.toml"))


def test_missing_files_are_told_by_the_reader(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        leadline.read(tmp_path / "absent", RUN, aspects=SPEC)
