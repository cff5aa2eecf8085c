//! Warnings of what a history lacks. Other tests of the session may lack it too, so each is printed once.

use super::series::TrialSeries;
use super::series_history::SeriesHistory;
use super::test_context::TestContext;
use crate::event::Event;
use crate::provenance::PositionGap;
use crate::sink::Sink;
use perftest_core::model::{BenchmarkId, Evidence};
use perftest_store::Series as RecordedSeries;
use std::sync::atomic::Ordering;

impl TestContext<'_> {
    /// Warns of each gap in the history of the whole that is the first of its kind in this session.
    pub(super) fn warn_of_gaps(&self, whole: &TrialSeries, sink: &mut dyn Sink) {
        let gaps = [
            self.provenance().other_history.clone(),
            self.missing_former_name(&whole.known.own),
            self.provenance().standing.gap.as_ref().map(PositionGap::describe),
            self.missing_baseline(&whole.evidence),
        ];
        for (gap, is_seen) in gaps.iter().zip(&self.session.seen_gaps) {
            if let Some(gap) = gap
                && !is_seen.swap(true, Ordering::Relaxed)
            {
                sink.take(&Event::Warning(gap));
            }
        }
    }

    /// The name in `formerly`, if no run of it is recorded, on any machine of a history that has runs.
    fn missing_former_name(&self, known: &SeriesHistory) -> Option<String> {
        let Self { session, test, .. } = self;
        let (former, own) = (test.former_benchmark()?, test.benchmark());
        let has_runs = !known.history.runs.is_empty();
        let store = session.store(test).ok()??;
        let is_unknown = || store.list(Some(&former)).is_ok_and(|it| it.series.value.is_empty());
        let is_first_run = !has_runs && session.records() && self.provenance().has_history;
        if !is_first_run || !is_unknown() {
            return None;
        }
        let recorded = store.list(None).ok()?.series.value;
        let is_former = |name: &BenchmarkId| test.may_go_on_with(name.as_str());
        // The list has the former names of tests that ran under a new one.
        let is_of_function = |series: &RecordedSeries| {
            series.benchmark != own
                && [&series.benchmark].into_iter().chain(&series.formerly).any(is_former)
        };
        let former = test.formerly.filter(|_| !recorded.iter().any(is_of_function))?;
        Some(format!(
            "{}: no run of `{former}` is recorded, so `formerly` continues no history. It takes the name as `cargo \
             perftest history` prints it: my-crate::target::module::name",
            test.listed_name()
        ))
    }

    /// A baseline that is missing in CI, where a gate without one guards nothing, unless a base judges instead.
    fn missing_baseline(&self, evidence: &Evidence) -> Option<String> {
        let config = &self.session.config;
        let is_known = self.provenance().standing.trouble.is_none();
        let is_needed = is_known && config.ci.is_present() && !config.is_bootstrapped;
        (is_needed && evidence.lacks_baseline()).then(|| {
            let testbed = &self.session.machine().testbed;
            format!(
                "{} has no baseline on {testbed}, and other tests may have none: they detect no \
                 slowdown before {} runs are recorded. Keep the store between jobs (PERFTEST_STORE=DIR), \
                 or compare side by side: cargo perftest run --bootstrap=ab --base REVISION",
                self.test.listed_name(),
                evidence.baseline_needed
            )
        })
    }
}
