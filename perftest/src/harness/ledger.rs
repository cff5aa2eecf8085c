//! What a session has learned about its machine, told once and not test by test.

use perftest_core::judge::{Tally, Usual};
use perftest_core::model::{Environment, Tag};
use perftest_core::words::{Conditions, condition};

/// The conditions of a session's tests.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    tally: Tally,
    /// The first run with each tag, and with each that forbade a verdict.
    firsts: Vec<First>,
    /// Sentences that stand for themselves, until they are told.
    sentences: Vec<String>,
}

#[derive(Debug)]
struct First {
    tag: Tag,
    forbids: bool,
    environment: Environment,
    is_told: bool,
}

impl Ledger {
    /// Enters the conditions of one test, and gives the warnings that are new: each kind is
    /// told once a session, because a hot machine is hot for every test.
    pub(super) fn enter(
        &mut self,
        environment: &Environment,
        tally: &Tally,
        usual: &Usual,
        cpus: f64,
    ) -> Vec<String> {
        self.tally.add(tally);
        let mut warnings = Vec::new();
        for tag in environment.tags.iter().copied() {
            let forbids = environment.distrusted.contains(&tag);
            if self.firsts.iter().any(|first| first.tag == tag && first.forbids == forbids) {
                continue;
            }
            let conditions = Conditions { environment, tally, usual, cpus };
            warnings.extend(condition(tag, &conditions).filter(|_| forbids));
            let environment = environment.clone();
            self.firsts.push(First { tag, forbids, environment, is_told: forbids });
        }
        warnings
    }

    /// Enters a sentence to be told at the end.
    pub(super) fn tell(&mut self, sentence: String) {
        self.sentences.push(sentence);
    }

    /// What is told at the end, and was not told before: notes, and what was set aside and taken
    /// again.
    pub(super) fn remarks(&mut self, cpus: f64) -> Vec<String> {
        let mut remarks = Vec::new();
        for first in self.firsts.iter_mut().filter(|first| !first.is_told) {
            first.is_told = true;
            let conditions = Conditions {
                environment: &first.environment,
                tally: &self.tally,
                usual: &Usual::default(),
                cpus,
            };
            remarks.extend(condition(first.tag, &conditions));
        }
        remarks.append(&mut self.sentences);
        remarks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(tag: Tag) -> Environment {
        let mut environment = Environment::default();
        environment.mark(tag);
        environment
    }

    fn interrupted() -> Tally {
        Tally { all: 20, clean: 18, interrupted: 2, ..Tally::default() }
    }

    #[test]
    fn a_warning_is_told_once_and_a_remark_at_the_end_counts_all_tests() {
        let mut ledger = Ledger::default();
        let mut enter =
            |tag| ledger.enter(&environment(tag), &interrupted(), &Usual::default(), 2.0).len();
        let warned = [enter(Tag::Swap), enter(Tag::Swap), enter(Tag::OffCpu), enter(Tag::OffCpu)];
        assert_eq!(warned, [1, 0, 0, 0]);
        let remarks = ledger.remarks(2.0);
        assert_eq!(remarks.len(), 1);
        assert!(remarks[0].starts_with("8 of 80 samples"), "{remarks:?}");
        assert_eq!(ledger.remarks(2.0), [""; 0], "told once");
    }

    #[test]
    fn a_heavy_case_is_warned_of_although_a_light_one_was_met_before() {
        let mut ledger = Ledger::default();
        let light = environment(Tag::Steal);
        let mut heavy = light.clone();
        heavy.distrust(Tag::Steal);
        let mut warnings = |environment: &Environment| {
            ledger.enter(environment, &interrupted(), &Usual::default(), 2.0).len()
        };
        assert_eq!([warnings(&light), warnings(&heavy), warnings(&heavy)], [0, 1, 0]);
    }
}
