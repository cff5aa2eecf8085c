//! Prints what the store costs: `cargo run [--release] --example store_figures`.
//!
//! Loading the newest 200 of 100,000 runs, and appending one run against the device's own sync of
//! as many bytes.

#![allow(clippy::print_stdout, reason = "printing figures is what it is for")]

use perftest_core::model::{Probes, Run};
use perftest_store::{Digest, JsonlStore, Project, Query, Store, conformance};
use std::error::Error;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const RUNS: u64 = 100_000;

fn main() -> Result<(), Box<dyn Error>> {
    let name = format!("perftest-store-figures-{}", std::process::id());
    // Beside the build, not in a directory that may live in memory.
    let executable = std::env::current_exe()?;
    let root = executable.parent().unwrap_or(Path::new(".")).join(name);
    let outcome = print_figures(&root);
    fs::remove_dir_all(&root)?;
    outcome
}

fn print_figures(root: &Path) -> Result<(), Box<dyn Error>> {
    let project = Project { name: "figures".into(), slug: "figures.0".into() };
    let store = JsonlStore::open(root, &project);
    let run = typical_run();
    store.append(&run)?;
    let path = only_history_file(root)?;
    let record = fs::read(&path)?;
    grow(&path, &record, &run)?;
    println!("one record: {} bytes with {} samples", record.len(), run.measurements.len());
    println!("history: {RUNS} runs, {:.1} MB", fs::metadata(&path)?.len() as f64 / 1e6);

    let query = Query::like(&run);
    let load = median_of(101, || {
        let loaded = store.load(&query)?.value.runs.len();
        (loaded == 200).then_some(()).ok_or_else(|| format!("loaded {loaded}").into())
    })?;
    println!("load the newest 200: {load:?}");
    let sums = median_of(101, || {
        for _ in 0..200 {
            black_box(Digest::of_large_block(black_box(&record)));
        }
        Ok(())
    })?;
    println!(
        "of that the checksums: {sums:?}, {:.1}%",
        100.0 * sums.as_secs_f64() / load.as_secs_f64()
    );

    let mut plain = File::options().append(true).create(true).open(root.join("plain"))?;
    let sync = median_of(201, || {
        plain.write_all(&record)?;
        Ok(plain.sync_data()?)
    })?;
    let append = median_of(201, || Ok(store.append(&run)?))?;
    println!("append one: {append:?}; the device alone: {sync:?}");
    Ok(())
}

/// A quiet green of thirty samples, on a machine with one kind of core whose sensors all answer.
fn typical_run() -> Run {
    let mut run = conformance::example_run(0);
    run.measurements = run.measurements.iter().cycle().take(30).copied().collect();
    for (index, measurement) in run.measurements.iter_mut().enumerate() {
        // Values of as many digits as real ones.
        let drift = 1.0 + index as f64 / 7_000.0;
        measurement.iterations = 4_000;
        measurement.value *= drift;
        measurement.process_cpu_ns = Some((4_100.0 * measurement.value) as u64);
        measurement.thread_cpu_ns = Some((4_003.0 * measurement.value) as u64);
        measurement.core_kind = None;
        measurement.probes = Probes {
            clock_ghz: Some(4.098 / drift),
            reference_ns: Some(812.4 * drift),
            ..Probes::default()
        };
    }
    run.suspects.clear();
    run.environment.tags.clear();
    run.revision.branch = "main".into();
    if let Some(evidence) = &mut run.evidence {
        evidence.accepted_ratio = None;
        evidence.notes.clear();
    }
    run
}

/// Appends copies with an id of their own, without a sync each.
fn grow(path: &Path, record: &[u8], run: &Run) -> Result<(), Box<dyn Error>> {
    let record = std::str::from_utf8(record)?;
    let mut file = std::io::BufWriter::new(File::create(path)?);
    for ordinal in 0..RUNS {
        let id = conformance::example_run(ordinal).id;
        let line = record.replacen(run.id.as_str(), id.as_str(), 1);
        file.write_all(conformance::resealed(&line).as_bytes())?;
    }
    Ok(file.into_inner()?.sync_all()?)
}

fn only_history_file(root: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let mut path = root.join("v1/figures.0/runs");
    while path.is_dir() {
        path = fs::read_dir(&path)?.next().ok_or("an empty directory")??.path();
    }
    Ok(path)
}

fn median_of(
    count: usize,
    mut once: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<Duration, Box<dyn Error>> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let start = Instant::now();
        once()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times[count / 2])
}
