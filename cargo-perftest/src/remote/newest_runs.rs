//! Receives the newest runs of histories, and their first ones.

use super::baseline_runs::{MergedCode, RunsBesideGap};
use super::{EachFile, Remote, RemoteError};
use perftest_core::model::BaselineRule;
use perftest_store::line::LineError;
use perftest_store::{
    Damage, Detail, LinePage, LinesWanted, NewRecords, Record, RecordFile, RecordFileName,
    Testbeds, WhichLines,
};
use std::collections::BTreeSet;

/// Of the first lines of a history: slow drift is measured from the first 10 runs that count for a baseline.
const FIRST_LINES: usize = 100;
/// Up to so many times as many of the newest runs are received where few of them count for a baseline.
const WIDEST: usize = 4;
/// Most lines that are received together, unless one file has more, or few of its newest runs count for a baseline.
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
    /// The runs between are needed, too: some of them are a baseline, or slow drift is measured from them.
    TooFew,
}

/// Reads the newest `runs` of each history, or more where a baseline needs them, and the first ones. `testbeds` says which
/// runs are retired, and `merged` which ones the checkout is compared with.
pub(super) fn read(
    remote: &mut dyn Remote,
    files: &[&RecordFile],
    runs: usize,
    testbeds: &Testbeds,
    merged: &MergedCode,
) -> EachFile<NewestRuns> {
    let runs = runs.max(BaselineRule::WINDOW);
    let mut found: Vec<Result<FoundRuns, RemoteError>> =
        files.iter().map(|_| Ok(FoundRuns { wanted: runs, ..FoundRuns::default() })).collect();
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
            let more =
                found[index].as_mut().ok().and_then(|found| found.missing(runs, testbeds, merged));
            if let (Some(_), Some(count)) = (last, more) {
                if wanted.behind.is_some_and(|before| last >= Some(before)) {
                    let why = format!("the remote repeats lines of {}", wanted.file);
                    found[index] = Err(RemoteError::new(why));
                    continue;
                }
                unfinished.push((index, LinesWanted { behind: last, count, ..wanted.clone() }));
            }
        }
    }
    let of_newest = |found: FoundRuns| found.of_newest(testbeds, merged);
    Ok(found.into_iter().map(|found| found.map(of_newest)).collect())
}

