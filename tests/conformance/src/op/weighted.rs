//! Values with weights.

use crate::case::Case;
use perftest_core::model::Sample;
use perftest_core::stats::WeightedSample;

/// The `values` with their `weights`; all count alike where there are none.
pub(super) fn sample(case: &Case) -> Result<WeightedSample, String> {
    let sample = case.sample("values")?;
    if case.input("weights").is_null() {
        return Ok(WeightedSample::from(&sample));
    }
    let weights = case.numbers("weights")?;
    WeightedSample::new(&sample, &weights).ok_or_else(|| why_refused(&sample, &weights))
}

/// Why these weights do not fit the sample.
fn why_refused(sample: &Sample, weights: &[f64]) -> String {
    if weights.len() != sample.size() {
        let (weights, values) = (weights.len(), sample.size());
        return format!("{weights} weights for {values} values: each value needs one");
    }
    let is_no_weight = |weight: &f64| !weight.is_finite() || *weight < 0.0;
    match weights.iter().position(is_no_weight) {
        Some(index) => {
            let weight = weights[index];
            format!("weight {index} is {weight}, but a weight is a number from 0 up")
        }
        None => "the sum of the weights must be above 0 and finite".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_do_not_fit_are_refused_with_the_reason() {
        let pair = Sample::new(vec![1.0, 2.0]).unwrap();
        let why = |weights: &[f64]| why_refused(&pair, weights);
        assert_eq!(why(&[1.0]), "1 weights for 2 values: each value needs one");
        assert_eq!(why(&[1.0, -1.0]), "weight 1 is -1, but a weight is a number from 0 up");
        let sum = "the sum of the weights must be above 0 and finite";
        assert_eq!((why(&[0.0, 0.0]).as_str(), why(&[f64::MAX, f64::MAX]).as_str()), (sum, sum));
    }
}
