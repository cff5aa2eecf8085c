//! Two samples compared, and weights.

use crate::fixture::{cases, number, numbers};
use perftest_core::model::Sample;
use perftest_core::stats::{
    WeightedSample, bounded_probabilities, exponential_decay, exponential_decay_weights,
    harrell_davis, ratio, shift,
};

#[test]
fn shift_and_ratio_functions_are_the_published_ones() {
    for case in cases(include_str!("shift_ratio_functions.json"), 20) {
        let (before, current) = (case.sample("a"), case.sample("b"));
        let probabilities = bounded_probabilities(before.size(), current.size());
        case.assert_near("margin", probabilities[0], number(case.expected("margin")), 2e-3);
        assert_eq!(probabilities.len() as f64, number(case.expected("quantization_count")));

        let shifts = numbers(case.expected("shift_deciles"));
        let ratios = numbers(case.expected("ratio_deciles"));
        for (decile, (expected, expected_ratio)) in (0..=10).zip(shifts.into_iter().zip(ratios)) {
            let p = f64::from(decile) / 10.0;
            case.assert_near("shift", shift(&before, &current, harrell_davis, p), expected, 1e-9);
            match ratio(&before, &current, harrell_davis, p) {
                Some(ratio) => case.assert_near("ratio", ratio, expected_ratio, 1e-9),
                // The reference divides negative quantiles too.
                None => assert!(harrell_davis(&before, p) <= 0.0, "{} at {p}", case.name()),
            }
        }
    }
}

#[test]
fn fading_weights_are_the_published_ones() {
    for case in cases(include_str!("exponential_decay_weights.json"), 7) {
        let half_life = number(case.param("half_life"));
        if let Some(age) = case.param("index").as_f64() {
            let expected = number(case.expected("weight"));
            case.assert_near("weight", exponential_decay(age, half_life), expected, 1e-9);
            continue;
        }
        let count = number(case.param("count")) as usize;
        let weights = exponential_decay_weights(count, half_life);
        let expected = numbers(case.expected("weights_oldest_first"));
        assert_eq!(weights.len(), expected.len());
        for (weight, expected) in weights.iter().zip(expected) {
            case.assert_near("weight", *weight, expected, 1e-9);
        }
        let sample = Sample::new(vec![1.0; count]).unwrap();
        let size = WeightedSample::new(&sample, &weights).unwrap().effective_size();
        case.assert_near("effective size", size, number(case.expected("kish_ess")), 1e-9);
    }
}
