//! The operations of a batch, one a file, each named as the file of reference cases it answers.

mod bencher_limits;
mod bencher_rules;
mod bencher_statistics;
mod benchstat;
mod chromeperf_change_points;
mod exponential_decay_weights;
mod given;
mod mongodb_edivisive;
mod multimodality_mvalue;
mod otava;
mod perfherder;
mod pragmastat_compare1;
mod pragmastat_compare2;
mod projected;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod reference;
mod rustc_perf;
mod skia_stepfit;
mod skia_vec;
mod two_sample_tests;

use super::case::Case;
use serde_json::Value;

/// Answers one case: the value in the shape of the reference file's `expected`, or a sentence that names
/// the assumption that failed.
pub(crate) type Op = fn(&Case) -> Result<Value, String>;

/// Every operation by its name, in alphabetical order.
pub(crate) const OPS: &[(&str, Op)] = &[
    ("bencher_limits", bencher_limits::answer),
    ("bencher_rules", bencher_rules::answer),
    ("bencher_statistics", bencher_statistics::answer),
    ("benchstat", benchstat::answer),
    ("chromeperf_change_points", chromeperf_change_points::answer),
    ("exponential_decay_weights", exponential_decay_weights::answer),
    ("mongodb_edivisive", mongodb_edivisive::answer),
    ("multimodality_mvalue", multimodality_mvalue::answer),
    ("otava", otava::answer),
    ("perfherder", perfherder::answer),
    ("pragmastat_compare1", pragmastat_compare1::answer),
    ("pragmastat_compare2", pragmastat_compare2::answer),
    ("rustc_perf", rustc_perf::answer),
    ("skia_stepfit", skia_stepfit::answer),
    ("skia_vec", skia_vec::answer),
    ("two_sample_tests", two_sample_tests::answer),
];

/// The operation of a name.
pub(crate) fn find(name: &str) -> Option<Op> {
    OPS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
}
