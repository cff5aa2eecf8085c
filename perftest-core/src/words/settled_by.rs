//! What would settle an answer that is neither green nor red.

use crate::model::{Baseline, Evidence, Reason};

/// The number of measurements or runs, the tolerance or the quieter machine that would make the
/// answer green or red.
///
/// ```text
/// about 240 measurements in one process (budget = ..)
/// ```
pub(super) fn settled_by(evidence: &Evidence) -> String {
    match (evidence.reason, evidence.needed_measurements) {
        (Reason::Unstable, _) => steadier(evidence),
        (_, Some(needed)) => format!("about {needed} measurements in one process (budget = ..)"),
        (_, None) if (evidence.baseline_runs as usize) < Baseline::WINDOW => format!(
            "more runs of history ({} of {}) or a quieter machine",
            evidence.baseline_runs,
            Baseline::WINDOW
        ),
        _ => "a quieter machine".to_owned(),
    }
}

fn steadier(evidence: &Evidence) -> String {
    let Some(noise) = evidence.noise else {
        return "a steadier test".to_owned();
    };
    let times = noise / evidence.tolerance.share();
    let percent = (100.0 * noise).ceil();
    format!("a machine or test {times:.1} times as steady, or tolerance = \"{percent:.0}%\",")
}
