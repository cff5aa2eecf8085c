//! Which runs to load.

use crate::{StoreError, WithDamage};
use perftest_core::model::{BenchmarkId, History, Metric, Run};

/// Selects runs of one benchmark on one testbed, seen through one metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The perf test.
    pub benchmark: BenchmarkId,
    /// The name it had before; its runs under that name are loaded as its own.
    pub formerly: Option<BenchmarkId>,
    /// Identity within which numbers compare: `label/fingerprint`.
    pub testbed: String,
    /// What was measured; numbers in another unit are another history.
    pub metric: Metric,
    /// Only runs of this configuration; `None` for all.
    pub config: Option<String>,
    /// Only runs that the acceptance with this id covered; `None` for all.
    pub acceptance: Option<String>,
    /// Which of them.
    pub which: Which,
    /// Runs to load, at most: the newest, or the oldest where [`which`](Self::which) says so.
    pub limit: usize,
}

/// Which runs of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Every run.
    All,
    /// Runs that may enter a baseline, however many others came after them.
    CountedForBaseline,
    /// The oldest of the runs that may enter a baseline, of which there may be any number of newer
    /// ones. Of a run that was appended twice the first copy counts.
    FirstTeaching,
}

impl Query {
    /// The newest 200 runs of all like this one: same benchmark, testbed, metric and configuration.
    pub fn like(run: &Run) -> Self {
        Self {
            benchmark: run.benchmark.clone(),
            formerly: None,
            testbed: run.testbed.clone(),
            metric: run.metric.clone(),
            config: Some(run.config.clone()),
            acceptance: None,
            which: Which::All,
            limit: 200,
        }
    }

    /// The runs of both names in the order of time, for a [`Store`](crate::Store) whose `load` loads those
    /// of one name.
    ///
    /// # Errors
    /// Those of `load`.
    pub fn with_former(
        &self,
        load: impl Fn(&Self) -> Result<WithDamage<History>, StoreError>,
    ) -> Result<WithDamage<History>, StoreError> {
        let mut loaded = load(self)?;
        let Some(former) = &self.formerly else {
            return Ok(loaded);
        };
        let mut earlier = load(&Self { benchmark: former.clone(), ..self.clone() })?;
        let renamed = earlier.value.runs.into_iter();
        let renamed = renamed.map(|run| Run { benchmark: self.benchmark.clone(), ..run });
        let mut runs = merged(renamed, loaded.value.runs);
        match self.which {
            Which::All | Which::CountedForBaseline => {
                runs.drain(..runs.len().saturating_sub(self.limit));
            }
            Which::FirstTeaching => runs.truncate(self.limit),
        }
        earlier.damaged.append(&mut loaded.damaged);
        Ok(WithDamage { value: History { runs }, damaged: earlier.damaged })
    }
}

/// Both in the order of time, as their ids tell it, and each as it was appended. Who went back to a
/// former name for a while has runs of each between those of the other.
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
