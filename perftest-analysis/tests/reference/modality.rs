//! Jitter, and the shape of a sample in words.

use crate::fixture::{cases, number, numbers};
use perftest_analysis::stats::jittered;
use perftest_analysis::words::{ShapeDetail, shape};
use perftest_core::stats::modes;

#[test]
fn ties_are_spread_as_published() {
    for case in cases(include_str!("jitter_ties.json"), 6) {
        let spread = jittered(&case.sample("values"), number(case.param("resolution")));
        let expected = numbers(case.expected("sorted_values"));
        assert_eq!(spread.size(), expected.len(), "{}", case.name());
        for (value, expected) in spread.sorted().iter().zip(expected) {
            case.assert_near("value", *value, expected, 1e-12);
        }
    }
}

#[test]
fn shapes_are_reported_in_the_published_words() {
    for case in cases(include_str!("modality_summary_text.json"), 14) {
        let detail = match case.word("style") {
            "default" => ShapeDetail::OuterModes,
            "auto" => ShapeDetail::Fitting,
            "compact" => ShapeDetail::Ranges,
            "full" => ShapeDetail::AllModes,
            other => panic!("{}: unknown style {other}", case.name()),
        };
        let decimals = number(case.param("decimals")) as usize;
        let sample = case.sample("values");
        assert_eq!(modes(&sample).len() as f64, number(case.expected("modality")));
        let output = shape(&sample, detail, |value| format!("{value:.decimals$}"));
        assert_eq!(output, case.expected("text").as_str().unwrap(), "{}", case.name());
    }
}
