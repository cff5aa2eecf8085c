//! Questions about a series over time: where it changed, and what a change is. One detector a file.

mod agreement;
mod change_points;
mod division;
mod ed_pelt;
mod pelt;
mod range_quantiles;
mod rqq_distance;
mod rqq_pelt;
mod stretch;
mod windows;

pub use agreement::{covering, f1, segments, true_positives};
pub use change_points::{
    ChangePoint, ChangePoints, TemporaryChange, change_points, change_points_after,
};
pub use ed_pelt::ed_pelt;
pub use range_quantiles::RangeQuantiles;
pub use rqq_pelt::rqq_pelt;
