//! Selects the runs that count for the baseline, and the runs of a comparison.

use super::{
    Acceptance, Baseline, BaselineRule, History, Lineage, NewestLevel, NotCounted, Note, Reason,
    Run,
};
use crate::list::IntoList;
use crate::text::Text;
use std::borrow::Cow;

/// The events that start a CI job for the default branch itself. Jobs of other events may check out
/// a stranger's code, whatever branch they name.
const TRUSTED_EVENTS: [&str; 4] = ["push", "schedule", "workflow_dispatch", "web"];

impl BaselineRule {
    /// Selects the baseline for a run with this `config` and `lineage`.
    ///
    /// Candidates are the runs that count for the baseline and share the configuration: the
    /// *merged* ones, if there are enough for a verdict, or else all except those of commits that
    /// the present code lacks. The result is the [newest level](NewestLevel) of these in the order of their commits, at
    /// most the window: an older commit that is measured again has no newer level. `acceptance` is the newest entry that
    /// covers the benchmark: the runs under it are used if there are enough of them.
    ///
    /// The runs have the times by which they [count](History::as_counted).
    pub fn select(
        &self,
        history: &History,
        config: &str,
        acceptance: Option<&Acceptance>,
        lineage: &Lineage,
    ) -> Baseline {
        let counted = history.as_counted();
        let matching = counted.iter().map(Cow::as_ref).filter(|run| may_be_of_level(run, config));
        let selected = self.selected(lineage.by_commit(matching), acceptance, lineage);
        let level = NewestLevel::of(selected.runs, self.needed);
        let mut runs = level.runs();
        runs.drain(..runs.len().saturating_sub(self.window));
        let baseline = Baseline::of(&runs, self);
        let merged = Some(baseline.newest_commit.as_str()).filter(|_| selected.are_merged);
        Baseline {
            needed: level.needed(),
            accepted_ratio: selected.accepted_ratio,
            commits_before_base: merged.and_then(|commit| lineage.commits_before_base(commit)),
            began: level.began().cloned(),
            ..baseline
        }
    }

    /// Returns why this run may not count for the baseline, by provenance alone and never by its verdict. `None` for a
    /// first attempt, by a trusted writer, and within the limit for the same code at the present level.
    ///
    /// Until the baseline has enough runs for a verdict, the limit is that number, so that a
    /// newcomer's next run has a verdict. Beyond it counts one run by a smaller tolerance than all of these. Merged code is counted separately: attempts before the
    /// commit must not keep the commit itself out of the baseline.
    ///
    /// `baseline` is the [selected](Self::select) one of the run.
    pub fn why_not_counted(
        &self,
        history: &History,
        baseline: &Baseline,
        acceptance: Option<&Acceptance>,
        lineage: &Lineage,
        run: &Run,
    ) -> Option<Note> {
        if run.attempt > 1 {
            return Some(Note::NotCounted { because: NotCounted::Retry });
        }
        if let Some(why) = why_not_trusted(run, lineage) {
            return Some(why);
        }
        let young = baseline.centers.len() < self.needed
            || baseline.accepted_ratio.is_some()
            || baseline.is_provisional;
        // A level that the machine caused must be found as soon as any other.
        let by_machine = is_machine_slower(run);
        let cap = if young || by_machine { self.needed } else { self.per_code_state };
        let is_official = |run: &Run| lineage.is_of_default_branch(&run.revision);
        let same_code = |other: &&Run| {
            counts_for_baseline(other, &run.config)
                && !other.is_provisional()
                && (other.code == run.code || other.code.is_same_build(&run.code))
                && is_official(other) == is_official(run)
                && is_machine_slower(other) == by_machine
                && acceptance.is_none_or(|entry| entry.holds_for(other))
        };
        // Code that comes back after another level is new there.
        let is_of_level = |other: &Run| baseline.runs.is_empty() || baseline.has_run(&other.id);
        let level = history.runs.iter().position(is_of_level).unwrap_or(history.runs.len());
        // So is merged code that comes back after slow code: without its runs a slowdown that lands again would go on
        // with the row of the reverted one.
        let is_slow_other = |other: &Run| {
            counts_for_baseline(other, &run.config)
                && is_slow(other)
                && is_official(other)
                && is_official(run)
                && !other.code.is_same_build(&run.code)
        };
        let after_slow = history.runs.iter().rposition(is_slow_other).map_or(0, |last| last + 1);
        let counted = history.runs[level.max(after_slow)..].iter().filter(same_code).into_list();
        // Those by a wider tolerance clear nothing for this one, so unchanged code would be measured in pairs for ever. A run
        // that clears it counts, too; slow code has none, and becomes no level so.
        let is_first_by_smaller =
            run.clears_code() && counted.iter().all(|it| is_by_wider(it, run));
        let is_enough = counted.len() >= cap && !is_first_by_smaller;
        is_enough.then_some(Note::NotCounted { because: NotCounted::EnoughOfThisCode })
    }

