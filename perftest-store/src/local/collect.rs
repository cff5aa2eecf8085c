//! Older runs of a file become summaries, one for each commit.

use super::directory;
use super::lock::Lock;
use super::record::{ReadPlace, is_place_in, place_in};
use super::record_file_name::RecordFileName;
use super::record_files::RecordFiles;
use super::retention::{HistoryLine, KeptFor, Retention};
use crate::format::{Fields, LineError, decode_run, encode_summary};
use crate::regular_file::open_stored;
use crate::selection::take_valid_line;
use crate::{StoreError, Testbeds};
use perftest_core::list::IntoList;
use perftest_core::model::Run;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What was done with a file, or would be.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CollectedFile {
    /// The test of the file; empty without a run.
    pub benchmark: String,
    /// Its testbed.
    pub testbed: String,
    /// Runs before, each with all of its metrics and fresh processes.
    pub runs: usize,
    /// Runs all of whose lines became parts of summaries.
    pub summarised: usize,
    /// Summaries that were made.
    pub summaries: usize,
    /// Size before.
    pub bytes_before: u64,
    /// Size behind it.
    pub bytes_after: u64,
    /// How many runs stayed for which reason; each run for the first one.
    pub kept: BTreeMap<KeptFor, usize>,
    /// The given places in the file as it is now, behind the same records.
    pub places: Vec<ReadPlace>,
}

impl RecordFiles {
    /// Replaces older runs of a history by summaries: one line for each commit, with the number of runs and
    /// the deciles of their measurements. Leaves every other line as it is, in its order.
    ///
    /// A process that is killed leaves the old file or the new one.
    ///
    /// # Errors
    /// When the file cannot be read or written, or was written in another version of the format.
    pub fn collect(
        &self,
        name: &RecordFileName,
        retention: &Retention,
        places: &[ReadPlace],
    ) -> Result<CollectedFile, StoreError> {
        let path = self.path(name);
        let writing = |error| StoreError::writing(&path, error);
        let _lock = Lock::for_replacing(&path).map_err(writing)?;
        let (text, done) = self.shortened(&path, retention, places)?;
        if done.is_shorter() {
            directory::remove_unfinished(&path);
            directory::replace(&path, &text).map_err(writing)?;
        }
        Ok(done)
    }

    /// Returns what [`collect`](Self::collect) would do now, and changes nothing.
    ///
    /// # Errors
    /// When the file cannot be read, or was written in another version of the format.
    pub fn plan_collection(
        &self,
        name: &RecordFileName,
        retention: &Retention,
    ) -> Result<CollectedFile, StoreError> {
        let path = self.path(name);
        let _lock = Lock::for_reading(&path).map_err(|error| StoreError::reading(&path, error))?;
        self.shortened(&path, retention, &[]).map(|(_, done)| done)
    }

    /// Returns the new content of a file that is locked.
    fn shortened(
        &self,
        path: &Path,
        retention: &Retention,
        places: &[ReadPlace],
    ) -> Result<(Vec<u8>, CollectedFile), StoreError> {
        let reading = |error| StoreError::reading(path, error);
        let testbeds = self.testbeds()?;
        let mut content = Vec::new();
        let mut file = open_stored(path, File::options().read(true)).map_err(reading)?;
        file.read_to_end(&mut content).map_err(reading)?;
        let (text, mut done) = shortened(path, &content, retention, &testbeds, places)?;
        done.bytes_before = content.len() as u64;
        done.bytes_after = text.len() as u64;
        Ok((text, done))
    }
}

impl CollectedFile {
    /// Returns whether anything was done, or would be.
    pub fn is_shorter(&self) -> bool {
        self.bytes_after < self.bytes_before
    }

    /// Counts the runs of a file with these lines, of which some go.
    fn count_runs(&mut self, lines: &[HistoryLine], reasons: &[Option<KeptFor>], gone: &[bool]) {
        // Why a run stays, and whether it does.
        let mut runs: HashMap<&str, (Option<KeptFor>, bool)> = HashMap::new();
        for ((line, why), is_gone) in lines.iter().zip(reasons).zip(gone) {
            let Some(head) = line.run().filter(|head| !head.is_fresh_process) else { continue };
            let (first, stays) = runs.entry(&head.id).or_default();
            *first = [*first, *why].into_iter().flatten().min();
            *stays |= !is_gone;
        }
        self.runs = runs.len();
        self.summarised = runs.values().count_where(|(_, stays)| !stays);
        for why in runs.into_values().filter_map(|(why, _)| why) {
            *self.kept.entry(why).or_default() += 1;
        }
    }
}

