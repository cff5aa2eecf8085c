//! Slow drift of a test from its old level, in steps too small to detect one by one.
//!
//! Sources. A verdict needs five runs, and the window of a baseline has thirty. The misrate of the ranks is a choice,
//! which `tests/simulate/src/slow_drift.rs` checks.

use super::baseline_level::log_cost;
use super::{Floor, Normalisation, Policy};
use crate::list::IntoList;
use crate::model::{
    Anchor, Direction, History, Interval, Lineage, Observation, Reason, Run, Sample,
};
use crate::stats::{RankStep, RunSpread, shift_bounds};
use std::borrow::Cow;

/// The newest runs of a test against its anchor.
///
/// Estimate: the ratio of the medians of the runs' centers, normalised if the anchor shows that
/// this helps. Bounds: the estimate divided and multiplied by the margin of this many runs by the
/// spread between runs ([`RunSpread::margin_between`]), at the misrate of a red. The spread is that
/// of the steps from run to run, over the root of 2, which a slow drift does not change.
///
/// The newer runs must also lie above the anchor by their ranks: in a history with modes the newest may all be of a
/// slow one by chance, and the spread of the steps need not show that. Where the anchor is older than a week, the
/// median of the newest week must be beyond the limit as well: on a machine that is busier at the weekend the newest
/// runs are all slow on every Sunday.
///
/// Reds are excluded: they were reported, and reverted ones are no evidence about the present code. So are runs whose
/// process alone was slow, and the newest of code that the present code lacks.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// The newest runs to the anchor: above 1 is worse.
    pub degradation: Interval,
    /// Level of the anchor, in the metric's unit.
    pub before: f64,
    /// Level of the newest runs, in the metric's unit.
    pub now: f64,
    /// Commit of the anchor's newest run, empty when not known.
    pub since_commit: String,
    /// Start of the anchor's newest run, milliseconds since the Unix epoch.
    pub since_ms: u64,
    /// Largest tolerated ratio to the anchor.
    pub limit: f64,
    is_beyond_limit: bool,
}

impl Drift {
    /// Newest runs that are compared with the anchor. A convention: as many as a verdict needs.
    pub const NEWEST_RUNS: usize = 5;

    /// Newest runs that, with the anchor, give the estimate of the scatter. A convention: as many as a baseline has
    /// at most.
    const SCATTER_RUNS: usize = 30;

    /// The period of a machine's load: runs of so many milliseconds have it in them as a whole.
    const WEEK_MS: u64 = 7 * 24 * 3_600_000;

    /// Probability that runs without a drift lie above the anchor by their ranks.
    const RANK_MISRATE: f64 = 0.0005;

    /// Compares the newest runs of `newest` with the anchor; `None` while there are too few of either.
    /// Runs of the anchor among the newest are ignored, and so are those before them: a level that was left.
    pub fn between(
        anchor: &Anchor,
        newest: &History,
        lineage: &Lineage,
        direction: Direction,
        policy: &Policy,
    ) -> Option<Self> {
        let [counted, newest_counted] = [&anchor.history, newest].map(History::as_counted);
        let anchored = level_runs(&counted).take(Anchor::RUNS).into_list();
        if anchor.history.runs.len() < Anchor::RUNS || anchored.len() < Anchor::FEWEST_COMPARED {
            return None;
        }
        let last = anchored.last()?;
        let is_anchored = |run: &Run| anchor.history.runs.iter().any(|it| it.id == run.id);
        // As in a baseline: an old commit that is measured again is not what the test takes now.
        let all = lineage.by_commit(level_runs(&newest_counted));
        let of_anchor = all.iter().rposition(|run| is_anchored(run));
        let later = all[of_anchor.map_or(0, |last| last + 1)..].iter().copied();
        let later = later.filter(|run| !lineage.is_foreign(&run.revision)).into_list();
        let of_week = newest_week(&later, last.started_ms);
        let later = centers(&later[later.len().saturating_sub(Self::SCATTER_RUNS)..])?;
        let anchored = centers(&anchored)?;

        let log = |center: &Observation| log_cost(center.value, direction, policy.floor);
        let logs: Vec<f64> = anchored.iter().map(log).into_list();
        let normalisation = Normalisation::fit(&anchored, &logs);
        let adjusted = |centers: &[Observation]| -> Vec<f64> {
            centers.iter().map(|it| normalisation.adjust(log(it), &it.probes)).into_list()
        };
        let of_newest = &later[later.len().checked_sub(Self::NEWEST_RUNS)?..];
        let below_floor = [&anchored[..], of_newest].map(|it| level_below_floor(it, policy.floor));
        let (anchored, later) = (adjusted(&anchored), adjusted(&later));
        let newest = later.get(later.len().checked_sub(Self::NEWEST_RUNS)?..)?;
        let all_steps = Sample::new([steps(&anchored), steps(&later)].concat()).ok()?;
        let spread = RunSpread::of_processes(&all_steps, policy.process_spread, 0.0, 0.0);
        let margin = spread.margin_between(
            newest.len() as f64,
            anchored.len() as f64,
            policy.red_misrate / 2.0,
        );
        let (before, now) = (Sample::median_of(&anchored)?, Sample::median_of(newest)?);
        let rise = now - before;
        let degradation =
            Interval { estimate: rise, lower: rise - margin, upper: rise + margin }.map(f64::exp);
        let limit = policy.tolerance.beside_accepted(Some(anchor.accepted_ratio)).ratio();
        let of_week = Sample::median_of(&adjusted(&of_week));
        let stays = of_week.is_none_or(|of_week| of_week - before > limit.ln());
        let value = |log_cost: f64| direction.degradation(log_cost.exp());
        let (before, now) = (value(before), value(now));
        let is_meaningful = (now - before).abs() >= policy.floor.shift;
        let is_beyond_limit =
            degradation.lower > limit && is_meaningful && stays && are_above(&later, &anchored);
        let [small_before, small_now] = below_floor;
        Some(Self {
            degradation,
            before: small_before.unwrap_or(before),
            now: small_now.unwrap_or(now),
            since_commit: last.revision.commit.clone(),
            since_ms: last.started_ms,
            limit,
            is_beyond_limit,
        })
    }

