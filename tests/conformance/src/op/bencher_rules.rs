//! `bencher_rules`: which settings of a threshold go together, and which names mute their alarms.

use crate::case::{Case, number, whole};
use perftest_analysis::thresholds::{Boundaries, IgnoredName, Threshold, ThresholdTest};
use serde_json::{Value, json};

const BOUNDARIES: [&str; 3] = ["boundary", "lower_boundary", "upper_boundary"];
const SETTINGS: [&str; 3] = ["min_sample_size", "max_sample_size", "window"];

/// `benchmark`, or the settings of a threshold of which some are given: `boundary` for either side,
/// `lower_boundary`, `upper_boundary`, `min_sample_size`, `max_sample_size`, `window`; as inputs or as
/// parameters. The `test` is one of the seven, or `cdf` for those that take a probability, which is also
/// meant where none is given.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    if !case.input("benchmark").is_null() {
        let name =
            case.input("benchmark").as_str().ok_or("the input benchmark has to be a name")?;
        let name = IgnoredName::of(name);
        return Ok(json!({ "stored_name": name.stored, "ignored": name.is_ignored }));
    }
    let test = match case.param("test").as_str() {
        None | Some("cdf") => ThresholdTest::TTest,
        Some(name) => {
            ThresholdTest::from_name(name).ok_or_else(|| format!("there is no test {name}"))?
        }
    };
    Ok(json!(go_together(case, test)))
}

/// Whether the given settings of a threshold are accepted; at least one has to be given.
fn go_together(case: &Case, test: ThresholdTest) -> bool {
    let has_key = |keys: &[&str]| keys.iter().any(|key| !given(case, key).is_null());
    let settings_alone = has_key(&SETTINGS) && !has_key(&BOUNDARIES);
    (settings_alone || check_boundaries(case, test).is_some())
        && check_settings(case, test).is_some()
}

fn given<'a>(case: &'a Case, key: &str) -> &'a Value {
    match case.input(key) {
        Value::Null => case.param(key),
        input => input,
    }
}

fn check_boundaries(case: &Case, test: ThresholdTest) -> Option<()> {
    let [either, lower, upper] = BOUNDARIES.map(|key| match given(case, key) {
        Value::Null => Some(None),
        value => number(value).map(Some),
    });
    let boundaries = Boundaries { lower: lower?, upper: upper?.or(either?) };
    Threshold::new(test, boundaries).ok().map(|_| ())
}

fn check_settings(case: &Case, test: ThresholdTest) -> Option<()> {
    let [fewest, most, window_s] = SETTINGS.map(|key| match given(case, key) {
        Value::Null => Some(None),
        value => whole(value).and_then(|number| u32::try_from(number).ok()).map(Some),
    });
    Threshold::check_sample_sizes(test, fewest?, most?).ok()?;
    window_s?.map_or(Ok(()), |window_s| Threshold::check_window_s(test, window_s)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_do_not_go_together_are_not_accepted() {
        let accepted = |test: &str, input: Value| {
            answer(&Case::new(input, json!({ "test": test }))).unwrap() == json!(true)
        };
        assert!(accepted("static", json!({ "lower_boundary": 1.0, "upper_boundary": 1.0 })));
        assert!(!accepted("static", json!({ "lower_boundary": 2.0, "upper_boundary": 1.0 })));
        assert!(!accepted("static", json!({ "min_sample_size": 2 })));
        assert!(!accepted("static", json!({ "boundary": 1.0, "window": 60 })));
        assert!(accepted("percentage", json!({ "min_sample_size": 1, "max_sample_size": 1 })));
        assert!(!accepted("percentage", json!({ "min_sample_size": 0 })));
        assert!(!accepted("t_test", json!({ "min_sample_size": 64, "max_sample_size": 2 })));
        assert!(!accepted("t_test", json!({ "max_sample_size": 1.5 })));
        assert!(accepted("iqr", json!({ "boundary": 0.0, "window": 1 })));
        assert!(!accepted("iqr", json!({ "boundary": 0.0, "window": 0 })));
        assert!(!accepted("iqr", json!({ "boundary": "much" })));
        assert!(!accepted("iqr", json!({})));
        let crossed = json!({ "test": "static", "lower_boundary": 2.0, "upper_boundary": 1.0 });
        assert_eq!(answer(&Case::new(json!({}), crossed)), Ok(json!(false)));
    }
}
