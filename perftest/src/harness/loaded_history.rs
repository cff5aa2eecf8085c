//! The history of a test: the series that fits this machine at its present speed.

mod counted_runs;
mod part_at_speed;

use super::session::{Session, now_ms};
use crate::event::Event;
use crate::perf_test::PerfTest;
use crate::sink::Sink;
use counted_runs::{Comparison, load_counted_runs};
use perftest_core::judge::MachineBaseline;
use perftest_core::list::IntoList;
use perftest_core::model::{
    Acceptance, Baseline, BaselineRule, CodeState, History, MachineState, Measurement, Metric,
    Reading, Reason, Run, RunId, SeriesKind, Tag, Verdict,
};
use perftest_core::order::sort;
use perftest_core::rounding::rounded;
use perftest_store::{Damage, Detail, Query, Store, Which};
use std::time::{Duration, Instant};

/// Longest wait for a processor that may still be waking up.
const SETTLING: Duration = Duration::from_millis(300);
/// Largest number of processes that earlier attempts measured, with room for many attempts.
const PROCESSES_OF_RETRIES: usize = 200;

/// The stored history of a test.
pub(super) struct LoadedHistory {
    /// The testbed of the series: the session's testbed, or a part of it at another speed.
    pub testbed: String,
    pub history: History,
    /// Selects the history; `None` when no history is kept.
    pub query: Option<Query>,
    /// The acceptances that cover the test now, oldest first.
    pub acceptances: Vec<Acceptance>,
    pub baseline: Baseline,
    /// The processes that earlier attempts of this session recorded here, one run each, oldest first.
    pub earlier: Vec<Run>,
    /// The tag of another speed, if the history was recorded at another speed than the present one.
    pub other_speed: Option<Tag>,
    /// The commit of the run that cleared this code, in all series, in the history at the machine's usual speed beside
    /// this part at another speed.
    pub cleared_by_main: Option<String>,
    /// The history at the machine's usual speed, beside a part at another speed: pairs with its last good builds judge
    /// a series until the part has enough runs of that series for a verdict.
    pub main: Option<Box<Self>>,
}

impl LoadedHistory {
    /// Loads the series of `test` on this machine.
    ///
    /// # Errors
    /// A message when the history cannot be read.
    pub(super) fn load(
        session: &Session,
        test: &PerfTest,
        sink: &mut dyn Sink,
    ) -> Result<Self, String> {
        let series_kind = &SeriesKind::Whole;
        let Some(store) = session.store(test)? else {
            return Ok(Self::nothing(&session.machine().testbed));
        };
        let main = main_testbed(session, store)?;
        SeriesReader { session, test, series_kind, store, sink }.series(&main)
    }

    /// Returns the series of `test` at the machine's present speed. Measures `now` again while the
    /// processor may still be waking up.
    ///
    /// # Errors
    /// A message when the history cannot be read.
    pub(super) fn at_speed(
        self,
        session: &Session,
        test: &PerfTest,
        now: &mut MachineState,
        sink: &mut dyn Sink,
    ) -> Result<Self, String> {
        let Some(store) = session.store(test)? else {
            return Ok(self);
        };
        let series_kind = &SeriesKind::Whole;
        let mut reader = SeriesReader { session, test, series_kind, store, sink };
        if let Some(part) = reader.part_of_earlier_attempt(&self)? {
            let other_speed = settled_speed(session, &part.baseline_at_rest(), now);
            let part = Self { other_speed, ..part };
            return Ok(part.judged_by_builds_of(self, session.code(test)));
        }
        match settled_speed(session, &self.baseline_at_rest(), now) {
            Some(Tag::FastMachine) if self.may_be_slow_by_chance(session, test) => Ok(self),
            Some(tag) => reader.series_at_other_speed(self, tag, now),
            None => Ok(self),
        }
    }

    /// Whether a faster machine is no reason to distrust this history: the processes of a first run saw the
    /// machine for a second, in which a neighbour may have slowed it, and unchanged code hides no slowdown
    /// behind a faster machine.
    fn may_be_slow_by_chance(&self, session: &Session, test: &PerfTest) -> bool {
        let code = session.code(test);
        self.baseline.is_provisional
            && self.history.member_of_same_code(&self.baseline, code).is_some()
    }

