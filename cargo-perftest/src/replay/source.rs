//! Reads recorded runs.

use super::workload::Workload;
use crate::exit::{CommandError, Result};
use crate::parallel::for_each_in_order;
use crate::report::report_damage;
use perftest_store::recording::{NoiseRecording, NoiseRecordings, RecordedWorkload};
use perftest_store::{JsonlStore, Listing, Series, Store};
use std::path::{Path, PathBuf};

/// The content of a file or directory.
#[derive(Debug, Default)]
pub(crate) struct ReplaySource {
    pub(crate) workloads: Vec<Workload>,
    /// Files that are no recordings.
    pub(crate) skipped: Vec<PathBuf>,
}

/// Reads a recording, a directory of recordings, or the directory of a store.
pub(crate) fn read(place: &Path) -> Result<ReplaySource> {
    if let Some(stores) = JsonlStore::all_below(place)? {
        return Ok(ReplaySource { workloads: of_stores(&stores)?, skipped: Vec::new() });
    }
    let NoiseRecordings { recordings, skipped } =
        NoiseRecordings::read(place).map_err(|error| {
            CommandError::Usage(format!(
                "{error}; give a recording, a directory of recordings, or the directory of a store"
            ))
        })?;
    Ok(ReplaySource { workloads: recordings.iter().flat_map(of_recording).collect(), skipped })
}

/// Returns the workloads of a file. If some have planted work, returns only the others.
fn of_recording(recording: &NoiseRecording) -> Vec<Workload> {
    let is_unchanged = |it: &&RecordedWorkload| it.planted_percent.is_none_or(|it| it == 100);
    let mut chosen: Vec<&RecordedWorkload> =
        recording.workloads.iter().filter(is_unchanged).collect();
    if chosen.is_empty() {
        chosen = recording.workloads.iter().collect();
    }
    chosen.into_iter().map(|recorded| Workload::of_recording(recording, recorded)).collect()
}

/// Returns every series of every project.
fn of_stores(stores: &[JsonlStore]) -> Result<Vec<Workload>> {
    let mut workloads = Vec::new();
    for store in stores {
        let all = report_damage(store.list(None).and_then(Listing::whole)?);
        let load = |series: &Series| store.load(&series.query(usize::MAX));
        for_each_in_order(&all, load, |index, loaded| {
            workloads.extend(Workload::of_series(&all[index], report_damage(loaded?)));
            Ok::<_, CommandError>(())
        })?;
    }
    Ok(workloads)
}
