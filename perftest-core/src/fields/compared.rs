//! What a comparison of two executables or functions came to.

use super::{Field, FieldList};
use crate::judge::ComparisonResult;
use crate::model::MetricChange;

/// Returns the numbers of a comparison. Its keys are those of a verdict if they exist there; `value` is
/// the head's.
pub fn fields_of_compared(compared: &ComparisonResult) -> Vec<Field> {
    let mut list = FieldList::default();
    list.interval(["ratio", "ratio_lower", "ratio_upper"], Some(compared.ratio));
    list.interval(["value", "value_lower", "value_upper"], Some(compared.head));
    list.interval(["base_value", "base_lower", "base_upper"], Some(compared.base));
    list.number("smallest_detectable", compared.smallest_detectable);
    list.number("noise", compared.noise);
    list.count("needed_pairs", compared.needed_pairs);
    list.count("pairs", compared.pairs);
    list.count("measurements", compared.measurements);
    list.notes(&compared.notes);
    list.fields
}

/// Returns the fields of the metrics beside the judged one: their names, their values before and now, and
/// the bounds of their changes.
pub fn fields_of_changes(changes: &[MetricChange]) -> Vec<Field> {
    let mut list = FieldList::default();
    list.changes(changes);
    list.fields
}
