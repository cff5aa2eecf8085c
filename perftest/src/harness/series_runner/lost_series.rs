//! Series that a test had in its baseline and lacks now.

use super::SeriesRunner;
use crate::harness::loaded_history::LoadedHistory;
use crate::measure::Failure;
use perftest_core::list::IntoList;
use perftest_core::model::{
    Acceptance, Baseline, BenchmarkId, ExplanatoryMetric, History, SeriesKind,
};
use perftest_core::words::quoted;

impl<'a> SeriesRunner<'a> {
    /// Notes stages of the newest baseline run that were not reached now.
    ///
    /// # Errors
    /// The failure of the test for a stage that had verdicts, unless its loss is accepted.
    pub(super) fn miss_stages(&mut self) -> Result<(), Failure> {
        let reached = self.recording.own.stages();
        let before = self.newest_explanatory_metrics().filter_map(ExplanatoryMetric::stage);
        let mut lost = before.filter(|stage| !reached.iter().any(|it| it == stage));
        lost.try_for_each(|stage| self.miss(SeriesKind::Stage(stage.to_owned())))
    }

    /// Notes the author's own metrics that the test had, and that were not given now.
    ///
    /// # Errors
    /// The failure of the test for a metric that had verdicts, unless its loss is accepted.
    pub(super) fn miss_own_metrics(&mut self) -> Result<(), Failure> {
        let before = self.newest_explanatory_metrics().filter_map(ExplanatoryMetric::own_metric);
        let lost: Vec<&str> =
            before.filter(|name| self.recording.own.value_named(name).is_none()).into_list();
        if lost.is_empty() {
            return Ok(());
        }
        let before = self.metrics_of_newest(&SeriesKind::Whole).map_err(Failure::Series)?;
        let mut lost = before.into_iter().filter(|it| lost.contains(&it.name.as_str()));
        lost.try_for_each(|metric| self.miss(SeriesKind::Process(metric)))
    }

    fn newest_explanatory_metrics(&self) -> impl Iterator<Item = &'a ExplanatoryMetric> + use<'a> {
        let newest = self.whole.newest_run().and_then(|run| run.evidence.as_ref());
        newest.into_iter().flat_map(|it| &it.explanatory_metrics)
    }

    fn miss(&mut self, series_kind: SeriesKind) -> Result<(), Failure> {
        // Also one that did not count: an acceptance let it pass, for example.
        let judged = self.metrics_of_newest(&series_kind).map_err(Failure::Series)?;
        let reason = if judged.contains(&series_kind.metric()) {
            let known = self.known(&series_kind).map_err(Failure::Series)?;
            lost_series(&series_kind, &known, &self.whole.baseline, &self.benchmark)?
        } else {
            lost_without_verdict(&series_kind)
        };
        self.without_verdict.extend(reason.map(|why| (series_kind.name(), why)));
        Ok(())
    }
}

/// Describes a series that had no verdict and that this run lacks; `None` if it is no stage: an explanatory metric is
/// optional.
fn lost_without_verdict(series_kind: &SeriesKind) -> Option<String> {
    let why = "never reached, unlike in the runs before: its history is kept";
    matches!(series_kind, SeriesKind::Stage(_)).then(|| why.to_owned())
}

/// Describes a series that the newest run has and this run lacks; `None` if the series is optional.
///
/// # Errors
/// The failure of the test. A series with verdicts must not end unnoticed: a green would then
/// guard less than before.
fn lost_series(
    series_kind: &SeriesKind,
    known: &LoadedHistory,
    whole: &Baseline,
    benchmark: &BenchmarkId,
) -> Result<Option<String>, Failure> {
    if !has_judged(whole, &known.history) {
        return Ok(lost_without_verdict(series_kind));
    }
    let is_stage = matches!(series_kind, SeriesKind::Stage(_));
    let what = if is_stage { "never reached" } else { "not given" };
    match accepted(known) {
        Some(acceptance) => {
            Ok(Some(format!("{what}, and that is accepted: {}", acceptance.reason)))
        }
        None => Err(Failure::Series(missed(series_kind, benchmark))),
    }
}

/// The acceptance of the loss. An acceptance that the series has run under does not count: it was
/// given for the whole test, perhaps long ago, and has no end.
fn accepted(known: &LoadedHistory) -> Option<&Acceptance> {
    let has_run_under = |it: &Acceptance| known.history.runs.iter().any(|run| it.holds_for(run));
    known.acceptance().filter(|it| !has_run_under(it))
}

