//! What many decisions of one kind came to.

use crate::LifetimeDecision;
use perftest_core::model::{Interval, Reason, Verdict};
use perftest_core::stats::binomial_interval;

/// Misrate of the intervals.
const MISRATE: f64 = 0.05;

/// Counts and quantiles of decisions.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Decisions in all.
    pub decisions: u64,
    /// Confirmed degradations.
    pub red: u64,
    /// Red, had there been no confirmation.
    pub red_before_confirmation: u64,
    /// Proven: no degradation that matters.
    pub green: u64,
    /// Neither was proven.
    pub unclear: u64,
    /// Told to be noisier than its tolerance.
    pub unstable: u64,
    /// The machine was in no state to measure, or no history came together.
    pub no_verdict: u64,
    /// Measurements of a decision: the middle one.
    pub measurements_median: u32,
    /// Measurements of a decision that nine in ten do not exceed.
    pub measurements_p90: u32,
    /// Measurements of a green: the middle one; `None` without a green.
    pub measurements_to_green: Option<u32>,
    /// Seconds of a decision: the middle one.
    pub seconds_median: f64,
    /// Seconds of a decision that nine in ten do not exceed.
    pub seconds_p90: f64,
}

impl Figures {
    /// The figures of these decisions.
    pub fn of(decisions: &[LifetimeDecision]) -> Self {
        let count = |is_such: fn(&LifetimeDecision) -> bool| {
            decisions.iter().filter(|decision| is_such(decision)).count() as u64
        };
        let mut measurements: Vec<u32> = decisions.iter().map(|it| it.measurements).collect();
        measurements.sort_unstable();
        let greens = decisions.iter().filter(|it| is_green(it));
        let mut to_green: Vec<u32> = greens.map(|it| it.measurements).collect();
        to_green.sort_unstable();
        let mut seconds: Vec<f64> = decisions.iter().map(|it| it.took_s).collect();
        seconds.sort_unstable_by(f64::total_cmp);
        let (red, green) = (count(|it| it.reason == Reason::Red), count(is_green));
        let unclear = count(|it| it.reason == Reason::Unclear);
        let unstable = count(|it| it.reason == Reason::Unstable);
        let all = decisions.len() as u64;
        Self {
            decisions: all,
            red,
            red_before_confirmation: count(|it| it.is_candidate),
            green,
            unclear,
            unstable,
            no_verdict: all - red - green - unclear - unstable,
            measurements_median: at(&measurements, 0.5).unwrap_or(0),
            measurements_p90: at(&measurements, 0.9).unwrap_or(0),
            measurements_to_green: at(&to_green, 0.5),
            seconds_median: at(&seconds, 0.5).unwrap_or(0.0),
            seconds_p90: at(&seconds, 0.9).unwrap_or(0.0),
        }
    }

    /// So many of the decisions as a share, with exact bounds at 95%.
    pub fn rate(&self, count: u64) -> Interval {
        binomial_interval(count, self.decisions, MISRATE)
    }
}

fn is_green(decision: &LifetimeDecision) -> bool {
    decision.reason.verdict() == Verdict::Green
}

/// The value that this share of the sorted values does not exceed.
fn at<T: Copy>(sorted: &[T], share: f64) -> Option<T> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(reason: Reason, measurements: u32) -> LifetimeDecision {
        LifetimeDecision { reason, is_candidate: reason == Reason::Red, measurements, took_s: 0.5 }
    }

    #[test]
    fn each_decision_is_counted_once() {
        let decisions = [
            decision(Reason::Green, 3),
            decision(Reason::Improved, 5),
            decision(Reason::Red, 105),
            decision(Reason::Unclear, 60),
            decision(Reason::Unstable, 60),
            decision(Reason::Untrusted, 15),
        ];
        let figures = Figures::of(&decisions);
        let counts = [figures.green, figures.red, figures.unclear, figures.unstable];
        assert_eq!((counts, figures.no_verdict), ([2, 1, 1, 1], 1));
        assert_eq!((figures.measurements_median, figures.measurements_p90), (15, 105));
        assert_eq!(figures.measurements_to_green, Some(3));
        assert!(figures.rate(figures.red).lower < 1.0 / 6.0);
    }

    #[test]
    fn without_a_decision_there_is_nothing_to_count() {
        let figures = Figures::of(&[]);
        assert_eq!((figures.decisions, figures.measurements_to_green), (0, None));
    }
}
