//! Reference files whose cases name a series, or tell a property in place of the answer.

use super::super::case::Case;
use super::super::series_ref;
use super::{find, reference};
use serde_json::Value;
use std::path::Path;

/// As [`reference::assert_all`], with these ways to tell what is expected besides: `count` and
/// `first` of an array, `p_between` two numbers, and `<=` a number.
pub(super) fn assert_all(op: &str, file: &str, fewest: usize) {
    let mut file: Value = serde_json::from_str(file).unwrap();
    let cases = file["cases"].as_array_mut().unwrap();
    assert!(cases.len() >= fewest, "{op}: only {} cases", cases.len());
    let series = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(series_ref::DIRECTORY);
    for case in cases.iter_mut() {
        case["input"] = series_ref::resolved(case["input"].take(), &series).unwrap();
    }
    cases.retain_mut(|case| !is_told_by_properties(op, case));
    reference::assert_all(op, &file.to_string(), 1);
}

/// Asserts the properties of a case and takes them out of what is expected; whether nothing is left.
fn is_told_by_properties(op: &str, case: &mut Value) -> bool {
    let name = case["name"].as_str().unwrap().to_owned();
    let asked = Case::new(case["input"].clone(), case["params"].clone()).named(&name);
    let got = find(op).unwrap()(&asked).unwrap_or_else(|error| panic!("{op} {name}: {error}"));
    let Some(expected) = case["expected"].as_object_mut() else {
        return false;
    };
    expected.retain(|key, expected| {
        let holds = match key.as_str() {
            "count" => {
                got.as_array().map(Vec::len) == expected.as_u64().map(|count| count as usize)
            }
            "first" => got[0] == *expected,
            "p_between" => {
                let (p, end) =
                    (got["p"].as_f64().unwrap(), |i: usize| expected[i].as_f64().unwrap());
                (end(0)..=end(1)).contains(&p)
            }
            _ => {
                let limit = expected.as_str().and_then(|told| told.strip_prefix("<="));
                let Some(limit) = limit else {
                    return true;
                };
                got[key].as_f64().unwrap() <= limit.parse().unwrap()
            }
        };
        assert!(holds, "{op} {name}: {key} of {got} is not {expected}");
        false
    });
    expected.is_empty()
}
