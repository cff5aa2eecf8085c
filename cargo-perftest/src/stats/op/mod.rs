//! The operations of a batch, one a file, each named as the file of reference cases it answers.

mod chromeperf_change_points;
mod exponential_decay_weights;
mod given;
mod mongodb_edivisive;
mod otava;
mod perfherder;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod reference;
mod skia_stepfit;
mod skia_vec;

use super::case::Case;
use serde_json::Value;

/// Answers one case: the value in the shape of the reference file's `expected`, or a sentence that names
/// the assumption that failed.
pub(crate) type Op = fn(&Case) -> Result<Value, String>;

/// Every operation by its name, in alphabetical order.
pub(crate) const OPS: [(&str, Op); 7] = [
    ("chromeperf_change_points", chromeperf_change_points::answer),
    ("exponential_decay_weights", exponential_decay_weights::answer),
    ("mongodb_edivisive", mongodb_edivisive::answer),
    ("otava", otava::answer),
    ("perfherder", perfherder::answer),
    ("skia_stepfit", skia_stepfit::answer),
    ("skia_vec", skia_vec::answer),
];

/// The operation of a name.
pub(crate) fn find(name: &str) -> Option<Op> {
    OPS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
}
