//! Estimators and bounds that the judge does not need, one a file; `perftest_core::stats` has the
//! others.

mod disparity_bounds;
mod effect_size;
mod function_range;
mod hypergeometric;
mod jitter;
mod level_spread;
mod measured_quantile;
mod median_bounds;
mod mode_values;
mod moments;
mod outliers;
mod periodogram;
mod randomization;
mod rank_sum_test;
mod rare_modes;
mod relative_spread;
mod running_moments;
mod sign_margin;
mod slope_bounds;
mod spread_bounds;
mod t_test;
mod trimmed_harrell_davis;

pub use disparity_bounds::disparity_bounds;
pub use effect_size::{gamma_effect_size, pooled_absolute_deviation};
pub(crate) use function_range::range_of;
pub use function_range::{ratio_range, shift_range};
pub use hypergeometric::hypergeometric_at_least;
pub use jitter::jittered;
pub use level_spread::levels_spread;
pub use measured_quantile::{fewest_for_quantile, measured_quantile, upper_quantile};
pub use median_bounds::median_bounds;
pub use mode_values::{ModeValues, by_mode, mode_values};
pub use moments::{mean, squared_error_about};
pub use periodogram::{Periodogram, WavePower};
pub use randomization::{median_distances, randomization_threshold, upper_median};
pub use rank_sum_test::RankSumTest;
pub use rare_modes::{RareMode, rare_modes};
pub use relative_spread::relative_spread;
pub use running_moments::Moments;
pub use slope_bounds::slope_bounds;
pub use spread_bounds::spread_bounds;
pub use t_test::TTest;
pub use trimmed_harrell_davis::{
    highest_density_interval, trimmed_harrell_davis, weighted_trimmed_harrell_davis,
};
