//! The directory `target/criterion`: below it each benchmark has a directory, and in that one for each
//! baseline, with `benchmark.json` and `sample.json`.
//!
//! Every sample is a measurement, so `estimates.json` adds nothing. `base` is mostly a copy of `new`: of
//! equal samples one is taken. Criterion writes no time and no commit; a run has the time of its file. Only
//! `new` is of the code that ran last: a saved baseline may be of any other.

use super::import_error::{ImportError, LineProblem, parse_json};
use super::imported_run::{ImportedFile, RunOrigin};
use super::modified_ms;
use crate::args::CriterionBaselines;
use perftest_core::model::Metric;
use perftest_store::Digest;
use serde::Deserialize;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const BENCHMARK: &str = "benchmark.json";
const SAMPLE: &str = "sample.json";
/// The directory of the run that ended last.
const NEW: &str = "new";
/// A directory of criterion is no deeper: group, function, value and baseline.
const DEEPEST: usize = 16;

#[derive(Deserialize)]
struct CriterionBenchmark {
    full_id: String,
}

/// Times in nanoseconds, each of so many iterations.
#[derive(Deserialize)]
struct Samples {
    iters: Vec<f64>,
    times: Vec<f64>,
}

pub(super) fn read(
    root: &Path,
    baselines: CriterionBaselines,
) -> Result<ImportedFile, ImportError> {
    if !root.is_dir() {
        let problem = "it is no directory: name criterion's, mostly target/criterion";
        return Err(ImportError::of_path(root, LineProblem::of_file(problem)));
    }
    let mut directories = Vec::new();
    find(root, DEEPEST, &mut directories)?;
    // An equal copy is found behind what it is a copy of.
    directories.sort_by_cached_key(|directory| (!directory.ends_with(NEW), directory.clone()));
    let (mut file, mut seen) = (ImportedFile::default(), HashSet::new());
    let mut left_out = BTreeSet::new();
    for directory in &directories {
        let (sample, benchmark) = (directory.join(SAMPLE), directory.join(BENCHMARK));
        let text = text(&sample)?;
        let CriterionBenchmark { full_id } = parse_file(&benchmark, "criterion's benchmark.json")?;
        let digest = Digest::of_fields([full_id.as_str(), text.as_str()]).hex16();
        if !seen.insert(digest.clone()) {
            continue;
        }
        if baselines == CriterionBaselines::New && !directory.ends_with(NEW) {
            left_out.extend(directory.file_name().map(OsStr::to_string_lossy));
            continue;
        }
        let origin =
            RunOrigin { digest, modified_ms: modified_ms(&sample), ..RunOrigin::default() };
        let samples = samples(&text).map_err(|problem| ImportError::of_path(&sample, problem))?;
        for (time, iterations) in samples {
            let value = time / iterations as f64;
            file.add(&full_id, &Metric::wall(), &origin, value, iterations);
        }
    }
    let nothing = if left_out.is_empty() {
        format!(
            "no {SAMPLE} is below it: run `cargo bench` with criterion first; a cache may have restored \
             empty directories"
        )
    } else {
        let names = left_out.into_iter().collect::<Vec<_>>().join(", ");
        file.notes.push(format!("left out, because they may be of other code: {names}"));
        "it has only saved baselines, which may be of other code: rename the directories of one to `new`"
            .into()
    };
    let file = file.refuse_empty(nothing);
    let checked = file.and_then(ImportedFile::check);
    checked.map_err(|problem| ImportError::of_path(root, problem))
}

/// Adds the directories below `directory` that have samples. A link is not followed: it may lead back.
fn find(directory: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), ImportError> {
    let unreadable = |error: io::Error| unreadable(directory, &error);
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.file_type().map_err(unreadable)?.is_dir() && depth > 0 {
            find(&entry.path(), depth - 1, found)?;
        } else if entry.file_name() == SAMPLE {
            found.push(directory.to_owned());
        }
    }
    Ok(())
}

/// The time of each sample with its iterations.
fn samples(text: &str) -> Result<Vec<(f64, u64)>, LineProblem> {
    let Samples { iters, times } = parse_json(text, "criterion's sample.json")?;
    if iters.len() != times.len() || iters.is_empty() {
        return Err(LineProblem::of_file(format!(
            "it has {} times of {} numbers of iterations: run the benchmark again",
            times.len(),
            iters.len()
        )));
    }
    if let Some(wrong) = iters.iter().find(|it| !(1.0..1e18).contains(*it)) {
        let problem = format!("{wrong} is no number of iterations: run the benchmark again");
        return Err(LineProblem::of_file(problem));
    }
    Ok(times.into_iter().zip(iters.into_iter().map(|it| it as u64)).collect())
}

