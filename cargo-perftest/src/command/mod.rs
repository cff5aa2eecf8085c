//! One module a command.

pub(crate) mod accept;
pub(crate) mod doctor;
mod errors;
pub(crate) mod history;
pub(crate) mod machine;
pub(crate) mod relink;
pub(crate) mod replay;
pub(crate) mod show;
