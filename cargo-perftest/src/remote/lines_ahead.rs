//! Lines of a remote, of which many are asked for together.

use super::{Remote, RemoteError};
use perftest_store::{Detail, LinePage, LineSource, LinesWanted, RecordFileName, StoreError};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most lines that are asked for together: a few megabytes.
const MOST_LINES: usize = 20_000;
/// Lines that are expected of a file of which all are wanted.
const MOST_EXPECTED: usize = 1_000;
/// Summaries of runs that are about as long as a whole run.
const SUMMARIES_IN_A_LINE: usize = 4;
/// Most files that are asked for together.
const MOST_FILES: usize = 500;

/// A remote that answers what was announced in few, large parts: each question takes the time of a network.
pub(crate) struct LinesAhead {
    state: Mutex<Announcements>,
}

struct Announcements {
    remote: Box<dyn Remote>,
    /// Of each file a number that its lines do not exceed.
    sizes: HashMap<RecordFileName, u64>,
    announced: VecDeque<LinesWanted>,
    /// Answers that were not asked for yet.
    ready: VecDeque<(LinesWanted, Result<LinePage, RemoteError>)>,
}

impl LinesAhead {
    pub(super) fn of(remote: Box<dyn Remote>) -> Self {
        let (sizes, announced, ready) = Default::default();
        Self { state: Mutex::new(Announcements { remote, sizes, announced, ready }) }
    }

    /// Answers are added whole, so a panic elsewhere leaves them consistent.
    fn state(&self) -> MutexGuard<'_, Announcements> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LineSource for LinesAhead {
    fn files(&self) -> Result<BTreeSet<RecordFileName>, StoreError> {
        let mut state = self.state();
        let files = state.remote.files().map_err(gone)?;
        if let Some(why) = state.remote.missing_place() {
            return Err(StoreError::Remote { why });
        }
        state.sizes = files.into_iter().map(|file| (file.name, file.bytes)).collect();
        Ok(state.sizes.keys().cloned().collect())
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

impl Announcements {
    /// About as many whole lines as the answer is long.
    fn expected_lines(&self, wanted: &LinesWanted) -> usize {
        let size = self.sizes.get(&wanted.file).copied().unwrap_or(u64::MAX);
        let lines =
            wanted.count.min(MOST_EXPECTED).min(usize::try_from(size).unwrap_or(usize::MAX));
        match wanted.detail {
            Detail::Whole => lines,
            Detail::Center => lines.div_ceil(SUMMARIES_IN_A_LINE),
        }
    }

    /// Asks for these lines and for those that are wanted soon.
    fn ask(&mut self, wanted: &LinesWanted) -> Result<(), StoreError> {
        let part = match self.announced.iter().position(|it| it == wanted) {
            None => vec![wanted.clone()],
            Some(place) => {
                let files = self.announced.iter().enumerate().take(MOST_FILES.max(place + 1));
                let mut lines = 0;
                let fits = files.take_while(|(index, it)| {
                    lines += self.expected_lines(it);
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

#[cfg(test)]
mod tests {
    use super::super::{Batch, ReadRequest};
    use super::*;
    use crate::remote::EachFile;
    use perftest_store::{AddedRecords, NewRecords, RecordFile, WhichLines};
    use std::sync::Arc;

    /// A remote that counts how many files each question is about. Each of its files has 250 lines.
    struct CountingRemote(Arc<Mutex<Vec<usize>>>);

    impl Remote for CountingRemote {
        fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
            let file = |number| RecordFile { name: wanted(number, 0).file, bytes: 250 };
            Ok((0..1_000).map(file).collect())
        }

        fn read(&mut self, _: &[ReadRequest]) -> EachFile<NewRecords> {
            Ok(Vec::new())
        }

        fn lines(&mut self, wanted: &[LinesWanted]) -> EachFile<LinePage> {
            self.0.lock().unwrap().push(wanted.len());
            let page = |it: &LinesWanted| {
                let lines = vec![(it.count as u64, it.file.to_string())];
                Ok(LinePage { lines, ..LinePage::default() })
            };
            Ok(wanted.iter().map(page).collect())
        }

        fn add(&mut self, _: &[Batch]) -> EachFile<AddedRecords> {
            Ok(Vec::new())
        }
    }

    fn wanted(number: usize, count: usize) -> LinesWanted {
        LinesWanted {
            file: RecordFileName::parse(&format!("contexts/{number:016x}.json")).unwrap(),
            newest_first: true,
            which: WhichLines::All,
            detail: Detail::Whole,
            behind: None,
            count,
        }
    }

    /// Announces `announced`, asks for `asked`, and returns the sizes of the questions.
    fn sizes(announced: &[LinesWanted], asked: &[LinesWanted]) -> Vec<usize> {
        let sizes = Arc::default();
        let lines = LinesAhead::of(Box::new(CountingRemote(Arc::clone(&sizes))));
        lines.announce(announced.to_vec());
        for it in asked {
            let page = lines.lines(it).unwrap();
            assert_eq!(page.lines, [(it.count as u64, it.file.to_string())]);
        }
        let sizes = sizes.lock().unwrap();
        sizes.clone()
    }

    #[test]
    fn what_was_announced_is_asked_for_together_in_whatever_order_it_is_wanted() {
        let announced: Vec<LinesWanted> = (0..50).map(|number| wanted(number, 200)).collect();
        assert_eq!(sizes(&announced, &announced), [50]);
        let by_turns: Vec<LinesWanted> =
            announced.chunks(2).flat_map(|pair| pair.iter().rev().cloned()).collect();
        assert_eq!(sizes(&announced, &by_turns), [50]);
        assert_eq!(sizes(&announced, &announced[30..31]), [50]);
    }

    #[test]
    fn a_part_has_only_as_many_lines_as_fit_into_memory() {
        let announced: Vec<LinesWanted> = (0..50).map(|number| wanted(number, 1_000)).collect();
        assert_eq!(sizes(&announced, &announced), [20, 20, 10]);
        let long: Vec<LinesWanted> = (0..1_000).map(|number| wanted(number, 5)).collect();
        assert_eq!(sizes(&long, &long), [500, 500]);
    }

    #[test]
    fn a_part_has_more_files_where_they_are_known_to_be_short_or_medians_are_enough() {
        let all =
            |detail| (0..200).map(move |number| LinesWanted { detail, ..wanted(number, 1_000) });
        for (detail, expected) in [(Detail::Whole, vec![80, 80, 40]), (Detail::Center, vec![200])] {
            let sizes = Arc::default();
            let lines = LinesAhead::of(Box::new(CountingRemote(Arc::clone(&sizes))));
            assert_eq!(lines.files().unwrap().len(), 1_000);
            lines.announce(all(detail).collect());
            all(detail).for_each(|it| drop(lines.lines(&it).unwrap()));
            assert_eq!(*sizes.lock().unwrap(), expected);
        }
    }

    #[test]
    fn what_was_not_announced_is_asked_for_alone() {
        let other = [wanted(7, 1), wanted(8, 1)];
        assert_eq!(sizes(&[wanted(0, 200)], &other), [1, 1]);
    }
}
