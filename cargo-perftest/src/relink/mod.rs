//! Checks whether a test is slow because of its code or because of its place in memory, by linking the same
//! code in several random orders.

mod conclusion;
mod link;
mod target;
mod trial;

pub(crate) use conclusion::RelinkConclusion;
pub(crate) use link::link;
pub(crate) use target::RelinkTarget;
pub(crate) use trial::{RelinkSpeed, RelinkTrial, TrialHistory};
