//! Selects the runs of a workload for each decision.

use perftest_core::judge::Policy;
use perftest_core::model::BaselineRule;
use perftest_core::stats::Random;

/// Fewest runs that can confirm: as many as a red needs.
const FEWEST_WITNESSES: usize = 3;
/// A history beyond this many runs gives up runs for more fresh processes, because some may be too
/// disturbed.
const GENEROUS_HISTORY: usize = 10;

/// The roles of runs in a decision: a contiguous block is the history, as in reality, and the runs
/// after it are the candidate and its confirmations. The first run follows the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Draw {
    runs: usize,
    history: usize,
    /// Number of runs after the history that take turns as the candidate.
    candidates: usize,
}

/// One decision by the indices of its runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cast {
    pub(super) history: Vec<usize>,
    pub(super) candidate: usize,
    /// The confirming runs, in their order.
    pub(super) confirming_runs: Vec<usize>,
}

impl Draw {
    /// Fewest runs for a decision.
    pub(super) fn fewest_runs(rule: &BaselineRule) -> usize {
        rule.needed + 1 + FEWEST_WITNESSES
    }

    /// Creates a draw from `runs` runs, at most `history` of them for the baseline; `None` if they
    /// are too few.
    pub(super) fn new(
        runs: usize,
        history: usize,
        rule: &BaselineRule,
        policy: &Policy,
    ) -> Option<Self> {
        if runs < Self::fewest_runs(rule) {
            return None;
        }
        let usual = policy.max_confirmations as usize;
        let others = runs - 1;
        let beside_history = others.saturating_sub(history.min(GENEROUS_HISTORY));
        let confirming_runs = beside_history.clamp(usual, 2 * usual).min(others - rule.needed);
        let candidates = 1 + confirming_runs;
        Some(Self { runs, history: history.min(runs - candidates), candidates })
    }

    /// Number of different decisions.
    pub(super) fn size(self) -> usize {
        self.runs * self.candidates
    }

    /// Returns at most `count` different decisions, drawn without bias. Those with the same history
    /// come one after the other.
    pub(super) fn casts(self, count: usize, random: &mut Random) -> Vec<Cast> {
        let mut places: Vec<usize> = (0..self.size()).collect();
        let count = count.min(places.len());
        for drawn in 0..count {
            let other = drawn + random.below(places.len() - drawn);
            places.swap(drawn, other);
        }
        places.truncate(count);
        places.sort_unstable();
        places.into_iter().map(|place| self.cast(place)).collect()
    }

    fn cast(self, place: usize) -> Cast {
        let (start, turn) = (place / self.candidates, place % self.candidates);
        let run = |offset: usize| (start + offset) % self.runs;
        let after = |turn: usize| run(self.history + turn % self.candidates);
        Cast {
            history: (0..self.history).map(run).collect(),
            candidate: after(turn),
            confirming_runs: (1..self.candidates).map(|next| after(turn + next)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn draw(runs: usize, history: usize) -> Option<Draw> {
        Draw::new(runs, history, &BaselineRule::default(), &Policy::default())
    }

    fn all(draw: Draw) -> Vec<Cast> {
        draw.casts(usize::MAX, &mut Random::new(1))
    }

    #[test]
    fn no_run_has_two_parts_in_a_decision() {
        for (runs, history) in [(9, 30), (10, 5), (20, 30), (50, 30), (40, 7)] {
            for cast in all(draw(runs, history).unwrap()) {
                let parts: Vec<usize> =
                    [&cast.history[..], &[cast.candidate], &cast.confirming_runs].concat();
                let different: BTreeSet<usize> = parts.iter().copied().collect();
                assert_eq!(different.len(), parts.len(), "{cast:?}");
                assert!(parts.iter().all(|run| *run < runs));
            }
        }
    }

    #[test]
    fn nearly_all_runs_of_a_short_recording_are_its_history() {
        let sizes = |runs, history| {
            let cast = all(draw(runs, history).unwrap()).remove(0);
            (cast.history.len(), cast.confirming_runs.len())
        };
        assert_eq!(sizes(9, 30), (5, 3));
        assert_eq!(sizes(14, 30), (8, 5));
        assert_eq!(sizes(20, 30), (10, 9));
        assert_eq!(sizes(200, 30), (30, 10));
        assert_eq!(draw(8, 30), None);
    }

    #[test]
    fn a_history_is_contiguous_and_the_others_follow_it() {
        let casts = all(draw(50, 30).unwrap());
        let first = &casts[0];
        assert_eq!(first.history, (0..30).collect::<Vec<_>>());
        assert_eq!(
            (first.candidate, first.confirming_runs.as_slice()),
            (30, &(31..=40).collect::<Vec<_>>()[..])
        );
        let last = &casts[casts.len() - 1];
        assert_eq!((last.history[0], last.history[1]), (49, 0));
        assert_eq!((last.candidate, last.confirming_runs[0]), (39, 29));
    }

    #[test]
    fn no_decision_is_made_twice() {
        let draw = draw(20, 30).unwrap();
        let different: BTreeSet<Cast> = all(draw).into_iter().collect();
        assert_eq!(different.len(), 200);
        let some = draw.casts(50, &mut Random::new(2));
        assert_eq!(some.iter().collect::<BTreeSet<_>>().len(), 50);
        assert_eq!(some, draw.casts(50, &mut Random::new(2)));
        assert_ne!(some, draw.casts(50, &mut Random::new(3)));
    }
}
