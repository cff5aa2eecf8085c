//! Detectors of change points of other tools, one a file, and scores of their answers.
//!
//! Every detector takes finite values in their order, oldest first, and answers with the index of
//! the first point after a change. Each states its cost; a series that is too long is refused with
//! [`TooLong`]. What perftest ships is in [`perftest_analysis::detect`].
//!
//! | detector | source | finds | misses, and where it is wrong | defaults |
//! |---|---|---|---|---|
//! | [`StepRule`] | Skia Perf, compound rules | what several kinds say together | what its kinds miss | none |
//! | [`Chromeperf`] | Chromium's dashboard | one step among the newest 50 points | two steps in one window; steps with fewer than 6 points on a side | 6 points, 1%, 2.5 deviations, steppiness 0.5 |
//! | [`EDivisive`] | MongoDB | any number of changes of level or shape | sees changes where values depend on each other (drifts, correlated noise); changes that cancel | p 0.05, 100 permutations |
//! | [`Otava`] | Apache Otava (Hunter) | small lasting changes in long series | the same, and p is too small for short segments: a lone far value becomes two changes | window 50, p 0.001, magnitude 0 |
//! | [`Perfherder`] | Mozilla | lasting steps, with several values a revision | steps nearer than 12 values; small ones in noise (t above 7); cuts a steep trend into steps | 12 to 24 before, 12 after, t 7 |
//!
//! [`f1`] and [`covering`] say how well an answer agrees with people's.
//!
//! Parts of them: [`vec32`] has the 32-bit functions that Skia's steps do without,
//! [`EnergyStatistics`] and [`Split`] the two divergences behind E-divisive, [`LevelSummary`] Otava's t.

mod agreement;
mod chromeperf;
mod e_divisive;
mod energy;
mod otava;
mod perfherder;
mod pooled_t;
mod qhat;
#[cfg(test)]
mod scattered;
mod step_rule;
#[cfg(test)]
#[path = "../../../../perftest-analysis/src/test_series.rs"]
mod test_series;
mod too_long;
pub mod vec32;

pub use agreement::{covering, f1, true_positives};
pub use chromeperf::{Chromeperf, ChromeperfStep};
pub use e_divisive::EDivisive;
pub use energy::EnergyStatistics;
pub use otava::{Otava, OtavaChange};
pub use perfherder::{Perfherder, PerfherderChange, WindowSummary, WindowWeights};
pub use pooled_t::LevelSummary;
pub use qhat::Split;
pub use step_rule::{RuleAnswer, StepRule};
pub use too_long::TooLong;
