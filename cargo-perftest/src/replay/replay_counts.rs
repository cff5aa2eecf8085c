//! Counts the results of decisions.

use super::decision::DecisionResult;
use perftest_core::model::{Interval, Reason, Sample};
use perftest_core::stats::{binomial_interval, quantile};

/// Misrate of the bounds of a rate, on both sides together.
const MISRATE: f64 = 0.05;

/// Decisions by their result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReplayCounts {
    pub(crate) red: u32,
    /// Red without a confirmation.
    pub(crate) red_before_confirmation: u32,
    /// Green, and faster than before.
    pub(crate) green: u32,
    pub(crate) unclear: u32,
    pub(crate) unstable: u32,
    /// Without a verdict, because of the conditions, or because too few runs count for the
    /// baseline.
    pub(crate) no_verdict: u32,
    /// The measurements of each decision.
    measurements: Vec<u32>,
}

/// Measurements a decision took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ReplayCost {
    pub(crate) median: f64,
    pub(crate) p90: f64,
    pub(crate) max: f64,
}

impl ReplayCounts {
    pub(super) fn count(&mut self, decided: DecisionResult) {
        let place = match decided.reason {
            Reason::Red | Reason::OverLimit => &mut self.red,
            Reason::Green | Reason::Improved | Reason::Unaccepted => &mut self.green,
            Reason::Unclear => &mut self.unclear,
            Reason::Unstable => &mut self.unstable,
            Reason::NoBaseline
            | Reason::NotMeasurable
            | Reason::NotAlone
            | Reason::Untrusted
            | Reason::SameCode
            | Reason::MachineSlower => &mut self.no_verdict,
        };
        *place += 1;
        self.red_before_confirmation += u32::from(decided.was_candidate);
        self.measurements.push(decided.measurements);
    }

    /// Adds the decisions of another workload.
    pub(crate) fn add(&mut self, other: &Self) {
        self.red += other.red;
        self.red_before_confirmation += other.red_before_confirmation;
        self.green += other.green;
        self.unclear += other.unclear;
        self.unstable += other.unstable;
        self.no_verdict += other.no_verdict;
        self.measurements.extend(&other.measurements);
    }

    pub(crate) fn decisions(&self) -> u32 {
        self.measurements.len() as u32
    }

    /// Share of red decisions: false alarms on unchanged code, detections on slower code. Has exact
    /// 95% bounds.
    pub(crate) fn red_rate(&self) -> Interval {
        binomial_interval(u64::from(self.red), u64::from(self.decisions()), MISRATE)
    }

    /// Share of red decisions in whole percent, rounded down, so that 100% means all; `None` without a decision.
    pub(crate) fn red_percent(&self) -> Option<u64> {
        // In integers: 100 times the nearest number to 0.29 is less than 29.
        (100 * u64::from(self.red)).checked_div(u64::from(self.decisions()))
    }

    /// Returns `None` without a decision.
    pub(crate) fn effort(&self) -> Option<ReplayCost> {
        let counts = self.measurements.iter().map(|count| f64::from(*count)).collect();
        let sample = Sample::new(counts).ok()?;
        let at = |probability| quantile(&sample, probability);
        Some(ReplayCost { median: at(0.5), p90: at(0.9), max: at(1.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decision_is_counted_once() {
        let reasons = [
            Reason::Red,
            Reason::Green,
            Reason::Improved,
            Reason::Unclear,
            Reason::Unstable,
            Reason::NoBaseline,
            Reason::Untrusted,
        ];
        let mut figures = ReplayCounts::default();
        for (measurements, reason) in (1..).zip(reasons) {
            figures.count(DecisionResult {
                reason,
                was_candidate: reason == Reason::Red,
                measurements,
            });
        }
        let ReplayCounts { red, green, unclear, unstable, no_verdict, .. } = figures;
        assert_eq!((red, green, unclear, unstable, no_verdict), (1, 2, 1, 1, 2));
        assert_eq!((figures.red_before_confirmation, figures.decisions()), (1, 7));
        assert_eq!(figures.effort(), Some(ReplayCost { median: 4.0, p90: 6.4, max: 7.0 }));
        let mut both = figures.clone();
        both.add(&figures);
        assert_eq!((both.decisions(), both.red_rate().estimate), (14, 1.0 / 7.0));
    }

    #[test]
    fn a_whole_percentage_is_not_rounded_below_itself() {
        let of_two_hundred =
            |red| ReplayCounts { red, measurements: vec![1; 200], ..ReplayCounts::default() };
        for red in 0..=200 {
            assert_eq!(of_two_hundred(red).red_percent(), Some(u64::from(red / 2)), "{red}");
        }
        assert_eq!(ReplayCounts::default().red_percent(), None);
    }
}