    /// Returns whether the history has enough to [select](Self::select) from, so that older runs are not needed. Processes
    /// of a first run are not enough, and own slow runs are no level: older runs may be better.
    pub fn has_enough_in(
        &self,
        history: &History,
        config: &str,
        acceptance: Option<&Acceptance>,
        lineage: &Lineage,
    ) -> bool {
        let counted = history.as_counted();
        let is_ordinary = |run: &&Run| {
            may_be_of_level(run, config)
                && !run.is_provisional()
                && (!is_slow(run) || lineage.is_merged(&run.revision))
        };
        let ordinary = counted.iter().map(Cow::as_ref).filter(is_ordinary);
        self.selected(lineage.by_commit(ordinary), acceptance, lineage).runs.len() >= self.needed
    }

    /// Returns the runs whose newest level is the baseline.
    fn selected<'a>(
        &self,
        matching: Vec<&'a Run>,
        acceptance: Option<&Acceptance>,
        lineage: &Lineage,
    ) -> ComparableRuns<'a> {
        // What everybody has is also one's own code from before the first commit, without its reds.
        let is_first = |run: &Run| {
            lineage.is_before_first_commit(&run.revision) && run.ci.is_empty() && !is_slow(run)
        };
        let is_merged = |run: &&Run| lineage.is_merged(&run.revision) || is_first(run);
        let merged: Vec<&Run> = matching.iter().copied().filter(is_merged).into_list();
        // What everybody has is the level after that many runs, accepted or not.
        let merged = without_levels_elsewhere(&merged, acceptance, self.needed);
        let merged = self.without_slow_repeats(merged);
        // A red run stays out until it is accepted: it is not reviewed, and developers who went on
        // editing while red would else make the red level the baseline.
        let is_own = |run: &&Run| !is_red(run) && !lineage.is_foreign(&run.revision);
        let own = without_levels_elsewhere(&matching, acceptance, usize::MAX);
        let own = own.into_iter().filter(is_own).into_list();
        // As with red ones, who goes on editing would make runs the level that were slow in most processes and open.
        let own = self.better_ones(own, |run| !run.was_slow_throughout());
        let groups = [
            ComparableRuns { runs: merged, accepted_ratio: None, are_merged: true },
            ComparableRuns { runs: own, accepted_ratio: None, are_merged: false },
        ];
        let accepted = |group: ComparableRuns<'a>| group.of_newest_accepted_level(self.needed);
        let Some(entry) = acceptance.filter(|entry| !entry.is_temporary()) else {
            // The old level stays, and runs that passed by a temporary entry do not count for the baseline.
            let selected = self.first_sufficient(groups.map(accepted));
            let accepted_ratio = acceptance.map(|entry| entry.max_ratio);
            return ComparableRuns { accepted_ratio, ..selected };
        };
        let [merged, own] = groups.map(|group| group.split(entry, self.needed));
        let [merged_before, own_before] = [merged.1, own.1].map(accepted);
        self.first_sufficient([merged.0, own.0, merged_before, own_before])
    }

    /// Returns merged runs without slow ones of one machine code beyond the limit for it. Many machines may have measured
    /// a commit before any of them had the runs of the others: each counts its own, and one slow commit is no level.
    fn without_slow_repeats<'a>(&self, merged: Vec<&'a Run>) -> Vec<&'a Run> {
        let mut kept: Vec<&Run> = Vec::new();
        let mut slow = 0;
        for run in merged {
            if kept.last().is_none_or(|before| !before.code.is_same_build(&run.code)) {
                slow = 0;
            }
            slow += usize::from(is_slow(run));
            if !is_slow(run) || slow <= self.per_code_state {
                kept.push(run);
            }
        }
        kept
    }

    /// Returns the better ones of these runs. All, where those are too few for a verdict without the processes of a first
    /// run.
    fn better_ones<'a>(&self, runs: Vec<&'a Run>, is_better: fn(&Run) -> bool) -> Vec<&'a Run> {
        let better: Vec<&Run> = runs.iter().copied().filter(|run| is_better(run)).into_list();
        let ordinary = better.iter().count_where(|run| !run.is_provisional());
        if ordinary >= self.needed { better } else { runs }
    }

    /// Returns the first candidate with enough runs for a verdict, or else the one with most runs. The processes of a
    /// first run count until there are enough ordinary ones.
    fn first_sufficient<'a>(
        &self,
        groups: impl IntoIterator<Item = ComparableRuns<'a>>,
    ) -> ComparableRuns<'a> {
        let mut most = ComparableRuns::default();
        for group in groups {
            let runs = self.better_ones(group.runs, |run| !run.is_provisional());
            let group = ComparableRuns { runs, ..group };
            if group.runs.len() >= self.needed {
                return group;
            }
            if group.runs.len() > most.runs.len() {
                most = group;
            }
        }
        most
    }
}

