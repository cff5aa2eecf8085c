//! `pragmastat_*`: the estimators of Pragmastat, their bounds and margins, and samples against thresholds.
//!
//! Rank bounds take the published step unless the parameter `step` asks for the conservative one,
//! which never misses more often than the misrate. The published bounds of spread and disparity are drawn by lot from a
//! `seed`, ours always the same.

use super::limits::most;
use super::projected;
use crate::case::{Case, json_number};
use crate::stats::{project_one, project_two};
use perftest_analysis::stats;
use perftest_core::model::{Interval, Sample};
use perftest_core::stats::{self as core_stats, RankStep, pairwise_margin, signed_rank_margin};
use pragmastat::EstimatorError;
use pragmastat::estimators::raw::{self, RawBounds};
use serde_json::{Value, json};

/// `pragmastat_center`: the median of the means of all pairs of `x`.
pub(super) fn center(case: &Case) -> Result<Value, String> {
    estimate(raw::center(&case.numbers("x")?, false))
}

/// `pragmastat_spread`: the median distance of two values of `x`.
pub(super) fn spread(case: &Case) -> Result<Value, String> {
    estimate(raw::spread(&case.numbers("x")?, false))
}

/// `pragmastat_shift`: the median of all differences of `x` less `y`.
pub(super) fn shift(case: &Case) -> Result<Value, String> {
    estimate(raw::shift(&case.numbers("x")?, &case.numbers("y")?, false))
}

/// `pragmastat_ratio`: the median of all ratios of `x` by `y`.
pub(super) fn ratio(case: &Case) -> Result<Value, String> {
    estimate(raw::ratio(&case.numbers("x")?, &case.numbers("y")?, false))
}

/// `pragmastat_disparity`: the shift of `x` from `y` in units of the spread.
pub(super) fn disparity(case: &Case) -> Result<Value, String> {
    estimate(raw::disparity(&case.numbers("x")?, &case.numbers("y")?, false))
}

/// `pragmastat_center_bounds`: of `x` at a `misrate`.
pub(super) fn center_bounds(case: &Case) -> Result<Value, String> {
    let (misrate, step) = (case.number("misrate")?, case.step()?);
    let Ok(x) = Sample::new(case.numbers("x")?) else { return Ok(violation("validity", "x")) };
    if !is_misrate(misrate) {
        return Ok(violation("domain", "misrate"));
    }
    if x.size() < 2 {
        return Ok(violation("domain", "x"));
    }
    Ok(bounds(core_stats::center_bounds(&x, misrate / 2.0, step)))
}

/// `pragmastat_spread_bounds`: of `x` at a `misrate`.
pub(super) fn spread_bounds(case: &Case) -> Result<Value, String> {
    let (values, misrate) = (case.numbers("x")?, case.number("misrate")?);
    if case.step()? == RankStep::Published {
        return published(raw::spread_bounds_with_seed(&values, misrate, seed(case), false));
    }
    let spread = raw::spread(&values, false);
    let Ok(x) = Sample::new(values) else { return Ok(violation("validity", "x")) };
    if !is_misrate(misrate) {
        return Ok(violation("domain", "misrate"));
    }
    match spread {
        Ok(_) => Ok(bounds(stats::spread_bounds(&x, misrate / 2.0))),
        without => estimate(without),
    }
}

/// `pragmastat_shift_bounds`: of `x` less `y` at a `misrate`.
pub(super) fn shift_bounds(case: &Case) -> Result<Value, String> {
    pairwise(case, core_stats::shift_bounds)
}

/// `pragmastat_ratio_bounds`: of `x` by `y` at a `misrate`.
pub(super) fn ratio_bounds(case: &Case) -> Result<Value, String> {
    pairwise(case, core_stats::ratio_bounds)
}

/// `pragmastat_disparity_bounds`: of `x` from `y` at a `misrate`.
pub(super) fn disparity_bounds(case: &Case) -> Result<Value, String> {
    let misrate = case.number("misrate")?;
    if case.step()? == RankStep::Published {
        let (x, y) = (case.numbers("x")?, case.numbers("y")?);
        return published(raw::disparity_bounds_with_seed(&x, &y, misrate, seed(case), false));
    }
    let (x, y) = match two_samples(case)? {
        Ok(samples) => samples,
        Err(violation) => return Ok(violation),
    };
    if !is_misrate(misrate) {
        return Ok(violation("domain", "misrate"));
    }
    match raw::disparity(x.sorted(), y.sorted(), true) {
        Ok(_) => Ok(bounds(stats::disparity_bounds(&x, &y, misrate / 2.0))),
        without => estimate(without),
    }
}

/// `pragmastat_signed_rank_margin`: how many pairs of `n` values their bounds at a `misrate` leave out on both sides.
pub(super) fn of_signed_ranks(case: &Case) -> Result<Value, String> {
    margin(case, [("n", "x")], |[n], misrate, step| signed_rank_margin(n, misrate, step))
}

