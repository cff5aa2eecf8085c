//! How the tests of operations ask them.

use super::Op;
use crate::case::Case;
use serde_json::{Value, json};

/// The answer to a case without a name.
pub(super) fn ask(op: Op, input: Value, params: Value) -> Result<Value, String> {
    op(&Case::new(input, params))
}

/// Each case is refused with a sentence that has this word.
pub(super) fn assert_refused<const CASES: usize>(op: Op, cases: [(Value, Value, &str); CASES]) {
    for (input, params, word) in cases {
        let error = ask(op, input, params).unwrap_err();
        assert!(error.contains(word), "{error}");
    }
}

/// Too few values and equal ones have no change.
pub(super) fn assert_finds_nothing_in_nothing(op: Op) {
    for series in [json!([]), json!([1]), json!(vec![5; 100])] {
        assert_eq!(ask(op, json!({ "series": series }), json!({})), Ok(json!([])));
    }
}