/// Runs that may be the baseline.
#[derive(Debug, Default)]
struct ComparableRuns<'a> {
    runs: Vec<&'a Run>,
    /// The allowed ratio to these runs.
    accepted_ratio: Option<f64>,
    are_merged: bool,
}

impl<'a> ComparableRuns<'a> {
    /// Splits the runs into those of the accepted level, and those before it with the allowed
    /// ratio. All are one level where `enough` runs are under an acceptance that none of them needed.
    ///
    /// Runs under the acceptance that did not need it yet belong to the level before, if a later
    /// run needed it. Runs under a newer acceptance continue the level, unless that one made a level of its own: it
    /// was the newest meanwhile, and is over.
    fn split(self, acceptance: &Acceptance, enough: usize) -> (Self, Self) {
        let continues =
            |newer: &String| *newer > acceptance.id && began_level(newer, &self.runs).is_none();
        let is_under = |run: &&Run| {
            acceptance.holds_for(run) || run.acceptance.as_ref().is_some_and(continues)
        };
        let began = began_level(&acceptance.id, &self.runs);
        let (before, later) = self.runs.split_at(began.unwrap_or(0));
        let (under, elsewhere): (Vec<&Run>, Vec<&Run>) = later.iter().partition(|it| is_under(it));
        if began.is_none() && under.len() >= enough {
            return (self.of_newest_accepted_level(enough), Self::default());
        }
        let old = before.iter().copied().chain(elsewhere).into_list();
        let accepted_ratio = Some(acceptance.max_ratio);
        (Self { runs: under, ..self }, Self { runs: old, accepted_ratio, ..self })
    }

    /// Returns the runs of the newest level that an acceptance made and that has enough usual runs, if the newest runs
    /// are accepted ones. Such a level needs no step that its values prove: somebody has said that it began there.
    fn of_newest_accepted_level(mut self, enough: usize) -> Self {
        let usual = |run: &&Run| !is_slow(run) && !is_machine_slower(run);
        let mut end = self.runs.len();
        while let Some(began) = newest_accepted_level(&self.runs[..end]) {
            if self.runs[began..end].iter().count_where(|run| usual(run)) >= enough {
                self.runs.truncate(end);
                self.runs.drain(..began);
                break;
            }
            end = began;
        }
        self
    }
}

