"""Stage 4. Tests, resampling and agreement of orders: arrays in, arrays and named results out.

Nothing here knows of runs, topics' names or measures. A score matrix is float64, systems × topics. scipy is loaded
when a distribution is first asked for, not before.
"""

from leadline.stats.agreement import (
    TauTest,
    orders,
    pearson,
    pearson_matrix,
    rmse,
    rmse_matrix,
    spearman,
    spearman_matrix,
    tau_a,
    tau_ap,
    tau_ap_matrix,
    tau_b,
    tau_matrix,
    tau_test,
)
from leadline.stats.discrimination import (
    Confirmation,
    Discrimination,
    better_pairs,
    confirmation,
    discrimination_from_tests,
    discriminative_power,
)
from leadline.stats.intervals import Description, describe, t_quantile
from leadline.stats.letters import LetterDisplay, compact_letters
from leadline.stats.multiplicity import CORRECTIONS, adjust
from leadline.stats.overlap import RBO, rbo, rbo_matrix
from leadline.stats.paired import difference_tests, paired_t, sign_test, t_p_values, wilcoxon
from leadline.stats.pairs import PairTests
from leadline.stats.power import detectable_effect, t_power, topics_needed
from leadline.stats.randomisation import permutation_draws, randomised_tukey, sign_draws, sign_flip
from leadline.stats.resampling import BootstrapInterval, bootstrap_draws, bootstrap_means, paired_bootstrap
from leadline.stats.studentised import studentised_range_quantile, studentised_range_sf
from leadline.stats.tukey import tukey_hsd, tukey_hsd_preferences, tukey_p_values

__all__ = [
    "CORRECTIONS",
    "RBO",
    "BootstrapInterval",
    "Confirmation",
    "Description",
    "Discrimination",
    "LetterDisplay",
    "PairTests",
    "TauTest",
    "adjust",
    "better_pairs",
    "bootstrap_draws",
    "bootstrap_means",
    "compact_letters",
    "confirmation",
    "describe",
    "detectable_effect",
    "difference_tests",
    "discrimination_from_tests",
    "discriminative_power",
    "orders",
    "paired_bootstrap",
    "paired_t",
    "pearson",
    "pearson_matrix",
    "permutation_draws",
    "randomised_tukey",
    "rbo",
    "rbo_matrix",
    "rmse",
    "rmse_matrix",
    "sign_draws",
    "sign_flip",
    "sign_test",
    "spearman",
    "spearman_matrix",
    "studentised_range_quantile",
    "studentised_range_sf",
    "t_p_values",
    "t_power",
    "t_quantile",
    "tau_a",
    "tau_ap",
    "tau_ap_matrix",
    "tau_b",
    "tau_matrix",
    "tau_test",
    "topics_needed",
    "tukey_hsd",
    "tukey_hsd_preferences",
    "tukey_p_values",
    "wilcoxon",
]