    /// Loads a further series of the test, beside the whole. Uses the history of the same speed if
    /// the speed matters to the metric.
    ///
    /// # Errors
    /// A message when the history cannot be read.
    pub(super) fn beside(
        whole: &Self,
        session: &Session,
        test: &PerfTest,
        series_kind: &SeriesKind,
        sink: &mut dyn Sink,
    ) -> Result<Self, String> {
        let Some(store) = session.store(test)? else {
            return Ok(Self::nothing(&whole.testbed));
        };
        let mut reader = SeriesReader { session, test, series_kind, store, sink };
        if series_kind.metric().is_deterministic() {
            return reader.series(&main_testbed(session, store)?);
        }
        let known = Self {
            other_speed: whole.other_speed,
            cleared_by_main: whole.cleared_by_main.clone(),
            ..reader.series(&whole.testbed)?
        };
        match &whole.main {
            // Also where the whole has enough runs in the part: of a series that is red there, none counts.
            Some(main) if !known.baseline.suffices() => {
                Ok(known.judged_by_builds_of(reader.series(&main.testbed)?, session.code(test)))
            }
            _ => Ok(known),
        }
    }

    /// Returns the baseline to compare with. Without runs while the machine runs at another speed:
    /// re-measuring cannot help at a different clock speed. A red of an earlier attempt stays.
    /// Beside the last good builds of the main history holds what is accepted there.
    pub(super) fn comparable(&self) -> Baseline {
        match (self.other_speed, self.main_while_young()) {
            (Some(_), _) if self.continued() != Some(Reason::Red) => self.baseline.without_runs(),
            (_, Some(main)) => {
                Baseline { accepted_ratio: self.accepted_beside(main), ..self.baseline.clone() }
            }
            (_, None) => self.baseline.clone(),
        }
    }

    /// What is accepted beside the last good builds of `main`: there, or for this speed alone.
    fn accepted_beside(&self, main: &Self) -> Option<f64> {
        let is_of_main = |own: &Acceptance| main.acceptances.iter().any(|it| it.id == own.id);
        match self.acceptance() {
            Some(own) if !is_of_main(own) => Some(own.max_ratio),
            _ => main.baseline.accepted_ratio,
        }
    }

    /// Whether pairs alone judge: no run of this speed can, or too few.
    pub(super) fn is_judged_by_pairs(&self) -> bool {
        self.other_speed.is_some() || self.is_young_part()
    }

    /// Whether this is a part at another speed with too few runs for a verdict.
    pub(super) fn is_young_part(&self) -> bool {
        self.main_while_young().is_some()
    }

    fn main_while_young(&self) -> Option<&Self> {
        self.main.as_deref().filter(|_| !self.baseline.suffices())
    }

    /// The history whose last good builds are measured beside this build.
    pub(super) fn of_good_builds(&self) -> &Self {
        self.main_while_young().unwrap_or(self)
    }

    /// Lets pairs with the last good builds of `main` judge until this part of it has enough runs. Code that `main`
    /// has cleared, in all series, needs no pairs.
    fn judged_by_builds_of(self, main: Self, code: &CodeState) -> Self {
        let cleared_by_main = main
            .history
            .members_that_clear(&main.baseline, code)
            .find(|run| run.clears_code_of_all_series())
            .map(|run| run.revision.commit.clone());
        let main = cleared_by_main.is_none().then(|| Box::new(main));
        Self { main, cleared_by_main, ..self }
    }

    /// Returns the speed of the machine before the baseline runs. Where it was not probed before
    /// them, returns the speed during them. A body may slow the processor, so a look before a run
    /// is compared with looks before runs.
    pub(super) fn baseline_at_rest(&self) -> MachineBaseline {
        let undisturbed = self.history.members(&self.baseline).filter(|it| !it.counts_by_ratio());
        let looks = undisturbed.map(|run| &run.environment.before);
        MachineBaseline::at_rest(looks)
            .unwrap_or_else(|| MachineBaseline::in_baseline(&self.baseline))
            .with_clocks_of(&self.baseline.centers)
    }

    /// Returns whether a value of the whole process is exactly that of every baseline run, as a number of
    /// allocations mostly is. The state of the machine does not matter to such a value.
    pub(super) fn is_repeated_by(&self, series_kind: &SeriesKind, value: f64) -> bool {
        let SeriesKind::Process(metric) = series_kind else { return false };
        // As records hold it.
        let value = rounded(value, Measurement::SIGNIFICANT_DIGITS);
        let centers = &self.baseline.centers;
        !metric.is_time()
            && !centers.is_empty()
            && centers.iter().all(|center| center.value == value)
    }

    /// Returns the end of the attempt before this retry, if that attempt can be continued: it ended red or over the
    /// limit. After any other end there is nothing to continue.
    pub(super) fn continued(&self) -> Option<Reason> {
        let ended = self.earlier.iter().rev().find_map(|run| run.evidence.as_ref());
        ended.map(|it| it.reason).filter(|it| it.verdict() == Verdict::Red)
    }