/// Returns the place where the level of the newest runs began, if an acceptance made it. Skips runs under an acceptance
/// that made no level.
fn newest_accepted_level(runs: &[&Run]) -> Option<usize> {
    let begun = |run: &&Run| match &run.acceptance {
        None => Some(None),
        Some(id) => began_level(id, runs).map(Some),
    };
    runs.iter().rev().find_map(begun).flatten()
}

/// Returns the runs without those of levels that were accepted, but not in the present code: their line was taken back,
/// or is in another checkout. A level of `enough` runs stays.
///
/// Ids begin with the time, so every id that is newer than the newest entry is of one that the present code lacks.
fn without_levels_elsewhere<'a>(
    runs: &[&'a Run],
    newest: Option<&Acceptance>,
    enough: usize,
) -> Vec<&'a Run> {
    let is_lacking = |id: &&String| newest.is_none_or(|entry| **id > entry.id);
    let is_elsewhere = |place: usize| {
        let Some(id) = runs[place].acceptance.as_ref().filter(is_lacking) else {
            return false;
        };
        let is_under_it = |run: &&&Run| run.acceptance.as_ref() == Some(id);
        began_level(id, runs).is_some_and(|began| {
            began <= place && runs[began..].iter().count_where(|run| is_under_it(run)) < enough
        })
    };
    let rest = (0..runs.len()).filter(|place| !is_elsewhere(*place));
    rest.map(|place| runs[place]).into_list()
}

/// Returns the place where an acceptance began a level: at the first run that it let pass.
fn began_level(id: &str, runs: &[&Run]) -> Option<usize> {
    runs.iter().position(|run| run.acceptance.as_deref() == Some(id) && run.was_let_pass())
}

/// Returns whether one run was judged by a wider tolerance than another.
fn is_by_wider(one: &Run, other: &Run) -> bool {
    let tolerance = |run: &Run| run.evidence.as_ref().map(|it| it.tolerance);
    tolerance(one).zip(tolerance(other)).is_some_and(|(one, other)| one > other)
}

/// Skips a run without a measurement, so that it uses up no place.
fn counts_for_baseline(run: &Run, config: &str) -> bool {
    run.counts_for_baseline && run.config == config && !run.measurements.is_empty()
}

/// Returns whether the run may be one of the baseline.
fn may_be_of_level(run: &Run, config: &str) -> bool {
    counts_for_baseline(run, config) && !run.was_alone_slow()
}

/// Returns whether the machine was slower, while the code is as fast as before.
fn is_machine_slower(run: &Run) -> bool {
    run.reason() == Some(Reason::MachineSlower)
}

/// Returns whether the run was slow because of its code: red, or slow in most processes and open.
fn is_slow(run: &Run) -> bool {
    is_red(run) || run.was_slow_throughout()
}

fn is_red(run: &Run) -> bool {
    run.reason() == Some(Reason::Red)
}

/// On a developer's own machine every run is trusted. In CI only merged code is trusted: otherwise
/// a request, a fork or a branch would move its own baseline. A CI job without information about
/// its branch counts as one of the default branch.
fn why_not_trusted(run: &Run, lineage: &Lineage) -> Option<Note> {
    match event_without_trust(run) {
        _ if run.ci.is_empty() => None,
        _ if run.revision.dirty || lineage.is_beside_default_branch(&run.revision) => {
            Some(Note::NotCounted { because: NotCounted::OtherBranch })
        }
        event => event.map(|event| Note::NotCountedEvent { event: event.to_owned() }),
    }
}

/// Returns the event that started the CI job, if jobs of that event may check out a stranger's code.
fn event_without_trust(run: &Run) -> Option<&str> {
    let (_, event) = run.ci.cut('/')?;
    (!event.is_empty() && !TRUSTED_EVENTS.contains(&event)).then_some(event)
}
