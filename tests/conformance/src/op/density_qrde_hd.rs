//! `density_qrde_hd`: the quantile-respectful density.

use super::limits::{most, work};
use crate::case::Case;
use crate::case_values::number_or;
use crate::stats::published_density;
use serde_json::{Value, json};

/// `bin_count` bins, without those narrower than `min_bin_width` (1e-9).
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let sample = case.sample("values")?;
    let count = most("bin_count", case.whole("bin_count")?, 100_000)?;
    if count == 0 {
        return Err("the parameter bin_count has to be at least 1".into());
    }
    work(sample.size(), count)?;
    let narrowest = number_or(case, "min_bin_width", 1e-9)?;
    if narrowest.is_nan() {
        return Err("the parameter min_bin_width has to be a number, not NaN".into());
    }
    let bins = published_density(&sample, count, narrowest);
    let rows = bins.iter().map(|bin| json!([bin.lower, bin.upper, bin.height]));
    Ok(json!({ "bins": rows.collect::<Vec<_>>() }))
}

#[cfg(test)]
mod tests {
    use super::super::asked::assert_refused;
    use super::*;

    #[test]
    fn bins_that_cannot_be_are_refused() {
        let values = || json!({ "values": [1, 2, 3] });
        let nan = json!({ "bin_count": 2, "min_bin_width": "NaN" });
        let none = json!({ "bin_count": 0 });
        assert_refused(answer, [(values(), nan, "min_bin_width"), (values(), none, "bin_count")]);
    }
}
