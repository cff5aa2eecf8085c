//! Is a test slow because of its code, or because of where the linker put it? The same code linked
//! in several random orders tells.

mod conclusion;
mod link;
mod target;
mod trial;

pub(crate) use conclusion::RelinkConclusion;
pub(crate) use link::link;
pub(crate) use target::RelinkTarget;
pub(crate) use trial::{RelinkSpeed, TrialHistory};
