//! Estimators and bounds over validated samples, one a file.

mod binomial;
mod density;
mod falling_trend;
mod harrell_davis;
mod harrell_davis_grid;
mod hyndman_fan;
mod incomplete_beta;
mod jitter;
mod lowland;
mod mann_whitney;
mod ratio_bounds;
mod run_spread;
mod student;
mod trimmed_harrell_davis;
mod weighted_sample;

pub use binomial::binomial_interval;
pub use density::{Bin, density};
pub use falling_trend::FallingTrend;
pub use harrell_davis::{harrell_davis, harrell_davis_interval, weighted_harrell_davis};
pub use hyndman_fan::{HyndmanFan, quantile};
pub use incomplete_beta::incomplete_beta;
pub use jitter::jittered;
pub use lowland::{Mode, modes};
pub use mann_whitney::conservative_margin;
pub use ratio_bounds::log_ratio_bounds;
pub use run_spread::RunSpread;
pub use student::student_quantile;
pub use trimmed_harrell_davis::{
    highest_density_interval, trimmed_harrell_davis, weighted_trimmed_harrell_davis,
};
pub use weighted_sample::{WeightedSample, WeightsError};
