//! Published estimators that nothing shipped calls, against reference values, file by file.

#![allow(clippy::unwrap_used)] // A broken fixture file fails the test that reads it.

#[path = "../../../../perftest-core/tests/reference/fixture.rs"]
mod fixture;
mod outliers;
mod quantiles;
mod scale;
