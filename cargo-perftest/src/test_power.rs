//! The power of one test, from its own history.

use crate::exit::Result;
use crate::record_reader::RecordReader;
use crate::replay::{ReplayCounts, ReplayResult, ReplaySettings, Workload};
use perftest_core::judge::{Policy, Power};
use perftest_core::model::{Acceptance, Baseline, BaselineRule, History, Lineage, Run, Tolerance};
use perftest_core::words::sharpened_by;
use perftest_store::{Query, Series, Which};

/// The smallest slowdown that one test detects.
#[derive(Debug)]
pub(crate) struct TestPower {
    pub(crate) series: Series,
    /// Number of baseline runs.
    pub(crate) runs: usize,
    /// Runs that a verdict needs.
    pub(crate) needed: usize,
    /// The power of the baseline; `None` while it has too few runs.
    pub(crate) power: Option<Power>,
    /// A tolerance that it detects twice, if it does not detect twice its own.
    honest: Option<Tolerance>,
    /// Number of runs of unchanged code that can be replayed.
    pub(crate) replayable: usize,
    /// The results at each of [`SLOWDOWNS`](Self::SLOWDOWNS); empty with too few runs. `None`
    /// without a requested replay.
    pub(crate) figures: Option<Vec<ReplayCounts>>,
}

/// What baselines depend on besides the runs.
#[derive(Debug)]
pub(crate) struct BaselineContext {
    pub(crate) accepted: Vec<Acceptance>,
    /// The lineage of the next run.
    pub(crate) lineage: Lineage,
    pub(crate) now_ms: u64,
}

/// The decisions to replay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplayRequest {
    pub(crate) decisions: usize,
    pub(crate) seed: u64,
}

impl TestPower {
    /// Number of newest runs.
    pub(crate) const LOOK_BACK: usize = 200;
    /// Unchanged code, and code that is slower by these factors.
    pub(crate) const SLOWDOWNS: [f64; 5] = [1.0, 1.05, 1.10, 1.20, 1.50];

    pub(crate) fn of(
        series: &Series,
        known: &BaselineContext,
        effort: Option<ReplayRequest>,
        records: &RecordReader<'_>,
    ) -> Result<Self> {
        let history = records.history(series, Self::LOOK_BACK)?;
        let judged = history.newest_judged();
        let policy = judged.map_or_else(|| Policy::of(&series.metric), Policy::recorded);
        let config = judged.map_or_else(String::new, |run| run.config.clone());
        let (baseline, runs) = known.baseline(series, &history, &config, records)?;
        let direction = series.metric.direction;
        // Fresh processes are parts of runs, in each figure.
        let power = Power::of(&baseline, direction, &policy)
            .map(|power| Power { runs: runs as u32, ..power });
        let honest = power.filter(|power| !power.detects_twice_its_tolerance());
        let honest = honest.and_then(|_| Power::honest_tolerance(&baseline, direction, &policy));
        let workload = unchanged_code(series, history, &config);
        let figures =
            |effort| workload.as_ref().map_or_else(Vec::new, |it| replay(it, &policy, effort));
        Ok(Self {
            runs,
            needed: baseline.needed,
            power,
            honest,
            replayable: workload.as_ref().map_or(0, |it| it.runs().len()),
            figures: effort.map(figures),
            series: series.clone(),
        })
    }

    /// The results of the replay; empty without one.
    pub(crate) fn replayed(&self) -> &[ReplayCounts] {
        self.figures.as_deref().unwrap_or_default()
    }

    /// Returns the smallest detectable slowdown over twice the tolerance: above 1 the test is too
    /// insensitive. Infinite without a sufficient history.
    pub(crate) fn relative_detection_limit(&self) -> f64 {
        self.power.map_or(f64::INFINITY, |it| it.smallest_detectable / (2.0 * it.tolerance.share()))
    }

    pub(crate) fn detects_twice_its_tolerance(&self) -> bool {
        self.power.is_some_and(|power| power.detects_twice_its_tolerance())
    }

    /// Returns what would improve its detection, or allow a replay; `None` if nothing is missing.
    pub(crate) fn helped_by(&self) -> Option<String> {
        let Some(power) = &self.power else {
            return Some(format!("{} of {} comparable runs", self.runs, self.needed));
        };
        let sharper = sharpened_by(power, self.honest, &self.series.metric);
        if self.figures.as_ref().is_none_or(|figures| !figures.is_empty()) {
            return sharper;
        }
        let fewest = ReplayResult::fewest_runs();
        let few = format!("a replay needs {fewest} runs, here are {}", self.replayable);
        Some(sharper.into_iter().chain([few]).collect::<Vec<_>>().join("; "))
    }
}

impl BaselineContext {
    /// Returns the baseline of the next run after the `newest` ones, and the number of its runs.
    fn baseline(
        &self,
        series: &Series,
        newest: &History,
        config: &str,
        records: &RecordReader<'_>,
    ) -> Result<(Baseline, usize)> {
        let covers = |entry: &&Acceptance| series.is_covered_by(entry, self.now_ms);
        let acceptance = self.accepted.iter().rfind(covers);
        let select = |history: &History| {
            let rule = BaselineRule::default();
            let baseline = rule.select(history, config, acceptance, &self.lineage);
            let runs = Run::count(baseline.runs.iter());
            (baseline, runs)
        };
        let counts = |run: &Run| run.counts_for_baseline && run.config == config;
        if series.formerly.is_none() && newest.runs.iter().all(counts) {
            // No older run is among the newest ones that count.
            return Ok(select(newest));
        }
        let query_counted = Query {
            which: Which::CountedForBaseline,
            config: Some(config.to_owned()),
            ..series.query(TestPower::LOOK_BACK)
        };
        // Damage was reported with the newest runs.
        Ok(select(&records.store.load(&query_counted)?.value))
    }
}

/// Returns the runs of this configuration that can be replayed; `None` without any.
fn unchanged_code(series: &Series, history: History, config: &str) -> Option<Workload> {
    let workloads = Workload::of_series(series, history);
    let present = workloads.into_iter().find(|workload| workload.config() == config);
    present.map(Workload::of_unchanged_code)
}

fn replay(workload: &Workload, policy: &Policy, effort: ReplayRequest) -> Vec<ReplayCounts> {
    let at = |slowdown: &f64| {
        let settings = ReplaySettings {
            slowdown: *slowdown,
            history_runs: BaselineRule::WINDOW,
            decisions: effort.decisions,
            seed: effort.seed,
        };
        ReplayResult::of(workload, policy, &settings).map(|replayed| replayed.figures)
    };
    TestPower::SLOWDOWNS.iter().filter_map(at).collect()
}
