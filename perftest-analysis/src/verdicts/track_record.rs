//! How often the verdicts of a history were wrong, judged by the history itself.

use perftest_core::model::{CodeState, History, Interval, Reason, Run, Verdict};
use perftest_core::stats::binomial_interval;

/// Misrate of the bounds.
const MISRATE: f64 = 0.05;

/// Counts of a history's verdicts. A red counts as wrong if the same code was green later: one of
/// the two verdicts must be wrong, and a red claims to be real.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrackRecord {
    /// Runs that ended green or red.
    pub decisions: u64,
    /// Reds among them.
    pub reds: u64,
    /// Reds whose code ran again later.
    pub judged_again: u64,
    /// Of those, the reds whose code was green then.
    pub not_repeated: u64,
}

impl TrackRecord {
    /// Returns the record of one history.
    pub fn of(history: &History) -> Self {
        let mut record = Self::default();
        for (index, run) in history.runs.iter().enumerate() {
            let Some(verdict) = decided(run) else {
                continue;
            };
            record.decisions += 1;
            if verdict == Verdict::Red {
                record.reds += 1;
                record.look_behind(run, &history.runs[index + 1..]);
            }
        }
        record
    }

    /// Adds the counts of another history.
    pub fn add(&mut self, other: &Self) {
        self.decisions += other.decisions;
        self.reds += other.reds;
        self.judged_again += other.judged_again;
        self.not_repeated += other.not_repeated;
    }

    /// Returns the reds that did not repeat, as a share of all decisions, with bounds at 95%: the
    /// rate of false alarms in this history. Reds whose code never ran again count as right.
    pub fn false_alarm_rate(&self) -> Interval {
        binomial_interval(self.not_repeated, self.decisions, MISRATE)
    }

    /// Classifies a red by the runs after it. A green under an acceptance that the red did not have
    /// does not count: a person allowed the slowdown.
    fn look_behind(&mut self, red: &Run, later: &[Run]) {
        let same = later.iter().filter(|run| is_same_code(&run.code, &red.code));
        let comparable =
            same.filter(|run| run.config == red.config && run.acceptance == red.acceptance);
        let verdicts: Vec<Verdict> = comparable.filter_map(decided).collect();
        self.judged_again += u64::from(!verdicts.is_empty());
        self.not_repeated += u64::from(verdicts.contains(&Verdict::Green));
    }
}

/// Returns green or red; `None` for a run without a decision.
fn decided(run: &Run) -> Option<Verdict> {
    let reason: Reason = run.evidence.as_ref()?.reason;
    Some(reason.verdict()).filter(|verdict| *verdict != Verdict::NeedMore)
}

/// Unknown code is never the same.
fn is_same_code(a: &CodeState, b: &CodeState) -> bool {
    a == b && !a.text.is_empty()
}
