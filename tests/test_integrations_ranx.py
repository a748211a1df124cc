"""ranx both ways; apart, since ranx takes its time to compile."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest

import leadline
import leadline.integrations.ir_measures as inside
from leadline.errors import UsageError
from leadline.integrations import ranx as from_ranx
from test_integrations import random_track


@pytest.mark.filterwarnings("ignore")
def test_ranx_both_ways() -> None:
    import ranx

    qrels, run = random_track(0)
    run["6"] = {}
    theirs = from_ranx.to_ranx_run(run, name="mine")
    judged = from_ranx.to_ranx_qrels(qrels, name="judged")
    assert isinstance(theirs, ranx.Run)
    assert isinstance(judged, ranx.Qrels)
    assert (theirs.name, judged.name) == ("mine", "judged")
    assert from_ranx.from_ranx(theirs) == run
    assert from_ranx.from_ranx(judged) == qrels
    assert all(type(g) is int for docs in from_ranx.from_ranx(judged).values() for g in docs.values())
    names = ["AP", "nDCG@10", "OIE", "RBPU"]
    expected = leadline.evaluate(leadline.read(qrels, {"mine": run}), names).mean()
    track = from_ranx.read(judged, theirs)
    assert track.runs == ("mine",)
    np.testing.assert_allclose(leadline.evaluate(track, names).mean(), expected, atol=1e-12)
    again = from_ranx.read(judged, [theirs, ("other", run)])
    assert again.runs == ("mine", "other")
    with pytest.raises(UsageError, match="give a ranx Run or Qrels"):
        from_ranx.from_ranx({})


@pytest.mark.filterwarnings("ignore")
def test_one_track_through_every_door() -> None:
    """Files are covered by test_tables_io; here the same numbers through frames, ir_measures and ranx."""
    qrels, run = random_track(9)
    names = ["AP", "OIE", "RBPU(p=0.98)", "nDCGT", "Bpref"]
    expected = leadline.evaluate(leadline.read(qrels, {"r": run}), names).mean()[0]
    judged = [(t, d, g) for t, docs in qrels.items() for d, g in docs.items()]
    found = [(t, d, s) for t, docs in run.items() for d, s in docs.items()]
    frames = [
        (
            pd.DataFrame(judged, columns=["qid", "docno", "label"]),
            pd.DataFrame(found, columns=["qid", "docno", "score"]),
        ),
        (
            pl.DataFrame(judged, schema=["qid", "docno", "label"], orient="row"),
            pl.DataFrame(found, schema=["qid", "docno", "score"], orient="row"),
        ),
    ]
    tracks = [leadline.read(*pair) for pair in frames]
    tracks.append(from_ranx.read(from_ranx.to_ranx_qrels(qrels), from_ranx.to_ranx_run(run)))
    for track in tracks:
        np.testing.assert_allclose(leadline.evaluate(track, names).mean()[0], expected, atol=1e-12)
    measures = [ir_measures.parse_measure(n) for n in names]
    through = inside.provider.calc_aggregate(measures, qrels, run)
    np.testing.assert_allclose([through[m] for m in measures], expected, atol=1e-12)
