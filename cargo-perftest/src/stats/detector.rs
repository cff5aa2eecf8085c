//! Detectors of change points by name, with their settings from the command line.

use crate::args::series::{ChangeDetector, Detection};
use crate::args::value_name;
use perftest_analysis::detect::{
    ChangePoint, ChangePoints, Jetpack, StepKind, StepSearch, change_points, check_pelt_size,
    check_step_work, check_window_work, ed_pelt, rqq_pelt, settled_change_points,
};
use perftest_core::model::Sample;
use serde_json::{Map, Value};

/// Smallest distance of two changes in PELT.
const MIN_DISTANCE: usize = 20;
/// Defaults of Skia's step: Cohen's d of 4 over 7 values on either side. Each alert of Skia names its own threshold, and
/// that of one kind means nothing for another.
const STEP_RADIUS: usize = 7;
const COHEN_THRESHOLD: f64 = 4.0;
/// Smallest range of a series for RqqPelt: there its smallest difference, 1e-5, is far below what is measured.
const WIDE: f64 = 1_048_576.0;
/// Smallest deviation that Skia divides by.
const STEP_MIN_DEVIATION: f64 = 0.001;
/// Two levels of our own detector, each with at least half of these values.
const FEWEST: usize = 20;

impl Detection {
    /// Returns the changes of the series.
    pub(crate) fn changes(&self, series: &Sample) -> Result<ChangePoints, String> {
        self.check_names()?;
        let values = series.values();
        let changes = match self.detector {
            ChangeDetector::Levels => return Ok(change_points(series)),
            ChangeDetector::Settled => return Ok(settled_change_points(series)),
            ChangeDetector::EdPelt => self.by_pelt(ed_pelt, series)?,
            ChangeDetector::RqqPelt => {
                self.by_pelt(|it, apart| rqq_pelt(&widened(it), apart), series)?
            }
            ChangeDetector::Jetpack => self.jetpack(values.len())?.change_points(values),
            ChangeDetector::Skia => self.steps(values)?,
        };
        Ok(ChangePoints { lasting: with_levels(values, &changes), temporary: Vec::new() })
    }

    /// The settings in use.
    pub(crate) fn set(&self) -> Value {
        self.settings.iter().cloned().collect::<Map<String, Value>>().into()
    }

    /// The fewest values that can have a change; by the defaults where a setting cannot be used.
    pub(crate) fn fewest(&self) -> usize {
        match self.detector {
            ChangeDetector::Levels | ChangeDetector::Settled => FEWEST,
            // PELT never divides two values.
            ChangeDetector::EdPelt | ChangeDetector::RqqPelt => {
                self.min_distance().unwrap_or(MIN_DISTANCE).saturating_mul(2).max(3)
            }
            ChangeDetector::Jetpack => {
                self.width().unwrap_or(Jetpack::default().width).saturating_mul(2)
            }
            ChangeDetector::Skia => {
                let kind = self.kind().unwrap_or(StepKind::Cohen);
                StepSearch::fewest(kind, self.radius().unwrap_or(STEP_RADIUS))
            }
        }
    }

    /// Refuses settings that the detector lacks.
    fn check_names(&self) -> Result<(), String> {
        let names = self.detector.settings();
        let unknown = self.settings.iter().find(|(name, _)| !names.contains(&name.as_str()));
        let detector = value_name(self.detector);
        match (unknown, names) {
            (None, _) => Ok(()),
            (Some(_), []) => Err(format!("{detector} has no settings")),
            (Some((unknown, _)), names) => {
                Err(format!("{detector} has no setting {unknown}; there are {}", names.join(", ")))
            }
        }
    }

