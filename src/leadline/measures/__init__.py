"""Stage 3: measures. One class, one file; found by name."""

from leadline.measures.base import BinaryMeasure, GainMeasure, Measure, gain_param, measure, param
from leadline.measures.names import catalogue, parse, parse_all
from leadline.measures.scores import Scores
from leadline.measures.scoring import score_track

__all__ = [
    "BinaryMeasure",
    "GainMeasure",
    "Measure",
    "Scores",
    "catalogue",
    "gain_param",
    "measure",
    "param",
    "parse",
    "parse_all",
    "score_track",
]