fn parse_file<T: serde::de::DeserializeOwned>(path: &Path, what: &str) -> Result<T, ImportError> {
    let text = text(path)?;
    parse_json(&text, what).map_err(|problem| ImportError::of_path(path, problem))
}

fn text(path: &Path) -> Result<String, ImportError> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> ImportError {
    let problem = format!("it cannot be read: {error}; run the benchmark again");
    ImportError::of_path(path, LineProblem::of_file(problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;

    fn write(root: &Path, directory: &str, id: &str, sample: &str) {
        let directory = root.join(directory);
        fs::create_dir_all(&directory).unwrap();
        let benchmark = format!("{{\"group_id\": \"g\", \"full_id\": \"{id}\"}}");
        fs::write(directory.join(BENCHMARK), benchmark).unwrap();
        fs::write(directory.join(SAMPLE), sample).unwrap();
    }

    #[test]
    fn every_baseline_is_a_run_and_a_copy_is_none() {
        let root = scratch("criterion");
        let sample = "{\"sampling_mode\":\"Linear\",\"iters\":[10.0,20.0],\"times\":[50.0,200.0]}";
        write(&root, "g/f/new", "g/f", sample);
        write(&root, "g/f/base", "g/f", sample);
        write(&root, "g/f/v1", "g/f", "{\"iters\":[1.0],\"times\":[7.0]}");
        fs::create_dir_all(root.join("report")).unwrap();
        let runs = read(&root, CriterionBaselines::All).unwrap().runs;
        let mut values: Vec<Vec<f64>> =
            runs.iter().map(|run| run.measurements.iter().map(|it| it.value).collect()).collect();
        values.sort_by_key(Vec::len);
        assert_eq!(values, [vec![7.0], vec![5.0, 10.0]]);
        assert!(runs.iter().all(|run| run.origin.modified_ms.is_some()));
    }

    #[test]
    fn only_what_ran_last_is_of_the_commit_that_was_asked_for() {
        let root = scratch("criterion-asked");
        let sample = |time: u32| format!("{{\"iters\":[1.0],\"times\":[{time}.0]}}");
        write(&root, "f/new", "f", &sample(7));
        write(&root, "f/base", "f", &sample(7));
        assert_eq!(read(&root, CriterionBaselines::New).unwrap().notes, [""; 0]);
        write(&root, "f/base", "f", &sample(8));
        write(&root, "f/main", "f", &sample(9));
        let file = read(&root, CriterionBaselines::New).unwrap();
        let values: Vec<f64> = file.runs.iter().map(|run| run.measurements[0].value).collect();
        assert_eq!(values, [7.0]);
        assert_eq!(file.notes, ["left out, because they may be of other code: base, main"]);
        fs::remove_dir_all(root.join("f/new")).unwrap();
        let none = read(&root, CriterionBaselines::New).unwrap_err().to_string();
        assert!(none.contains("rename the directories of one to `new`"), "{none}");
    }

    #[test]
    fn a_damaged_file_is_named_and_an_empty_directory_is_no_success() {
        let root = scratch("criterion-damaged");
        let empty = read(&root, CriterionBaselines::All).unwrap_err().to_string();
        assert!(empty.contains("no sample.json is below it"), "{empty}");
        write(&root, "f/new", "f", "{\"iters\":[1.0],\n\"times\":[7.0");
        let torn = read(&root, CriterionBaselines::All).unwrap_err().to_string();
        assert!(torn.contains("f/new/sample.json:2: the file ends too early"), "{torn}");
        write(&root, "f/new", "f", "{\"iters\":[1.0],\"times\":[7.0,8.0]}");
        assert!(
            read(&root, CriterionBaselines::All)
                .unwrap_err()
                .to_string()
                .contains("2 times of 1 numbers")
        );
        write(&root, "f/new", "f", "{\"iters\":[0.0],\"times\":[7.0]}");
        assert!(
            read(&root, CriterionBaselines::All)
                .unwrap_err()
                .to_string()
                .contains("0 is no number of iterations")
        );
        let missing = read(&root.join("nowhere"), CriterionBaselines::All).unwrap_err().to_string();
        assert!(missing.contains("no directory"), "{missing}");
    }
}
