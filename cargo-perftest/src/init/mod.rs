//! What a package needs before its first performance test: a plan, made of what is there, and its
//! execution.
//!
//! The plan is a value. `project.rs` reads what is there, `plan.rs` decides, `write.rs` acts; the
//! other files each know one kind of file.

mod cargo_config;
mod first_test;
mod manifest;
mod nextest;
mod plan;
mod project;
mod write;

pub(crate) use plan::{InitRequest, Plan};
pub(crate) use project::InitProject;
pub(crate) use write::write;
