//! The estimators against published reference values, file by file (see README.md beside this).

#![allow(clippy::unwrap_used)] // A broken fixture file fails the test that reads it.

mod comparison;
mod fixture;
mod modality;
mod quantiles;
mod rank_bounds;
mod scale;
