//! Selects the runs to load.

use crate::{StoreError, WithDamage};
use perftest_core::model::{BenchmarkId, History, Metric, Run};

/// Selects runs of one benchmark on one testbed, seen through one metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The perf test.
    pub benchmark: BenchmarkId,
    /// The name before; runs under that name are loaded as the test's own.
    pub formerly: Option<BenchmarkId>,
    /// The scope in which numbers are comparable: `label/fingerprint`.
    pub testbed: String,
    /// The metric; numbers in another unit are another history.
    pub metric: Metric,
    /// Only runs of this configuration; `None` for all.
    pub config: Option<String>,
    /// Only runs that the acceptance with this id covered; `None` for all.
    pub acceptance: Option<String>,
    /// Only runs that started after this time, in milliseconds since 1970; `None` for all.
    pub started_after_ms: Option<u64>,
    /// Which of the matching runs.
    pub which: Which,
    /// Most runs to load: the newest, or the oldest with [`Which::FirstCountedForBaseline`].
    pub limit: usize,
    /// How much of each run is needed.
    pub detail: Detail,
}

/// How much of a run is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Everything that is recorded.
    Whole,
    /// Identity, code, revision, marks and the [center](Run::center). A store may leave out the
    /// rest, and return the center as the only measurement: a store far away has less to send.
    Center,
}

/// Which runs of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Every run.
    All,
    /// Every run, and the summaries of older ones: [`Run::is_summary`].
    AllAndSummaries,
    /// Runs that may enter a baseline, whatever other runs follow them.
    CountedForBaseline,
    /// The oldest of the runs that may enter a baseline, whatever newer ones follow. If a run was
    /// appended twice, its first copy counts.
    FirstCountedForBaseline,
}

impl Query {
    /// Selects the newest 200 runs like this one: same benchmark, testbed, metric and
    /// configuration.
    #[inline]
    pub fn like(run: &Run) -> Self {
        Self {
            benchmark: run.benchmark.clone(),
            formerly: None,
            testbed: run.testbed.clone(),
            metric: run.metric.clone(),
            config: Some(run.config.clone()),
            acceptance: None,
            started_after_ms: None,
            which: Which::All,
            limit: 200,
            detail: Detail::Whole,
        }
    }

    /// Returns the runs of both names in order of time, for a [`Store`](crate::Store) whose `load`
    /// loads those of one name.
    ///
    /// # Errors
    /// Those of `load`.
    pub fn with_former(
        &self,
        load: impl Fn(&Self) -> Result<WithDamage<History>, StoreError>,
    ) -> Result<WithDamage<History>, StoreError> {
        let loaded = load(self)?;
        let Some(former) = &self.formerly else {
            return Ok(loaded);
        };
        let mut earlier = load(&Self { benchmark: former.clone(), ..self.clone() })?;
        for run in &mut earlier.value.runs {
            run.benchmark.clone_from(&self.benchmark);
        }
        Ok(united(self, earlier, loaded))
    }
}

/// Returns the runs of both in order of time, as many as the query wants.
pub(crate) fn united(
    query: &Query,
    one: WithDamage<History>,
    other: WithDamage<History>,
) -> WithDamage<History> {
    let mut runs = merged(one.value.runs.into_iter(), other.value.runs);
    match query.which {
        Which::All | Which::AllAndSummaries | Which::CountedForBaseline => {
            runs.drain(..runs.len().saturating_sub(query.limit));
        }
        Which::FirstCountedForBaseline => runs.truncate(query.limit),
    }
    let mut damaged = one.damaged;
    damaged.extend(other.damaged);
    WithDamage { value: History { runs }, damaged }
}

/// Merges both in the order of their ids, and keeps the order within each. A project that returned
/// to a former name has runs of each name between those of the other.
fn merged(former: impl Iterator<Item = Run>, present: Vec<Run>) -> Vec<Run> {
    let mut present = present.into_iter().peekable();
    let mut all = Vec::new();
    for run in former {
        while let Some(earlier) = present.next_if(|it| it.id < run.id) {
            all.push(earlier);
        }
        all.push(run);
    }
    all.extend(present);
    all
}