    /// Returns the value of a setting; the last one counts.
    fn setting(&self, name: &str) -> Option<&Value> {
        self.settings.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    fn number(&self, name: &str, default: f64) -> Result<f64, String> {
        let number = self.setting(name).map_or(Some(default), Value::as_f64);
        number.ok_or_else(|| format!("the setting {name} has to be a number"))
    }

    fn count(&self, name: &str, default: usize) -> Result<usize, String> {
        let count = |value: &Value| value.as_u64().and_then(|count| usize::try_from(count).ok());
        let count = self.setting(name).map_or(Some(default), count).filter(|count| *count > 0);
        count.ok_or_else(|| format!("the setting {name} has to be a whole number from 1 up"))
    }

    fn by_pelt(
        &self,
        search: fn(&Sample, usize) -> Vec<usize>,
        series: &Sample,
    ) -> Result<Vec<usize>, String> {
        let min_distance = self.min_distance()?;
        check_pelt_size(series.size())?;
        Ok(search(series, min_distance))
    }

    fn min_distance(&self) -> Result<usize, String> {
        self.count("min_distance", MIN_DISTANCE)
    }

    fn jetpack(&self, values: usize) -> Result<Jetpack, String> {
        let threshold = self.number("threshold", Jetpack::default().threshold)?;
        let rule = Jetpack { width: self.width()?, threshold };
        check_window_work(rule.width.saturating_mul(2), values)?;
        Ok(rule)
    }

    fn width(&self) -> Result<usize, String> {
        self.count("width", Jetpack::default().width)
    }

    fn radius(&self) -> Result<usize, String> {
        self.count("radius", STEP_RADIUS)
    }

    fn kind(&self) -> Result<StepKind, String> {
        let name = self.setting("kind").map_or(Some("cohen"), Value::as_str);
        name.and_then(StepKind::from_name).ok_or_else(|| {
            format!("the setting kind is one of {}", StepKind::ALL.map(StepKind::name).join(", "))
        })
    }

    fn step_threshold(&self, kind: StepKind) -> Result<f64, String> {
        if kind != StepKind::Cohen && self.setting("threshold").is_none() {
            return Err(format!(
                "the threshold {COHEN_THRESHOLD} is for kind=cohen only; give that of this kind: --set threshold=NUMBER"
            ));
        }
        self.number("threshold", COHEN_THRESHOLD)
    }

    /// Returns the clearest places of Skia's steps.
    fn steps(&self, values: &[f64]) -> Result<Vec<usize>, String> {
        let (kind, radius) = (self.kind()?, self.radius()?);
        let search = StepSearch {
            kind,
            radius,
            threshold: self.step_threshold(kind)? as f32,
            min_deviation: self.number("min_deviation", STEP_MIN_DEVIATION)? as f32,
        };
        check_step_work(kind, values.len(), radius.saturating_mul(2).min(values.len()))?;
        let values: Vec<f32> = values.iter().map(|value| *value as f32).collect();
        Ok(search.areas(&values).iter().map(|area| area.peak).collect())
    }
}

impl ChangeDetector {
    /// Lists the detector's settings.
    fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Levels | Self::Settled => &[],
            Self::EdPelt | Self::RqqPelt => &["min_distance"],
            Self::Jetpack => &["width", "threshold"],
            Self::Skia => &["kind", "threshold", "radius", "min_deviation"],
        }
    }
}

/// Returns the series in a smaller unit if its range is narrow. A power of two leaves all digits as they are.
fn widened(series: &Sample) -> Sample {
    let sorted = series.sorted();
    let range = sorted[sorted.len() - 1] - sorted[0];
    let mut factor = 1.0;
    // Numbers have no larger power of two than 2^1023.
    while range > 0.0 && range * factor < WIDE && factor < f64::MAX / 2.0 {
        factor *= 2.0;
    }
    let values = series.values().iter().map(|value| factor * value).collect();
    Sample::new(values).unwrap_or_else(|_| series.clone())
}

/// Adds the medians of the levels before and after each change.
fn with_levels(values: &[f64], changes: &[usize]) -> Vec<ChangePoint> {
    let ends: Vec<usize> = [&[0], changes, &[values.len()]].concat();
    let median = |ends: &[usize]| Sample::median_of(&values[ends[0]..ends[1]]).unwrap_or(0.0);
    let medians: Vec<f64> = ends.windows(2).map(median).collect();
    let change = |(index, pair): (&usize, &[f64])| ChangePoint {
        index: *index,
        before: pair[0],
        after: pair[1],
    };
    changes.iter().zip(medians.windows(2)).map(change).collect()
}
