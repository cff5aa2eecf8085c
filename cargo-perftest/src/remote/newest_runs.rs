//! Receives the newest runs of histories, and their first ones.

use super::anchor_runs::have_anchors;
use super::{EachFile, Remote, RemoteError};
use perftest_store::line::LineError;
use perftest_store::{
    Damage, Detail, LinePage, LinesWanted, NewRecords, Record, RecordFile, RecordFileName,
    WhichLines,
};
use std::collections::{BTreeMap, HashSet};

/// Of the first lines of a history: slow drift is measured from the first 10 runs that count for a baseline.
const FIRST_LINES: usize = 100;
/// Most lines that are received together, unless one file has more.
const MOST_LINES: usize = 20_000;
/// Most files that are received together.
const MOST_FILES: usize = 500;

/// Divides files into parts of which so many runs fit into memory.
pub(super) fn parts<'a, 'b>(
    files: &'a [&'b RecordFile],
    runs: usize,
) -> impl Iterator<Item = &'a [&'b RecordFile]> {
    files.chunks((MOST_LINES / runs.max(1)).clamp(1, MOST_FILES))
}

/// The newest runs of a history, and its first ones.
#[derive(Debug)]
pub(super) enum NewestRuns {
    /// All runs.
    Whole(NewRecords),
    /// Runs between the first and the newest ones are missing.
    Cut(NewRecords),
    /// The runs between are needed, too: slow drift is measured from some of them.
    TooFew,
}

/// Reads the newest `runs` of each history, and the first ones.
pub(super) fn read(
    remote: &mut dyn Remote,
    files: &[&RecordFile],
    runs: usize,
) -> EachFile<NewestRuns> {
    let mut found: Vec<Result<FoundRuns, RemoteError>> =
        files.iter().map(|_| Ok(FoundRuns::default())).collect();
    let wanted = |file: &&RecordFile, newest_first, count| LinesWanted {
        file: file.name.clone(),
        newest_first,
        which: WhichLines::All,
        detail: Detail::Whole,
        behind: None,
        count,
    };
    let first: Vec<LinesWanted> =
        files.iter().map(|file| wanted(file, false, FIRST_LINES)).collect();
    for ((found, wanted), page) in found.iter_mut().zip(&first).zip(remote.lines(&first)?) {
        let end = page.as_ref().ok().and_then(last_number);
        add(found, &wanted.file, page);
        found.iter_mut().for_each(|found| found.end_first_lines(end));
    }
    let is_cut = |(index, _): &(usize, LinesWanted)| {
        found[*index].as_ref().is_ok_and(|found| !found.is_whole)
    };
    let newest = files.iter().map(|file| wanted(file, true, runs)).enumerate();
    let mut unfinished: Vec<(usize, LinesWanted)> = newest.filter(is_cut).collect();
    while !unfinished.is_empty() {
        let (indices, wanted): (Vec<usize>, Vec<LinesWanted>) = unfinished.into_iter().unzip();
        unfinished = Vec::new();
        for ((index, wanted), page) in indices.into_iter().zip(&wanted).zip(remote.lines(&wanted)?)
        {
            let last = page.as_ref().ok().filter(|page| !page.is_last);
            let last = last.and_then(last_number);
            add(&mut found[index], &wanted.file, page);
            let has_more = |found: &FoundRuns| found.ids.len() < runs;
            if last.is_some() && found[index].as_ref().is_ok_and(has_more) {
                if wanted.behind.is_some_and(|before| last >= Some(before)) {
                    let why = format!("the remote repeats lines of {}", wanted.file);
                    found[index] = Err(RemoteError::new(why));
                    continue;
                }
                unfinished.push((index, LinesWanted { behind: last, ..wanted.clone() }));
            }
        }
    }
    Ok(found.into_iter().map(|found| found.map(NewestRuns::from)).collect())
}

