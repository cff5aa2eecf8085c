//! The conditions of the machine in a session, printed once and not for each test.

use perftest_core::judge::{MachineBaseline, Tally};
use perftest_core::model::{Environment, Obstacle, Reason, Tag};
use perftest_core::words::{Conditions, SessionSummary, condition};

/// The conditions of a session's tests.
#[derive(Debug, Default)]
pub(super) struct SessionNotes {
    tally: Tally,
    /// The first run with each tag, and the first with each tag that prevented a verdict.
    firsts: Vec<First>,
    /// Sentences that are not printed yet.
    sentences: Vec<String>,
    /// Summary of the tests whose conditions prevented a verdict.
    story: Option<SessionSummary>,
    /// What prevented verdicts or records.
    obstacles: Vec<Obstacle>,
    /// Number of tests with repeated measurements.
    measured_again: usize,
    /// Number of tests without a verdict because of the machine.
    without_verdict: usize,
}

#[derive(Debug)]
struct First {
    tag: Tag,
    forbids: bool,
    environment: Environment,
    is_printed: bool,
}

impl SessionNotes {
    /// Enters the conditions of one test, and returns the new warnings. Each kind appears once in a
    /// session, because a hot machine is hot for every test.
    pub(super) fn enter(
        &mut self,
        environment: &Environment,
        tally: &Tally,
        usual: &MachineBaseline,
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
            self.firsts.push(First { tag, forbids, environment, is_printed: forbids });
        }
        warnings
    }

    /// Counts a test, and extends the summary of the session if its conditions prevented a verdict.
    /// Some of its series may have a verdict all the same.
    pub(super) fn count(&mut self, environment: &Environment, tally: &Tally, reason: Reason) {
        self.measured_again += usize::from(tally.suspects() > 0);
        self.without_verdict += usize::from(reason == Reason::Untrusted);
        if environment.is_untrusted() {
            match &mut self.story {
                Some(story) => story.go_on(environment),
                None => self.story = Some(SessionSummary::of(environment)),
            }
        }
    }

    /// Summarises the machine's conditions; `None` if nothing prevented a verdict.
    pub(super) fn story(&self) -> Option<SessionSummary> {
        let Self { measured_again, without_verdict, .. } = *self;
        self.story.clone().map(|story| SessionSummary { measured_again, without_verdict, ..story })
    }

    /// Enters an obstacle, and returns whether it is new in this session.
    pub(super) fn is_new(&mut self, obstacle: &Obstacle) -> bool {
        let is_new = !self.obstacles.contains(obstacle);
        if is_new {
            self.obstacles.push(obstacle.clone());
        }
        is_new
    }

    /// Adds a sentence for the end of the session.
    pub(super) fn add_note(&mut self, sentence: String) {
        self.sentences.push(sentence);
    }

    /// Returns the notes for the end that were not printed before, with the number of repeated
    /// measurements.
    pub(super) fn remarks(&mut self, cpus: f64) -> Vec<String> {
        let mut remarks = Vec::new();
        for first in self.firsts.iter_mut().filter(|first| !first.is_printed) {
            first.is_printed = true;
            let conditions = Conditions {
                environment: &first.environment,
                tally: &self.tally,
                usual: &MachineBaseline::default(),
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
    use perftest_core::judge::Condition;

    fn environment(tag: Tag) -> Environment {
        let mut environment = Environment::default();
        environment.mark(tag);
        environment
    }

    fn interrupted() -> Tally {
        let clean = [Condition::Clean; 18];
        Tally::of_conditions(clean.into_iter().chain([Condition::Interrupted; 2]))
    }

    #[test]
    fn a_warning_is_reported_once_and_a_remark_at_the_end_counts_all_tests() {
        let mut session_notes = SessionNotes::default();
        let mut enter = |tag| {
            session_notes
                .enter(&environment(tag), &interrupted(), &MachineBaseline::default(), 2.0)
                .len()
        };
        let warned = [enter(Tag::Swap), enter(Tag::Swap), enter(Tag::OffCpu), enter(Tag::OffCpu)];
        assert_eq!(warned, [1, 0, 0, 0]);
        let remarks = session_notes.remarks(2.0);
        assert_eq!(remarks.len(), 1);
        assert!(remarks[0].starts_with("8 of 80 measurements"), "{remarks:?}");
        assert_eq!(session_notes.remarks(2.0), [""; 0], "printed once");
    }

    #[test]
    fn the_story_counts_all_tests_and_is_there_only_where_a_verdict_was_forbidden() {
        let mut session_notes = SessionNotes::default();
        session_notes.count(&environment(Tag::OffCpu), &interrupted(), Reason::Green);
        assert_eq!(session_notes.story(), None);
        session_notes.count(&environment(Tag::Throttled), &Tally::default(), Reason::Untrusted);
        session_notes.count(&environment(Tag::Throttled), &interrupted(), Reason::Untrusted);
        let story = session_notes.story().unwrap();
        assert_eq!((story.measured_again, story.without_verdict), (2, 2));
        assert_eq!(story.reasons, [Tag::Throttled]);
    }

    #[test]
    fn a_heavy_case_is_warned_of_although_a_light_one_was_met_before() {
        let mut session_notes = SessionNotes::default();
        let light = environment(Tag::Steal);
        let mut heavy = light.clone();
        heavy.distrust(Tag::Steal);
        let mut warnings = |environment: &Environment| {
            session_notes.enter(environment, &interrupted(), &MachineBaseline::default(), 2.0).len()
        };
        assert_eq!([warnings(&light), warnings(&heavy), warnings(&heavy)], [0, 1, 0]);
    }
}
