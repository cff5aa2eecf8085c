//! Sends the new records of a store to a remote.

use super::exchange_result::ExchangeResult;
use super::same_place::files_of_same_place;
use super::{Batch, Remote, SyncState};
use crate::exit::Result;
use crate::report::progress;
use perftest_store::{ReadPlace, RecordFile, RecordFileName, RecordFiles};
use std::collections::{HashMap, HashSet};

/// Sends what the remote was not sent before. What is not sent stays in the store for the next time.
///
/// # Errors
/// When the store cannot be read, or the remote cannot be reached. What was sent before the error is not sent
/// again.
pub(super) fn push(
    local: &RecordFiles,
    remote: &mut dyn Remote,
    state: &mut SyncState,
    is_dry_run: bool,
) -> Result<ExchangeResult> {
    let files = files_of_same_place(remote, state)?;
    let sizes: HashMap<RecordFileName, u64> =
        files.into_iter().map(|file| (file.name, file.bytes)).collect();
    let mut push = Push {
        remote,
        state,
        is_dry_run,
        sizes,
        part: Part::default(),
        stopped: HashSet::new(),
        done: ExchangeResult::default(),
    };
    let files = local.list()?;
    for (index, file) in files.iter().enumerate() {
        progress(&format!("sending file {} of {}: {}", index + 1, files.len(), file.name));
        push.add_file(local, file)?;
    }
    push.send()?;
    progress("");
    Ok(push.done)
}

struct Push<'a> {
    remote: &'a mut dyn Remote,
    state: &'a mut SyncState,
    is_dry_run: bool,
    /// Sizes of the remote's files.
    sizes: HashMap<RecordFileName, u64>,
    part: Part,
    /// Files of which some records could not be sent: those behind them wait.
    stopped: HashSet<RecordFileName>,
    done: ExchangeResult,
}

/// What is sent together. Behind each part the state is saved.
#[derive(Default)]
struct Part {
    batches: Vec<Batch>,
    /// The place in this store behind each batch.
    places: Vec<ReadPlace>,
    records: usize,
    bytes: usize,
}

impl Push<'_> {
    /// Reads the new records of a file, and sends what has come together.
    fn add_file(&mut self, local: &RecordFiles, file: &RecordFile) -> Result<()> {
        let size = self.sizes.get(&file.name).copied().unwrap_or(0);
        let mut place = self.state.pushed(&file.name, size);
        let mut has_new = false;
        while place.end != file.bytes && !self.stopped.contains(&file.name) {
            let new = match local.read(&file.name, &place) {
                Ok(new) => new,
                Err(error) => {
                    self.done.failed.push(error.into());
                    break;
                }
            };
            self.done.damaged.extend(new.damaged);
            let mut records = new.records;
            // The runs of a summary were sent before, or are not for others any more.
            records.retain(|record| !record.stays_here());
            if new.place == place {
                break;
            }
            place = new.place;
            has_new |= !records.is_empty();
            self.part.records += records.len();
            self.part.bytes += records.iter().map(|record| record.text().len()).sum::<usize>();
            self.part.batches.push(Batch { name: file.name.clone(), records });
            self.part.places.push(place.clone());
            if self.part.bytes >= self.remote.most_bytes() {
                self.send()?;
            }
        }
        self.done.files += usize::from(has_new);
        Ok(())
    }

    fn send(&mut self) -> Result<()> {
        let Part { batches, places, records, .. } = std::mem::take(&mut self.part);
        if self.is_dry_run {
            self.done.added += records;
            return Ok(());
        }
        if batches.is_empty() {
            return Ok(());
        }
        for ((batch, place), added) in batches.iter().zip(places).zip(self.remote.add(&batches)?) {
            match added {
                // The next push sends this file from the record that failed.
                _ if self.stopped.contains(&batch.name) => {}
                Ok(added) => {
                    self.done.added += added.added;
                    self.done.known += added.known;
                    self.state.set_pushed(&batch.name, place, added.place.end);
                    // What was sent is not received: if all before it was received, it counts as received, too.
                    if self.state.pulled(&batch.name).end == added.begin {
                        self.state.set_pulled(&batch.name, added.place);
                    }
                }
                Err(error) => {
                    self.stopped.insert(batch.name.clone());
                    self.done.failed.push(error.into());
                }
            }
        }
        self.state.save()
    }
}
