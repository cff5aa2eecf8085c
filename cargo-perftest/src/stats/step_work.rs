//! Step fits in so many windows that they would take an hour: a sentence in place of it.

use perftest_analysis::detect::StepKind;

/// Values times windows that are fitted in a second or so.
const MOST_WORK: usize = 200_000_000;
/// Up to this width ranks are dealt out exactly, which costs the fourth power of it.
const MOST_EXACT_WIDTH: usize = 100;

/// Whether so many windows of this width are fitted soon.
pub(super) fn check_work(kind: StepKind, windows: usize, window: usize) -> Result<(), String> {
    let width = window.min(MOST_EXACT_WIDTH);
    let ranks = if kind == StepKind::MannWhitney { width.pow(4) / 2 } else { 0 };
    if windows.saturating_mul(window.saturating_add(ranks)) > MOST_WORK {
        return Err(format!(
            "{windows} windows of {window} values would take too long: give fewer values or a \
             smaller window"
        ));
    }
    Ok(())
}
