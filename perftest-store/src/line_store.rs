//! A history whose lines come from another machine. It is only read.

use crate::keep_reading::KeepReading;
use crate::local::Layout;
use crate::local::read::LineCheck;
use crate::local::tail::FileLine;
use crate::project_files::ProjectFiles;
use crate::project_records::{ProjectLines, ProjectRecords, WantedRecords};
use crate::selection::ReadOrder;
use crate::{
    Damage, Decisions, Detail, Query, RecordFileName, Series, StoreError, Testbeds, WithDamage,
};
use perftest_core::model::{BenchmarkId, Metric};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Most lines that are wanted together.
const MOST_LINES: usize = 5_000;
/// Lines of the newest execution of most tests, with its fresh processes, and those behind it that may be between them.
/// Most tests have fewer metrics, too.
const FEW_LINES: usize = 8 + MOST_OTHERS;
/// Lines that machines sent to ClickHouse at once may have the same numbers, so that those of up to five machines follow
/// each other in any order.
const MOST_OTHERS: usize = 8;

/// The lines of the files of one project, on another machine.
pub trait LineSource: Send + Sync {
    /// Returns the names of the files.
    ///
    /// # Errors
    /// When the machine cannot be reached.
    fn files(&self) -> Result<BTreeSet<RecordFileName>, StoreError>;

    /// Announces lines that are wanted soon, about in this order.
    fn announce(&self, wanted: Vec<LinesWanted>);

    /// Returns lines of a file.
    ///
    /// # Errors
    /// [`StoreError::Remote`] when the machine cannot be reached, another one when only this file
    /// cannot be read.
    fn lines(&self, wanted: &LinesWanted) -> Result<LinePage, StoreError>;
}

/// Lines of one file that are wanted together. A source may return others as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinesWanted {
    /// The file.
    pub file: RecordFileName,
    /// Whether the last line of the file comes first.
    pub newest_first: bool,
    /// Which lines.
    pub which: WhichLines,
    /// How much of each run is needed: of a [`Detail::Center`] a [`RunSummary`](crate::RunSummary)
    /// is enough.
    pub detail: Detail,
    /// Only lines behind the line with this number, in the order of reading.
    pub behind: Option<u64>,
    /// About so many lines, of which the first are needed most.
    pub count: usize,
}

impl LinesWanted {
    /// Returns whether the line with this number is behind those that were read.
    fn is_behind(&self, number: u64) -> bool {
        self.behind.is_none_or(|last| if self.newest_first { number < last } else { number > last })
    }
}

/// Which lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhichLines {
    /// Every line.
    All,
    /// The runs of this metric.
    OfMetric(Metric),
    /// The newest run of each metric.
    NewestOfEachMetric,
}

/// Lines of a file, in the wanted order.
#[derive(Debug, Default)]
pub struct LinePage {
    /// Each with its number in the file.
    pub lines: Vec<(u64, String)>,
    /// Damaged lines that are not among them.
    pub damaged: Vec<Damage>,
    /// Whether there are no wanted lines behind them.
    pub is_last: bool,
}

/// A read of a [`LineStore`] that follows.
#[derive(Debug, Clone)]
pub enum PlannedRead {
    /// [`Store::load`](crate::Store::load) of this query.
    Runs(Query),
    /// [`Store::metrics`](crate::Store::metrics) of all runs of this history.
    Metrics(Series),
}

/// A history in the lines of a [`LineSource`]. Every change is refused.
pub struct LineStore<S> {
    lines: SourceLines<S>,
    /// Paths below the directory of the project.
    layout: Layout,
    /// What is decided, when the first run was read.
    decided: OnceLock<WithDamage<Decisions>>,
}

struct SourceLines<S> {
    source: S,
    /// The files when the first one was read.
    files: OnceLock<BTreeSet<RecordFileName>>,
}

impl<S: LineSource> LineStore<S> {
    /// Returns the history in these lines. Asks for nothing yet.
    pub fn new(source: S) -> Self {
        Self {
            lines: SourceLines { source, files: OnceLock::new() },
            layout: Layout::default(),
            decided: OnceLock::new(),
        }
    }

    /// Announces reads that follow, about in this order: the source answers many of them at once.
    pub fn announce(&self, reads: impl IntoIterator<Item = PlannedRead>) {
        // Who reads them gets the error.
        let testbeds = self.testbeds().unwrap_or_default();
        let mut wanted = Vec::new();
        for read in reads {
            match &read {
                PlannedRead::Runs(query) => {
                    let files =
                        self.files_of(&testbeds, &query.testbed, &query.benchmark, &query.formerly);
                    let runs = WantedRecords::Runs(query);
                    wanted.extend(files.map(|file| lines_wanted(file, runs)));
                }
                PlannedRead::Metrics(Series { benchmark, formerly, testbed, .. }) => {
                    let files = self.files_of(&testbeds, testbed, benchmark, formerly);
                    wanted.extend(files.map(|file| lines_wanted(file, WantedRecords::EachMetric)));
                }
            }
        }
        self.lines.source.announce(wanted);
    }

