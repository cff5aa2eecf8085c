//! `clickhouse_randomization`: how far apart random labels make two medians, and what is concluded.

use super::limits::most;
use crate::case::{Case, json_number};
use crate::case_values::probability_or;
use perftest_analysis::stats::{median_distances, upper_median};
use perftest_analysis::thresholds::{ClickHouse, ClickHouseAnswer, ClickHouseDecision};
use serde_json::{Value, json};

/// The ways to label are counted in the square of the number of values.
const MOST_VALUES: usize = 4_000;

/// `left` is before and `right` current; the threshold is the `quantile` (0.99) of the distances.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let (left, right) = (case.sample("left")?, case.sample("right")?);
    most("the number of values", left.size() + right.size(), MOST_VALUES)?;
    let probability = probability_or(case, "quantile", 0.99)?;
    let judge = |rule: ClickHouse| {
        let answer = rule.judge_at(&left, &right, probability);
        answer.ok_or("the median of left has to be above 0: differences are shares of it")
    };
    let (blog, before, since) = (
        judge(ClickHouse::BLOG_2021)?,
        judge(ClickHouse::SCRIPTS_2025)?,
        judge(ClickHouse::SCRIPTS_2026)?,
    );
    let mut distances: Vec<f64> =
        median_distances(&left, &right).into_iter().map(|(distance, _)| distance).collect();
    distances.dedup();
    Ok(json!({
        "median_left": upper_median(&left),
        "median_right": upper_median(&right),
        "diff": json_number(blog.difference),
        "stat_threshold_exact": json_number(blog.threshold),
        "distinct_values": distances.len(),
        "verdict": {
            "blog2021": verdict(&blog),
            "source_2025": verdict(&before),
            "source_2026": verdict(&since),
        },
    }))
}

fn verdict(answer: &ClickHouseAnswer) -> Value {
    json!({
        "changed": answer.decision == ClickHouseDecision::Changed,
        "unstable": answer.decision == ClickHouseDecision::Unstable,
    })
}