    /// The newest run of an earlier attempt.
    fn newest_attempt(&self) -> Option<&RunId> {
        self.earlier.last().map(|run| &run.id)
    }

    /// Returns the processes of the attempts that this retry continues; none where there is nothing to continue.
    pub(super) fn continued_runs(&self) -> &[Run] {
        if self.continued().is_some() { &self.earlier } else { &[] }
    }

    /// The history with the newest baseline run of the test: of a young part, that may be the one whose builds judge it.
    pub(super) fn with_newest_run(&self) -> &Self {
        let judging = self.of_good_builds();
        if judging.baseline.ids.last() > self.baseline.ids.last() { judging } else { self }
    }

    /// Returns the commit of the run that cleared the machine code `code`, where there is one; empty if it is not known.
    /// At another speed than usual what the history there cleared is known of code of the level that the part has: it
    /// may have improved since.
    pub(super) fn commit_that_clears(&self, code: &CodeState) -> Option<&str> {
        if let Some(own) = self.history.member_of_same_code(&self.baseline, code) {
            return Some(&own.revision.commit);
        }
        let is_of_level = |run: &Run| run.code.is_same_code(code);
        let has_such = self.history.members(&self.baseline).any(is_of_level);
        self.cleared_by_main.as_deref().filter(|_| has_such || self.other_speed.is_some())
    }

    /// The commit of the newest good build beside this code that was built of no changed files.
    pub(super) fn newest_good_commit(&self, code: &CodeState) -> Option<&str> {
        let Self { history, baseline, .. } = self.of_good_builds();
        let revisions = history.good_builds(baseline, code).map(|run| &run.revision);
        revisions.filter(|it| !it.dirty).map(|it| it.commit.as_str()).find(|it| !it.is_empty())
    }

    /// The newest run in the baseline.
    pub(super) fn newest_run(&self) -> Option<&Run> {
        let newest = self.baseline.ids.last()?;
        self.history.runs.iter().rev().find(|run| run.id == *newest)
    }

    /// The newest acceptance that covers the test.
    pub(super) fn acceptance(&self) -> Option<&Acceptance> {
        self.acceptances.last()
    }

    /// The history where none is kept.
    pub(super) fn nothing(testbed: &str) -> Self {
        Self {
            testbed: testbed.to_owned(),
            history: History::default(),
            query: None,
            acceptances: Vec::new(),
            baseline: Baseline::empty(&BaselineRule::default()),
            earlier: Vec::new(),
            other_speed: None,
            cleared_by_main: None,
            main: None,
        }
    }
}

/// Returns the name by which the history of this machine is read.
fn main_testbed(session: &Session, store: &dyn Store) -> Result<String, String> {
    let decisions = store.decisions().map_err(|error| error.to_string())?.value;
    Ok(decisions.testbeds.name_of(&session.machine().testbed))
}

/// Returns the metrics in the newest baseline run of the whole, under the name that this series has: that of a stage, or
/// of the test.
///
/// # Errors
/// A message when its history cannot be read.
pub(super) fn metrics_of_newest(
    whole: &LoadedHistory,
    session: &Session,
    test: &PerfTest,
    series_kind: &SeriesKind,
) -> Result<Vec<Metric>, String> {
    let newest = whole.with_newest_run();
    let (Some(store), Some(run)) = (session.store(test)?, newest.newest_run()) else {
        return Ok(Vec::new());
    };
    // A metric that does not depend on the machine's speed keeps one history for all speeds.
    let mut testbeds = vec![&session.machine().testbed, &newest.testbed];
    testbeds.dedup();
    let mut metrics = Vec::new();
    for benchmark in [Some(test.benchmark()), test.former_benchmark()].into_iter().flatten() {
        for testbed in &testbeds {
            let of_file = store.metrics(&series_kind.benchmark(&benchmark), testbed, Some(&run.id));
            metrics.extend(of_file.map_err(|error| error.to_string())?);
        }
    }
    Ok(metrics)
}

/// Reads the series of one test.
struct SeriesReader<'a> {
    session: &'a Session,
    test: &'a PerfTest,
    series_kind: &'a SeriesKind,
    store: &'a dyn Store,
    sink: &'a mut dyn Sink,
}

