//! Where a run comes from: which code, which revision, which context, which session.

mod code;
mod context;
mod entropy;
mod revision;

pub(crate) use code::of_this_executable;
pub(crate) use context::{Context, config_hash};
pub(crate) use entropy::entropy;
pub(crate) use revision::ask_git;
