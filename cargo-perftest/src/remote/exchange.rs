//! A store and a remote that exchange records.

use super::exchange_result::ExchangeResult;
use super::pull::PullScope;
use super::{Remote, RemoteAddress, SyncState, open, pull, push};
use crate::args::{ExchangeOptions, OutputFormat};
use crate::exit::{CommandError, Result};
use crate::history_directory::{HistoryDirectory, here};
use crate::report::{counted, print_damage, report_errors, write_json_line};
use perftest_store::{Project, RecordFiles};
use serde_json::json;
use std::io::Write;

/// A store of a project, and a remote.
pub(crate) struct Exchange {
    address: RemoteAddress,
    project: Project,
    local: RecordFiles,
    remote: Box<dyn Remote>,
    state: SyncState,
    is_dry_run: bool,
}

impl Exchange {
    /// # Errors
    /// When there is no such remote, or nothing may be written to the store.
    pub(crate) fn open(
        options: &ExchangeOptions,
        place: &HistoryDirectory,
        project: &Project,
    ) -> Result<Self> {
        Self::with_state("", options, place, project)
    }

    /// Opens a remote whose runs are only shown. What was received so counts as not received otherwise.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub(crate) fn for_display(
        options: &ExchangeOptions,
        place: &HistoryDirectory,
        project: &Project,
    ) -> Result<Self> {
        Self::with_state("show-only ", options, place, project)
    }

    /// Opens a remote. `use_of_runs` begins the name of the state, unless received runs are compared with.
    fn with_state(
        use_of_runs: &str,
        options: &ExchangeOptions,
        place: &HistoryDirectory,
        project: &Project,
    ) -> Result<Self> {
        let address = options.remote.read()?;
        if !options.dry_run {
            place.refuse_read_only()?;
        }
        let root = &place.root;
        let remote = open(&address, project, &here()?)?;
        let identity = format!("{use_of_runs}{}", address.identity());
        let mut state = SyncState::load(root, project, &identity);
        state.forget_unless_at(remote.set_address());
        if options.again {
            state.begin_again();
        }
        Ok(Self {
            local: RecordFiles::open(root, project),
            remote,
            address,
            project: project.clone(),
            state,
            is_dry_run: options.dry_run,
        })
    }

    /// Sends what the remote was not sent before.
    ///
    /// # Errors
    /// When the store or the remote cannot be used. What was not sent stays in the store.
    pub(crate) fn push(&mut self) -> Result<ExchangeResult> {
        let pushed =
            push::push(&self.local, self.remote.as_mut(), &mut self.state, self.is_dry_run);
        let mut pushed = pushed.map_err(|error| match error {
            CommandError::Remote(text) => CommandError::Remote(format!(
                "{text}\nno run is lost: what was not sent stays in this store, and the next push sends it"
            )),
            error => error,
        })?;
        let words = ["nothing new to send to", "sent to", "there"];
        pushed.words = self.in_words(&pushed, words, &self.identity(None));
        pushed.event = "push";
        Ok(pushed)
    }

    /// Adds to the store what was not received before.
    ///
    /// # Errors
    /// When the store or the remote cannot be used. What was received before is kept.
    pub(crate) fn pull(&mut self, scope: &PullScope) -> Result<ExchangeResult> {
        let (local, remote, state) = (&self.local, self.remote.as_mut(), &mut self.state);
        let (mut pulled, offer) = pull::pull(local, remote, state, scope, self.is_dry_run)?;
        let address = &self.address;
        let of = self.identity(scope.testbed.as_deref());
        let words = ["nothing new in", "received from", "here"];
        let mut lines = vec![self.in_words(&pulled, words, &of)];
        if scope.is_show_only {
            lines.push(show_only_words(pulled.left_out));
        }
        let note = offer.note(scope, &self.project, || self.remote.other_projects());
        pulled.note = note.map(|note| format!("{address} {note} ({of})"));
        // The first job of a CI system pulls before anything was pushed.
        if let Some(missing) = self.remote.missing_place() {
            pulled.note = Some(format!("{address} has no history of this project yet: {missing}"));
        }
        if let Some(note) = &pulled.note {
            // Decisions and rules are of no single test.
            if pulled.added + pulled.known == 0 {
                lines.clear();
            }
            lines.push(note.clone());
        }
        if pulled.left_out > 0 && !scope.is_show_only {
            lines.push(format!(
                "{} left out: `accept --local` is for the machine where it is given",
                counted(pulled.left_out, "acceptance")
            ));
        }
        pulled.words = lines.join("\n");
        pulled.is_show_only = scope.is_show_only;
        pulled.event = "pull";
        Ok(pulled)
    }

    /// The result of one direction, with its words for nothing, for what was done and for where known records were.
    fn in_words(&self, done: &ExchangeResult, words: [&str; 3], of: &str) -> String {
        let [nothing, exchanged, place] = words;
        let (records, files) = (counted(done.added, "record"), counted(done.files, "file"));
        let address = &self.address;
        match (done.added + done.known, self.is_dry_run) {
            (0, _) if done.failed.is_empty() => format!("{nothing} {address} ({of})"),
            (_, true) => format!("{records} of {files} would be {exchanged} {address} ({of})"),
            (_, false) => format!(
                "{records} of {files} {exchanged} {address}, {} were {place} ({of})",
                done.known
            ),
        }
    }

    /// Describes whose records are exchanged: a remote may have many projects, and testbeds of many machines.
    fn identity(&self, testbed: Option<&str>) -> String {
        let testbed = testbed.map_or("all testbeds".to_owned(), |it| format!("testbed {it}"));
        format!("project {}, {testbed}", self.project.slug)
    }

    /// Prints what one direction did.
    ///
    /// # Errors
    /// The last of the files that could not be read or written; the others are printed.
    pub(crate) fn report(
        &self,
        mut done: ExchangeResult,
        format: OutputFormat,
        out: &mut dyn Write,
    ) -> Result<()> {
        print_damage(&done.damaged);
        match format {
            OutputFormat::Json => {
                let mut answer = json!({
                    "event": done.event,
                    "v": 1,
                    "remote": self.address.to_string(),
                    "dry_run": self.is_dry_run,
                    "files": done.files,
                    "added": done.added,
                    "known": done.known,
                    "damaged": done.damaged.len(),
                    "failed": done.failed.len(),
                });
                if let Some(note) = done.note {
                    answer["note"] = note.into();
                }
                if done.is_show_only {
                    answer["show_only"] = true.into();
                }
                if done.is_show_only || done.left_out > 0 {
                    answer["left_out"] = done.left_out.into();
                }
                write_json_line(out, &answer)?;
            }
            OutputFormat::Table => {
                writeln!(out, "{}", done.words)?;
                if !done.damaged.is_empty() {
                    let lines = counted(done.damaged.len(), "damaged line");
                    writeln!(out, "{lines} left out; each is named above")?;
                }
            }
        }
        // A place that cannot be written fails for each file.
        done.failed.dedup_by_key(|error| error.to_string());
        report_errors(done.failed)
    }
}

/// Describes runs that were added for display, and the number of other records.
pub(crate) fn show_only_words(left_out: usize) -> String {
    let others = match left_out {
        0 => String::new(),
        count => format!("; {} left out: only runs are shown", counted(count, "other record")),
    };
    format!("they are under testbeds `show-only/..`, and no run is compared with them{others}")
}
