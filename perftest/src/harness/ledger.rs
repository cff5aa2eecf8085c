//! What a session has learned about its machine, told once and not test by test.

use perftest_core::judge::{Tally, Usual};
use perftest_core::model::{Environment, Grade, Tag};
use perftest_core::words::{Conditions, condition};

/// The conditions of a session's tests.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    tally: Tally,
    /// The first run with each tag.
    firsts: Vec<(Tag, Environment)>,
    /// Sentences that stand for themselves.
    sentences: Vec<String>,
}

impl Ledger {
    /// Enters the conditions of one test, and gives the warnings that are new: each kind is
    /// told once a session, because a hot machine is hot for every test.
    pub(super) fn enter(
        &mut self,
        environment: &Environment,
        tally: &Tally,
        usual: &Usual,
        usable_cpus: u32,
    ) -> Vec<String> {
        self.tally.add(tally);
        let mut warnings = Vec::new();
        for tag in &environment.tags {
            if self.firsts.iter().any(|(known, _)| known == tag) {
                continue;
            }
            let is_warning = environment.distrusted.contains(tag);
            let conditions =
                Conditions { environment, tally, usual_ghz: usual.clock_ghz, usable_cpus };
            warnings.extend(condition(*tag, &conditions).filter(|_| is_warning));
            self.firsts.push((*tag, environment.clone()));
        }
        warnings
    }

    /// Enters a sentence to be told at the end.
    pub(super) fn tell(&mut self, sentence: String) {
        self.sentences.push(sentence);
    }

    /// What is told at the end: notes, and what was set aside and taken again.
    pub(super) fn remarks(&self, usable_cpus: u32) -> Vec<String> {
        let is_remark = |(tag, environment): &&(Tag, Environment)| {
            tag.grade() < Grade::Untrusted && !environment.distrusted.contains(tag)
        };
        let remark = |(tag, environment): &(Tag, Environment)| {
            let conditions =
                Conditions { environment, tally: &self.tally, usual_ghz: None, usable_cpus };
            condition(*tag, &conditions)
        };
        let remarks = self.firsts.iter().filter(is_remark).filter_map(remark);
        remarks.chain(self.sentences.iter().cloned()).collect()
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
            |tag| ledger.enter(&environment(tag), &interrupted(), &Usual::default(), 2).len();
        let warned = [enter(Tag::Swap), enter(Tag::Swap), enter(Tag::OffCpu), enter(Tag::OffCpu)];
        assert_eq!(warned, [1, 0, 0, 0]);
        let remarks = ledger.remarks(2);
        assert_eq!(remarks.len(), 1);
        assert!(remarks[0].starts_with("8 of 80 samples"), "{remarks:?}");
    }
}