/// What was found of one history.
#[derive(Debug, Default)]
struct FoundRuns {
    /// The first records of the file.
    first: Vec<Record>,
    /// The other records, the last one of the file first. Lines of a database may share their numbers.
    newest: Vec<Record>,
    /// The number of the last one of the first lines, once these are read.
    first_end: Option<u64>,
    /// Whether no line is between the first and the newest ones.
    is_whole: bool,
    /// The number of newest runs to receive.
    wanted: usize,
    damaged: Vec<Damage>,
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
        self.first = std::mem::take(&mut self.newest);
        self.first_end = end;
    }

    /// Returns the number of runs that are newer than all runs before them in the file. Runs of a machine that was slow to
    /// send them are behind newer ones, and do not count.
    fn in_order(&self) -> usize {
        let (mut newest, mut count) = ("", 0);
        // An id begins with the time. A run has a record for each metric.
        for id in self.newest.iter().rev().map(Record::id) {
            if id > newest {
                (newest, count) = (id, count + 1);
            }
        }
        count
    }

    /// Returns the number of lines to ask for next. Where the newest runs have no whole window of a baseline, twice as
    /// many runs are wanted, up to [`WIDEST`] times `runs`: most histories then need no run between. Not where all runs are
    /// needed anyway, or where runs count so seldom that the widest part would have too few.
    fn missing(&mut self, runs: usize, testbeds: &Testbeds, merged: &MergedCode) -> Option<usize> {
        if self.is_whole {
            return None;
        }
        if self.in_order() < self.wanted {
            return Some(runs);
        }
        let received = RunsBesideGap::of(&self.first, &self.newest, testbeds, merged);
        let counted = received.fewest_counted();
        let counted_of_widest = counted * WIDEST * runs / self.wanted;
        let is_enough = counted >= BaselineRule::WINDOW;
        let is_hopeless = counted_of_widest < BaselineRule::WINDOW || !received.have_anchors();
        if is_enough || is_hopeless {
            return None;
        }
        self.wanted *= 2;
        Some(self.newest.len())
    }

    /// Returns the newest runs by their time, as many as are wanted, and the first ones.
    fn of_newest(mut self, testbeds: &Testbeds, merged: &MergedCode) -> NewestRuns {
        if !self.is_whole {
            self.keep_newest();
            let received = RunsBesideGap::of(&self.first, &self.newest, testbeds, merged);
            if received.fewest_counted() < BaselineRule::WINDOW || !received.have_anchors() {
                return NewestRuns::TooFew;
            }
        }
        let Self { first, newest, damaged, is_whole, .. } = self;
        let records = first.into_iter().chain(newest.into_iter().rev()).collect();
        let new = NewRecords { records, damaged, ..NewRecords::default() };
        if is_whole { NewestRuns::Whole(new) } else { NewestRuns::Cut(new) }
    }

    fn keep_newest(&mut self) {
        let ids: BTreeSet<&str> = self.newest.iter().map(Record::id).collect();
        let oldest = ids.into_iter().nth_back(self.wanted.saturating_sub(1)).map(str::to_owned);
        // What has no id has no time.
        self.newest.retain(|it| it.id().is_empty() || oldest.as_deref() <= Some(it.id()));
    }

    fn add(&mut self, file: &RecordFileName, page: LinePage) -> Result<(), RemoteError> {
        self.damaged.extend(page.damaged);
        self.is_whole |= page.is_last;
        for (number, line) in page.lines {
            let is_first = self.first_end.is_some_and(|end| number <= end);
            self.is_whole |= is_first;
            match Record::of_text(file, &line, None) {
                Ok(record) => {
                    self.newest.extend((!is_first).then_some(record));
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
    use perftest_core::model::Run;
    use perftest_store::conformance::example_run;
    use perftest_store::{AddedRecords, JsonlStore, Project, ReadPlace, RecordFiles, Store};

    /// A remote that has always more lines, and always the same two, which are of no run.
    struct RepeatingRemote;

    impl Remote for RepeatingRemote {
        fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
            Ok(Vec::new())
        }

        fn read(&mut self, _: &[ReadRequest]) -> EachFile<NewRecords> {
            Ok(Vec::new())
        }

        fn lines(&mut self, wanted: &[LinesWanted]) -> EachFile<LinePage> {
            let page = |wanted: &LinesWanted| {
                let number = if wanted.newest_first { 9 } else { 7 };
                let lines = vec![(number, "{\"kind\":\"novelty\",\"v\":1}".into())];
                Ok(LinePage { lines, damaged: Vec::new(), is_last: false })
            };
            Ok(wanted.iter().map(page).collect())
        }

        fn add(&mut self, _: &[Batch]) -> EachFile<AddedRecords> {
            Ok(Vec::new())
        }
    }

    /// A remote with one history: the lines of these runs, with their numbers in the order of the file.
    struct OneHistory {
        file: RecordFile,
        lines: Vec<(u64, Record)>,
        /// How often it was read.
        reads: usize,
    }

    impl OneHistory {
        fn of(runs: impl IntoIterator<Item = (u64, Run)>) -> Self {
            let root = tempfile::tempdir().unwrap();
            let project = Project::of_identity("example.org/team/codec");
            let store = JsonlStore::open(root.path(), &project);
            let (numbers, runs): (Vec<u64>, Vec<Run>) = runs.into_iter().unzip();
            runs.iter().for_each(|run| store.append(run).unwrap());
            let files = RecordFiles::open(root.path(), &project);
            let file = files.list().unwrap().remove(0);
            let records = files.read(&file.name, &ReadPlace::default()).unwrap().records;
            Self { file, lines: numbers.into_iter().zip(records).collect(), reads: 0 }
        }

        fn read(&mut self, runs: usize) -> NewestRuns {
            let file = self.file.clone();
            let read = read(self, &[&file], runs, &Testbeds::default(), &MergedCode::default());
            read.unwrap().remove(0).unwrap()
        }

        /// Receives the newest runs, and returns the ids of all that are received.
        fn newest(&mut self, runs: usize) -> Vec<String> {
            let new = match self.read(runs) {
                NewestRuns::Whole(new) | NewestRuns::Cut(new) => new,
                NewestRuns::TooFew => panic!("the runs between are needed"),
            };
            new.records.iter().map(|record| record.id().to_owned()).collect()
        }
    }

    impl Remote for OneHistory {
        fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
            Ok(vec![self.file.clone()])
        }

        fn read(&mut self, _: &[ReadRequest]) -> EachFile<NewRecords> {
            Ok(Vec::new())
        }

        /// A page never ends between two lines with the same number.
        fn lines(&mut self, wanted: &[LinesWanted]) -> EachFile<LinePage> {
            self.reads += 1;
            let page = |wanted: &LinesWanted| {
                let mut lines: Vec<(u64, String)> =
                    self.lines.iter().map(|(at, record)| (*at, record.text().to_owned())).collect();
                if wanted.newest_first {
                    lines.reverse();
                    lines.retain(|(at, _)| wanted.behind.is_none_or(|last| *at < last));
                }
                let count = lines.len();
                if let Some(last) = lines.get(wanted.count - 1).map(|(at, _)| *at) {
                    let is_behind =
                        |at: u64| if wanted.newest_first { at < last } else { at > last };
                    lines.retain(|(at, _)| !is_behind(*at));
                }
                Ok(LinePage { is_last: lines.len() == count, lines, damaged: Vec::new() })
            };
            Ok(wanted.iter().map(page).collect())
        }

        fn add(&mut self, _: &[Batch]) -> EachFile<AddedRecords> {
            Ok(Vec::new())
        }
    }

    fn ids(ordinals: impl IntoIterator<Item = u64>) -> Vec<String> {
        ordinals.into_iter().map(|it| example_run(it).id.as_str().to_owned()).collect()
    }

    #[test]
    fn records_that_share_a_number_are_all_received() {
        let runs = (0..300).map(|ordinal| (1 + ordinal / 2, example_run(ordinal)));
        let received = OneHistory::of(runs).newest(40);
        assert_eq!(received, ids((0..100).chain(260..300)));
    }

    #[test]
    fn runs_that_were_sent_late_hide_no_newer_ones() {
        let arrived = (0..100).chain(115..300).chain(100..115);
        let runs = (1..).zip(arrived.map(example_run));
        assert_eq!(OneHistory::of(runs).newest(40), ids((0..100).chain(260..300)));
    }

    #[test]
    fn among_runs_that_do_not_count_further_ones_are_received_until_a_baseline_is_whole() {
        let one_counts_of = |distance: u64| {
            let run = |it| Run { counts_for_baseline: it % distance == 0, ..example_run(it) };
            OneHistory::of((1..).zip((0..1_000).map(run)))
        };
        let newest = |count: u64| ids((0..100).chain(1_000 - count..1_000));
        assert_eq!(one_counts_of(1).newest(20), newest(30), "a baseline has so many");
        assert_eq!(one_counts_of(1).newest(40), newest(40));
        assert_eq!(one_counts_of(2).newest(40), newest(80));
        assert_eq!(one_counts_of(4).newest(40), newest(160));
        assert!(matches!(one_counts_of(10).read(40), NewestRuns::TooFew));
    }

    #[test]
    fn no_further_runs_are_read_where_the_whole_history_is_needed_anyway() {
        let reads = |run: &dyn Fn(u64) -> Run| {
            let mut history = OneHistory::of((1..).zip((0..1_000).map(run)));
            assert!(matches!(history.read(40), NewestRuns::TooFew));
            history.reads
        };
        let one_counts_of = |distance: u64, it: u64| Run {
            counts_for_baseline: it.is_multiple_of(distance),
            ..example_run(it)
        };
        let of_first_and_newest = 2;
        assert_eq!(reads(&|it| one_counts_of(10, it)), of_first_and_newest, "runs seldom count");
        let accepted =
            |it: u64| Run { acceptance: (it >= 500).then(|| "a1".into()), ..one_counts_of(2, it) };
        assert_eq!(reads(&accepted), of_first_and_newest, "drift is measured from runs between");
    }

    #[test]
    fn a_remote_that_repeats_its_lines_is_an_error_and_not_read_for_ever() {
        let name = RecordFileName::parse("events.jsonl").unwrap();
        let file = RecordFile { name, bytes: 7 };
        let read =
            read(&mut RepeatingRemote, &[&file], 200, &Testbeds::default(), &MergedCode::default());
        let refused = read.unwrap().remove(0).unwrap_err();
        assert_eq!(refused.to_string(), "the remote repeats lines of events.jsonl");
    }
}
