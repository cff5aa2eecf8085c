//! The operations of a batch, one a file, each named as the file of reference cases it answers.

mod exponential_decay_weights;
#[cfg(test)]
mod reference;

use super::case::Case;
use serde_json::Value;

/// Answers one case: the value in the shape of the reference file's `expected`, or a sentence that names
/// the assumption that failed.
pub(crate) type Op = fn(&Case) -> Result<Value, String>;

/// Every operation by its name, in alphabetical order.
pub(crate) const OPS: [(&str, Op); 1] =
    [("exponential_decay_weights", exponential_decay_weights::answer)];

/// The operation of a name.
pub(crate) fn find(name: &str) -> Option<Op> {
    OPS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
}
