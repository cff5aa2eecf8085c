//! `density_qrde_hd`: the quantile-respectful density.

use super::super::case::Case;
use super::super::given::number_or;
use super::limits::{most, work};
use perftest_core::stats::published_density;
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
    let bins = published_density(&sample, count, narrowest);
    let rows = bins.iter().map(|bin| json!([bin.lower, bin.upper, bin.height]));
    Ok(json!({ "bins": rows.collect::<Vec<_>>() }))
}
