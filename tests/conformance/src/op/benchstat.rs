//! `benchstat`: the numbers and words of Go's benchstat. The first part of the case's name selects one.

use crate::case::{Case, number, whole};
use crate::case_values::{json_number_inf, probability_or};
use crate::stats::fewest_for_median_interval;
use crate::thresholds::{
    Assumption, BenchstatComparison, BenchstatSummary, fewest_for_significance, least_two_sided,
};
use perftest_core::model::Interval;
use serde_json::{Value, json};

/// Sizes beyond which upstream gives up, as it reports them.
const MOST_FOR_MEDIAN: usize = 50;
const MOST_FOR_RANKS: usize = 10;
const CONFIDENCE: f64 = 0.95;
const ALPHA: f64 = 0.05;

/// By kind: `values`, or `a` and `b`, or `old` and `new`, or the numbers of a summary or a comparison;
/// `confidence` and `alpha` are 0.95 and 0.05 where they are not given, and `compare` takes an
/// `assumption`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    Ok(match case.kind() {
        "median_ci_samples_needed" => {
            needed(fewest_for_median_interval(confidence(case)?), MOST_FOR_MEDIAN)
        }
        "utest_samples_needed" => needed(fewest_for_significance(alpha(case)?), MOST_FOR_RANKS),
        "utest_min_p" => json!(least_two_sided(size(case, "n1")?, size(case, "n2")?)),
        "median_summary" => summary(case, Assumption::Nothing)?,
        "mean_summary" | "normal_summary" => summary(case, Assumption::Normal)?,
        "exact_summary" => summary(case, Assumption::Exact)?,
        "compare" => compare(case)?,
        "range_string" => {
            let [estimate, lower, upper] = ["center", "lo", "hi"].map(|key| input(case, key));
            let interval = Interval { estimate: estimate?, lower: lower?, upper: upper? };
            json!(BenchstatSummary { interval, confidence: CONFIDENCE, warning: None }.range())
        }
        "comparison_string" => {
            json!(of_p(case, (size(case, "n1")?, size(case, "n2")?))?.words())
        }
        "delta_string" => {
            let (old, new) = (input(case, "old")?, input(case, "new")?);
            json!(of_p(case, (0, 0))?.delta(old, new, alpha(case)?))
        }
        "table" => row(case)?,
        kind => {
            return Err(format!("benchstat has no {kind}; the first part of the name selects one"));
        }
    })
}

fn summary(case: &Case, assumption: Assumption) -> Result<Value, String> {
    let summary = assumption.summary(&case.sample("values")?, confidence(case)?);
    let Interval { estimate, lower, upper } = summary.interval;
    let mut answer = json!({
        "center": json_number_inf(estimate),
        "lo": json_number_inf(lower),
        "hi": json_number_inf(upper),
        "warning": summary.warning,
    });
    if assumption != Assumption::Exact {
        answer["actual_confidence"] = json!(summary.confidence);
    }
    Ok(answer)
}

fn compare(case: &Case) -> Result<Value, String> {
    let assumption = match case.param("assumption") {
        Value::Null => Assumption::Nothing,
        _ => Assumption::from_name(case.word("assumption")?)
            .ok_or("the parameter assumption is nothing, normal or exact")?,
    };
    let compared = assumption.compare(&case.sample("a")?, &case.sample("b")?, alpha(case)?);
    Ok(json!({ "p": compared.p, "warning": compared.warning }))
}

/// One row of its table.
fn row(case: &Case) -> Result<Value, String> {
    let (old, new, alpha) = (case.sample("old")?, case.sample("new")?, alpha(case)?);
    let summary = |sample| Assumption::Nothing.summary(sample, CONFIDENCE);
    let compared = Assumption::Nothing.compare(&old, &new, alpha);
    let (old, new) = (summary(&old), summary(&new));
    let (before, now) = (old.interval.estimate, new.interval.estimate);
    Ok(json!({
        "old": before,
        "new": now,
        "old_ci": old.range(),
        "new_ci": new.range(),
        "delta": compared.delta(before, now, alpha),
        "p": compared.words(),
    }))
}

fn needed(fewest: Option<usize>, most: usize) -> Value {
    match fewest {
        Some(fewest) => json!({ "op": ">=", "n": fewest }),
        None => json!({ "op": ">", "n": most }),
    }
}

/// A comparison of which only its probability and its sizes are known.
fn of_p(case: &Case, sizes: (usize, usize)) -> Result<BenchstatComparison, String> {
    Ok(BenchstatComparison { p: input(case, "p")?, sizes, warning: None })
}

fn confidence(case: &Case) -> Result<f64, String> {
    probability_or(case, "confidence", CONFIDENCE)
}

fn alpha(case: &Case) -> Result<f64, String> {
    probability_or(case, "alpha", ALPHA)
}

fn input(case: &Case, key: &str) -> Result<f64, String> {
    let number = number(case.input(key)).filter(|number| !number.is_nan());
    number.ok_or_else(|| format!("the input {key} has to be a number"))
}

fn size(case: &Case, key: &str) -> Result<usize, String> {
    whole(case.input(key))
        .ok_or_else(|| format!("the input {key} has to be a whole number from 0 up"))
}
