//! Which runs teach, and which are compared with.

use super::{Acceptance, Baseline, History, Lineage, Reason, Run, Sample};
use crate::stats::newest_level;

/// Which runs teach and which are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BaselineRule {
    /// Runs a verdict needs, and the fewest that are a level of their own.
    pub needed: usize,
    /// Newest runs that are kept, counted in runs that match.
    pub window: usize,
    /// Runs of one code state that may teach once the baseline has what it needs: running the
    /// same code again and again must not move its own baseline.
    pub per_code_state: usize,
}

impl Default for BaselineRule {
    fn default() -> Self {
        Self { needed: 5, window: Baseline::WINDOW, per_code_state: 3 }
    }
}

/// What a CI job that builds the default branch itself is started by. The others may have a
/// stranger's code checked out, whatever branch they name.
const TRUSTED_EVENTS: [&str; 4] = ["push", "schedule", "workflow_dispatch", "web"];

impl BaselineRule {
    /// Selects what a run with this `config` and `lineage` is compared with.
    ///
    /// Of the runs that teach and share the configuration: the *merged* ones, if there are as many
    /// as a verdict needs; else all but those of commits that the present code does not contain.
    /// Of these the newest level, at most the window. `acceptance` is the newest entry that covers
    /// the benchmark.
    pub fn select(
        &self,
        history: &History,
        config: &str,
        acceptance: Option<&Acceptance>,
        lineage: &Lineage,
    ) -> Baseline {
        let level = self.level(history, config, acceptance, lineage);
        let baseline = Baseline::of(&level.runs, self);
        let merged = Some(baseline.newest_commit.as_str()).filter(|_| level.is_merged);
        Baseline {
            accepted_ratio: level.accepted_ratio,
            commits_before_base: merged.and_then(|commit| lineage.commits_before_base(commit)),
            ..baseline
        }
    }

    /// Whether this run may teach, by provenance alone and never by colour: a first try, of a
    /// trusted writer, and not one too many of the same code.
    ///
    /// Until the baseline has what a verdict needs, the cap is that number, so that a newcomer's
    /// next run has a verdict. What is merged is counted apart: having been tried before the commit
    /// must not keep the commit itself from teaching.
    pub fn may_teach(
        &self,
        history: &History,
        acceptance: Option<&Acceptance>,
        lineage: &Lineage,
        run: &Run,
    ) -> bool {
        if run.attempt > 1 || !is_trusted(run, lineage) {
            return false;
        }
        let level = self.level(history, &run.config, acceptance, lineage);
        let young = level.runs.len() < self.needed || level.accepted_ratio.is_some();
        // A level that the machine brought shall be known as soon as any.
        let by_machine = is_machine_slower(run);
        let cap = if young || by_machine { self.needed } else { self.per_code_state };
        let is_official = |run: &Run| lineage.is_of_default_branch(&run.revision);
        let same_code = |other: &&Run| {
            teaches(other, &run.config)
                && other.code == run.code
                && is_official(other) == is_official(run)
                && is_machine_slower(other) == by_machine
                && acceptance.is_none_or(|entry| entry.holds_for(other))
        };
        history.runs.iter().filter(same_code).count() < cap
    }

    /// Whether a run by this writer may teach at all: one on a machine of its own, or a CI job that
    /// builds what is merged.
    pub fn trusts(run: &Run, lineage: &Lineage) -> bool {
        is_trusted(run, lineage)
    }

