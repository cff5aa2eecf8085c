//! The series that detectors are measured on.

use perftest_core::model::Sample;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// One series with its values in order.
pub(crate) struct Series {
    pub(crate) values: Sample,
    /// The change points that each annotator saw; empty without annotators.
    pub(crate) annotations: Vec<Vec<usize>>,
    /// F1 and covering of algorithms by their short names, as others published them.
    pub(crate) published: Value,
}

/// All series, by what they are good for.
#[derive(Default)]
pub(crate) struct Collection {
    /// Histories of all kinds with the change points that people saw (`tcpd`).
    pub(crate) annotated: Vec<Series>,
    /// Unchanging code on shared machines (`gab`).
    pub(crate) shared: Vec<Series>,
    /// Unchanging code on one machine, medians of 5 consecutive runs (`go_ab`).
    pub(crate) quiet: Vec<Series>,
}

impl Collection {
    /// All series of the `.json` files in a directory.
    pub(crate) fn read(directory: &Path) -> Result<Self, String> {
        let mut collection = Self::default();
        for path in files(directory)? {
            let add = read(&path).and_then(|file| collection.add(&file));
            add.map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(collection)
    }

    fn add(&mut self, file: &Value) -> Result<(), String> {
        let place = match file["family"].as_str() {
            Some("tcpd") => &mut self.annotated,
            Some("gab") => &mut self.shared,
            Some("go_ab") => {
                self.quiet.extend(days(file)?);
                return Ok(());
            }
            _ => return Ok(()),
        };
        let people = file["annotations"].as_object().into_iter().flatten();
        let annotations = people.map(|(_, points)| indices(points)).collect::<Option<_>>();
        place.push(Series {
            values: sample(&file["values"])?,
            annotations: annotations.ok_or("an annotation is no list of indices")?,
            published: file["published_default_scores"].clone(),
        });
        Ok(())
    }
}

fn files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let error = |error| format!("{}: {error}", directory.display());
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .map_err(error)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<Value, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// The benchmarks of a file whose base was run 25 times on each day.
fn days(file: &Value) -> Result<Vec<Series>, String> {
    const RUNS: usize = 5;
    let benchmarks = file["benchmarks"].as_object().ok_or("there are no benchmarks")?;
    let mut all = Vec::new();
    for benchmark in benchmarks.values() {
        let days = benchmark["base"].as_array().ok_or("a benchmark has no base")?;
        let runs: Vec<Vec<f64>> = days.iter().map(numbers).collect();
        let medians = runs.iter().flat_map(|day| day.chunks_exact(RUNS));
        let medians = medians.filter_map(Sample::median_of).collect();
        let values = Sample::new(medians).map_err(|error| error.to_string())?;
        all.push(Series { values, annotations: Vec::new(), published: Value::Null });
    }
    Ok(all)
}

/// The numbers of an array; missing ones are left out.
fn numbers(array: &Value) -> Vec<f64> {
    array.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

fn sample(array: &Value) -> Result<Sample, String> {
    Sample::new(numbers(array)).map_err(|error| error.to_string())
}

fn indices(array: &Value) -> Option<Vec<usize>> {
    array.as_array()?.iter().map(|index| usize::try_from(index.as_u64()?).ok()).collect()
}
