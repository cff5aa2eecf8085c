//! How well detectors do on real series.

use crate::detector::{DASHBOARDS, Detector, SEARCHES};
use crate::series::{Collection, Series};
use perftest_conformance::detect::{TooLong, covering, f1};
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
///
/// # Errors
///
/// A series is too long for one of them.
pub(crate) fn table(series: &Collection) -> Result<String, TooLong> {
    let mut table = String::from("| detector | F1 | cover | shared runners | one machine ");
    table.push_str("| +3% found | +5% | +10% |\n|---|---|---|---|---|---|---|---|\n");
    for detector in SEARCHES.iter().chain(&DASHBOARDS) {
        table.push_str(&row(detector, series)?);
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
    Ok(table)
}

fn row(detector: &Detector, series: &Collection) -> Result<String, TooLong> {
    let Agreement { f1, cover } = Agreement::of(detector, &series.annotated)?;
    let mut row = format!(
        "| {} | {f1:.3} | {cover:.3} | {:.2} | {:.2} |",
        detector.name,
        per_hundred(detector, &series.shared)?,
        per_hundred(detector, &series.quiet)?,
    );
    for factor in SLOWER {
        let mut found = 0;
        for one in &series.quiet {
            found += usize::from(finds(detector, &one.values, factor)?);
        }
        let _ = write!(row, " {:.0}% |", 100.0 * found as f64 / series.quiet.len() as f64);
    }
    row.push('\n');
    Ok(row)
}

/// How well a detector agrees with people, as means over series.
struct Agreement {
    f1: f64,
    cover: f64,
}

impl Agreement {
    fn of(detector: &Detector, annotated: &[Series]) -> Result<Self, TooLong> {
        let (mut f1s, mut covers) = (Vec::new(), Vec::new());
        for one in annotated {
            let found = (detector.find)(&one.values)?;
            f1s.extend(f1(&one.annotations, &found, MARGIN));
            covers.extend(covering(&one.annotations, &found, one.values.size()));
        }
        Ok(Self { f1: mean(&f1s), cover: mean(&covers) })
    }
}

/// The scores that others published for the same series.
fn published_row(name: &str, key: &str, annotated: &[Series]) -> String {
    let [f1, cover] = published(key, annotated);
    format!("| {name}, published | {f1:.3} | {cover:.3} | | | | | |\n")
}

/// F1 and cover.
fn published(key: &str, annotated: &[Series]) -> [f64; 2] {
    ["f1", "cover"].map(|figure| {
        let of_one = |one: &Series| one.published[figure][key].as_f64();
        mean(&annotated.iter().filter_map(of_one).collect::<Vec<_>>())
    })
}

fn per_hundred(detector: &Detector, series: &[Series]) -> Result<f64, TooLong> {
    let mut found = 0;
    for one in series {
        found += (detector.find)(&one.values)?.len();
    }
    Ok(100.0 * found as f64 / count(series) as f64)
}

fn count(series: &[Series]) -> usize {
    series.iter().map(|one| one.values.size()).sum()
}

/// Whether a detector finds the middle of a series from which on everything takes longer.
fn finds(detector: &Detector, series: &Sample, factor: f64) -> Result<bool, TooLong> {
    let middle = series.size() / 2;
    let values = series.values().iter().enumerate();
    let slower = values.map(|(index, value)| if index < middle { *value } else { factor * value });
    let Ok(slower) = Sample::new(slower.collect()) else {
        return Ok(false);
    };
    let found = (detector.find)(&slower)?;
    Ok(found.iter().any(|point| point.abs_diff(middle) <= MARGIN))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn ours_agrees_with_people_better_than_each_of_the_others() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../series");
        let annotated = Collection::read(&directory).unwrap().annotated;
        let [ours, others @ ..] = &SEARCHES;
        let ours = Agreement::of(ours, &annotated).unwrap();
        for other in others.iter().chain(&DASHBOARDS) {
            let Agreement { f1, cover } = Agreement::of(other, &annotated).unwrap();
            assert!(ours.f1 > f1 && ours.cover > cover, "{}: {f1} {cover}", other.name);
        }
        for (name, key) in PUBLISHED {
            let [f1, cover] = published(key, &annotated);
            assert!(ours.f1 > f1 && ours.cover > cover, "{name}: {f1} {cover}");
        }
    }
}
