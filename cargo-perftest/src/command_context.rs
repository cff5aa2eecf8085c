//! The context of every command.

use crate::args::SourceOptions;
use crate::exit::Result;
use crate::history_directory::{self, HistoryDirectory, here};
use crate::parallel::for_each_in_order;
use crate::read_failures::ReadFailures;
use crate::reading::gone_tests;
use crate::record_reader::RecordReader;
use crate::remote::{FarHistory, RemoteAddress, RemoteHistory, open_history};
use crate::report::{print_damage, print_progress, progress, report_damage, some_names};
use crate::series::{meant_test, refuse_unknown};
use crate::whole_runs::{first_look, load_whole_runs};
use jiff::Timestamp;
use perftest_core::model::History;
use perftest_core::words::quoted;
use perftest_process::{find_project, project_root};
use perftest_store::{AcceptanceFile, JsonlStore, Listing, PlannedRead, Project, Series, Store};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// The history of the project around the current directory, and the output.
pub(crate) struct CommandContext<'a> {
    pub(crate) project: Project,
    /// The name of the project on this machine, which has the profiles: until the next run it may be the one from before
    /// the repository had an origin, while a remote is asked by the other.
    pub(crate) local_project: Project,
    pub(crate) store: Arc<dyn Store>,
    /// The same, where it is asked for many histories at once.
    far: Option<Arc<FarHistory>>,
    /// The acceptances of this checkout.
    pub(crate) acceptance_file: AcceptanceFile,
    pub(crate) place: HistoryDirectory,
    /// The remote whose history is read instead of the store's.
    pub(crate) remote: Option<RemoteAddress>,
    /// Draw with ASCII characters only.
    pub(crate) ascii: bool,
    pub(crate) now: Timestamp,
    /// The histories that could not be read so far.
    pub(crate) read_failures: ReadFailures,
    pub(crate) out: &'a mut dyn Write,
}

impl<'a> CommandContext<'a> {
    /// The context of a command over the store.
    ///
    /// # Errors
    /// When there is no store.
    pub(crate) fn new(store: Option<PathBuf>, ascii: bool, out: &'a mut dyn Write) -> Result<Self> {
        Self::at(history_directory::find(store)?, ascii, out)
    }

    /// Returns the options that name the histories, each after a space, as one would type them.
    pub(crate) fn source_as_typed(&self) -> String {
        let remote =
            self.remote.as_ref().map(|remote| format!(" --remote {}", quoted(&remote.to_string())));
        let root = self.place.root.to_string_lossy();
        let named = self.place.is_named.then(|| format!(" --store {}", quoted(&root)));
        remote.or(named).unwrap_or_default()
    }

    fn at(place: HistoryDirectory, ascii: bool, out: &'a mut dyn Write) -> Result<Self> {
        let here = here()?;
        let project = place.project_of(&here);
        place.hint_at_other_history(&project, &here);
        Ok(Self {
            store: Arc::new(JsonlStore::open(&place.root, &project)),
            far: None,
            local_project: project.clone(),
            project,
            acceptance_file: AcceptanceFile::in_root(&project_root(&here)),
            place,
            remote: None,
            ascii,
            now: Timestamp::now(),
            read_failures: ReadFailures::default(),
            out,
        })
    }

    /// The context of a command that only reads: the store's history, or that of a remote.
    ///
    /// # Errors
    /// When there is no store, or the remote cannot be reached.
    pub(crate) fn reading(
        store: Option<PathBuf>,
        source: Option<&SourceOptions>,
        ascii: bool,
        out: &'a mut dyn Write,
    ) -> Result<Self> {
        let Some(address) = source.and_then(|source| source.remote.as_ref()) else {
            return Self::new(store, ascii, out);
        };
        let address = address.read()?;
        // Profiles are on the machine that took them, if it has a store at all.
        let root = history_directory::find(store).map_or_else(|_| PathBuf::new(), |it| it.root);
        let context =
            Self::at(HistoryDirectory { root, read_only: true, is_named: false }, ascii, out)?;
        let here = here()?;
        // Others push under the name that all clones share. The history here may still have the name from before the
        // repository had an origin.
        let project = find_project(&here);
        let RemoteHistory { store, far } = open_history(&address, &project, &here)?;
        Ok(Self { project, store, far, remote: Some(address), ..context })
    }

