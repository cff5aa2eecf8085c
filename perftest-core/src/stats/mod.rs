//! Estimators and bounds that the judge needs, over validated samples, one a file.

mod binomial;
mod center_bounds;
mod density;
mod edgeworth;
mod exponential_decay;
mod falling_trend;
mod harrell_davis;
mod harrell_davis_grid;
mod incomplete_beta;
mod level_change;
mod lowland;
mod mann_whitney;
mod median_absolute_deviation;
mod normal;
mod pair_ranks;
mod quantile;
mod random;
mod rank_bounds;
mod ratio_bounds;
mod ratio_function;
mod run_spread;
mod scale_factors;
mod shamos;
mod shift_bounds;
mod shift_function;
mod student;
mod weighted_sample;

pub use binomial::{binomial_at_least, binomial_interval};
pub use center_bounds::{center_bounds, signed_rank_margin};
pub use density::{Bin, density, density_on_grid, weighted_density};
pub use exponential_decay::{exponential_decay, exponential_decay_weights};
pub use falling_trend::FallingTrend;
pub use harrell_davis::{
    harrell_davis, harrell_davis_weights, weighted_harrell_davis, weighted_mean,
};
pub use harrell_davis_grid::QuantileGrid;
pub use incomplete_beta::{BetaDistribution, incomplete_beta};
pub use level_change::{SMALLEST_STEP, change_by_ranks, is_tight_level};
pub use lowland::{EqualPeaks, Lowland, Mode, modes, modes_at, weighted_modes_at};
pub use mann_whitney::{RankMargins, ordering_shares, pairwise_margin};
pub use median_absolute_deviation::{MedianAbsoluteDeviation, Quantile};
pub use normal::{normal_quantile, normal_upper_tail};
pub use quantile::{quantile, weighted_quantile};
pub use random::Random;
pub use rank_bounds::{RankStep, conservative_step, rank_interval};
pub use ratio_bounds::ratio_bounds;
pub use ratio_function::ratio;
pub use run_spread::RunSpread;
pub use scale_factors::{ScaleTable, tabled};
pub use shamos::{median_distance, shamos_deviation};
pub use shift_bounds::{ShiftBounds, shift_bounds};
pub use shift_function::{bounded_margin, bounded_probabilities, shift};
pub use student::{student_density, student_quantile, student_upper_tail};
pub use weighted_sample::{RankedValues, WeightedSample, WeightsError};
