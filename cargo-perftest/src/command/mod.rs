//! One module a command.

pub(crate) mod accept;
mod accept_list;
mod accept_session;
pub(crate) mod bisect;
pub(crate) mod changepoints;
pub(crate) mod check;
mod check_acknowledge;
mod check_markdown;
mod check_models;
mod check_notes;
pub(crate) mod compare;
pub(crate) mod doctor;
pub(crate) mod drift;
mod errors;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod init;
pub(crate) mod machine;
mod noise_floor;
pub(crate) mod power;
pub(crate) mod rank;
pub(crate) mod relink;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod show;
pub(crate) mod stats;