/// What was found of one history.
#[derive(Debug, Default)]
struct FoundRuns {
    /// By their numbers in the file.
    records: BTreeMap<u64, Record>,
    /// The runs among the newest records: a run has a record for each metric.
    ids: HashSet<String>,
    /// The number of the last one of the first lines, once these are read.
    first_end: Option<u64>,
    /// Whether no line is between the first and the newest ones.
    is_whole: bool,
    damaged: Vec<Damage>,
}

impl From<FoundRuns> for NewestRuns {
    fn from(found: FoundRuns) -> Self {
        if !found.is_whole && !found.have_anchors() {
            return Self::TooFew;
        }
        let FoundRuns { records, damaged, is_whole, .. } = found;
        let records = records.into_values().collect();
        let new = NewRecords { records, damaged, ..NewRecords::default() };
        if is_whole { Self::Whole(new) } else { Self::Cut(new) }
    }
}

fn last_number(page: &LinePage) -> Option<u64> {
    page.lines.last().map(|(number, _)| *number)
}

fn add(
    found: &mut Result<FoundRuns, RemoteError>,
    file: &RecordFileName,
    page: Result<LinePage, RemoteError>,
) {
    let Ok(runs) = found else { return };
    if let Err(error) = page.and_then(|page| runs.add(file, page)) {
        *found = Err(error);
    }
}

impl FoundRuns {
    /// The lines that follow are the newest ones.
    fn end_first_lines(&mut self, end: Option<u64>) {
        // They are no newest ones, unless they are read as such.
        self.ids.clear();
        self.first_end = end;
    }

    fn have_anchors(&self) -> bool {
        let end = self.first_end.unwrap_or(0);
        let first: Vec<&Record> = self.records.range(..=end).map(|(_, record)| record).collect();
        let newest = self.records.range(end.saturating_add(1)..).map(|(_, record)| record);
        have_anchors(&first, &newest.collect::<Vec<_>>())
    }

    fn add(&mut self, file: &RecordFileName, page: LinePage) -> Result<(), RemoteError> {
        self.damaged.extend(page.damaged);
        self.is_whole |= page.is_last;
        for (number, line) in page.lines {
            self.is_whole |= self.first_end.is_some_and(|end| number <= end);
            match Record::of_text(file, &line, None) {
                Ok(record) => {
                    self.ids.insert(record.id().to_owned());
                    self.records.insert(number, record);
                }
                Err(LineError::Damaged(why)) => {
                    self.damaged.push(Damage { file: file.as_str().into(), line: number, why });
                }
                Err(LineError::OtherVersion(version)) => {
                    return Err(RemoteError::new(format!(
                        "{file} in the remote was written by another version of perftest (format {version}); \
                         use that version, or another remote"
                    )));
                }
            }
        }
        self.damaged.sort_by_key(|damage| damage.line);
        self.damaged.dedup();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::{Batch, ReadRequest};
    use perftest_store::AddedRecords;

    /// A remote that has always more lines, and always the same one, which is of no run.
    struct RepeatingRemote;

    impl Remote for RepeatingRemote {
        fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
            Ok(Vec::new())
        }

        fn read(&mut self, _: &[ReadRequest]) -> EachFile<NewRecords> {
            Ok(Vec::new())
        }

        fn lines(&mut self, wanted: &[LinesWanted]) -> EachFile<LinePage> {
            let page = |_: &LinesWanted| {
                let lines = vec![(7, "{\"kind\":\"novelty\",\"v\":1}".into())];
                Ok(LinePage { lines, damaged: Vec::new(), is_last: false })
            };
            Ok(wanted.iter().map(page).collect())
        }

        fn add(&mut self, _: &[Batch]) -> EachFile<AddedRecords> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn a_remote_that_repeats_its_lines_is_an_error_and_not_read_for_ever() {
        let name = RecordFileName::parse("events.jsonl").unwrap();
        let file = RecordFile { name, bytes: 7 };
        let refused = read(&mut RepeatingRemote, &[&file], 200).unwrap().remove(0).unwrap_err();
        assert_eq!(refused.to_string(), "the remote repeats lines of events.jsonl");
    }
}