/// `pragmastat_pairwise_margin`: how many pairs of `n` and `m` values their bounds at a `misrate` leave out on both sides.
pub(super) fn of_pairs(case: &Case) -> Result<Value, String> {
    let sizes = [("n", "x"), ("m", "y")];
    margin(case, sizes, |[n, m], misrate, step| pairwise_margin(n, m, misrate, step))
}

/// `pragmastat_compare1`: center and spread of `x` against `thresholds` of `metric`, `value` and `misrate`, with a
/// `seed`.
pub(super) fn compare_one(case: &Case) -> Result<Value, String> {
    let thresholds = projected::thresholds(case)?;
    projected::answer(project_one(&case.numbers("x")?, &thresholds, seed(case)))
}

/// `pragmastat_compare2`: shift, ratio and disparity of `x` and `y` against `thresholds` as for one sample.
pub(super) fn compare_two(case: &Case) -> Result<Value, String> {
    let thresholds = projected::thresholds(case)?;
    let (x, y) = (case.numbers("x")?, case.numbers("y")?);
    projected::answer(project_two(&x, &y, &thresholds, seed(case)))
}

/// An estimate, or which assumption failed.
fn estimate(result: Result<f64, EstimatorError>) -> Result<Value, String> {
    match result {
        Ok(output) => Ok(json!({ "output": json_number(output) })),
        Err(error) => violated(error),
    }
}

/// Published bounds, or which assumption failed.
fn published(result: Result<RawBounds, EstimatorError>) -> Result<Value, String> {
    match result {
        Ok(RawBounds { lower, upper }) => Ok(output(lower, upper)),
        Err(error) => violated(error),
    }
}

/// Our bounds; without any the misrate is too small.
fn bounds(interval: Option<Interval>) -> Value {
    let missing = || violation("domain", "misrate");
    interval.map_or_else(missing, |interval| output(interval.lower, interval.upper))
}

fn output(lower: f64, upper: f64) -> Value {
    json!({ "output": { "lower": json_number(lower), "upper": json_number(upper) } })
}

/// An assumption that failed, and of what.
fn violation(assumption: &str, subject: &str) -> Value {
    json!({ "error": { "id": assumption, "subject": subject } })
}

fn violated(error: EstimatorError) -> Result<Value, String> {
    match error {
        EstimatorError::Assumption(error) => {
            let violated = error.violation();
            Ok(violation(violated.id.as_str(), violated.subject.as_str()))
        }
        EstimatorError::Other(error) => Err(error),
    }
}

/// Whether a misrate is a probability.
fn is_misrate(misrate: f64) -> bool {
    (0.0..=1.0).contains(&misrate)
}

/// The seed of what is drawn by lot; without one the same in every run.
fn seed(case: &Case) -> &str {
    case.param("seed").as_str().unwrap_or("perftest")
}

/// The two samples of a case; the violation where one is none.
fn two_samples(case: &Case) -> Result<Result<(Sample, Sample), Value>, String> {
    let (x, y) = (Sample::new(case.numbers("x")?), Sample::new(case.numbers("y")?));
    Ok(match (x, y) {
        (Ok(x), Ok(y)) => Ok((x, y)),
        (Err(_), _) => Err(violation("validity", "x")),
        (_, Err(_)) => Err(violation("validity", "y")),
    })
}

/// Bounds of two samples by their pairs; where there are none although the misrate allows them, a
/// value is not above 0.
fn pairwise(
    case: &Case,
    bounds_of: fn(&Sample, &Sample, f64, RankStep) -> Option<Interval>,
) -> Result<Value, String> {
    let (misrate, step) = (case.number("misrate")?, case.step()?);
    let (x, y) = match two_samples(case)? {
        Ok(samples) => samples,
        Err(violation) => return Ok(violation),
    };
    let is_possible = || pairwise_margin(x.size(), y.size(), misrate / 2.0, step).is_some();
    if !is_misrate(misrate) || !is_possible() {
        return Ok(violation("domain", "misrate"));
    }
    Ok(match bounds_of(&x, &y, misrate / 2.0, step) {
        None if x.sorted()[0] <= 0.0 => violation("positivity", "x"),
        None => violation("positivity", "y"),
        interval => bounds(interval),
    })
}

/// Twice the margin of samples with the sizes of these keys, each with the name of its sample.
fn margin<const SAMPLES: usize>(
    case: &Case,
    keys: [(&str, &str); SAMPLES],
    margin: fn([usize; SAMPLES], f64, RankStep) -> Option<u64>,
) -> Result<Value, String> {
    let (misrate, step) = (case.number("misrate")?, case.step()?);
    let mut sizes = [0; SAMPLES];
    for (size, (key, _)) in sizes.iter_mut().zip(keys) {
        *size = most(key, case.whole(key)?, 1 << 31)?;
    }
    if let Some((_, (_, sample))) = sizes.iter().zip(keys).find(|(size, _)| **size == 0) {
        return Ok(violation("domain", sample));
    }
    let margin = is_misrate(misrate).then(|| margin(sizes, misrate / 2.0, step)).flatten();
    let missing = || violation("domain", "misrate");
    Ok(margin.map_or_else(missing, |margin| json!({ "output": 2 * margin })))
}
