//! The estimators and rules against published reference values, file by file (see README.md beside
//! this). Files with values of estimators of both crates are the core's.

#![allow(clippy::unwrap_used)] // A broken fixture file fails the test that reads it.

mod comparison;
#[path = "../../../perftest-core/tests/reference/fixture.rs"]
mod fixture;
mod modality;
mod quantiles;