    /// Returns the files of a history that are there.
    fn files_of<'a>(
        &'a self,
        testbeds: &Testbeds,
        testbed: &str,
        benchmark: &'a BenchmarkId,
        formerly: &'a Option<BenchmarkId>,
    ) -> impl Iterator<Item = RecordFileName> + use<'a, S> {
        let members = testbeds.members_of(testbed).into_iter();
        members.flat_map(move |testbed| {
            let path = move |name: &BenchmarkId| self.layout.history(&testbed, name);
            let paths = [benchmark].into_iter().chain(formerly).map(path);
            paths.filter_map(|path| self.lines.file(&path).ok().flatten())
        })
    }

    /// Returns what is decided, which is read once.
    fn known_decisions(&self) -> Result<&WithDamage<Decisions>, StoreError> {
        known_or(&self.decided, || self.records().decisions())
    }
}

/// Returns what is known, or else what `find` returns, which is known from then on.
fn known_or<T>(
    known: &OnceLock<T>,
    find: impl FnOnce() -> Result<T, StoreError>,
) -> Result<&T, StoreError> {
    match known.get() {
        Some(value) => Ok(value),
        None => find().map(|found| known.get_or_init(|| found)),
    }
}

impl<S: LineSource> SourceLines<S> {
    /// Returns the name of a file that is there.
    fn file(&self, path: &Path) -> Result<Option<RecordFileName>, StoreError> {
        let files = self.files()?;
        Ok(RecordFileName::of_path(path).filter(|file| files.contains(file)))
    }

    fn files(&self) -> Result<&BTreeSet<RecordFileName>, StoreError> {
        known_or(&self.files, || self.source.files())
    }
}

impl<S: LineSource> ProjectLines for SourceLines<S> {
    fn most_others(&self) -> usize {
        MOST_OTHERS
    }

    fn announce(&self, files: &[PathBuf], wanted: WantedRecords<'_>) {
        let names = files.iter().filter_map(|path| RecordFileName::of_path(path));
        self.source.announce(names.map(|file| lines_wanted(file, wanted)).collect());
    }

    fn read(
        &self,
        path: &Path,
        wanted: WantedRecords<'_>,
        take: &mut dyn FnMut(&[u8]) -> KeepReading,
    ) -> Result<Vec<Damage>, StoreError> {
        let Some(file) = self.file(path)? else { return Ok(Vec::new()) };
        let mut wanted = lines_wanted(file, wanted);
        let (mut check, mut damaged) = (LineCheck::new(take), Vec::new());
        loop {
            let page = self.source.lines(&wanted)?;
            damaged.extend(page.damaged);
            let mut lines = page.lines.iter();
            let breaks_off = lines.any(|(number, line)| {
                let line = FileLine { offset: *number, bytes: line.as_bytes(), is_whole: true };
                check.show(line).is_break()
            });
            match page.lines.last() {
                Some((number, _)) if !page.is_last && !breaks_off => {
                    // Otherwise a remote that repeats its lines would be read for ever.
                    if !wanted.is_behind(*number) {
                        let why = format!("the remote repeats lines of {}", wanted.file);
                        return Err(StoreError::RemoteHistory { why });
                    }
                    (wanted.behind, wanted.count) = (Some(*number), MOST_LINES);
                }
                _ => break,
            }
        }
        damaged.extend(check.finish(path, &|numbers| Ok(numbers.to_vec()))?);
        damaged.sort_by_key(|damage| damage.line);
        Ok(damaged)
    }
}

/// Returns the lines to begin with.
fn lines_wanted(file: RecordFileName, wanted: WantedRecords<'_>) -> LinesWanted {
    let (which, detail, count) = match wanted {
        WantedRecords::Runs(query) => {
            // Behind the last wanted run is the line that shows that it has no other form.
            let count = query.limit.saturating_add(1);
            (WhichLines::OfMetric(query.metric.clone()), query.detail, count)
        }
        WantedRecords::NewestExecution => (WhichLines::All, Detail::Center, FEW_LINES),
        WantedRecords::EachMetric => (WhichLines::NewestOfEachMetric, Detail::Center, FEW_LINES),
        WantedRecords::OneRun => (WhichLines::All, Detail::Center, MOST_LINES),
        WantedRecords::All => (WhichLines::All, Detail::Whole, MOST_LINES),
    };
    let count = count.min(MOST_LINES);
    let newest_first = wanted.order() == ReadOrder::NewestFirst;
    LinesWanted { file, newest_first, which, detail, behind: None, count }
}