impl SeriesReader<'_> {
    fn series(&mut self, testbed: &str) -> Result<LoadedHistory, String> {
        let config = self.session.config_hash(self.test);
        let query = Query {
            config: Some(config.clone()),
            ..self.query(testbed, Which::CountedForBaseline)
        };
        let standing = &self.session.provenance(self.test).standing;
        let acceptances = self.acceptances(&query)?;
        let is_retry = self.session.config.attempt > 1;
        let comparison = Comparison {
            config: &config,
            acceptance: acceptances.last(),
            lineage: &standing.lineage,
            is_continued: &|run| is_retry && self.is_of_this_decision(run),
        };
        let history = load_counted_runs(self.store, &query, &comparison)
            .map_err(|error| error.to_string())?;
        let baseline = match standing.trouble {
            // Any run may be of code that the present one lacks.
            Some(_) => Baseline::empty(&BaselineRule::default()),
            None => comparison.baseline(&history.value),
        };
        self.warn_of(&history.damaged);
        let earlier = if is_retry { self.earlier(&query)? } else { Vec::new() };
        Ok(LoadedHistory {
            testbed: testbed.to_owned(),
            history: history.value,
            query: Some(query),
            acceptances,
            baseline,
            earlier,
            other_speed: None,
            cleared_by_main: None,
            main: None,
        })
    }

    /// Returns the processes of this session's earlier attempts with the same code.
    fn earlier(&self, query: &Query) -> Result<Vec<Run>, String> {
        let newest = Query { which: Which::All, limit: PROCESSES_OF_RETRIES, ..query.clone() };
        let mut earlier = self.store.load(&newest).map_err(|error| error.to_string())?.value;
        let is_earlier =
            |run: &Run| self.is_of_this_decision(run) && run.attempt < self.session.config.attempt;
        earlier.runs.retain(is_earlier);
        Ok(earlier.runs)
    }

    /// Whether a run is of the same code in this session. A session alone may have the name of all sessions before.
    fn is_of_this_decision(&self, run: &Run) -> bool {
        run.session == self.session.id && run.code == *self.session.code(self.test)
    }

    /// Returns the acceptances for the tests of this query, in this checkout and on this machine,
    /// oldest first.
    fn acceptances(&mut self, query: &Query) -> Result<Vec<Acceptance>, String> {
        let on_this_machine = self.store.decisions().map_err(|error| error.to_string())?;
        let file = &self.session.provenance(self.test).acceptance_file;
        let mut reviewed = file.load().map_err(|error| error.to_string())?;
        on_this_machine.value.testbeds.rename_in(&mut reviewed.value);
        self.warn_of(&on_this_machine.damaged);
        self.warn_of(&reviewed.damaged);
        let now_ms = now_ms();
        let names: Vec<_> = [&query.benchmark].into_iter().chain(&query.formerly).into_list();
        let covers =
            |it: &Acceptance| names.iter().any(|name| it.covers(name, &query.testbed, now_ms));
        let mut oldest_first = Vec::<Acceptance>::new();
        for entry in
            on_this_machine.value.acceptances.into_iter().chain(reviewed.value).filter(covers)
        {
            // No sort: each perf test would compile one for a handful of entries.
            let place = oldest_first.partition_point(|it| it.given_ms <= entry.given_ms);
            oldest_first.insert(place, entry);
        }
        Ok(oldest_first)
    }

    fn warn_of(&mut self, damaged: &[Damage]) {
        for damage in damaged {
            self.sink.take(&Event::Warning(&format!("store: {damage}")));
        }
    }

    fn query(&self, testbed: &str, which: Which) -> Query {
        Query {
            benchmark: self.series_kind.benchmark(&self.test.benchmark()),
            formerly: self.test.former_benchmark().map(|it| self.series_kind.benchmark(&it)),
            testbed: testbed.to_owned(),
            metric: self.series_kind.metric(),
            config: None,
            acceptance: None,
            started_after_ms: None,
            which,
            limit: BaselineRule::LOADED_RUNS,
            detail: Detail::Whole,
        }
    }
}

/// Returns the tag of another speed, unless the processor reaches the usual speed within the time a
/// sleeping processor needs. The median of all readings counts: a single reading may have been
/// interrupted.
fn settled_speed(
    session: &Session,
    usual: &MachineBaseline,
    now: &mut MachineState,
) -> Option<Tag> {
    let began = Instant::now();
    let (mut clocks_khz, mut references_ns) = (Vec::new(), Vec::new());
    while began.elapsed() < SETTLING {
        usual.other_speed(&now.probes())?;
        clocks_khz.extend(now.effective_khz.get());
        references_ns.extend(now.reference_ns.get());
        session.probe_speed(now);
    }
    set_to_middle(&mut now.effective_khz, clocks_khz);
    set_to_middle(&mut now.reference_ns, references_ns);
    usual.other_speed(&now.probes())
}

fn set_to_middle(reading: &mut Reading<u64>, mut values: Vec<u64>) {
    sort(&mut values);
    if let Some(middle) = values.get(values.len() / 2) {
        *reading = Reading::Value(*middle);
    }
}
