//! The baseline of the last verdict of a history.

use perftest_core::model::{Acceptance, Baseline, BaselineRule, History, Lineage, Run};
use perftest_store::Digest;

/// The newest judged run and its baseline. A record keeps the hash of a baseline's runs, so they are selected
/// again.
#[derive(Debug)]
pub(crate) struct LastBaseline {
    /// Index of the run in the history.
    pub(crate) run: usize,
    pub(crate) baseline: Baseline,
    /// Whether the selected runs are those of the verdict.
    pub(crate) is_exact: bool,
}

impl LastBaseline {
    /// Selects the baseline of the newest judged run; `None` where there is none. `lineages` are tried in
    /// their order, and the first one is taken where the hash agrees with none. The history stays as it is.
    pub(crate) fn of(
        history: &mut History,
        acceptances: &[Acceptance],
        lineages: &[Lineage],
    ) -> Option<Self> {
        let run = history.runs.iter().rposition(|run| run.evidence.is_some())?;
        let later = history.runs.split_off(run);
        let found = Self::of_run(run, &later[0], history, acceptances, lineages);
        history.runs.extend(later);
        found
    }

    /// Selects the baseline of a run with this index after the runs `before` it.
    fn of_run(
        run: usize,
        judged: &Run,
        before: &History,
        acceptances: &[Acceptance],
        lineages: &[Lineage],
    ) -> Option<Self> {
        let acceptance = acceptances.iter().rfind(|entry| entry.holds_for(judged));
        let select =
            |lineage| BaselineRule::default().select(before, &judged.config, acceptance, lineage);
        let mut selected = lineages.iter().map(select);
        let first = selected.next()?;
        let is_first = is_of(&first, judged);
        // Without a hash none agrees.
        let is_open = !is_first && !judged.baseline.is_empty();
        let other = if is_open { selected.find(|it| is_of(it, judged)) } else { None };
        let is_exact = is_first || other.is_some();
        let baseline = other.unwrap_or(first);
        (!baseline.centers.is_empty()).then_some(Self { run, baseline, is_exact })
    }
}

/// Whether the run was compared with this baseline.
fn is_of(baseline: &Baseline, run: &Run) -> bool {
    Digest::of_baseline(baseline).hex16() == run.baseline
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::example_run;

    fn history(baseline: String) -> History {
        let plain = |ordinal| {
            let mut run = example_run(ordinal);
            (run.acceptance, run.counts_for_baseline) = (None, true);
            run.code.text = ordinal.to_string();
            // Else it would be a run that was slow for no known reason.
            run.evidence.as_mut().unwrap().slow_processes = 0;
            run
        };
        let mut runs: Vec<Run> = (0..9).map(plain).collect();
        runs[8].baseline = baseline;
        History { runs }
    }

    #[test]
    fn a_baseline_is_exact_where_its_hash_is_that_of_the_record() {
        let lineages = [Lineage::default()];
        let found = LastBaseline::of(&mut history(String::new()), &[], &lineages).unwrap();
        assert_eq!((found.run, found.baseline.runs.len(), found.is_exact), (8, 8, false));
        let found = LastBaseline::of(&mut history(hash_of(&found)), &[], &lineages).unwrap();
        assert!(found.is_exact);
    }

    #[test]
    fn of_several_lineages_the_one_counts_that_the_run_had() {
        let own =
            LastBaseline::of(&mut history(String::new()), &[], &[Lineage::default()]).unwrap();
        let mut history = history(hash_of(&own));
        for run in &mut history.runs[..6] {
            (run.revision.branch, run.revision.dirty) = ("main".into(), false);
        }
        let lineages = [Lineage::after_all_of("main"), Lineage::default()];
        let merged = LastBaseline::of(&mut history, &[], &lineages[..1]).unwrap();
        assert_eq!((merged.baseline.runs.len(), merged.is_exact), (6, false));
        let found = LastBaseline::of(&mut history, &[], &lineages).unwrap();
        assert_eq!((found.baseline.runs.len(), found.is_exact), (8, true));
    }

    fn hash_of(last: &LastBaseline) -> String {
        Digest::of_baseline(&last.baseline).hex16()
    }

    #[test]
    fn a_first_run_was_compared_with_nothing() {
        let mut first = History { runs: history(String::new()).runs.split_off(8) };
        assert!(LastBaseline::of(&mut first, &[], &[Lineage::default()]).is_none());
        assert!(LastBaseline::of(&mut History::default(), &[], &[Lineage::default()]).is_none());
    }
}
