//! How long detectors take on series of different lengths.

use crate::detector::{Detector, SEARCHES};
use crate::noise::normal;
use perftest_core::model::Sample;
use perftest_core::stats::Random;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// A kind of series.
struct Kind {
    name: &'static str,
    /// How many values a level has, if it does not last.
    level: Option<usize>,
    /// What values are multiples of, if they are: half a deviation makes ties as integers do.
    rounded_to: Option<f64>,
}

const KINDS: [Kind; 3] = [
    Kind { name: "flat", level: None, rounded_to: None },
    Kind { name: "rounded", level: None, rounded_to: Some(0.5) },
    Kind { name: "stepped", level: Some(100), rounded_to: None },
];

/// A row for each kind and length: detector, kind, number of values and seconds, split by tabs. The
/// series are left in the directory for others to take their time on them.
pub(crate) fn rows(lengths: &[usize], directory: &Path) -> Result<String, String> {
    let mut rows = String::new();
    for length in lengths {
        for kind in &KINDS {
            let series = Sample::new(kind.values(*length)).map_err(|error| error.to_string())?;
            let text: String = series.values().iter().map(|value| format!("{value}\n")).collect();
            let path = directory.join(format!("{}-{length}.txt", kind.name));
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
            for detector in &SEARCHES {
                let seconds = seconds(detector, &series);
                // Writing to a string does not fail.
                let _ = writeln!(rows, "{}\t{}\t{length}\t{seconds}", detector.name, kind.name);
            }
        }
    }
    Ok(rows)
}

impl Kind {
    /// Normal noise of deviation 1 about levels that are 5 apart.
    fn values(&self, length: usize) -> Vec<f64> {
        let mut random = Random::new(7);
        let height = |index: usize| self.level.map_or(0, |level| index / level % 2) as f64;
        let rounded = |value: f64| self.rounded_to.map_or(value, |to| (value / to).round() * to);
        (0..length)
            .map(|index| rounded(100.0 + 5.0 * height(index) + normal(&mut random)))
            .collect()
    }
}

/// The shortest of up to three times.
fn seconds(detector: &Detector, series: &Sample) -> f64 {
    let mut shortest = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        // None of these refuses a long series.
        let _ = std::hint::black_box((detector.find)(std::hint::black_box(series)));
        shortest = shortest.min(start.elapsed().as_secs_f64());
        if shortest > 10.0 {
            break;
        }
    }
    shortest
}
