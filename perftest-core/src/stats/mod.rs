//! Estimators and bounds over validated samples, one a file.

mod binomial;
mod falling_trend;
mod incomplete_beta;
mod mann_whitney;
mod quantile;
mod ratio_bounds;
mod run_spread;
mod student;

pub use binomial::binomial_interval;
pub use falling_trend::FallingTrend;
pub use incomplete_beta::incomplete_beta;
pub use mann_whitney::RankMargins;
pub use quantile::quantile;
pub use ratio_bounds::RatioBounds;
pub use run_spread::RunSpread;
pub use student::student_quantile;
