//! Where recorded runs come from.

use super::workload::Workload;
use crate::command_context::report_damage;
use crate::exit::CommandError;
use perftest_store::recording::{NoiseRecording, NoiseRecordings, RecordedWorkload};
use perftest_store::{JsonlStore, Project, Store, StoreError};
use std::fs;
use std::path::{Path, PathBuf};

/// What a place holds.
#[derive(Debug, Default)]
pub(crate) struct ReplaySource {
    pub(crate) workloads: Vec<Workload>,
    /// Files that are no recordings.
    pub(crate) skipped: Vec<PathBuf>,
}

/// Reads a recording, a directory of recordings, or the directory of a store.
pub(crate) fn read(place: &Path) -> Result<ReplaySource, CommandError> {
    let histories = place.join("v1");
    if histories.is_dir() {
        return Ok(ReplaySource { workloads: of_store(place, &histories)?, skipped: Vec::new() });
    }
    let NoiseRecordings { recordings, skipped } =
        NoiseRecordings::read(place).map_err(|error| {
            CommandError::Usage(format!(
                "{error}; give a recording, a directory of recordings, or the directory of a store"
            ))
        })?;
    Ok(ReplaySource { workloads: recordings.iter().flat_map(of_recording).collect(), skipped })
}

/// The workloads of a file. Where work was planted into the code, those without any.
fn of_recording(recording: &NoiseRecording) -> Vec<Workload> {
    let is_unchanged = |it: &&RecordedWorkload| it.planted_percent.is_none_or(|it| it == 100);
    let mut chosen: Vec<&RecordedWorkload> =
        recording.workloads.iter().filter(is_unchanged).collect();
    if chosen.is_empty() {
        chosen = recording.workloads.iter().collect();
    }
    chosen.into_iter().map(|recorded| Workload::of_recording(recording, recorded)).collect()
}

/// Every series of every project of a store.
fn of_store(root: &Path, histories: &Path) -> Result<Vec<Workload>, CommandError> {
    let mut workloads = Vec::new();
    for slug in names_in(histories)? {
        let store = JsonlStore::open(root, &Project { name: slug.clone(), slug });
        for series in report_damage(store.series()?) {
            let history = report_damage(store.load(&series.query(usize::MAX))?);
            workloads.extend(Workload::of_series(&series, history));
        }
    }
    Ok(workloads)
}

/// The names of the directories in a directory, sorted.
fn names_in(directory: &Path) -> Result<Vec<String>, StoreError> {
    let problem = |error: std::io::Error| StoreError::Unreadable {
        path: directory.to_owned(),
        why: error.to_string(),
    };
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(problem)? {
        let entry = entry.map_err(problem)?;
        if entry.path().is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
