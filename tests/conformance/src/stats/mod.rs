//! Published estimators that nothing shipped calls, one a file.

mod adaptive_histogram;
mod fences;
mod harrell_davis_error;
mod hyndman_fan;
mod m_value;
mod mean_t_test;
mod median_interval;
mod practical_threshold;
mod published_density;
mod published_mode_values;
mod qad_factors;
mod quantile_absolute_deviation;
mod variance;
mod weighted_harrell_davis;
mod weighted_modes;

pub use fences::Fences;
pub use harrell_davis_error::{harrell_davis_error, harrell_davis_interval};
pub use hyndman_fan::HyndmanFan;
pub use m_value::m_value;
pub use mean_t_test::{greater, mean_t_test, paired_t_test};
pub use median_interval::{MedianInterval, fewest_for_median_interval, median_interval};
pub use practical_threshold::{
    Estimator, IntervalPosition, PracticalThreshold, ProjectionError, ThresholdComparison,
    project_one, project_two,
};
pub use published_density::published_density;
pub use published_mode_values::published_mode_values;
pub use qad_factors::QadFactors;
pub use quantile_absolute_deviation::{
    optimal_absolute_deviation, quantile_absolute_deviation, standard_absolute_deviation,
};
pub use variance::variance_about;
pub use weighted_harrell_davis::weighted_harrell_davis;
pub use weighted_modes::{weighted_density, weighted_modes_at};
