"""Figures: a function for each kind of result, which returns an altair chart to look at, to change or to save.

Nothing is imported before it is asked for. Every function takes ``rules``, a line under the title that says how the
numbers were made; ``--plot FILE`` on the command line fills it in.

>>> import leadline
>>> from leadline.output import plots
>>> chart = plots.curves_plot(leadline.curve(leadline.typed("1 0 1"), "AP", by="depth"))
>>> chart.to_dict()["title"]["text"]
'Score by evaluation depth'
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leadline.output.plots.aspects import aspect_bounds_plot, aspect_grid_plot, aspect_study_plot
    from leadline.output.plots.curves import curves_plot, utility_plot
    from leadline.output.plots.depth import (
        depth_plot,
        leave_out_plot,
        pool_growth_plot,
        pool_runs_plot,
        volatility_plot,
    )
    from leadline.output.plots.measures import agreement_plot, residuals_plot, ties_plot
    from leadline.output.plots.preferences import (
        deciding_levels_plot,
        locality_plot,
        regression_plot,
        removal_plot,
        tie_chances_plot,
    )
    from leadline.output.plots.stopping import stopping_plot
    from leadline.output.plots.systems import comparison_plot, preference_plot, scores_plot
    from leadline.output.plots.truncation import (
        best_lengths_plot,
        full_versus_truncated_plot,
        list_lengths_plot,
        self_truncation_plot,
        truncation_effects_plot,
    )

_HOME = {
    "agreement_plot": "measures",
    "aspect_bounds_plot": "aspects",
    "aspect_grid_plot": "aspects",
    "aspect_study_plot": "aspects",
    "best_lengths_plot": "truncation",
    "comparison_plot": "systems",
    "curves_plot": "curves",
    "deciding_levels_plot": "preferences",
    "depth_plot": "depth",
    "full_versus_truncated_plot": "truncation",
    "leave_out_plot": "depth",
    "list_lengths_plot": "truncation",
    "locality_plot": "preferences",
    "pool_growth_plot": "depth",
    "pool_runs_plot": "depth",
    "preference_plot": "systems",
    "regression_plot": "preferences",
    "removal_plot": "preferences",
    "residuals_plot": "measures",
    "scores_plot": "systems",
    "self_truncation_plot": "truncation",
    "stopping_plot": "stopping",
    "tie_chances_plot": "preferences",
    "ties_plot": "measures",
    "truncation_effects_plot": "truncation",
    "utility_plot": "curves",
    "volatility_plot": "depth",
}

__all__ = [
    "agreement_plot",
    "aspect_bounds_plot",
    "aspect_grid_plot",
    "aspect_study_plot",
    "best_lengths_plot",
    "comparison_plot",
    "curves_plot",
    "deciding_levels_plot",
    "depth_plot",
    "full_versus_truncated_plot",
    "leave_out_plot",
    "list_lengths_plot",
    "locality_plot",
    "pool_growth_plot",
    "pool_runs_plot",
    "preference_plot",
    "regression_plot",
    "removal_plot",
    "residuals_plot",
    "scores_plot",
    "self_truncation_plot",
    "stopping_plot",
    "tie_chances_plot",
    "ties_plot",
    "truncation_effects_plot",
    "utility_plot",
    "volatility_plot",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'leadline.output.plots' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"leadline.output.plots.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__]
