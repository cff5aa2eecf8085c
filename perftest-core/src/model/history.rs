//! Runs of one benchmark on one testbed, oldest first.

use super::{Baseline, CodeState, Reason, Run, Sample};
use crate::list::IntoList;

/// Runs of one benchmark on one testbed, by one metric, oldest first in the order of appending.
/// Clocks may step backwards; the order of the record is the order of history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// The runs.
    pub runs: Vec<Run>,
}

impl History {
    /// The newest run.
    pub fn newest(&self) -> Option<&Run> {
        self.runs.last()
    }

    /// The runs of `baseline`, newest first.
    pub fn members<'a>(&'a self, baseline: &Baseline) -> impl Iterator<Item = &'a Run> {
        let newest_first = baseline.ids.iter().rev();
        newest_first.filter_map(|id| self.runs.iter().rfind(|run| run.id == *id))
    }

    /// Returns the runs that [count by their ratio](Run::counts_by_ratio), oldest first. Each has the times of the
    /// undisturbed run before it, scaled to the value that its verdict proves.
    pub fn runs_by_ratio(&self) -> Vec<Run> {
        let all = self.runs.iter().enumerate();
        all.filter(|(_, run)| run.counts_for_baseline && run.counts_by_ratio())
            .filter_map(|(place, run)| {
                let is_undisturbed = |it: &&Run| {
                    it.counts_for_baseline && !it.counts_by_ratio() && it.config == run.config
                };
                run.with_times_of(self.runs[..place].iter().rfind(is_undisturbed)?)
            })
            .into_list()
    }

    /// Returns the runs, oldest first, each with the times by which it counts. `by_ratio` are its
    /// [`runs_by_ratio`](Self::runs_by_ratio).
    pub fn as_counted<'a>(&'a self, by_ratio: &'a [Run]) -> impl Iterator<Item = &'a Run> {
        self.runs.iter().filter_map(|run| match run.counts_by_ratio() {
            true => by_ratio.iter().find(|it| it.id == run.id),
            false => Some(run),
        })
    }

    /// Returns the newest run of `baseline` with the machine code `code` that cleared this code. If
    /// there is one, the code has not become slower: also on a level that a slower machine has made,
    /// where no run need be green.
    pub fn member_of_same_code<'a>(
        &'a self,
        baseline: &'a Baseline,
        code: &CodeState,
    ) -> Option<&'a Run> {
        self.members_that_clear(baseline, code).next()
    }

    /// Returns the runs of `baseline` that cleared the machine code `code`, newest first. Those from before there was a
    /// baseline cleared only the code with which it begins, if that is at its level: nothing compared other code.
    pub fn members_that_clear<'a>(
        &'a self,
        baseline: &'a Baseline,
        code: &CodeState,
    ) -> impl Iterator<Item = &'a Run> {
        let oldest = self.members(baseline).last();
        let is_first = oldest.is_some_and(|oldest| oldest.code.is_same_code(code))
            && self.is_build_at_level(baseline, code);
        let of_code = self.members(baseline).filter(move |run| run.code.is_same_code(code));
        of_code.filter(move |run| run.clears_code() && (is_first || !is_learned(run)))
    }

    /// Returns whether a run of `baseline` with this build cleared its code: it may be the last good build of others.
    pub fn has_good_build(&self, baseline: &Baseline, code: &CodeState) -> bool {
        self.members(baseline).any(|run| run.code.is_same_build(code) && run.clears_code())
    }

    /// Returns the last good builds: the runs of `baseline` with other machine code than `code`
    /// whose code was proven, or recorded as the first, to be as fast as it should be, in all series of the
    /// test if there are such runs. Those as
    /// fast as their level come first, then those that were slower but within the tolerance, both
    /// newest first: a slower base would hide a slowdown. Beside builds of the level none that was slower before there
    /// was a baseline: nothing showed that it is within the tolerance.
    ///
    /// A level that came from merged slower code has no such runs: by now all of its builds count
    /// as fast enough.
    pub fn good_builds<'a>(
        &'a self,
        baseline: &Baseline,
        code: &CodeState,
    ) -> impl Iterator<Item = &'a Run> {
        let kinds: [fn(&Run) -> bool; 2] = [Run::clears_code_of_all_series, Run::clears_code];
        let is_good = kinds.into_iter().find(|is_good| self.members(baseline).any(is_good));
        let is_other = |run: &&Run| !run.code.is_same_build(code);
        let good = self.members(baseline).filter(|run| is_good.is_none_or(|is_good| is_good(run)));
        let is_at_level = |run: &&Run| self.is_build_at_level(baseline, &run.code);
        let (at_level, slower): (Vec<&Run>, Vec<&Run>) =
            good.filter(is_other).partition(is_at_level);
        let is_judged = |run: &&Run| at_level.is_empty() || !is_learned(run);
        let slower = slower.into_iter().filter(is_judged).into_list();
        at_level.into_iter().chain(slower)
    }

    /// Returns whether the runs of a build were as fast as their baseline, within half of the
    /// tolerance: a build near the end of the tolerance is slower than the level was. The median of
    /// its runs decides, because some of them are compared with others of the same build. Runs from before there was a
    /// baseline, and the fresh processes beside the first one, are compared with the present baseline.
    fn is_build_at_level(&self, baseline: &Baseline, code: &CodeState) -> bool {
        let of_build = || self.members(baseline).filter(|run| run.code.is_same_build(code));
        let Some(judged) = of_build().find_map(|run| run.evidence.as_ref()) else {
            return true;
        };
        let rises = of_build().filter_map(|run| rise_above_level(baseline, run)).into_list();
        let used = Sample::median_of(&rises).map(|rise| rise / judged.tolerance.share());
        used.is_none_or(|used| used <= 0.5)
    }

    /// Returns the newest run with its own verdict.
    pub fn newest_judged(&self) -> Option<&Run> {
        self.runs.iter().rev().find(|run| run.evidence.is_some())
    }
}

/// Returns whether the run is from before there was a baseline.
fn is_learned(run: &Run) -> bool {
    run.evidence.as_ref().is_some_and(|it| it.reason == Reason::NoBaseline)
}

/// Returns the degradation of a run as a share, against its own baseline or else against this one; `None` where neither
/// is known.
fn rise_above_level(baseline: &Baseline, run: &Run) -> Option<f64> {
    let evidence = run.evidence.as_ref();
    if evidence.is_none() && !run.is_provisional() {
        return None;
    }
    let pairs = evidence.and_then(|it| it.paired_result.as_ref());
    let degradation = match (pairs, evidence.and_then(|it| it.degradation)) {
        // Beside a last good build near the end of the tolerance, each small step would begin anew.
        (Some(pairs), _) => pairs.ratio_to_level(),
        (None, Some(degradation)) => degradation.estimate,
        (None, None) => {
            let centers = baseline.centers.iter().map(|it| it.value).into_list();
            let ratio = run.center()? / Sample::median_of(&centers)?;
            run.metric.direction.degradation(ratio)
        }
    };
    Some(degradation - 1.0)
}
