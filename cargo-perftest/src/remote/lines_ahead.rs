//! Lines of a remote, of which many are asked for together.

use super::{Remote, RemoteError};
use perftest_store::{LinePage, LineSource, LinesWanted, RecordFileName, StoreError};
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most lines that are asked for together: a few megabytes.
const MOST_LINES: usize = 20_000;
/// Lines that are expected of a file of which all are wanted.
const MOST_EXPECTED: usize = 1_000;
/// Most files that are asked for together.
const MOST_FILES: usize = 500;

/// A remote that answers what was announced in few, large parts: each question takes the time of a network.
pub(super) struct LinesAhead {
    state: Mutex<State>,
}

struct State {
    remote: Box<dyn Remote>,
    announced: VecDeque<LinesWanted>,
    /// Answers that were not asked for yet.
    ready: VecDeque<(LinesWanted, Result<LinePage, RemoteError>)>,
}

impl LinesAhead {
    pub(super) fn of(remote: Box<dyn Remote>) -> Self {
        let (announced, ready) = (VecDeque::new(), VecDeque::new());
        Self { state: Mutex::new(State { remote, announced, ready }) }
    }

    /// Answers are added whole, so a panic elsewhere leaves them consistent.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LineSource for LinesAhead {
    fn files(&self) -> Result<BTreeSet<RecordFileName>, StoreError> {
        let files = self.state().remote.files().map_err(gone)?;
        Ok(files.into_iter().map(|file| file.name).collect())
    }

    fn announce(&self, wanted: Vec<LinesWanted>) {
        let mut state = self.state();
        state.announced = wanted.into();
        state.ready.clear();
    }

    fn lines(&self, wanted: &LinesWanted) -> Result<LinePage, StoreError> {
        let mut state = self.state();
        if !state.ready.iter().any(|(ready, _)| ready == wanted) {
            state.ask(wanted)?;
        }
        let place = state.ready.iter().position(|(ready, _)| ready == wanted);
        let page = place.and_then(|place| state.ready.remove(place));
        page.map_or_else(|| Ok(LinePage::default()), |(_, page)| page.map_err(of_one_file))
    }
}

impl State {
    /// Asks for these lines and for those that are wanted soon.
    fn ask(&mut self, wanted: &LinesWanted) -> Result<(), StoreError> {
        let part = match self.announced.iter().position(|it| it == wanted) {
            None => vec![wanted.clone()],
            Some(place) => {
                let files = self.announced.iter().enumerate().take(MOST_FILES.max(place + 1));
                let mut lines = 0;
                let fits = files.take_while(|(index, it)| {
                    lines += it.count.min(MOST_EXPECTED);
                    *index <= place || lines <= MOST_LINES
                });
                let count = fits.count();
                self.announced.drain(..count).collect()
            }
        };
        let pages = self.remote.lines(&part).map_err(gone)?;
        self.ready.extend(part.into_iter().zip(pages));
        Ok(())
    }
}

fn gone(error: RemoteError) -> StoreError {
    StoreError::Remote { why: error.to_string() }
}

fn of_one_file(error: RemoteError) -> StoreError {
    StoreError::RemoteHistory { why: error.to_string() }
}