    /// Returns why nothing may be written beside the history, if that is so.
    pub(crate) fn why_read_only(&self) -> Option<&'static str> {
        match (&self.remote, self.place.read_only) {
            (Some(_), _) => Some("a remote is only read"),
            (None, true) => Some("PERFTEST_STORE is `read-only`"),
            (None, false) => None,
        }
    }

    /// Returns the histories of the named test, at least one unless its file cannot be read;
    /// without a name those of all tests that are not gone.
    ///
    /// # Errors
    /// As for [`series_of`](Self::series_of), and when a test is named and nothing is recorded.
    pub(crate) fn chosen(&self, test: Option<&str>) -> Result<Vec<Series>> {
        let found = self.series_of(test)?;
        match test {
            Some(test) if found.is_empty() && self.read_failures.is_empty() => {
                refuse_unknown(&found, test)
            }
            Some(_) => Ok(found),
            None => self.without_gone_tests(found),
        }
    }

    /// Leaves out the tests that are [gone](gone_tests) from this checkout, and names them. Those of a remote stay: many
    /// checkouts share it.
    fn without_gone_tests(&self, mut all: Vec<Series>) -> Result<Vec<Series>> {
        if self.remote.is_some() {
            return Ok(all);
        }
        // The metrics of a test on one testbed have the same runs.
        let mut files: Vec<&Series> = all.iter().collect();
        files.dedup_by(|a, b| (&a.benchmark, &a.testbed) == (&b.benchmark, &b.testbed));
        let mut newest_runs = Vec::new();
        // Who reads the history reports what cannot be read.
        let store = self.store.as_ref();
        let read = |series: &&Series| store.load(&series.query(1)).ok()?.value.runs.pop();
        for_each_in_order(&files, read, |_, run| {
            newest_runs.extend(run);
            Result::<()>::Ok(())
        })?;
        let gone = gone_tests(&newest_runs, &project_root(&here()?));
        if !gone.is_empty() {
            let names: Vec<&str> = gone.iter().map(|test| test.as_str()).collect();
            print_progress(&format_args!(
                "note: left out, as neither the newest session nor the sources here have them: {}; name a test to \
                 see it",
                some_names(&names)
            ));
            all.retain(|series| !gone.contains(&series.benchmark));
        }
        Ok(all)
    }

    /// Returns the histories of the named tests, each once; without names all histories.
    ///
    /// # Errors
    /// As for [`chosen`](Self::chosen).
    pub(crate) fn chosen_of(&self, tests: &[String]) -> Result<Vec<Series>> {
        if tests.is_empty() {
            return self.chosen(None);
        }
        let mut all = Vec::new();
        for test in tests {
            let mut found = self.chosen(Some(test))?;
            found.retain(|series| !all.contains(series));
            all.extend(found);
        }
        Ok(all)
    }

    /// Returns the histories of the named test, or of all; may be empty. Unreadable files of other
    /// tests are ignored.
    ///
    /// # Errors
    /// When the name matches no test or several ones. Reports an unreadable file, because it may
    /// contain the test.
    pub(crate) fn series_of(&self, test: Option<&str>) -> Result<Vec<Series>> {
        let Listing { series, mut unreadable } = self.store.list(None)?;
        let mut all = report_damage(series);
        if let Some(test) = test.filter(|_| !all.is_empty()) {
            if let Some(found) = meant_test(&all, test)? {
                all.retain(|series| series.benchmark == found);
                unreadable.clear();
                let formerly = all.iter().filter_map(|series| series.formerly.as_ref());
                for name in formerly.chain([&all[0].benchmark]) {
                    unreadable.extend(self.store.list(Some(name))?.unreadable);
                }
            } else if unreadable.is_empty() {
                return refuse_unknown(&all, test);
            } else {
                all.clear();
            }
        }
        unreadable.into_iter().for_each(|error| self.read_failures.add(error));
        Ok(all)
    }

    /// Announces reads that follow, about in this order: a history far away is asked for many of them at once.
    pub(crate) fn announce(&self, reads: impl IntoIterator<Item = PlannedRead>) {
        if let Some(far) = &self.far {
            far.announce(reads);
        }
    }

    /// Announces that the newest runs of these histories are read.
    pub(crate) fn announce_newest(&self, all: &[Series], limit: usize) {
        self.announce(all.iter().map(|series| PlannedRead::Runs(series.query(limit))));
    }

    /// Announces that [whole runs](RecordReader::whole_runs) of these histories are read.
    pub(crate) fn announce_whole_runs(&self, all: &[Series], limit: usize) {
        let look = |series: &Series| PlannedRead::Runs(first_look(series.query(limit)));
        self.announce(all.iter().map(look));
    }

    /// Does `work` for each history, on all processors, and shows the progress. Returns the results in the order
    /// of the histories; those that cannot be read have none.
    ///
    /// # Errors
    /// The first error of another kind.
    pub(crate) fn map_histories<R: Send>(
        &self,
        all: &[Series],
        work: impl Fn(&Series, &RecordReader<'_>) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let mut results = Vec::new();
        self.for_each_history(all, work, |result| {
            results.push(result);
            Ok(())
        })?;
        Ok(results)
    }

    /// Does `work` for each history as [`map_histories`](Self::map_histories) does, and passes each result to `take`.
    ///
    /// # Errors
    /// The first error of `take`, or of `work` where that is not a history that cannot be read.
    pub(crate) fn for_each_history<R: Send>(
        &self,
        all: &[Series],
        work: impl Fn(&Series, &RecordReader<'_>) -> Result<R> + Sync,
        mut take: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let store = self.store.as_ref();
        let read = |series: &Series| {
            let records = RecordReader::new(store);
            let result = work(series, &records);
            (result, records.into_damage())
        };
        let taken = for_each_in_order(all, read, |index, (result, damaged)| {
            progress(&format!("{} of {}: {}", index + 1, all.len(), all[index].benchmark));
            print_damage(&damaged);
            self.read_failures.or_added(result)?.map_or(Ok(()), &mut take)
        });
        progress("");
        taken
    }

    /// Returns the newest runs, oldest first, each with its fresh processes.
    pub(crate) fn history(&self, series: &Series, limit: usize) -> Result<History> {
        Ok(report_damage(load_whole_runs(self.store.as_ref(), series.query(limit))?))
    }

    /// Prints that no history can be judged: there is none, or runs are recorded to be shown alone. Prints nothing where
    /// a history could not be read: it may be the one.
    pub(crate) fn print_nothing_to_judge(&mut self, shown: &[Series]) -> io::Result<()> {
        if shown.is_empty() || !self.read_failures.is_empty() {
            return self.print_nothing_recorded();
        }
        writeln!(
            self.out,
            "the recorded runs are only shown, and no run is compared with them: run `cargo test --release`, then ask again"
        )
    }

    /// Prints that there is no history, and how to begin one. Prints nothing where one could not be read.
    pub(crate) fn print_nothing_recorded(&mut self) -> io::Result<()> {
        if !self.read_failures.is_empty() {
            return Ok(());
        }
        let project = &self.project.name;
        writeln!(
            self.out,
            "nothing is recorded for {project} yet: mark a function with #[perf_test], run \
             `cargo test --release`, then ask again"
        )?;
        if let Some(remote) = &self.remote {
            return writeln!(
                self.out,
                "looked in {remote}; `cargo perftest push {remote}` sends recorded runs"
            );
        }
        let root = &self.place.root;
        if !root.is_dir() {
            writeln!(self.out, "looked in {}, and there is no such directory", root.display())?;
        }
        Ok(())
    }

    pub(crate) fn now_ms(&self) -> u64 {
        u64::try_from(self.now.as_millisecond()).unwrap_or(0)
    }
}
