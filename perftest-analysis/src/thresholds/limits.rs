//! Limits derived from other limits.

use perftest_core::model::Limits;

/// Moves both limits at least this far away from the baseline.
pub(super) fn at_least_away(limits: Limits, distance: f64) -> Limits {
    let Some(baseline) = limits.baseline else {
        return limits;
    };
    finite(Limits {
        lower: limits.lower.map(|lower| lower.min(baseline - distance)),
        upper: limits.upper.map(|upper| upper.max(baseline + distance)),
        ..limits
    })
}

/// Drops infinite limits: no value can break them.
pub(super) fn finite(limits: Limits) -> Limits {
    let finite = |limit: Option<f64>| limit.filter(|limit| limit.is_finite());
    Limits { lower: finite(limits.lower), upper: finite(limits.upper), ..limits }
}

/// Returns limits that break where both break on the same side.
pub(super) fn beyond_both(one: Limits, other: Limits) -> Limits {
    let both = |one: Option<f64>, other: Option<f64>, which: fn(f64, f64) -> f64| {
        Some(which(one?, other?))
    };
    Limits {
        lower: both(one.lower, other.lower, f64::min),
        upper: both(one.upper, other.upper, f64::max),
        ..one
    }
}

/// Returns limits that break where either breaks.
pub(super) fn beyond_either(one: Limits, other: Limits) -> Limits {
    let either = |one: Option<f64>, other: Option<f64>, which: fn(f64, f64) -> f64| {
        one.into_iter().chain(other).reduce(which)
    };
    Limits {
        lower: either(one.lower, other.lower, f64::max),
        upper: either(one.upper, other.upper, f64::min),
        ..one
    }
}
