//! Estimators and bounds over validated samples, one a file.

mod binomial;
mod falling_trend;
mod incomplete_beta;
mod mann_whitney;
mod newest_level;
mod quantile;
mod ratio_bounds;
mod run_spread;
mod student;
mod weighted_median;

pub use binomial::binomial_interval;
pub use falling_trend::FallingTrend;
pub use incomplete_beta::incomplete_beta;
pub use mann_whitney::conservative_margin;
pub use newest_level::newest_level;
pub use quantile::quantile;
pub use ratio_bounds::log_ratio_bounds;
pub use run_spread::RunSpread;
pub use student::student_quantile;
pub use weighted_median::weighted_median;
