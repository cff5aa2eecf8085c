//! The operations of a batch, one a file, each named as the file of reference cases it answers.

mod changepoint_datasets;
mod changepoint_documented;
mod exponential_decay_weights;
mod range_quantile_queries;
#[cfg(test)]
mod reference;
mod tcpd_metrics;

use super::case::Case;
use serde_json::Value;

/// Answers one case: the value in the shape of the reference file's `expected`, or a sentence that names
/// the assumption that failed.
pub(crate) type Op = fn(&Case) -> Result<Value, String>;

/// Every operation by its name, in alphabetical order.
pub(crate) const OPS: [(&str, Op); 5] = [
    ("changepoint_datasets", changepoint_datasets::answer),
    ("changepoint_documented", changepoint_documented::answer),
    ("exponential_decay_weights", exponential_decay_weights::answer),
    ("range_quantile_queries", range_quantile_queries::answer),
    ("tcpd_metrics", tcpd_metrics::answer),
];

/// The operation of a name.
pub(crate) fn find(name: &str) -> Option<Op> {
    OPS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
}
