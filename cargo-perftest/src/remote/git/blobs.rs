//! Contents of objects that were asked for. Commands ask for the same histories several times, and git unpacks slowly.

use super::branch::HistoryBranch;
use super::file_list::BranchFile;
use super::nameless_file::{nameless_file, unusable};
use crate::remote::RemoteError;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// Most bytes that stay, on the disk: behind them everything is asked for again.
const MOST_BYTES: u64 = 2 << 30;
/// A larger file is no history.
const MOST_BYTES_OF_FILE: u64 = 1 << 30;

/// Contents of objects, as long as the remote is open.
#[derive(Debug, Default)]
pub(super) struct Blobs {
    /// What git answered.
    answers: Vec<File>,
    /// The place of each object in an answer.
    places: HashMap<String, BlobPlace>,
    bytes: u64,
}

#[derive(Debug, Clone, Copy)]
struct BlobPlace {
    answer: usize,
    start: u64,
    bytes: u64,
}

impl Blobs {
    /// Asks git for the contents of these files that are not there, in one question.
    ///
    /// # Errors
    /// When git fails, or there is no room for the contents.
    pub(super) fn bring<'a>(
        &mut self,
        files: impl Iterator<Item = &'a BranchFile> + Clone,
        branch: &HistoryBranch,
    ) -> Result<(), RemoteError> {
        if self.bytes > MOST_BYTES {
            *self = Self::default();
        }
        let mut missing: Vec<&str> = Vec::new();
        for file in files {
            if file.bytes <= MOST_BYTES_OF_FILE && !self.places.contains_key(&file.blob) {
                self.bytes += file.bytes;
                missing.push(&file.blob);
            }
        }
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return Ok(());
        }
        let answer = nameless_file()?;
        branch.contents(&missing, answer.try_clone().map_err(unusable)?)?;
        let places = places_in(&answer, &missing).map_err(unusable)?;
        let number = self.answers.len();
        let of_answer = |(start, bytes)| BlobPlace { answer: number, start, bytes };
        let blobs = missing.into_iter().map(str::to_owned);
        self.places.extend(blobs.zip(places.into_iter().map(of_answer)));
        self.answers.push(answer);
        Ok(())
    }

    /// Returns the content of a file that was [brought](Self::bring).
    pub(super) fn content(&self, file: &BranchFile) -> Result<Vec<u8>, RemoteError> {
        let Some(place) = self.places.get(&file.blob) else {
            return Err(RemoteError::new(format!(
                "a history has more than {} MiB",
                MOST_BYTES_OF_FILE >> 20
            )));
        };
        let mut content = Vec::new();
        let mut answer = &self.answers[place.answer];
        answer.seek(SeekFrom::Start(place.start)).map_err(unusable)?;
        answer.take(place.bytes).read_to_end(&mut content).map_err(unusable)?;
        Ok(content)
    }
}

/// Returns start and size of these objects in the answer of `git cat-file --batch`.
fn places_in(mut answer: impl Read + Seek, blobs: &[&str]) -> io::Result<Vec<(u64, u64)>> {
    let other = || io::Error::other("git answered another question");
    answer.rewind()?;
    let mut answer = BufReader::new(answer);
    let (mut places, mut at, mut head) = (Vec::new(), 0, String::new());
    for blob in blobs {
        head.clear();
        at += answer.read_line(&mut head)? as u64;
        let size = head.strip_prefix(blob).and_then(|it| it.strip_prefix(" blob "));
        let bytes: u64 = size.and_then(|it| it.trim_end().parse().ok()).ok_or_else(other)?;
        places.push((at, bytes));
        answer.seek_relative(i64::try_from(bytes).map_err(|_| other())?)?;
        let mut end = [0];
        answer.read_exact(&mut end)?;
        if end != *b"\n" {
            return Err(other());
        }
        at += bytes + 1;
    }
    if answer.fill_buf()?.is_empty() { Ok(places) } else { Err(other()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn places(answer: &[u8], blobs: &[&str]) -> Option<Vec<(u64, u64)>> {
        places_in(Cursor::new(answer), blobs).ok()
    }

    #[test]
    fn the_objects_of_an_answer_are_found_by_their_sizes() {
        let answer = b"aa blob 4\nx\ny\n\nbb blob 0\n\ncc blob 1\n\xff\n";
        let expected = Some(vec![(10, 4), (25, 0), (36, 1)]);
        assert_eq!(places(answer, &["aa", "bb", "cc"]), expected);
        for (answer, blobs) in [
            (&b"aa blob 5\nx\ny\n\n"[..], &["aa"][..]),
            (b"aa missing\n", &["aa"]),
            (b"aa blob 1\nx\n", &["aa", "bb"]),
            (b"aa blob 1\nxy\n", &["aa"]),
            (b"aa blob 1\nx\nbb blob 0\n\n", &["aa"]),
        ] {
            assert_eq!(places(answer, blobs), None);
        }
    }
}