/// Returns whether a series has enough runs beside those of the whole for a verdict.
fn has_judged(whole: &Baseline, series: &History) -> bool {
    series.runs.iter().count_where(|run| whole.ids.contains(&run.id)) >= whole.needed
}

/// Describes why a test fails that lost a series, and the ways out.
fn missed(series_kind: &SeriesKind, whole: &BenchmarkId) -> String {
    let name = series_kind.name();
    let (what, way_out) = match series_kind {
        SeriesKind::Stage(_) => ("stage", "this run never reached it: reach it in every iteration"),
        _ => ("metric", "this run did not give it: give it in every process"),
    };
    let benchmark = series_kind.benchmark(whole).to_string();
    let benchmark = quoted(&benchmark);
    format!(
        "the {what} `{name}` had a verdict in the baseline runs, but {way_out}. If it is gone for \
         good: cargo perftest accept {benchmark} --max-ratio 1.01 --reason \"no {name} any more\""
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{BaselineRule, BenchmarkPattern, Direction, Metric, Run};
    use perftest_store::conformance::example_run;

    fn acceptance(id: &str) -> Acceptance {
        Acceptance {
            id: id.to_owned(),
            benchmark: BenchmarkPattern::from(&example_run(0).benchmark),
            testbed: String::new(),
            max_ratio: 1.2,
            reason: format!("reason of {id}"),
            given_ms: 0,
            until_ms: None,
        }
    }

    /// Six runs of an author's own metric, under the acceptances, from the oldest on.
    fn series(taken_under: &[&Acceptance]) -> History {
        let metric = Metric {
            name: "bytes_out".to_owned(),
            unit: "bytes".to_owned(),
            direction: Direction::Lower,
        };
        let ids = taken_under.iter().map(|it| Some(it.id.clone())).chain(std::iter::repeat(None));
        let runs = (0..6).zip(ids);
        let runs = runs.map(|(ordinal, acceptance)| Run {
            metric: metric.clone(),
            acceptance,
            ..example_run(ordinal)
        });
        History { runs: runs.collect() }
    }

    /// The note on this series when the whole, which ran as often, has lost it.
    fn lost(history: History, acceptances: &[&Acceptance]) -> Result<Option<String>, String> {
        let rule = BaselineRule::default();
        let ids = (0..6).map(|ordinal| example_run(ordinal).id).collect();
        let whole = Baseline { ids, ..Baseline::empty(&rule) };
        let series_kind = SeriesKind::Process(history.runs[0].metric.clone());
        let known = LoadedHistory {
            testbed: example_run(0).testbed,
            query: None,
            acceptances: acceptances.iter().map(|it| (*it).clone()).collect(),
            baseline: Baseline::empty(&rule),
            earlier: Vec::new(),
            other_speed: None,
            main: None,
            history,
        };
        let benchmark = example_run(0).benchmark;
        lost_series(&series_kind, &known, &whole, &benchmark).map_err(|it| it.to_string())
    }

    #[test]
    fn an_acceptance_that_the_series_has_run_under_does_not_accept_its_loss() {
        let old = acceptance("old");
        for taken_under in [vec![&old; 6], vec![&old; 1]] {
            let why = lost(series(&taken_under), &[&old]).unwrap_err();
            assert!(why.contains("the metric `bytes_out` had a verdict"), "{why}");
        }
    }

    #[test]
    fn a_series_whose_newest_run_did_not_count_is_lost_as_any_other() {
        let mut history = series(&[]);
        history.runs.pop();
        let why = lost(history, &[]).unwrap_err();
        assert!(why.contains("the metric `bytes_out` had a verdict"), "{why}");
    }

    #[test]
    fn a_loss_that_is_accepted_passes_with_its_reason_whatever_was_accepted_before() {
        let (old, new) = (acceptance("old"), acceptance("new"));
        let accepted = "not given, and that is accepted: reason of new".to_owned();
        assert_eq!(lost(series(&[]), &[&new]), Ok(Some(accepted.clone())));
        assert_eq!(lost(series(&[&old; 6]), &[&old, &new]), Ok(Some(accepted)));
    }
}
