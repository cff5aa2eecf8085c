//! How well detectors do on real series.

use crate::detector::{DETECTORS, Detector};
use crate::series::{Collection, Series};
use perftest_core::detect::{covering, f1};
use perftest_core::model::Sample;
use std::fmt::Write;

/// A found point this far from the truth is still right.
const MARGIN: usize = 5;
/// By how much the second half of a quiet series is made slower.
const SLOWER: [f64; 3] = [1.03, 1.05, 1.10];

/// Algorithms with published scores, and their short names there.
const PUBLISHED: [(&str, &str); 10] = [
    ("AMOC", "amoc"),
    ("BinSeg", "binseg"),
    ("BOCPD", "bocpd"),
    ("CPNP", "cpnp"),
    ("ECP (E-divisive)", "ecp"),
    ("PELT", "pelt"),
    ("RFPOP", "rfpop"),
    ("SegNeigh", "segneigh"),
    ("WBS", "wbs"),
    ("no change at all", "zero"),
];

/// The table of all detectors.
pub(crate) fn table(series: &Collection) -> String {
    let mut table = String::from("| detector | F1 | cover | shared runners | one machine ");
    table.push_str("| +3 % found | +5 % | +10 % |\n|---|---|---|---|---|---|---|---|\n");
    for detector in &DETECTORS {
        table.push_str(&row(detector, series));
    }
    for (name, key) in PUBLISHED {
        table.push_str(&published_row(name, key, &series.annotated));
    }
    let Collection { annotated, shared, quiet } = series;
    // Writing to a string does not fail.
    let _ = writeln!(
        table,
        "\n{} annotated series; {} series of {} values from shared runners; {} of {} from one machine.",
        annotated.len(),
        shared.len(),
        count(shared),
        quiet.len(),
        count(quiet)
    );
    table
}

fn row(detector: &Detector, series: &Collection) -> String {
    let found: Vec<Vec<usize>> =
        series.annotated.iter().map(|one| (detector.find)(&one.values)).collect();
    let agreed = |figure: &dyn Fn(&Series, &[usize]) -> Option<f64>| {
        let pairs = series.annotated.iter().zip(&found);
        mean(&pairs.filter_map(|(one, found)| figure(one, found)).collect::<Vec<_>>())
    };
    let mut row = format!(
        "| {} | {:.3} | {:.3} | {:.2} | {:.2} |",
        detector.name,
        agreed(&|one, found| f1(&one.annotations, found, MARGIN)),
        agreed(&|one, found| covering(&one.annotations, found, one.values.size())),
        per_hundred(detector, &series.shared),
        per_hundred(detector, &series.quiet),
    );
    for factor in SLOWER {
        let found = series.quiet.iter().filter(|one| finds(detector, &one.values, factor)).count();
        let _ = write!(row, " {:.0} % |", 100.0 * found as f64 / series.quiet.len() as f64);
    }
    row.push('\n');
    row
}

/// The scores that others published for the same series.
fn published_row(name: &str, key: &str, annotated: &[Series]) -> String {
    let [f1, cover] = ["f1", "cover"].map(|figure| {
        let of_one = |one: &Series| one.published[figure][key].as_f64();
        mean(&annotated.iter().filter_map(of_one).collect::<Vec<_>>())
    });
    format!("| {name}, published | {f1:.3} | {cover:.3} | | | | | |\n")
}

fn per_hundred(detector: &Detector, series: &[Series]) -> f64 {
    let found: usize = series.iter().map(|one| (detector.find)(&one.values).len()).sum();
    100.0 * found as f64 / count(series) as f64
}

fn count(series: &[Series]) -> usize {
    series.iter().map(|one| one.values.size()).sum()
}

/// Whether a detector finds the middle of a series from which on everything takes longer.
fn finds(detector: &Detector, series: &Sample, factor: f64) -> bool {
    let middle = series.size() / 2;
    let values = series.values().iter().enumerate();
    let slower = values.map(|(index, value)| if index < middle { *value } else { factor * value });
    let found = Sample::new(slower.collect()).map(|slower| (detector.find)(&slower));
    found.is_ok_and(|found| found.iter().any(|point| point.abs_diff(middle) <= MARGIN))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
