//! Advice for undecided results and for insensitive tests.

use super::counted;
use crate::judge::Power;
use crate::list::IntoList;
use crate::model::{BaselineRule, Evidence, Note, PairedResult, Reason, Tolerance};

/// Returns what would make the answer green or red: a number of measurements or runs, a tolerance,
/// or a quieter machine.
///
/// ```text
/// about 240 measurements in one process (budget = ..)
/// ```
pub(super) fn settled_by(evidence: &Evidence) -> String {
    if evidence.notes.contains(&Note::SlowByLessThanShift) {
        return "more work in one call of its body".to_owned();
    }
    if let (Some(base), false) = (&evidence.paired_result, evidence.limit_is_open) {
        return more_pairs(evidence.needed_budget_s, base);
    }
    match (evidence.reason, evidence.needed_measurements) {
        (Reason::Unstable, _) => steadier(evidence),
        _ if evidence.limit_is_open => "a quieter machine".to_owned(),
        (_, Some(needed)) => {
            format!("about {} in one process (budget = ..)", counted(needed, "measurement"))
        }
        (_, None) if (evidence.baseline_runs as usize) < BaselineRule::WINDOW => {
            format!("{} or a quieter machine", more_runs_of(evidence.baseline_runs))
        }
        _ => "a quieter machine".to_owned(),
    }
}

/// Suggests more pairs with the last good build, by a larger budget or by a command.
fn more_pairs(needed_budget_s: Option<f64>, base: &PairedResult) -> String {
    let compare = match base.commit.get(..7) {
        Some(commit) => format!("cargo perftest compare {commit}"),
        None => "cargo perftest compare".to_owned(),
    };
    match needed_budget_s {
        Some(budget_s) => format!("budget = \"{budget_s:.0}s\" or {compare}"),
        None => format!("a quieter machine or {compare}"),
    }
}

/// Whether the whole interval is slower than the runs of the history differ by: their noise is no reason to doubt
/// it, and no larger tolerance helps.
pub(super) fn is_beyond_noise(evidence: &Evidence) -> bool {
    let noise = evidence.noise.unwrap_or_default().max(evidence.tolerance.share());
    evidence.degradation.is_some_and(|it| it.lower > 1.0 + noise)
}

fn steadier(evidence: &Evidence) -> String {
    if is_beyond_noise(evidence) {
        return "a quieter machine".to_owned();
    }
    let Some(noise) = evidence.noise else {
        return "less noise between runs".to_owned();
    };
    let times = (noise / evidence.tolerance.share()).max(1.1);
    let steadier = less_noise(times);
    let share = (100.0 * noise).ceil() / 100.0;
    // A wider tolerance decides nothing while the interval is on both sides of it.
    let is_within = evidence.degradation.is_none_or(|it| it.upper <= 1.0 + share);
    if is_within && share <= Tolerance::LARGEST_ADVISED_SHARE {
        format!("{steadier} or tolerance = \"{:.0}%\"", 100.0 * share)
    } else {
        steadier
    }
}

/// Returns what a test needs to detect twice its tolerance and to be stable; `None` if it needs
/// nothing. `honest` is a tolerance that the test already detects twice.
///
/// ```text
/// more runs of other commits (12 of 30 runs), 1.4x less noise between runs or tolerance = "8%"
/// ```
#[inline]
pub fn sharpened_by(power: &Power, honest: Option<Tolerance>) -> Option<String> {
    if power.detects_twice_its_tolerance() && !power.is_unstable() {
        return None;
    }
    let is_held_by_curve = 1.0 + power.curve_end > power.tolerance.twice_ratio();
    let apart = power.noise / power.tolerance.share();
    let times = power.times_as_steady().max(apart).max(1.1);
    let more_runs = (power.runs as usize) < BaselineRule::WINDOW && !is_held_by_curve;
    let ways = [
        is_held_by_curve.then(|| "a lower end of its curve".to_owned()),
        more_runs.then(|| more_runs_of(power.runs)),
        (!is_held_by_curve).then(|| less_noise(times)),
        honest.map(|it| format!("tolerance = \"{it}\"")),
    ];
    let ways: Vec<String> = ways.into_iter().flatten().into_list();
    let (last, others) = ways.split_last()?;
    Some(match others {
        [] => last.clone(),
        others => format!("{} or {last}", others.iter().joined(", ")),
    })
}

fn less_noise(times: f64) -> String {
    format!("{times:.1}x less noise between runs")
}

/// Suggests runs of other code: few runs of one code state count.
fn more_runs_of(runs: u32) -> String {
    format!("more runs of other commits ({runs} of {} runs)", BaselineRule::WINDOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power(runs: u32, smallest_detectable: f64) -> Power {
        Power {
            runs,
            noise: 0.02,
            smallest_detectable,
            false_alarm_rate: 1e-6,
            tolerance: Tolerance::default(),
            curve_end: Tolerance::DEFAULT_SHARE,
        }
    }

    #[test]
    fn a_test_that_sees_twice_its_tolerance_needs_nothing() {
        assert_eq!(sharpened_by(&power(5, 0.099), None), None);
    }

    #[test]
    fn more_runs_are_advised_while_there_is_room_for_them() {
        let honest = Tolerance::new(0.08).ok();
        assert_eq!(
            sharpened_by(&power(12, 0.15), honest).unwrap(),
            "more runs of other commits (12 of 30 runs), 2.0x less noise between runs or \
             tolerance = \"8%\""
        );
        assert_eq!(sharpened_by(&power(30, 0.15), None).unwrap(), "2.0x less noise between runs");
    }

    #[test]
    fn what_its_curve_forbids_no_run_helps() {
        let held = Power { curve_end: 0.5, ..power(12, 0.5) };
        assert_eq!(sharpened_by(&held, None).unwrap(), "a lower end of its curve");
    }
}
