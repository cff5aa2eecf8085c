//! Prepares a package for its first performance test: makes a plan from the present files, and
//! executes it.
//!
//! The plan is a value. `project.rs` reads the files, `plan.rs` decides and writes. Each of the other
//! files handles one kind of file.

mod addition;
mod cargo_config;
mod first_test;
mod manifest;
mod nextest;
mod plan;
mod project;

pub(crate) use plan::{InitRequest, Plan, write};
pub(crate) use project::InitProject;
