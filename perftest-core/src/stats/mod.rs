//! Estimators and bounds over validated samples, one a file.

mod adaptive_histogram;
mod binomial;
mod center_bounds;
mod density;
mod disparity_bounds;
mod edgeworth;
mod effect_size;
mod exponential_decay;
mod falling_trend;
mod geometric_mean;
mod harrell_davis;
mod harrell_davis_grid;
mod hyndman_fan;
mod incomplete_beta;
mod jitter;
mod lowland;
mod m_value;
mod mann_whitney;
mod median_absolute_deviation;
mod median_bounds;
mod median_interval;
mod mode_values;
mod moments;
mod newest_level;
mod normal;
mod outliers;
mod pair_ranks;
mod periodogram;
mod practical_threshold;
mod quantile_absolute_deviation;
mod random;
mod randomization;
mod rank_bounds;
mod rank_sum_test;
mod rare_modes;
mod ratio_bounds;
mod ratio_function;
mod relative_spread;
mod run_spread;
mod scale_factors;
mod shamos;
mod shift_bounds;
mod shift_function;
mod sign_margin;
mod slope_bounds;
mod spread_bounds;
mod student;
mod t_test;
mod trimmed_harrell_davis;
mod upper_quantile;
mod weighted_sample;

pub use binomial::{binomial_at_least, binomial_interval};
pub use center_bounds::{center_bounds, signed_rank_margin};
pub use density::{Bin, density, published_density};
pub use disparity_bounds::disparity_bounds;
pub use effect_size::{gamma_effect_size, pooled_absolute_deviation};
pub use exponential_decay::{exponential_decay, exponential_decay_weights};
pub use falling_trend::FallingTrend;
pub use geometric_mean::geometric_mean;
pub use harrell_davis::{
    harrell_davis, harrell_davis_error, harrell_davis_interval, weighted_harrell_davis,
};
pub use hyndman_fan::{HyndmanFan, quantile};
pub use incomplete_beta::incomplete_beta;
pub use jitter::jittered;
pub use lowland::{EqualPeaks, Lowland, Mode, modes, modes_at};
pub use m_value::m_value;
pub use mann_whitney::{RankMargins, pairwise_margin};
pub use median_absolute_deviation::{MedianAbsoluteDeviation, Quantile};
pub use median_bounds::median_bounds;
pub use median_interval::{MedianInterval, fewest_for_median_interval, median_interval};
pub use mode_values::{ModeValues, by_mode, mode_values};
pub use moments::{mean, squared_error_about, variance_about};
pub use newest_level::newest_level;
pub use normal::{normal_quantile, normal_upper_tail};
pub use outliers::Fences;
pub use periodogram::{Periodogram, WavePower};
pub use practical_threshold::{
    Estimator, PracticalThreshold, Projected, ProjectionError, Standing, project_one, project_two,
};
pub use quantile_absolute_deviation::{
    optimal_absolute_deviation, quantile_absolute_deviation, standard_absolute_deviation,
};
pub use random::Random;
pub use randomization::{median_distances, randomization_threshold};
pub use rank_bounds::RankStep;
pub use rank_sum_test::RankSumTest;
pub use rare_modes::{RareMode, rare_modes};
pub use ratio_bounds::ratio_bounds;
pub use ratio_function::{ratio, ratio_range};
pub use relative_spread::relative_spread;
pub use run_spread::RunSpread;
pub use scale_factors::ScaleTable;
pub use shamos::shamos_deviation;
pub use shift_bounds::{ShiftBounds, shift_bounds};
pub use shift_function::{shift, shift_range, told_margin, told_probabilities};
pub use slope_bounds::slope_bounds;
pub use spread_bounds::spread_bounds;
pub use student::{student_density, student_quantile, student_upper_tail};
pub use t_test::TTest;
pub use trimmed_harrell_davis::{
    highest_density_interval, trimmed_harrell_davis, weighted_trimmed_harrell_davis,
};
pub use upper_quantile::{fewest_for_upper_quantile, upper_quantile};
pub use weighted_sample::{WeightedSample, WeightsError};
