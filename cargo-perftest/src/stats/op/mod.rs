//! The operations of a batch, one a file, each named as the file of reference cases it answers.

mod bencher_limits;
mod bencher_rules;
mod bencher_statistics;
mod benchstat;
mod exponential_decay_weights;
mod multimodality_mvalue;
mod pragmastat_compare1;
mod pragmastat_compare2;
mod projected;
#[cfg(test)]
mod reference;
mod rustc_perf;
mod two_sample_tests;

use super::case::Case;
use serde_json::Value;

/// Answers one case: the value in the shape of the reference file's `expected`, or a sentence that names
/// the assumption that failed.
pub(crate) type Op = fn(&Case) -> Result<Value, String>;

/// Every operation by its name, in alphabetical order.
pub(crate) const OPS: [(&str, Op); 10] = [
    ("bencher_limits", bencher_limits::answer),
    ("bencher_rules", bencher_rules::answer),
    ("bencher_statistics", bencher_statistics::answer),
    ("benchstat", benchstat::answer),
    ("exponential_decay_weights", exponential_decay_weights::answer),
    ("multimodality_mvalue", multimodality_mvalue::answer),
    ("pragmastat_compare1", pragmastat_compare1::answer),
    ("pragmastat_compare2", pragmastat_compare2::answer),
    ("rustc_perf", rustc_perf::answer),
    ("two_sample_tests", two_sample_tests::answer),
];

/// The operation of a name.
pub(crate) fn find(name: &str) -> Option<Op> {
    OPS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
}
