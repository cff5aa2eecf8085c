//! Two samples compared.

use crate::fixture::{cases, number, numbers};
use perftest_analysis::stats::{
    disparity_bounds, gamma_effect_size, pooled_absolute_deviation, ratio_range, shift_range,
};
use perftest_analysis::thresholds::{ClickHouse, ClickHouseDecision};
use perftest_core::model::Sample;
use perftest_core::stats::{harrell_davis, quantile};

#[test]
fn gamma_effect_sizes_are_the_published_ones() {
    for case in cases(include_str!("gamma_effect_size.json"), 8) {
        let (before, current) = (case.sample("a"), case.sample("b"));
        let expected = numbers(case.expected("gamma"));
        for (p, expected) in numbers(case.param("probabilities")).into_iter().zip(expected) {
            let shift = quantile(&current, p) - quantile(&before, p);
            let gamma = gamma_effect_size(shift, pooled_absolute_deviation(&before, &current));
            case.assert_near(&format!("at {p}"), gamma, expected, 1e-9);
        }
    }
}

#[test]
fn ranges_of_shift_and_ratio_functions_are_the_published_ones() {
    let file = include_str!("../../../perftest-core/tests/reference/shift_ratio_functions.json");
    for case in cases(file, 20) {
        let (before, current) = (case.sample("a"), case.sample("b"));
        let shifts = shift_range(&before, &current, harrell_davis);
        let expected = numbers(case.expected("shift_range"));
        case.assert_near("least shift", *shifts.start(), expected[0], 1e-9);
        case.assert_near("largest shift", *shifts.end(), expected[1], 1e-9);
        let ratios = ratio_range(&before, &current, harrell_davis).unwrap();
        let expected = numbers(case.expected("ratio_range"));
        case.assert_near("least ratio", *ratios.start(), expected[0], 1e-9);
        case.assert_near("largest ratio", *ratios.end(), expected[1], 1e-9);
    }
}

#[test]
fn clickhouse_decides_as_its_table_says() {
    let rules = [
        ("blog2021", ClickHouse::BLOG_2021),
        ("source_2025", ClickHouse::SCRIPTS_2025),
        ("source_2026", ClickHouse::SCRIPTS_2026),
    ];
    let (mut changed, mut unstable) = (0, 0);
    for case in cases(include_str!("clickhouse_randomization.json"), 15) {
        let (base, head) = (case.sample("left"), case.sample("right"));
        for (name, rule) in rules {
            let answer = rule.judge(&base, &head).unwrap();
            let threshold = number(case.expected("stat_threshold_exact"));
            case.assert_near("difference", answer.difference, number(case.expected("diff")), 1e-9);
            case.assert_near("threshold", answer.threshold, threshold, 1e-9);
            // Two cases are about the threshold alone.
            let expected = &case.expected("verdict")[name];
            if expected.is_null() {
                continue;
            }
            let is = |decision| answer.decision == decision;
            assert_eq!(is(ClickHouseDecision::Changed), expected["changed"], "{}", case.name());
            assert_eq!(is(ClickHouseDecision::Unstable), expected["unstable"], "{}", case.name());
            changed += u32::from(is(ClickHouseDecision::Changed));
            unstable += u32::from(is(ClickHouseDecision::Unstable));
        }
    }
    assert!(changed > 0 && unstable > 0, "{changed} {unstable}");
}

#[test]
fn bounds_of_disparity_need_no_fewer_values_than_the_published_ones() {
    let file =
        include_str!("../../../perftest-core/tests/reference/pragmastat_disparity_bounds.json");
    let mut refused = 0;
    for case in cases(file, 20).iter().filter(|case| case.expected("error").is_object()) {
        let [x, y] = ["x", "y"].map(|key| Sample::new(numbers(case.input(key))).unwrap());
        let bounds = disparity_bounds(&x, &y, number(case.param("misrate")) / 2.0);
        assert_eq!(bounds, None, "{}", case.name());
        refused += 1;
    }
    assert!(refused > 0);
}