    /// Whether the test has drifted: beyond the limit by more than the spread between runs and not by chance, and by
    /// a meaningful shift.
    pub fn is_beyond_limit(&self) -> bool {
        self.is_beyond_limit
    }
}

/// Returns those of the runs that form levels, oldest first.
fn level_runs<'a>(counted: &'a [Cow<'a, Run>]) -> impl Iterator<Item = &'a Run> {
    let is_red = |run: &Run| run.reason() == Some(Reason::Red);
    let is_of_level =
        move |run: &&Run| run.counts_for_baseline && !is_red(run) && !run.was_alone_slow();
    counted.iter().map(Cow::as_ref).filter(is_of_level)
}

/// Returns the level of these runs if the computation takes the floor for it, as for a level of 0.
fn level_below_floor(centers: &[Observation], floor: Floor) -> Option<f64> {
    let values: Vec<f64> = centers.iter().map(|center| center.value).into_list();
    Sample::median_of(&values).filter(|level| *level < floor.value)
}

/// Returns the medians of the runs of the newest seven days. None where the anchor's newest run is of these days, and where
/// they are fewer than the newest runs: these are of more than a week then.
fn newest_week(later: &[&Run], anchored_ms: u64) -> Vec<Observation> {
    let newest_ms = later.iter().map(|run| run.started_ms).max().unwrap_or(0);
    let from_ms = newest_ms.saturating_sub(Drift::WEEK_MS);
    let is_of_week = |run: &&&Run| anchored_ms < from_ms && run.started_ms > from_ms;
    let of_week = later.iter().filter(is_of_week);
    let of_week = of_week.filter_map(|run| Observation::center(&run.clean())).into_list();
    if of_week.len() < Drift::NEWEST_RUNS { Vec::new() } else { of_week }
}

/// Returns the median of each run; `None` if a run has no measurement.
fn centers(runs: &[&Run]) -> Option<Vec<Observation>> {
    runs.iter().map(|run| Observation::center(&run.clean())).into_list_of_some()
}

/// Returns whether the `later` runs are slower than the anchored ones: rank bounds of all of them exclude "no shift",
/// or the newest, five or more, lie above all others. As many as an anchor has need not lie above the slow runs in it, up
/// to a fifth: these would else hide a drift up to their height.
fn are_above(later: &[f64], anchored: &[f64]) -> bool {
    let mut usual = anchored.to_vec();
    usual.sort_by(f64::total_cmp);
    usual.truncate(anchored.len() - anchored.len() / 5);
    let is_step = |count: usize| {
        let (before, newest) = later.split_at(later.len() - count);
        let anchored = if count < Anchor::RUNS { anchored } else { &usual };
        let highest = anchored.iter().chain(before).copied().fold(f64::NEG_INFINITY, f64::max);
        newest.iter().all(|log| *log > highest)
    };
    let samples = Sample::new(later.to_vec()).ok().zip(Sample::new(anchored.to_vec()).ok());
    let bounds = samples.and_then(|(later, anchored)| {
        shift_bounds(&later, &anchored, Drift::RANK_MISRATE, RankStep::Conservative)
    });
    bounds.is_some_and(|shift| shift.lower > 0.0) || (Drift::NEWEST_RUNS..=later.len()).any(is_step)
}

/// Returns the differences of neighbours, scaled to scatter like the values themselves.
fn steps(logs: &[f64]) -> Vec<f64> {
    logs.windows(2).map(|pair| (pair[1] - pair[0]) * std::f64::consts::FRAC_1_SQRT_2).into_list()
}
