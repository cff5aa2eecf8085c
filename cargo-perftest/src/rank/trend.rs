//! Ranks tests by the rise or fall within their newest level.

use super::{RankValue, UnrankedReason};
use crate::reading::{HistoryReader, Stretch};
use crate::report::{json_number, local_minute};
use perftest_analysis::detect::Effect;
use perftest_analysis::stats::slope_bounds;
use perftest_analysis::words::effect;
use perftest_core::model::{Interval, Sample};
use serde_json::json;

/// The probability that each bound misses, for independent runs.
const MISRATE_PER_SIDE: f64 = 0.0005;
/// Smallest rise or fall that counts: levels that differ by less count as one, too.
const SMALLEST: f64 = 0.02;

pub(super) fn of(stretch: &Stretch<'_>) -> Result<RankValue, UnrankedReason> {
    let level = stretch.newest_level();
    let (have, needed) = (level.len(), HistoryReader::FEWEST);
    let few = UnrankedReason::TooFew { have, needed, of: "runs since the last change" };
    if have < needed {
        return Err(few);
    }
    let logs = level.iter().map(|run| stretch.values[*run].ln()).collect();
    let logs = Sample::new(logs).map_err(|_| UnrankedReason::Nothing("values not above 0"))?;
    let slope = slope_bounds(&logs, MISRATE_PER_SIDE).ok_or(few)?;
    let steps = (have - 1) as f64;
    let ratio = Interval {
        estimate: (steps * slope.estimate).exp(),
        lower: (steps * slope.lower).exp(),
        upper: (steps * slope.upper).exp(),
    };
    let key = key(ratio).ok_or(UnrankedReason::Nothing("no trend"))?;
    let metric = &stretch.facts.series.metric;
    let is_worse = metric.direction.degradation(ratio.estimate) > 1.0;
    let became = if is_worse { Effect::Degradation } else { Effect::Improvement };
    let since_ms = stretch.runs[level[0]].started_ms;
    Ok(RankValue {
        key: (key, 0.0),
        effect: Some(became),
        value: change(ratio.estimate),
        detail: format!(
            "{}, [{}, {}] over {have} runs since {}",
            effect(became, metric),
            change(ratio.lower),
            change(ratio.upper),
            local_minute(since_ms)
        ),
        json: json!({
            "ratio": json_number(ratio.estimate),
            "ratio_lower": json_number(ratio.lower),
            "ratio_upper": json_number(ratio.upper),
            "slope_per_run": json_number(slope.estimate),
            "level_runs": have,
            "since_ms": since_ms,
        }),
    })
}

/// Returns the end of a ratio that is nearer to 1, as a ratio above 1. `None` if 1 is inside, or
/// the ratio is too small.
fn key(ratio: Interval) -> Option<f64> {
    let by_estimate = ratio.estimate.max(1.0 / ratio.estimate);
    let key = if ratio.lower > 1.0 {
        ratio.lower
    } else if ratio.upper < 1.0 {
        1.0 / ratio.upper
    } else {
        return None;
    };
    (by_estimate >= 1.0 + SMALLEST).then_some(key)
}

fn change(ratio: f64) -> String {
    format!("{:+.1}%", 100.0 * (ratio - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_excludes_one_and_is_large_enough() {
        let ratio = |lower, estimate, upper| key(Interval { estimate, lower, upper });
        assert_eq!(ratio(1.05, 1.10, 1.15), Some(1.05));
        assert_eq!(ratio(0.25, 0.4, 0.5), Some(2.0));
        assert_eq!(ratio(0.99, 1.10, 1.20), None);
        assert_eq!(ratio(1.001, 1.01, 1.02), None);
    }
}