    fn level<'a>(
        &self,
        history: &'a History,
        config: &str,
        acceptance: Option<&Acceptance>,
        lineage: &Lineage,
    ) -> Level<'a> {
        let matching =
            history.runs.iter().filter(|run| teaches(run, config) && !was_alone_slow(run));
        let matching: Vec<&Run> = matching.collect();
        let is_merged = |run: &&Run| lineage.is_merged(&run.revision);
        let merged: Vec<&Run> = matching.iter().copied().filter(is_merged).collect();
        if merged.len() >= self.needed {
            let (runs, accepted_ratio) = self.since_acceptance(merged, acceptance);
            let runs = self.without_young_reds(self.newest_level(runs));
            return Level { runs, accepted_ratio, is_merged: true };
        }
        // A red run stays out until it is accepted: nobody has reviewed it, and whoever went on
        // editing while red would else teach the red level.
        let is_own = |run: &&Run| !is_red(run) && !lineage.is_foreign(&run.revision);
        let own = matching.into_iter().filter(is_own).collect();
        let (runs, accepted_ratio) = self.since_acceptance(own, acceptance);
        Level { runs: self.newest_level(runs), accepted_ratio, is_merged: false }
    }

    /// The runs under the acceptance, or those before it with the ratio allowed to them: while
    /// there are too few under it, and for as long as an acceptance is only for a time.
    fn since_acceptance<'a>(
        &self,
        runs: Vec<&'a Run>,
        acceptance: Option<&Acceptance>,
    ) -> (Vec<&'a Run>, Option<f64>) {
        let Some(acceptance) = acceptance else {
            return (runs, None);
        };
        let accepted_ratio = Some(acceptance.max_ratio);
        if acceptance.is_temporary() {
            return (runs, accepted_ratio);
        }
        let (new, old): (Vec<&Run>, Vec<&Run>) =
            runs.into_iter().partition(|run| acceptance.holds_for(run));
        if new.len() >= self.needed { (new, None) } else { (old, accepted_ratio) }
    }

    /// Of the runs in the window, those since the level changed for the last time.
    fn newest_level<'a>(&self, mut runs: Vec<&'a Run>) -> Vec<&'a Run> {
        runs.drain(..runs.len().saturating_sub(self.window));
        // A value of zero has no logarithm; such a history is one level.
        let logs = runs.iter().map(|run| run.center().unwrap_or(f64::NAN).ln()).collect();
        let start = Sample::new(logs).map_or(0, |logs| newest_level(&logs, self.needed));
        runs.split_off(start)
    }

    /// A merged red is a member like any other once its level is old enough to be told from the
    /// one before; until then the one before is compared with. It is left out unless it is of those
    /// that began the level, and as long as enough others are left.
    fn without_young_reds<'a>(&self, runs: Vec<&'a Run>) -> Vec<&'a Run> {
        let reds = runs.iter().take(self.needed).filter(|run| is_red(run)).count();
        if 2 * reds >= self.needed {
            return runs;
        }
        let others: Vec<&Run> = runs.iter().copied().filter(|run| !is_red(run)).collect();
        if others.len() >= self.needed { others } else { runs }
    }
}

struct Level<'a> {
    runs: Vec<&'a Run>,
    accepted_ratio: Option<f64>,
    is_merged: bool,
}

/// A run without a single measurement has nothing to say and takes nobody's place.
fn teaches(run: &Run, config: &str) -> bool {
    run.teaches && run.config == config && !run.measurements.is_empty()
}

/// Its process was slow, and no fresh one showed that its code or its machine is: it says nothing.
fn was_alone_slow(run: &Run) -> bool {
    let is_explained = |reason| matches!(reason, Reason::Red | Reason::MachineSlower);
    run.evidence.as_ref().is_some_and(|it| !is_explained(it.reason) && it.slow_processes > 0)
}

/// The machine is to blame: the code is as good as that before it.
fn is_machine_slower(run: &Run) -> bool {
    run.evidence.as_ref().is_some_and(|it| it.reason == Reason::MachineSlower)
}

fn is_red(run: &Run) -> bool {
    run.evidence.as_ref().is_some_and(|evidence| evidence.reason == Reason::Red)
}

/// On a machine of their own, everybody is trusted. In CI only what was merged is: a request, a
/// fork or a branch would else move the level it is to be compared with. A CI job that does not
/// say what it builds is taken for one of the default branch.
fn is_trusted(run: &Run, lineage: &Lineage) -> bool {
    let event = run.ci.split_once('/').map_or("", |(_, event)| event);
    let is_trusted_event = event.is_empty() || TRUSTED_EVENTS.contains(&event);
    let is_merged = !run.revision.dirty && !lineage.is_beside_default_branch(&run.revision);
    run.ci.is_empty() || (is_trusted_event && is_merged)
}
