"""The report page as a file: complete, self-contained, safe against what names can hold."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import leadline
from leadline.simulate import simulate


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory) -> leadline.Track:
    folder = tmp_path_factory.mktemp("report")
    simulate(runs=5, topics=8, depth=40, pool_depth=10, rng=3).write(folder)
    return leadline.read(folder / "qrels.txt", folder / "runs")


def data_of(html: str) -> dict:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_scores_and_strips_are_those_of_the_track(track: leadline.Track) -> None:
    data = data_of(leadline.report(track, ["nDCG@10", "AP"]).html)
    scores = leadline.evaluate(track, ["nDCG@10", "AP"])
    for i, name in enumerate(["nDCG@10", "AP"]):
        packed = np.frombuffer(base64.b64decode(data["scores"][i]), "<f8").reshape(track.shape)
        np.testing.assert_array_equal(packed, scores.array(name))
        np.testing.assert_allclose(data["board"][i]["mean"], scores.mean(name))
    depth = data["strips"]["depth"]
    cells = np.frombuffer(base64.b64decode(data["strips"]["cells"]), np.uint8).reshape(*track.shape, depth)
    for r, run in enumerate(track.runs):
        for t, topic in enumerate(track.topics):
            rows = track.indices(run, topic)[:depth]
            expected = [1 if row < 0 else 2 + max(int(track.judgments.grade[row]), 0) for row in rows]
            assert cells[r, t].tolist() == expected + [0] * (depth - len(expected))


def test_best_lengths_are_those_of_truncate(track: leadline.Track) -> None:
    data = data_of(leadline.report(track, ["AP"], truncation="U(e=0.05)").html)
    lengths = np.frombuffer(base64.b64decode(data["cut"]["length"]), "<i4").reshape(track.shape)
    np.testing.assert_array_equal(lengths, leadline.truncate(track, "U(e=0.05)").length("U(e=0.05)"))
    assert data["cut"]["measure"] == "U(e=0.05)"


def test_the_page_loads_nothing_from_elsewhere(track: leadline.Track) -> None:
    html = leadline.report(track, ["AP"]).html
    page = re.sub(r'<script id="data".*?</script>', "", html, flags=re.DOTALL)
    urls = set(re.findall(r"https?://[^\s\"'`]+", page))
    assert urls <= {"http://www.w3.org/2000/svg"}  # a namespace, not an address
    assert not re.search(r"<(link|script|img|iframe)[^>]+(src|href)=[\"'](?!data:)", page)


def test_names_cannot_become_markup() -> None:
    nasty = "</script><script>alert(1)</script>"
    qrels = {"<b>q\n1": {"d": 1}, "q2": {"e": 1}}
    runs = {nasty: {"<b>q\n1": {"d": 1.0}, "q2": {"x": 1.0}}, "b": {"q2": {"e": 1.0}}}
    html = leadline.report(leadline.read(qrels, runs), ["AP"], title="<i>t</i>").html
    assert nasty not in html
    assert "<b>q" not in html
    assert "<i>t" not in html
    assert data_of(html)["runs"][0] == nasty


def test_every_section_has_its_data(track: leadline.Track) -> None:
    data = data_of(leadline.report(track, ["AP", "RR"], command=["leadline", "report", "a b"]).html)
    assert data["checks"]
    assert {c["severity"] for c in data["checks"]} <= {"ok", "note", "warning", "serious"}
    assert len(data["preferences"]["matrix"]) == len(track.runs)
    assert len(data["curves"]["mean"][0][0]) == len(data["curves"]["depths"])
    assert abs(sum(data["cut"]["percent"]) - 100) < 0.1
    assert data["about"]["command"] == "leadline report 'a b'"
    assert any("Buckley" in r for r in data["references"])


def test_one_run_and_a_list_typed_by_hand() -> None:
    data = data_of(leadline.report(leadline.typed("1 0 - 2"), ["AP"]).html)
    assert data["preferences"] is None
    assert data["board"][0]["letters"] == [""]


def test_command_writes_the_page_whole(track: leadline.Track, tmp_path: Path) -> None:
    folder = tmp_path / "track"
    simulate(runs=3, topics=5, depth=20, pool_depth=10, rng=1).write(folder)
    target = tmp_path / "r.html"
    call = [
        sys.executable,
        "-m",
        "leadline",
        "report",
        str(folder / "qrels.txt"),
        str(folder / "runs"),
        "-o",
        str(target),
    ]
    done = subprocess.run([*call, "-m", "AP"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert data_of(target.read_text(encoding="utf-8"))["measures"][0]["name"] == "AP"
    assert list(tmp_path.iterdir()) == [folder, target] or set(tmp_path.iterdir()) == {folder, target}
