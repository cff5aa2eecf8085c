//! What the last verdict of a history compared with.

use perftest_core::model::{Acceptance, Baseline, BaselineRule, History, Lineage, Run, RunId};
use perftest_store::Digest;

/// The newest judged run and its baseline. A record keeps the hash of a baseline's runs, so they are selected
/// again.
#[derive(Debug)]
pub(crate) struct LastBaseline {
    /// Index of the run in the history.
    pub(crate) run: usize,
    pub(crate) baseline: Baseline,
    /// The selected runs are those that were compared with.
    pub(crate) is_exact: bool,
}

impl LastBaseline {
    /// Selects the baseline of the newest judged run; `None` where there is none. `lineages` are tried in
    /// their order, and the first one is taken where the hash agrees with none.
    pub(crate) fn of(
        history: &History,
        acceptances: &[Acceptance],
        lineages: &[Lineage],
    ) -> Option<Self> {
        let run = history.runs.iter().rposition(|run| run.evidence.is_some())?;
        let judged = &history.runs[run];
        let before = History { runs: history.runs[..run].to_vec() };
        let acceptance = acceptances.iter().rfind(|entry| entry.holds_for(judged));
        let select =
            |lineage| BaselineRule::default().select(&before, &judged.config, acceptance, lineage);
        let mut selected: Vec<Baseline> = lineages.iter().map(select).collect();
        let exact = selected.iter().position(|baseline| is_of(baseline, judged));
        let baseline = selected.drain(..).nth(exact.unwrap_or(0))?;
        (!baseline.centers.is_empty()).then_some(Self { run, baseline, is_exact: exact.is_some() })
    }
}

/// Whether the run was compared with this baseline.
fn is_of(baseline: &Baseline, run: &Run) -> bool {
    let mut ids: Vec<&str> = baseline.ids.iter().map(RunId::as_str).collect();
    ids.sort_unstable();
    Digest::of_fields(ids).hex16() == run.baseline
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
        let found = LastBaseline::of(&history(String::new()), &[], &lineages).unwrap();
        assert_eq!((found.run, found.baseline.ids.len(), found.is_exact), (8, 8, false));
        let mut ids: Vec<&str> = found.baseline.ids.iter().map(RunId::as_str).collect();
        ids.sort_unstable();
        let hash = Digest::of_fields(ids).hex16();
        assert!(LastBaseline::of(&history(hash), &[], &lineages).unwrap().is_exact);
    }

    #[test]
    fn a_first_run_was_compared_with_nothing() {
        let first = History { runs: history(String::new()).runs.split_off(8) };
        assert!(LastBaseline::of(&first, &[], &[Lineage::default()]).is_none());
        assert!(LastBaseline::of(&History::default(), &[], &[Lineage::default()]).is_none());
    }
}
