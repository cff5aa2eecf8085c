//! Formats ratios, and changes from values without a ratio.

use super::{quantity, worse};
use crate::judge::Policy;
use crate::model::{Evidence, Interval, Metric};

/// Ratios from here on are printed with an exponent.
const LARGE_RATIO: f64 = 1e6;

/// Formats a ratio without its `x`: with two decimals, or three digits where these would not tell small ones apart.
///
/// ```
/// use perftest_core::words::ratio_number;
/// assert_eq!([1.256, 0.0512, 0.00512].map(ratio_number), ["1.26", "0.0512", "0.00512"]);
/// assert_eq!([7.5e-4, 2e6].map(ratio_number), ["7.50e-4", "2.00e6"]);
/// ```
pub fn ratio_number(ratio: f64) -> String {
    match ratio.abs() {
        size if size == 0.0 || (0.1..LARGE_RATIO).contains(&size) => format!("{ratio:.2}"),
        size if (0.01..0.1).contains(&size) => format!("{ratio:.4}"),
        size if (0.001..0.01).contains(&size) => format!("{ratio:.5}"),
        _ => format!("{ratio:.2e}"),
    }
}

/// Returns `1.30x [1.25, 1.36]`, or the old value if there is no ratio to it, such as 0.
pub(super) fn ratio(evidence: &Evidence, metric: &Metric) -> Option<String> {
    let degradation @ Interval { estimate, lower, upper } = evidence.degradation?;
    let in_times = || {
        if degradation.is_without_bounds() {
            return ratio_number(estimate) + "x";
        }
        let [estimate, lower, upper] = [estimate, lower, upper].map(ratio_number);
        format!("{estimate}x [{lower}, {upper}]")
    };
    Some(without_ratio(evidence, metric).unwrap_or_else(in_times))
}

/// Changes from this ratio on are ratios: their percentages would be long.
const LARGE_CHANGE: f64 = 10.0;

/// Formats a change from its ratio: `+31%`, and `12.50x` from tenfold on.
pub(super) fn change(ratio: f64, decimals: usize) -> String {
    if ratio >= LARGE_CHANGE {
        format!("{ratio:.2}x")
    } else {
        format!("{:+.decimals$}%", 100.0 * (ratio - 1.0))
    }
}

/// Formats a proven degradation: `1.35x slower, at least 1.28x`.
pub(super) fn by_how_much(evidence: &Evidence, metric: &Metric) -> String {
    let worse = worse(metric);
    match (without_ratio(evidence, metric), evidence.degradation) {
        (Some(from), _) => format!("{worse}, {from}"),
        (None, Some(it)) => format!("{:.2}x {worse}, at least {:.2}x", it.estimate, it.lower),
        (None, None) => worse.to_owned(),
    }
}

/// Returns the old value if its ratio would only be one to the floor of the metric.
///
/// ```text
/// from 0 bytes
/// ```
pub fn without_ratio(evidence: &Evidence, metric: &Metric) -> Option<String> {
    let (now, before) = (evidence.now?.estimate, evidence.before?.estimate);
    let floor = Policy::of(metric).floor.value;
    let crosses_floor = (now < floor) != (before < floor);
    crosses_floor.then(|| format!("from {}", quantity(before, &metric.unit)))
}

/// Returns `1.12x`, the present median divided by that of the history, or else the [`ratio`]. The evidence of a
/// slower machine has the ratio of one process, whose undisturbed measurements may be as fast as ever.
pub(super) fn ratio_to_history(evidence: &Evidence, metric: &Metric) -> Option<String> {
    let (now, before) = (evidence.now?.estimate, evidence.before?.estimate);
    let divided = metric.direction.degradation(now / before);
    match without_ratio(evidence, metric) {
        None if divided.is_finite() => Some(ratio_number(divided) + "x"),
        _ => ratio(evidence, metric),
    }
}

/// Formats the ratio of unchanged machine code.
///
/// ```text
/// 1.12x [1.08, 1.15] slower by input, environment or machine: the machine code is unchanged
/// 0.98x [0.97, 1.01], machine code unchanged
/// ```
pub(super) fn same_code(evidence: &Evidence, metric: &Metric) -> String {
    let ratio = ratio(evidence, metric).unwrap_or_else(|| "not compared".to_owned());
    let tolerated = evidence.tolerance.ratio();
    match evidence.degradation {
        Some(it) if it.estimate > tolerated && it.lower > 1.0 => {
            let worse = worse(metric);
            format!(
                "{ratio} {worse} by input, environment or machine: the machine code is unchanged"
            )
        }
        _ => format!("{ratio}, machine code unchanged"),
    }
}
