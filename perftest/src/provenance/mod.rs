//! The origin of a run: code, revision, context and session.

mod context;
mod entropy;
mod git;
mod git_answers;
mod mangled;
mod position_gap;
mod revision;
mod source;
mod symbols;

pub(crate) use context::{Context, config_hash};
pub(crate) use entropy::entropy;
pub(crate) use position_gap::PositionGap;
pub(crate) use revision::{CodePosition, ask_git};
pub(crate) use source::source_place;
pub(crate) use symbols::functions_aligned;
