//! What the runs of a baseline say of code: which code they cleared, and which builds are good ones to compare with.

use super::{Baseline, CodeState, Reason, Run, RunId, Sample};
use crate::list::IntoList;

impl Baseline {
    /// Returns the newest run with the machine code `code` that cleared this code. If
    /// there is one, the code has not become slower: also on a level that a slower machine has made,
    /// where no run need be green.
    pub fn run_that_clears(&self, code: &CodeState) -> Option<&Run> {
        self.runs_that_clear(code).next()
    }

    /// Returns the runs that cleared the machine code `code`, newest first. Those from before there was a
    /// baseline cleared only the code with which it begins, if that is at its level: nothing compared other code. What a
    /// wider tolerance than the present one let pass is not cleared.
    pub fn runs_that_clear(&self, code: &CodeState) -> impl Iterator<Item = &Run> {
        let oldest = self.runs.first();
        let is_first = oldest.is_some_and(|oldest| oldest.code.is_same_code(code))
            && self.is_build_at_level(code);
        let of_code = self.runs.iter().rev().filter(move |run| run.code.is_same_code(code));
        of_code.filter(move |run| {
            run.clears_code() && !self.was_let_pass_by_wider(run) && (is_first || !is_learned(run))
        })
    }

    /// Returns whether a run with this build cleared its code: it may be the last good build of others.
    pub fn has_good_build(&self, code: &CodeState) -> bool {
        self.runs.iter().any(|run| run.code.is_same_build(code) && run.clears_code())
    }

    /// Returns the last good builds: the runs with other machine code than `code`
    /// whose code was proven, or recorded as the first, to be as fast as it should be, in all series of the
    /// test if there are such runs. Those as
    /// fast as their level come first, then those that were slower but within the tolerance, both
    /// newest first: a slower base would hide a slowdown. None that a wider tolerance than the present one let pass, and
    /// beside builds of the level none that was slower before there was a baseline: nothing showed that these are within
    /// the tolerance.
    ///
    /// A level that came from merged slower code has no such runs: by now all of its builds count
    /// as fast enough.
    pub fn good_builds<'a>(&'a self, code: &CodeState) -> impl Iterator<Item = &'a Run> + use<'a> {
        let kinds: [fn(&Run) -> bool; 2] = [Run::clears_code_of_all_series, Run::clears_code];
        let is_good = kinds.into_iter().find(|is_good| self.runs.iter().any(is_good));
        let is_other = |run: &&Run| !run.code.is_same_build(code);
        let newest_first = self.runs.iter().rev();
        let good = newest_first.filter(|run| is_good.is_none_or(|is_good| is_good(run)));
        let is_at_level = |run: &&Run| self.is_build_at_level(&run.code);
        let (at_level, slower): (Vec<&Run>, Vec<&Run>) =
            good.filter(is_other).partition(is_at_level);
        let is_judged = |run: &&Run| {
            !self.was_let_pass_by_wider(run) && (at_level.is_empty() || !is_learned(run))
        };
        let slower = slower.into_iter().filter(is_judged).into_list();
        at_level.into_iter().chain(slower)
    }

    /// Returns whether this run is one of the baseline, and its build one to compare with: at the level, or let pass by no
    /// wider tolerance than the present one.
    pub fn has_base(&self, id: &RunId) -> bool {
        let is_base =
            |run: &Run| !self.was_let_pass_by_wider(run) || self.is_build_at_level(&run.code);
        self.runs.iter().any(|run| run.id == *id && is_base(run))
    }

    fn was_let_pass_by_wider(&self, run: &Run) -> bool {
        run.evidence.as_ref().is_some_and(|it| it.is_cleared_by_wider(self.tolerance))
    }

    /// Returns whether the runs of a build were as fast as their baseline, within half of the tolerance, theirs or the
    /// present one: a build near the end of the tolerance is slower than the level was. The median of
    /// its runs decides, because some of them are compared with others of the same build. Runs from before there was a
    /// baseline, and the fresh processes beside the first one, are compared with the present baseline.
    fn is_build_at_level(&self, code: &CodeState) -> bool {
        let of_build = self.runs.iter().filter(|run| run.code.is_same_build(code));
        let used = of_build.filter_map(|run| {
            let of_run = run.evidence.as_ref().map_or(self.tolerance, |it| it.tolerance);
            Some(self.rise_of(run)? / of_run.share().min(self.tolerance.share()))
        });
        Sample::median_of(&used.into_list()).is_none_or(|used| used <= 0.5)
    }

    /// Returns the degradation of a run as a share, against its own baseline or else against this one; `None` where
    /// neither is known, and for a fresh process that is not beside a first run.
    fn rise_of(&self, run: &Run) -> Option<f64> {
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
                let ratio = run.center()? / self.sample()?.median();
                run.metric.direction.degradation(ratio)
            }
        };
        Some(degradation - 1.0)
    }
}

/// Returns whether the run is from before there was a baseline.
fn is_learned(run: &Run) -> bool {
    run.reason() == Some(Reason::NoBaseline)
}
