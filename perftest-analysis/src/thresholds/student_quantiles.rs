//! Quantiles of Student's t distribution, each computed once.
//!
//! A check judges every run of thousands of histories. The quantile depends only on the boundary and on the number
//! of values before the run, so few different ones are needed.

use perftest_core::stats::student_quantile;
use std::cell::RefCell;
use std::collections::HashMap;

thread_local! {
    /// By the size of the sample and the bits of the probability.
    static COMPUTED: RefCell<HashMap<(usize, u64), f64>> = RefCell::default();
}

/// Returns the quantile for the mean of a sample of at least two values.
pub(super) fn quantile_of_sample(size: usize, probability: f64) -> f64 {
    let compute = || student_quantile(size as f64 - 1.0, probability);
    let key = (size, probability.to_bits());
    COMPUTED.with_borrow_mut(|computed| *computed.entry(key).or_insert_with(compute))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_that_is_asked_for_again_has_the_same_bits() {
        for _ in 0..2 {
            for size in 2..300 {
                for probability in [0.5, 0.9, 0.95, 0.977, 0.99, 0.999, 1.0 - 1e-9] {
                    let expected = student_quantile(size as f64 - 1.0, probability);
                    let actual = quantile_of_sample(size, probability);
                    assert_eq!(actual.to_bits(), expected.to_bits(), "{size} {probability}");
                }
            }
        }
    }
}
