//! `two_sample_tests`: Mann-Whitney, the t tests, a quantile of type 8 and Student's t distribution. The
//! first part of the case's name is `mann_whitney`, `t_test`, `percentile_r8` or `student_t`.

use crate::case::{Case, number};
use crate::case_values::number_or;
use crate::stats::{HyndmanFan, greater, mean_t_test, paired_t_test};
use perftest_analysis::stats::{RankSumTest, TTest};
use perftest_core::model::Sample;
use perftest_core::stats::{student_density, student_upper_tail};
use serde_json::{Value, json};

const KINDS: &str = "mann_whitney/, t_test/, percentile_r8/, student_t/pdf and student_t/cdf";
const MOST_OF_A_RULE: usize = 1_000_000;

/// `a` and `b`, or `a_rule` and `b_rule` such as `i*2-41 for i<600`; of a t test its `kind` (`pooled`,
/// `welch`, `paired` or `one_sample`) and `mu0`; of a percentile `values` and `p`; of the distribution
/// `x` and `v`.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    match case.kind() {
        "mann_whitney" => mann_whitney(case),
        "t_test" => t_test(case),
        "percentile_r8" => {
            let p = case.number("p").and_then(no_nan)?;
            Ok(json!(HyndmanFan::Type8.quantile(&case.sample("values")?, p)))
        }
        "student_t" => student_t(case),
        kind => Err(format!("there is no test {kind}; begin the name with one of {KINDS}")),
    }
}

fn mann_whitney(case: &Case) -> Result<Value, String> {
    Ok(match RankSumTest::of(&sample(case, "a")?, &sample(case, "b")?) {
        None => json!("error: all samples are equal"),
        Some(test) => json!({
            "U": test.u,
            "p_less": test.less,
            "p_two_sided": test.mirrored,
            "p_greater": test.greater,
        }),
    })
}

fn t_test(case: &Case) -> Result<Value, String> {
    let one = sample(case, "a")?;
    let mean = number_or(case, "mu0", 0.0).and_then(no_nan)?;
    let test = match case.word("kind")? {
        "one_sample" => mean_t_test(&one, mean),
        "paired" => {
            let other = sample(case, "b")?;
            if one.size() != other.size() {
                return Err("paired values have to be as many in a as in b".into());
            }
            paired_t_test(&one, &other, mean)
        }
        "pooled" => TTest::pooled(&one, &sample(case, "b")?),
        "welch" => TTest::welch(&one, &sample(case, "b")?),
        kind => {
            return Err(format!("the kind {kind} is none of pooled, welch, paired, one_sample"));
        }
    };
    let test = test.ok_or("a t test needs two values in each sample, and spread")?;
    Ok(json!({
        "t": test.t,
        "dof": test.freedom,
        "p_less": greater(&TTest { t: -test.t, ..test }),
        "p_two_sided": test.two_sided(),
        "p_greater": greater(&test),
    }))
}

fn student_t(case: &Case) -> Result<Value, String> {
    let x = number(case.input("x"))
        .ok_or("the input x has to be a number")
        .and_then(|x| if x.is_nan() { Err("the input x has to be a number") } else { Ok(x) })?;
    let freedom = case.number("v")?;
    if !(freedom > 0.0 && freedom.is_finite()) {
        return Err("the parameter v has to be a finite number above 0".into());
    }
    let beyond = student_upper_tail(freedom, x.abs());
    match case.name().split('/').nth(1) {
        Some("pdf") => Ok(json!(student_density(freedom, x))),
        Some("cdf") => Ok(json!(if x < 0.0 { beyond } else { 1.0 - beyond })),
        _ => Err(format!("begin the name with one of {KINDS}")),
    }
}

fn no_nan(number: f64) -> Result<f64, String> {
    match number.is_nan() {
        true => Err("a parameter is no number".into()),
        false => Ok(number),
    }
}

/// The values of an input, or those of its rule.
fn sample(case: &Case, key: &str) -> Result<Sample, String> {
    match case.input(&format!("{key}_rule")) {
        Value::Null => case.sample(key),
        rule => {
            let values = rule.as_str().and_then(by_rule);
            let values = values.ok_or_else(|| {
                format!(
                    "the rule of {key} has to read like i*2-41 for i<600, up to {MOST_OF_A_RULE}"
                )
            })?;
            Sample::new(values).map_err(|error| format!("the rule of {key}: {error}"))
        }
    }
}

/// The values of `i`, `i*2`, `i+1` or `i*2-41`, `for i<600`.
fn by_rule(rule: &str) -> Option<Vec<f64>> {
    let (line, count) = rule.split_once(" for i<")?;
    let count: usize = count.trim().parse().ok().filter(|count| *count <= MOST_OF_A_RULE)?;
    let rest = line.trim().strip_prefix('i')?;
    let (factor, shift) = match rest.strip_prefix('*') {
        None => (1.0, rest),
        Some(rest) => {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            (rest[..end].trim().parse().ok()?, &rest[end..])
        }
    };
    let shift: f64 =
        if shift.trim().is_empty() { 0.0 } else { shift.replace(' ', "").parse().ok()? };
    Some((0..count).map(|i| i as f64 * factor + shift).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_makes_a_line_of_values() {
        assert_eq!(by_rule("i for i<3"), Some(vec![0.0, 1.0, 2.0]));
        assert_eq!(by_rule("i*2-41 for i<2"), Some(vec![-41.0, -39.0]));
        assert_eq!(by_rule("i * 2 + 1 for i<2"), None);
        assert_eq!(by_rule("i+1 for i<2"), Some(vec![1.0, 2.0]));
        assert_eq!(by_rule("i*2 for i<99999999999"), None);
        assert_eq!(by_rule("exit() for i<3"), None);
    }

    #[test]
    fn what_a_test_cannot_decide_is_an_error_with_its_reason() {
        let error =
            |name: &str, input, params| answer(&Case::new(input, params).named(name)).unwrap_err();
        let pooled = json!({ "kind": "pooled" });
        let flat = json!({ "a": [1.0, 1.0], "b": [1.0, 1.0] });
        assert!(error("t_test/flat", flat, pooled.clone()).contains("spread"));
        assert!(error("t_test/none", json!({ "a": [] }), pooled).contains("at least one value"));
        let uneven = json!({ "a": [1.0, 2.0], "b": [1.0] });
        assert!(error("t_test/uneven", uneven, json!({ "kind": "paired" })).contains("as many"));
        assert!(
            error("student_t/cdf", json!({ "x": 1.0 }), json!({ "v": 0.0 })).contains("above 0")
        );
        assert!(error("f_test/1", json!({}), json!({})).contains("mann_whitney/"));
    }
}
