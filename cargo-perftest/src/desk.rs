//! What every command works with.

use crate::exit::Failure;
use crate::place::{Place, here};
use crate::report::tell;
use jiff::Timestamp;
use perftest_core::model::History;
use perftest_store::{AcceptanceFile, JsonlStore, Loaded, Project, Series, Store};
use std::io::{self, Write};

/// The history of the project around the current directory, and where the answer goes.
pub(crate) struct Desk<'a> {
    pub(crate) project: Project,
    pub(crate) store: JsonlStore,
    /// What is accepted in this checkout.
    pub(crate) acceptance_file: AcceptanceFile,
    pub(crate) place: Place,
    /// Draw with ASCII characters only.
    pub(crate) ascii: bool,
    pub(crate) now: Timestamp,
    pub(crate) out: &'a mut dyn Write,
}

impl<'a> Desk<'a> {
    pub(crate) fn new(place: Place, ascii: bool, out: &'a mut dyn Write) -> Result<Self, Failure> {
        let here = here()?;
        let project = Project::discover(&here);
        Ok(Self {
            store: JsonlStore::open(&place.root, &project),
            project,
            acceptance_file: AcceptanceFile::around(&here),
            place,
            ascii,
            now: Timestamp::now(),
            out,
        })
    }

    /// Everything there is a history of.
    pub(crate) fn series(&self) -> Result<Vec<Series>, Failure> {
        Ok(told_of_damage(self.store.series()?))
    }

    /// The newest runs, oldest first.
    pub(crate) fn history(&self, series: &Series, limit: usize) -> Result<History, Failure> {
        Ok(told_of_damage(self.store.load(&series.query(limit))?))
    }

    /// Says that there is no history, and how to begin one.
    pub(crate) fn tell_nothing_recorded(&mut self) -> io::Result<()> {
        let project = &self.project.name;
        writeln!(
            self.out,
            "nothing is recorded for {project} yet: mark a function with #[perf_test], run \
             `cargo test`, then ask again"
        )?;
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

/// Damage does not keep the tool from answering, and does not get into its answer.
pub(crate) fn told_of_damage<T>(loaded: Loaded<T>) -> T {
    loaded.damaged.iter().for_each(|damage| tell(&format_args!("warning: {damage}")));
    loaded.value
}
