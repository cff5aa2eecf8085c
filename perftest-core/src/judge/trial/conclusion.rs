//! The end of a trial: the verdict and its evidence.

use super::{Phase, Trial};
use crate::judge::Condition;
use crate::judge::baseline_level::BaselineLevel;
use crate::judge::expected_pairs::ExpectedPairs;
use crate::judge::round::Round;
use crate::list::IntoList;
use crate::model::{Evidence, Interval, Note, Observation, Reason, Sample, Verdict};

impl Trial {
    pub(super) fn over(&self, reason: Reason, note: Option<Note>) -> Phase {
        Phase::Over(Box::new(self.evidence(reason, note.into_iter().into_list())))
    }

    pub(super) fn evidence(&self, reason: Reason, notes: Vec<Note>) -> Evidence {
        let processes = self.processes();
        let detection_model = self.level.as_ref().map(BaselineLevel::detection_model);
        let pairs = ExpectedPairs::within(&self.policy, self.own.measurement_ns);
        let judged = self.judged_round(reason, &processes);
        let earlier = self.retry.of_red();
        let degradation = self.level.as_ref().and_then(|level| match reason {
            Reason::Red => Some(level.degradation(&self.convincing_rounds())),
            _ => level.shown(judged?),
        });
        let is_slow = |process: &&Round| {
            self.level.as_ref().is_some_and(|level| level.proves_slower(process))
        };
        let needed = self.level.as_ref().filter(|_| reason == Reason::Unclear);
        let needed = needed.and_then(|level| level.measurements_to_settle(&self.own.rounds));
        Evidence {
            reason,
            degradation,
            now: range(&processes.iter().flat_map(|round| round.fair()).into_list()),
            before: range(&self.baseline.centers),
            baseline_runs: self.baseline.centers.len() as u32,
            baseline_commits: self.baseline.commits,
            baseline_commit: self.baseline.newest_commit.clone(),
            commits_before_base: self.baseline.commits_before_base,
            baseline_is_provisional: self.baseline.is_provisional,
            level_began: self.baseline.began.clone(),
            baseline_needed: self.baseline.needed as u32,
            tolerance: self.policy.tolerance,
            limit: self.policy.limit,
            limit_is_open: false,
            accepted_ratio: self.baseline.accepted_ratio,
            smallest_detectable: detection_model.map(|it| it.smallest_detectable(&pairs)),
            false_alarm_rate: detection_model.map(|it| it.false_alarm_rate()),
            noise: self.level.as_ref().map(BaselineLevel::noise_share),
            // The measurements so far did not suffice.
            needed_measurements: needed.filter(|needed| *needed > self.tally.all()),
            measurements: self.all_measurements(),
            suspects: self.tally.suspects() + earlier.map_or(0, |it| it.suspects),
            processes: 1
                + (self.fresh.rounds.len() + earlier.map_or(0, |it| it.processes.len())) as u32,
            slow_processes: self.fresh.stood
                + u32::from(self.own.suspected)
                + earlier.map_or(0, |it| it.processes.iter().count_where(is_slow) as u32),
            needed_budget_s: None,
            paired_result: None,
            explanatory_metrics: Vec::new(),
            normalised_by: self.level.as_ref().and_then(BaselineLevel::normalised_by),
            notes: self.notes(reason, notes),
        }
    }

    /// Number of measurements of all attempts.
    pub(super) fn all_measurements(&self) -> u32 {
        self.tally.all() + self.retry.of_red().map_or(0, |it| it.measurements)
    }

    /// Returns the notes, or else a note on a busy machine or on the modes of the history.
    fn notes(&self, reason: Reason, mut notes: Vec<Note>) -> Vec<Note> {
        if notes.is_empty() {
            let is_on_processor_time = self.tally.number(Condition::OnProcessorTime) > 0;
            notes.extend(match &self.level {
                Some(_) if is_on_processor_time => Some(Note::OnProcessorTime),
                None if is_on_processor_time => Some(Note::LearnedOnProcessorTime),
                Some(level) => level.modality().cloned(),
                None => None,
            });
        }
        let is_open = reason.is_without_answer();
        if self.has_no_base && is_open && !notes.contains(&Note::SlowAgainstOneRun) {
            notes.push(Note::NoLastGoodBuild { commit: self.good_commit.clone() });
        }
        match self.retry.of_red() {
            Some(earlier) => earlier.noted(notes),
            None => notes,
        }
    }

    /// Returns the round of the verdict; a green has the round that proved it.
    fn judged_round<'a>(&'a self, reason: Reason, processes: &[&'a Round]) -> Option<&'a Round> {
        match reason.verdict() {
            Verdict::Green => self.fresh.rounds.last().or(self.own.rounds.last()),
            _ => processes.first().copied(),
        }
    }
}

/// Returns median, smallest and largest value.
pub(super) fn range(observations: &[Observation]) -> Option<Interval> {
    let sample = Sample::new(observations.iter().map(|it| it.value).into_list());
    sample.ok().map(|sample| sample.range())
}
