//! Questions about a series over time, one detector a file.
//!
//! Every detector takes finite values in their order, oldest first, and answers with the index of
//! the first point after a change. Each states its cost; where it grows faster than the series, a
//! series that is too long is looked at in windows, or refused with [`TooLong`].
//!
//! | detector | source | finds | misses, and where it is wrong | defaults |
//! |---|---|---|---|---|
//! | [`change_points`](change_points()) | our own | lasting changes of level, and temporary ones apart from them | steps below 2%, levels of fewer than 10 values; drifts and changes of spread are none | none to choose |
//! | [`settled_change_points`] | our own | the same, with old changes that stay when further values come | the same | none to choose |
//! | [`ed_pelt`] | Haynes, Fearnhead and Eckley; Perfolizer | changes of level, spread or shape, several at once | takes drift and correlated values for changes; knows no smallest effect | distance 20 |
//! | [`rqq_pelt`] | Perfolizer | the same, and every one of many | one or two too many in much noise; differences below 1e-5 | distance 20 |
//! | [`StepKind`], [`StepSearch`] | Skia Perf, anomaly bounds | one step in the middle of a window, by size, effect, rank or shape, and the range of points that may have brought it | steps nearer than the radius; drifts; the last radius of points; percent and absolute know no noise | by alert; a least deviation of 0.001 |
//! | [`StepRule`] | Skia Perf, compound rules | what several kinds say together | what its kinds miss | none |
//! | [`Jetpack`] | Android's Jetpack in CI | clear steps, five results late | steps without any noise; everything below t = 11 | width 5, threshold 25 |
//! | [`Chromeperf`] | Chromium's dashboard | one step among the newest 50 points | two steps in one window; steps with fewer than 6 points on a side | 6 points, 1%, 2.5 deviations, steppiness 0.5 |
//! | [`EDivisive`] | MongoDB | any number of changes of level or shape | sees changes where values depend on each other (drifts, correlated noise); changes that cancel | p 0.05, 100 permutations |
//! | [`Otava`] | Apache Otava (Hunter) | small lasting changes in long series | the same, and p is too small for short segments: a lone far value becomes two changes | window 50, p 0.001, magnitude 0 |
//! | [`Perfherder`] | Mozilla | lasting steps, with several values a revision | steps nearer than 12 values; small ones in noise (t above 7); cuts a steep trend into steps | 12 to 24 before, 12 after, t 7 |
//!
//! [`ranked_changes`] puts changes into the order of what they mean; [`place_of_change`] says how well
//! the place of one is known.
//! [`Season`] takes a daily or weekly pattern out of a history before any of them is asked.
//!
//! [`f1`] and [`covering`] say how well an answer agrees with people's.
//!
//! Parts of them: [`RangeQuantiles`] has the quantiles of any stretch, [`trace`] the 32-bit arithmetic
//! with missing values, [`EnergyStatistics`] and [`Split`] the two divergences behind E-divisive,
//! [`LevelSummary`] Otava's t.

mod agreement;
mod change_points;
mod change_positions;
mod chromeperf;
mod division;
mod e_divisive;
mod ed_pelt;
mod energy;

mod jetpack;
mod level_values;
mod otava;
mod partition;
mod pelt;
mod perfherder;
mod place;
mod pooled_t;
mod qhat;
mod range_quantiles;
mod ranked_change;
mod rqq_distance;
mod rqq_pelt;
mod season;
mod settled;
mod step_area;
mod step_fit;
mod step_rule;
mod stretch_sums;
#[cfg(test)]
mod test_series;
mod too_long;
pub mod trace;
mod windows;

pub use agreement::{covering, f1, segments, true_positives};
pub use change_points::{
    ChangePoint, ChangePoints, TemporaryChange, change_points, change_points_after,
};
pub use chromeperf::{Chromeperf, ChromeperfStep};
pub use e_divisive::EDivisive;
pub use ed_pelt::ed_pelt;
pub use energy::EnergyStatistics;
pub use jetpack::Jetpack;
pub use otava::{Otava, OtavaChange};
pub use perfherder::{Perfherder, PerfherderChange, WindowSummary, WindowWeights};
pub use place::place_of_change;
pub use pooled_t::LevelSummary;
pub use qhat::Split;
pub use range_quantiles::RangeQuantiles;
pub use ranked_change::{Effect, RankedChange, ranked_changes};
pub use rqq_pelt::rqq_pelt;
pub use season::{Pattern, Peak, Period, Season, SeasonError, Slot};
pub use settled::settled_change_points;
pub use step_area::{StepArea, StepSearch};
pub use step_fit::{StepFit, StepKind, StepStatus};
pub use step_rule::{RuleAnswer, StepRule};
pub use too_long::TooLong;
