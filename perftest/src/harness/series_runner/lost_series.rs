//! Series that a test had in its baseline and lacks now.

use super::SeriesRunner;
use crate::harness::loaded_history::LoadedHistory;
use crate::harness::test_context::TestContext;
use crate::measure::Failure;
use perftest_core::list::IntoList;
use perftest_core::model::{
    Acceptance, Baseline, BenchmarkId, ExplanatoryMetric, History, Metric, SeriesKind,
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
        let before = self.metrics_of_newest(&SeriesKind::Whole);
        let Some(before) = self.or_unread(&lost.join(", "), before) else { return Ok(()) };
        let mut lost = before.into_iter().filter(|it| lost.contains(&it.name.as_str()));
        lost.try_for_each(|metric| self.miss(SeriesKind::Process(metric)))
    }

    fn newest_explanatory_metrics(&self) -> impl Iterator<Item = &'a ExplanatoryMetric> + use<'a> {
        let newest = self.whole.with_newest_run().newest_run();
        let newest = newest.and_then(|run| run.evidence.as_ref());
        newest.into_iter().flat_map(|it| &it.explanatory_metrics)
    }

    /// Returns the metrics in the newest baseline run of the whole, under the name that this series has: that of a stage,
    /// or of the test.
    ///
    /// # Errors
    /// A message when its history cannot be read.
    fn metrics_of_newest(&self, series_kind: &SeriesKind) -> Result<Vec<Metric>, String> {
        let TestContext { session, test, .. } = self.context;
        let newest = self.whole.with_newest_run();
        let Some(run) = newest.newest_run() else { return Ok(Vec::new()) };
        let Some(store) = session.store(test)? else { return Ok(Vec::new()) };
        // A metric that does not depend on the machine's speed keeps one history for all speeds.
        let mut testbeds = vec![&session.machine().testbed, &newest.testbed];
        testbeds.dedup();
        let mut metrics = Vec::new();
        for benchmark in [Some(test.benchmark()), test.former_benchmark()].into_iter().flatten() {
            let benchmark = series_kind.benchmark(&benchmark);
            for testbed in &testbeds {
                let of_file = store.metrics(&benchmark, testbed, Some(&run.id));
                metrics.extend(of_file.map_err(|error| error.to_string())?);
            }
        }
        Ok(metrics)
    }

    fn miss(&mut self, series_kind: SeriesKind) -> Result<(), Failure> {
        // Also one that did not count: an acceptance let it pass, for example.
        let judged = self.metrics_of_newest(&series_kind);
        let Some(judged) = self.or_unread(&series_kind.name(), judged) else { return Ok(()) };
        let reason = if judged.contains(&series_kind.metric()) {
            let Some(known) = self.known(&series_kind, None) else { return Ok(()) };
            let whole = &self.whole.of_good_builds().baseline;
            lost_series(&series_kind, &known, whole, &self.benchmark)?
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
    if !histories_of(known).any(|history| has_judged(whole, history)) {
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
    let has_run_under = |it: &Acceptance| {
        histories_of(known).flat_map(|history| &history.runs).any(|run| it.holds_for(run))
    };
    known.own.acceptance().filter(|it| !has_run_under(it))
}

/// Returns the history of a series, and of a young part at another speed the one whose last good builds judge it.
fn histories_of(known: &LoadedHistory) -> impl Iterator<Item = &History> {
    [&known.own, known.of_good_builds()].into_iter().map(|it| &it.history)
}

/// Returns whether a series has enough runs beside those of the whole for a verdict.
fn has_judged(whole: &Baseline, series: &History) -> bool {
    series.runs.iter().count_where(|run| whole.has_run(&run.id)) >= whole.needed
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
    use crate::harness::confirmation_runner::ConfirmationRunner;
    use crate::harness::loaded_history::MainHistory;
    use crate::harness::recorded_test::{NoSink, RecordedTest};
    use crate::harness::series_history::SeriesHistory;
    use perftest_core::model::{
        BaselineRule, BenchmarkPattern, Direction, MachineState, Metric, Run, RunId,
    };
    use perftest_store::conformance::example_run;
    use std::time::Instant;

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
        let acceptances = acceptances.iter().map(|it| (*it).clone()).collect();
        let testbed = example_run(0).testbed;
        let own = SeriesHistory { acceptances, history, ..SeriesHistory::nothing(&testbed) };
        lost_from(&LoadedHistory::alone(own))
    }

    /// The same for a series with these histories.
    fn lost_from(known: &LoadedHistory) -> Result<Option<String>, String> {
        let runs = (0..6).map(example_run).collect();
        let whole = Baseline { runs, ..Baseline::empty(&BaselineRule::default()) };
        let series_kind = SeriesKind::Process(series(&[]).runs[0].metric.clone());
        let benchmark = example_run(0).benchmark;
        lost_series(&series_kind, known, &whole, &benchmark).map_err(|it| it.to_string())
    }

    #[test]
    fn a_series_that_only_the_main_history_has_judged_is_lost_in_a_young_part_too() {
        let old = acceptance("old");
        let history = series(&[&old]);
        let part_under = |acceptance| {
            let main =
                SeriesHistory { history: history.clone(), ..SeriesHistory::nothing("local/1") };
            let acceptances = vec![acceptance];
            let part = SeriesHistory::nothing("local/1@3.0GHz-12.0us");
            let own = SeriesHistory { acceptances, ..part };
            let main = MainHistory::Judges(Box::new(main));
            LoadedHistory { main, ..LoadedHistory::alone(own) }
        };
        let why = lost_from(&part_under(old)).unwrap_err();
        assert!(why.contains("the metric `bytes_out` had a verdict"), "{why}");
        let accepted = part_under(acceptance("new"));
        assert!(lost_from(&accepted).unwrap().unwrap().contains("that is accepted"));
    }

    #[test]
    fn a_stage_that_the_main_history_judged_is_missed_in_a_young_part() {
        let mut recorded = RecordedTest::new("lost-stage-of-part");
        for number in 0..6 {
            recorded.append("", 4.0, |run| run);
            let id = RunId::new(2 * number + 1, u128::from(2 * number + 1));
            recorded.append("", 4.0, |run| Run {
                id: id.clone(),
                benchmark: run.benchmark.stage("lex"),
                ..run
            });
        }
        let (session, test) = (recorded.session(1), &recorded.test);
        let (settings, began) = (session.settings(test), Instant::now());
        let context = TestContext { session: &session, test, settings, began };
        let missed = |whole: &LoadedHistory| {
            let mut afresh = ConfirmationRunner::new(&session, test, whole, false, began);
            let (before, mut sink) = (MachineState::default(), NoSink);
            let mut runner = SeriesRunner::new(&context, whole, &before, &mut afresh, &mut sink);
            runner.miss_stages().map_err(|failure| failure.to_string())
        };
        let main = || SeriesHistory::load(&session, test, &mut NoSink).unwrap();
        let why = missed(&LoadedHistory::alone(main())).unwrap_err();
        assert!(why.contains("the stage `lex` had a verdict"), "{why}");
        let part = session.machine().testbed_at_speed_of("@3.0GHz-12.0us");
        let begun = LoadedHistory::alone(SeriesHistory::nothing(&part));
        assert_eq!(missed(&begun), Ok(()), "no history beside it has the stage");
        let young = LoadedHistory { main: MainHistory::Judges(Box::new(main())), ..begun };
        assert_eq!(missed(&young), Err(why));
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
