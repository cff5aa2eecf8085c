//! Is a test slow because of its code, or because of where the linker put it? The same code linked
//! in several random orders tells.

mod conclusion;
mod link;
mod target;
mod trial;

pub(crate) use conclusion::Conclusion;
pub(crate) use link::link;
pub(crate) use target::Target;
pub(crate) use trial::{Speed, TrialHistory};
