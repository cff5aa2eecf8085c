//! `changepoint_datasets`: the change points of both PELT detectors.

use super::super::case::Case;
use super::changepoint_documented::{indexes, min_distance};
use perftest_core::detect::{ed_pelt, rqq_pelt};
use serde_json::{Value, json};

/// `values` and `min_distance`. The answer has the index of the last value before each change.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let series = case.sample("values")?;
    let min_distance = min_distance(case)?;
    Ok(json!({
        "rqq_pelt": { "indexes": indexes(&rqq_pelt(&series, min_distance)) },
        "ed_pelt": { "indexes": indexes(&ed_pelt(&series, min_distance)) },
    }))
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use serde_json::Value;

    const FILE: &str = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/reference/changepoint_datasets.json"
    ));

    #[test]
    fn every_reference_case_is_answered() {
        let mut file: Value = serde_json::from_str(FILE).unwrap();
        for case in file["cases"].as_array_mut().unwrap() {
            let expected = case["expected"].as_object_mut().unwrap();
            // The truth, and what each answer costs measured by it, are no part of an answer.
            expected.remove("truth");
            for detector in expected.values_mut() {
                detector.as_object_mut().unwrap().retain(|key, _| key == "indexes");
            }
        }
        reference::assert_all("changepoint_datasets", &file.to_string(), 49);
    }
}
