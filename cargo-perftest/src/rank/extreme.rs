//! Ranks tests by the worst run compared with its level, or the worst measurement compared with its
//! run, whichever is worse.
//!
//! A run is far if its median is beyond the outer fence of its level, three interquartile ranges
//! above the third quartile. If all runs differ much, none is far.

use super::tail::TailPool;
use super::{RankValue, UnrankedReason};
use crate::reading::Stretch;
use crate::report::{counted, extend, json_number, local_minute, ratio, short_commit};
use perftest_analysis::detect::settled_change_points;
use perftest_analysis::thresholds::Quartiles;
use perftest_core::model::Run;
use serde_json::{Value, json};

/// Fewest measurements that show an extreme one.
const FEWEST: usize = 100;
/// Fewest runs of a level that show a far one.
const FEWEST_OF_LEVEL: usize = 10;
/// The fence in interquartile ranges.
const FENCE: f64 = 3.0;

pub(super) fn of(stretch: &Stretch<'_>) -> Result<RankValue, UnrankedReason> {
    let far_runs = FarRuns::of(stretch);
    match (far_runs, TailPool::of(stretch, FEWEST)) {
        (Some(far), Ok(pool)) if far.ratio > pool.worst => Ok(of_run(&far)),
        (_, Ok(pool)) => Ok(of_measurement(&pool)),
        (Some(far), Err(_)) => Ok(of_run(&far)),
        (None, Err(why)) => Err(why),
    }
}

fn of_run(far: &FarRuns<'_>) -> RankValue {
    let detail = format!("the whole run; {} of {} are far", far.count, counted(far.of, "run"));
    measured(far.ratio, far.worst, &detail, json!({ "of": "run", "far_runs": far.count }))
}

fn of_measurement(pool: &TailPool<'_>) -> RankValue {
    let of = json!({
        "of": "measurement",
        "measurements": pool.ratios.size(),
        "measured_runs": pool.runs,
    });
    measured(pool.worst, pool.of_worst, &format!("of {}", pool.in_words()), of)
}

fn measured(worst: f64, run: &Run, detail: &str, of: Value) -> RankValue {
    let mut json = json!({
        "ratio": json_number(worst),
        "at_ms": run.started_ms,
        "commit": run.revision.commit,
    });
    extend(&mut json, of);
    let (commit, when) = (short_commit(&run.revision.commit), local_minute(run.started_ms));
    RankValue {
        key: (worst, 0.0),
        effect: None,
        value: ratio(worst),
        detail: format!("{commit} {when}; {detail}"),
        json,
    }
}

/// The runs far from their level.
struct FarRuns<'a> {
    /// The worst of them, as a ratio to the median of its level; above 1.
    ratio: f64,
    worst: &'a Run,
    count: usize,
    /// Number of runs that were checked.
    of: usize,
}

impl<'a> FarRuns<'a> {
    /// Returns `None` if no run is far and worse.
    fn of(stretch: &'a Stretch<'_>) -> Option<Self> {
        let sample = stretch.sample()?;
        let levels = settled_change_points(&sample).levels(sample.size());
        let (mut count, mut of) = (0, 0);
        let mut worst: Option<(f64, usize)> = None;
        for level in levels.iter().filter(|level| level.len() >= FEWEST_OF_LEVEL) {
            of += level.len();
            for (ratio, run) in far(stretch, level) {
                count += 1;
                if worst.is_none_or(|(most, _)| ratio > most) {
                    worst = Some((ratio, run));
                }
            }
        }
        let (ratio, run) = worst?;
        Some(Self { ratio, worst: stretch.runs[run], count, of })
    }
}

/// Returns the runs of a level that are far and worse: the ratio to the level's median, and the
/// index.
fn far(stretch: &Stretch<'_>, level: &[usize]) -> Vec<(f64, usize)> {
    let direction = stretch.facts.series.metric.direction;
    let Some(values) = stretch.values_of(level).filter(|it| it.sorted()[0] > 0.0) else {
        return Vec::new();
    };
    let ratio = |value: &f64| direction.degradation(value / values.median());
    let ratios: Vec<f64> = values.values().iter().map(ratio).collect();
    let fence = Quartiles::of(&ratios).map(|it| it.third + FENCE * it.range());
    let is_far = |ratio: f64| ratio > 1.0 && fence.is_some_and(|fence| ratio > fence);
    ratios.into_iter().zip(level.iter().copied()).filter(|(ratio, _)| is_far(*ratio)).collect()
}
