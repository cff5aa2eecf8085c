//! What the store has of one series of a test on one testbed.

mod counted_runs;

use super::session::{Session, now_ms};
use crate::event::Event;
use crate::perf_test::PerfTest;
use crate::sink::Sink;
use counted_runs::{ComparisonBasis, load_counted_runs};
use perftest_core::list::IntoList;
use perftest_core::model::{
    Acceptance, Baseline, BaselineRule, CodeState, History, Measurement, Reason, Run, RunId,
    SeriesKind, Tolerance, Verdict,
};
use perftest_core::order::sort;
use perftest_core::rounding::rounded;
use perftest_store::{Damage, Detail, Query, Store, Which, testbeds_of};

/// Largest number of processes that earlier attempts measured, with room for many attempts.
const PROCESSES_OF_RETRIES: usize = 200;

/// The stored history of a series on one testbed.
pub(super) struct SeriesHistory {
    /// The machine's testbed, or a part of it at another speed.
    pub testbed: String,
    pub history: History,
    /// Selects the history; `None` when no history is kept.
    pub query: Option<Query>,
    /// The acceptances that cover the test now, oldest first.
    pub acceptances: Vec<Acceptance>,
    pub baseline: Baseline,
    /// The processes that earlier attempts of this session recorded here, one run each, oldest first.
    pub earlier: Vec<Run>,
}

impl SeriesHistory {
    /// Loads the history of `test` as a whole at the usual speed of this machine.
    ///
    /// # Errors
    /// A message when the history cannot be read.
    pub(super) fn load(
        session: &Session,
        test: &PerfTest,
        sink: &mut dyn Sink,
    ) -> Result<Self, String> {
        match SeriesReader::of(session, test, &SeriesKind::Whole, None, sink)? {
            Some(mut reader) => reader.main(),
            None => Ok(Self::nothing(&session.machine().testbed)),
        }
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
        }
    }

    /// The newest acceptance that covers the test.
    pub(super) fn acceptance(&self) -> Option<&Acceptance> {
        self.acceptances.last()
    }

    /// The newest run in the baseline.
    pub(super) fn newest_run(&self) -> Option<&Run> {
        self.baseline.runs.last()
    }

    /// Whether a faster machine is no reason to distrust this history: the processes of a first run saw the
    /// machine for a second, in which a neighbour may have slowed it, and unchanged code hides no slowdown
    /// behind a faster machine.
    pub(super) fn may_be_slow_by_chance(&self, code: &CodeState) -> bool {
        self.baseline.is_provisional && self.baseline.run_that_clears(code).is_some()
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

    /// Returns the processes of the attempts that this retry continues; none where there is nothing to continue.
    pub(super) fn continued_runs(&self) -> &[Run] {
        if self.continued().is_some() { &self.earlier } else { &[] }
    }

    /// The newest run of an earlier attempt.
    pub(super) fn newest_attempt(&self) -> Option<&RunId> {
        self.earlier.last().map(|run| &run.id)
    }
}

/// Reads the histories of one series of a test.
pub(super) struct SeriesReader<'a> {
    pub session: &'a Session,
    pub test: &'a PerfTest,
    series_kind: &'a SeriesKind,
    tolerance: Tolerance,
    pub store: &'a dyn Store,
    pub sink: &'a mut dyn Sink,
}

impl<'a> SeriesReader<'a> {
    /// Returns a reader of the series; `None` where no history is kept. `tolerance` is the one that the body gave.
    ///
    /// # Errors
    /// A message when the store cannot be opened.
    pub(super) fn of(
        session: &'a Session,
        test: &'a PerfTest,
        series_kind: &'a SeriesKind,
        tolerance: Option<Tolerance>,
        sink: &'a mut dyn Sink,
    ) -> Result<Option<Self>, String> {
        let store = match session.store(test) {
            // Without a place there are no runs yet. The run that cannot be recorded says why.
            Err(_) if session.records() => None,
            store => store?,
        };
        let tolerance = tolerance.or_else(|| test.tolerance_of(&series_kind.metric()));
        let tolerance = tolerance.unwrap_or_else(|| session.settings(test).tolerance.value);
        Ok(store.map(|store| Self { session, test, series_kind, tolerance, store, sink }))
    }

    /// Reads the history at the usual speed of this machine.
    ///
    /// # Errors
    /// A message when the history cannot be read.
    pub(super) fn main(&mut self) -> Result<SeriesHistory, String> {
        let decisions = self.store.decisions().map_err(|error| error.to_string())?.value;
        self.series(&decisions.testbeds.name_of(&self.session.machine().testbed))
    }

    /// Reads the history on this testbed.
    ///
    /// # Errors
    /// A message when the history cannot be read.
    pub(super) fn series(&mut self, testbed: &str) -> Result<SeriesHistory, String> {
        let config = self.session.config_hash(self.test);
        let query = Query {
            config: Some(config.clone()),
            ..self.query(testbed, Which::CountedForBaseline)
        };
        let standing = &self.session.provenance(self.test).standing;
        let acceptances = self.acceptances(&query)?;
        let is_retry = self.session.config.attempt > 1;
        let comparison = ComparisonBasis {
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
            None => comparison.baseline(&history.value).held_to(self.tolerance),
        };
        self.warn_of(&history.damaged);
        let earlier = if is_retry { self.earlier(&query)? } else { Vec::new() };
        Ok(SeriesHistory {
            testbed: testbed.to_owned(),
            history: history.value,
            query: Some(query),
            acceptances,
            baseline,
            earlier,
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

    /// Returns the testbeds whose name begins so and that have a history of the test, under its name or the
    /// one before.
    ///
    /// # Errors
    /// A message when the store cannot be read.
    pub(super) fn testbeds(&self, prefix: &str) -> Result<Vec<String>, String> {
        let Query { benchmark, formerly, .. } = self.query(prefix, Which::All);
        let mut testbeds = Vec::new();
        for name in formerly.iter().chain([&benchmark]) {
            testbeds.extend(testbeds_of(self.store, name).map_err(|error| error.to_string())?);
        }
        testbeds.retain(|testbed| testbed.starts_with(prefix));
        sort(&mut testbeds);
        testbeds.dedup();
        Ok(testbeds)
    }

    /// Selects the newest runs on this testbed.
    pub(super) fn query(&self, testbed: &str, which: Which) -> Query {
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
