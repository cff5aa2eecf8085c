//! Values with weights.

use crate::case::Case;
use perftest_core::stats::WeightedSample;

/// The `values` with their `weights`; all count alike where there are none.
pub(super) fn sample(case: &Case) -> Result<WeightedSample, String> {
    let sample = case.sample("values")?;
    if case.input("weights").is_null() {
        return Ok(WeightedSample::from(&sample));
    }
    let weights = case.numbers("weights")?;
    WeightedSample::new(&sample, &weights).map_err(|error| error.to_string())
}
