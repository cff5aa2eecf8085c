//! One module a command.

pub(crate) mod accept;
pub(crate) mod history;
pub(crate) mod show;
