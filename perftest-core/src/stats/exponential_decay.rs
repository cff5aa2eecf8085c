//! Weights that fade with age.
//!
//! Definition: a value of age a counts 2^(-a / h), h the half-life; the newest has age 0. Source:
//! Akinshin, "Quantile exponential smoothing" (2021). Behaviour: the effective size of a long
//! history is about 2.9 half-lives. Fading lets a slow drift go that no change point shows; it
//! does not replace dropping what lies before a change.

use crate::list::IntoList;

/// The weight at this age, for a `half_life` above 0 in the same unit.
///
/// ```
/// use perftest_core::stats::exponential_decay;
/// assert_eq!(exponential_decay(60.0, 30.0), 0.25);
/// ```
pub fn exponential_decay(age: f64, half_life: f64) -> f64 {
    (-age / half_life).exp2()
}

/// The weights of `count` values at ages count - 1 to 0: the oldest first.
///
/// ```
/// use perftest_core::stats::exponential_decay_weights;
/// assert_eq!(exponential_decay_weights(3, 1.0), [0.25, 0.5, 1.0]);
/// ```
pub fn exponential_decay_weights(count: usize, half_life: f64) -> Vec<f64> {
    (0..count).rev().map(|age| exponential_decay(age as f64, half_life)).into_list()
}