/// Returns the new content of a file.
fn shortened(
    path: &Path,
    content: &[u8],
    retention: &Retention,
    testbeds: &Testbeds,
    places: &[ReadPlace],
) -> Result<(Vec<u8>, CollectedFile), StoreError> {
    let lines: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').collect();
    let damaged = |error| StoreError::of_line(path, error);
    let read: Result<Vec<HistoryLine>, LineError> =
        lines.iter().map(|line| HistoryLine::of(without_end(line))).collect();
    let heads = read.map_err(damaged)?;
    let mut reasons = retention.reasons(&heads, &|testbed| testbeds.retired_ms(testbed));
    let mut done = CollectedFile::default();
    let mut gone = came_back(&heads, &reasons);
    let mut groups: HashMap<&str, Vec<(usize, Run)>> = HashMap::new();
    // A corrected run may have more of its commit: its earlier line is in the summary of the later one.
    let group_of: HashMap<_, _> =
        heads.iter().filter_map(HistoryLine::run).map(|it| (it.identity(), &it.group)).collect();
    for (index, (head, why)) in heads.iter().zip(&reasons).enumerate() {
        let Some(head) = head.run() else { continue };
        if (why.is_some() || gone[index]) && !done.benchmark.is_empty() {
            continue;
        }
        let run = Fields::parse(without_end(lines[index])).and_then(|fields| decode_run(&fields));
        let Ok(run) = run else { continue };
        (done.benchmark, done.testbed) = (run.benchmark.to_string(), run.testbed.clone());
        // A run without a measurement is no point of a history.
        if why.is_none() && !gone[index] && !run.measurements.is_empty() {
            let group = group_of[&head.identity()];
            groups.entry(group).or_default().push((index, run));
        }
    }
    // The line behind which each summary is.
    let mut summaries = HashMap::new();
    for group in groups.into_values() {
        let indices: Vec<usize> = group.iter().map(|(index, _)| *index).collect();
        let summary = encode_summary(&without_copies(group));
        let (Some(&newest), Some(Ok(line))) = (indices.last(), summary) else { continue };
        if line.len() >= indices.iter().map(|index| lines[*index].len()).sum() {
            indices.iter().for_each(|index| reasons[*index] = Some(KeptFor::Short));
            continue;
        }
        indices.iter().for_each(|index| gone[*index] = true);
        done.summaries += 1;
        summaries.insert(newest, line);
    }
    done.count_runs(&heads, &reasons, &gone);
    let mut text = Vec::new();
    // The end of each line, and of what is left of the lines up to it.
    let (mut end, mut ends) = (0, vec![(0, 0)]);
    for (index, line) in lines.iter().enumerate() {
        if !gone[index] {
            text.extend_from_slice(line);
        }
        if let Some(summary) = summaries.get(&index) {
            text.extend_from_slice(summary.as_bytes());
        }
        end += line.len() as u64;
        ends.push((end, text.len() as u64));
    }
    let moved = |place: &ReadPlace| {
        if !is_place_in(content, place) {
            return ReadPlace::default();
        }
        let behind = ends.iter().rfind(|(before, _)| *before <= place.end);
        place_in(&text, behind.map_or(0, |(_, after)| *after))
    };
    done.places = places.iter().map(moved).collect();
    Ok((text, done))
}

/// Returns the runs, of one that was appended twice the form that readers take.
fn without_copies(group: Vec<(usize, Run)>) -> Vec<Run> {
    let (mut runs, mut seen) = (Vec::new(), HashSet::new());
    group.into_iter().rev().for_each(|(_, run)| take_valid_line(run, &mut runs, &mut seen));
    runs.reverse();
    runs
}

/// Returns for each line whether it is a run that needs not stay and is in a summary of the file: it came back from
/// another store.
fn came_back(lines: &[HistoryLine], reasons: &[Option<KeptFor>]) -> Vec<bool> {
    let summaries = lines.iter().filter_map(HistoryLine::summary);
    let known: HashSet<(&str, &str)> = summaries
        .flat_map(|it| it.ids.iter().map(|id| (it.series.as_str(), id.as_str())))
        .collect();
    let is_known = |(line, why): (&HistoryLine, &Option<KeptFor>)| {
        why.is_none()
            && line.run().is_some_and(|run| known.contains(&(run.series.as_str(), run.id.as_str())))
    };
    lines.iter().zip(reasons).map(is_known).collect()
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}
