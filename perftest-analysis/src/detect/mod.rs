//! Change detectors for a series over time, one a file.
//!
//! Every detector takes finite values in their order, oldest first, and answers with the index of
//! the first point after a change. Each states its cost; where it grows faster than the series, a
//! series that is too long is searched in windows, or refused ([`check_pelt_size`]).
//!
//! | detector | source | finds | misses, and where it is wrong | defaults |
//! |---|---|---|---|---|
//! | [`change_points`](change_points()) | our own | lasting changes of level, and temporary ones apart from them | steps below 2%, levels of fewer than 10 values; drifts and changes of spread are none | none to choose |
//! | [`settled_change_points`] | our own | the same, but old changes stay when further values arrive | the same | none to choose |
//! | [`ed_pelt`] | Haynes, Fearnhead and Eckley; Perfolizer | changes of level, spread or shape, several at once | reports drift and correlated values as changes; has no smallest effect | distance 20 |
//! | [`rqq_pelt`] | Perfolizer | the same, and every one of many | one or two too many in much noise; differences below 1e-5 | distance 20 |
//! | [`StepKind`], [`StepSearch`] | Skia Perf, anomaly bounds | one step in the middle of a window, by size, effect, rank or shape, and the range of points that may have caused it | steps nearer than the radius; drifts; the last radius of points; percent and absolute ignore noise | by alert; a least deviation of 0.001 |
//! | [`Jetpack`] | Android's Jetpack in CI | clear steps, five results late | steps without any noise; everything below t = 11 | width 5, threshold 25 |
//!
//! [`ranked_changes`] orders changes by significance; [`place_of_change`] returns the possible places
//! of a change. [`Season`] removes a daily or weekly pattern from a history before a search.
//!
//! Parts of the detectors: [`RangeQuantiles`] computes quantiles of any stretch, and [`trace`] has
//! 32-bit arithmetic with missing values.

mod change_points;
mod division;
mod ed_pelt;
mod jetpack;
mod level_values;
mod partition;
mod pelt;
#[cfg(test)]
mod pelt_tests;
mod place;
mod range_quantiles;
mod ranked_change;
mod rqq_distance;
mod rqq_pelt;
mod season;
mod segments;
mod settled;
mod step_area;
mod step_fit;
mod stretch_sums;
pub mod trace;
mod windows;
mod work;

pub use change_points::{
    ChangePoint, ChangePoints, TemporaryChange, change_points, change_points_after,
};
pub use ed_pelt::ed_pelt;
pub use jetpack::Jetpack;
pub use place::place_of_change;
pub use range_quantiles::RangeQuantiles;
pub use ranked_change::{Effect, RankedChange, ranked_changes};
pub use rqq_pelt::rqq_pelt;
pub use season::{Pattern, Peak, Period, Season, SeasonError, Slot};
pub use segments::segments;
pub use settled::settled_change_points;
pub use step_area::{StepArea, StepSearch};
pub use step_fit::{StepFit, StepKind, StepStatus};
pub use work::{check_pelt_size, check_step_work, check_window_work};
