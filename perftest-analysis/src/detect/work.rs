//! Refuses searches that would take minutes, with advice.

use super::StepKind;

/// Values times windows that take about a second.
const MOST_WORK: usize = 200_000_000;
/// Up to this width the distribution of ranks is exact, at the cost of its fourth power.
const MOST_EXACT_WIDTH: usize = 100;
/// Values that PELT divides in about ten seconds.
const MOST_FOR_PELT: usize = 100_000;

/// Checks that PELT divides this many values in a reasonable time.
///
/// # Errors
///
/// There are too many values.
pub fn check_pelt_size(size: usize) -> Result<(), String> {
    if size <= MOST_FOR_PELT {
        return Ok(());
    }
    Err(format!(
        "PELT takes at most {MOST_FOR_PELT} values here, and there are {size}: give it the newest \
         of them, or the detector levels"
    ))
}

/// Checks that a window of this width slides over this many values in a reasonable time.
///
/// # Errors
///
/// It would take too long.
pub fn check_window_work(window: usize, values: usize) -> Result<(), String> {
    let window = window.min(values);
    if window.saturating_mul(values) <= MOST_WORK {
        return Ok(());
    }
    Err(format!("windows of {window} values over {values} would take too long: give smaller ones"))
}

/// Checks that this many windows of this width are fitted in a reasonable time.
///
/// # Errors
///
/// It would take too long.
pub fn check_step_work(kind: StepKind, windows: usize, window: usize) -> Result<(), String> {
    let width = window.min(MOST_EXACT_WIDTH);
    let ranks = if kind == StepKind::MannWhitney { width.pow(4) / 2 } else { 0 };
    if windows.saturating_mul(window.saturating_add(ranks)) <= MOST_WORK {
        return Ok(());
    }
    Err(format!(
        "{windows} windows of {window} values would take too long: give fewer values or a \
         smaller window"
    ))
}