impl<S: LineSource> ProjectFiles for LineStore<S> {
    fn records(&self) -> ProjectRecords<'_> {
        ProjectRecords { lines: &self.lines, layout: &self.layout }
    }

    fn history_files(&self, benchmark: Option<&BenchmarkId>) -> Result<Vec<PathBuf>, StoreError> {
        let only = benchmark.map(|benchmark| self.layout.history("", benchmark));
        let is_of =
            |path: &PathBuf| only.as_ref().is_none_or(|only| path.file_name() == only.file_name());
        let files = self.lines.files()?.iter().filter(|file| file.is_history());
        let paths = files.map(|file| PathBuf::from(file.as_str()));
        Ok(paths.filter(is_of).collect())
    }

    fn decided(&self) -> Result<WithDamage<Decisions>, StoreError> {
        self.known_decisions().cloned()
    }

    fn testbeds(&self) -> Result<Arc<Testbeds>, StoreError> {
        Ok(Arc::clone(&self.known_decisions()?.value.testbeds))
    }

    fn text(&self, path: &Path) -> Result<Option<String>, StoreError> {
        let Some(file) = self.lines.file(path)? else { return Ok(None) };
        let page = self.lines.source.lines(&lines_wanted(file, WantedRecords::All))?;
        Ok(page.lines.into_iter().next().map(|(_, text)| text))
    }

    fn append_to(&self, _: &Path, _: &str) -> Result<(), StoreError> {
        Err(only_read())
    }

    fn write_once(&self, _: &Path, _: &str) -> Result<(), StoreError> {
        Err(only_read())
    }
}

fn only_read() -> StoreError {
    let why = "this history is on another machine and only read; `cargo perftest push` adds runs";
    StoreError::Invalid { why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::example_run::example_run;
    use crate::format::encode_run;
    use perftest_core::model::Run;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn history_of(query: &Query) -> RecordFileName {
        let path = Layout::default().history(&query.testbed, &query.benchmark);
        RecordFileName::of_path(&path).unwrap()
    }

    /// Files that all have the example run.
    struct EqualFiles(BTreeSet<RecordFileName>);

    impl LineSource for EqualFiles {
        fn files(&self) -> Result<BTreeSet<RecordFileName>, StoreError> {
            Ok(self.0.clone())
        }

        fn announce(&self, _: Vec<LinesWanted>) {}

        fn lines(&self, _: &LinesWanted) -> Result<LinePage, StoreError> {
            let line = encode_run(&example_run(0)).unwrap().trim_end().to_owned();
            Ok(LinePage { lines: vec![(1, line)], damaged: Vec::new(), is_last: true })
        }
    }

    #[test]
    fn a_copy_of_a_file_beside_it_is_no_second_history() {
        let name = history_of(&Query::like(&example_run(0)));
        let copy = name.as_str().replace(".jsonl", ".old.jsonl");
        let files = BTreeSet::from([name, RecordFileName::parse(&copy).unwrap()]);
        let listed = LineStore::new(EqualFiles(files)).list(None).unwrap();
        assert_eq!(listed.series.value.len(), 1, "{listed:?}");
    }

    /// A remote with a hundred imported runs, which returns as many as are wanted and counts the questions.
    struct CountedPages(RecordFileName, AtomicUsize);

    impl LineSource for CountedPages {
        fn files(&self) -> Result<BTreeSet<RecordFileName>, StoreError> {
            Ok(BTreeSet::from([self.0.clone()]))
        }

        fn announce(&self, _: Vec<LinesWanted>) {}

        fn lines(&self, wanted: &LinesWanted) -> Result<LinePage, StoreError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let line = |number| {
                let flags = vec![Run::IMPORTED.to_owned()];
                let run = Run { flags, ..example_run(number) };
                (number, encode_run(&run).unwrap().trim_end().to_owned())
            };
            let behind = wanted.behind.unwrap_or(100);
            let lines = (0..behind).rev().take(wanted.count).map(line).collect();
            Ok(LinePage { lines, damaged: Vec::new(), is_last: wanted.count as u64 >= behind })
        }
    }

    #[test]
    fn one_question_finds_so_many_imported_runs() {
        let query = Query { limit: 20, ..Query::like(&example_run(0)) };
        let source = CountedPages(history_of(&query), AtomicUsize::new(0));
        let store = LineStore::new(source);
        assert_eq!(store.load(&query).unwrap().value.runs.len(), 20);
        assert_eq!(store.lines.source.1.load(Ordering::Relaxed), 1);
    }

    /// A remote that has always more lines, and always the same ones.
    struct RepeatingLines(RecordFileName);

    impl LineSource for RepeatingLines {
        fn files(&self) -> Result<BTreeSet<RecordFileName>, StoreError> {
            Ok(BTreeSet::from([self.0.clone()]))
        }

        fn announce(&self, _: Vec<LinesWanted>) {}

        fn lines(&self, _: &LinesWanted) -> Result<LinePage, StoreError> {
            Ok(LinePage { lines: vec![(7, "{}".into())], damaged: Vec::new(), is_last: false })
        }
    }

    #[test]
    fn a_remote_that_repeats_its_lines_is_an_error_and_not_read_for_ever() {
        let query = Query::like(&example_run(0));
        let store = LineStore::new(RepeatingLines(history_of(&query)));
        let refused = store.load(&query).unwrap_err().to_string();
        assert!(refused.contains("the remote repeats lines of runs/"), "{refused}");
    }
}
