//! Acceptances and acknowledged alerts in a file of the repository.

use crate::format::{EventLine, Fields, LineError, check_version};
use crate::local::change_file;
use crate::regular_file::read_regular_text;
use crate::{Damage, StoreError, WithDamage};
use perftest_core::model::{Acceptance, Acknowledgement};
use perftest_core::text::Text;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file `perf-accept.jsonl` in the root of a project: one acceptance, or one acknowledged alert, a line.
///
/// It is part of the code: every checkout, also in CI, has the acceptances of its commit, and
/// reviewers see each change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptanceFile {
    path: PathBuf,
}

impl AcceptanceFile {
    /// The name of the file.
    pub const NAME: &'static str = "perf-accept.jsonl";

    /// Largest size of a file that people review.
    const MOST_BYTES: u64 = 64 << 20;

    /// Returns the file of the project with this root. Touches nothing.
    pub fn in_root(project_root: &Path) -> Self {
        Self { path: project_root.join(Self::NAME) }
    }

    /// The path, whether or not the file exists.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Loads every acceptance in file order, also expired ones. A missing file has no entries. An
    /// unreadable line is damage, and the other lines still count.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub fn load(&self) -> Result<WithDamage<Vec<Acceptance>>, StoreError> {
        Ok(self.acceptances_in(&self.text()?))
    }

    /// Reads every acceptance of such a file's text, as [`load`](Self::load) does.
    pub fn acceptances_in(&self, text: &str) -> WithDamage<Vec<Acceptance>> {
        let WithDamage { value, damaged } = self.events_in(text);
        WithDamage { value: EventLine::standing(&value), damaged }
    }

    /// Loads every acknowledged alert in file order, read like [`load`](Self::load).
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    #[inline]
    pub fn acknowledgements(&self) -> Result<WithDamage<Vec<Acknowledgement>>, StoreError> {
        let WithDamage { value, damaged } = self.events_in(&self.text()?);
        Ok(WithDamage { value: EventLine::standing_acknowledgements(&value), damaged })
    }

    fn events_in(&self, text: &str) -> WithDamage<Vec<EventLine>> {
        let (mut events, mut damaged) = (Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.each_line()) {
            match event(line) {
                Ok(event) => events.extend(event),
                Err(why) => {
                    damaged.push(Damage { file: self.path.clone(), line: number, why });
                }
            }
        }
        WithDamage { value: events, damaged }
    }

    /// Adds an acceptance at the end, and leaves the other lines unchanged.
    ///
    /// # Errors
    /// When the file cannot be read or written, or a number of the entry is not finite.
    #[inline]
    pub fn add(&self, acceptance: &Acceptance) -> Result<(), StoreError> {
        self.add_line(&EventLine::Accept(acceptance.clone()).encode_for_review()?)
    }

    /// Adds an acknowledged alert at the end, and leaves the other lines unchanged.
    ///
    /// # Errors
    /// As for [`add`](Self::add).
    #[inline]
    pub fn acknowledge(&self, acknowledgement: &Acknowledgement) -> Result<(), StoreError> {
        self.add_line(&EventLine::Acknowledge(acknowledgement.clone()).encode_for_review()?)
    }

    #[inline]
    fn add_line(&self, line: &str) -> Result<(), StoreError> {
        self.change(|text| {
            let line_feed = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            Some(format!("{text}{line_feed}{line}"))
        })
    }

    /// Replaces the entry with this id by a line that revokes it, and leaves the other lines unchanged. Returns whether
    /// there was such an entry.
    ///
    /// A union merge with a branch that has added a line would bring a deleted entry back.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    #[inline]
    pub fn revoke(&self, id: &str, at_ms: u64) -> Result<bool, StoreError> {
        let is_meant = |line: &&str| match event(line) {
            Ok(Some(EventLine::Accept(entry))) => entry.id == id,
            Ok(Some(EventLine::Acknowledge(entry))) => entry.id == id,
            _ => false,
        };
        if !self.text()?.each_line().any(|line| is_meant(&line)) {
            return Ok(false);
        }
        let tombstone = EventLine::Tombstone { of: id.to_owned(), at_ms }.encode_for_review()?;
        let mut is_revoked = false;
        self.change(|text| {
            let mut changed = String::new();
            for line in text.split_inclusive('\n') {
                let is_this = is_meant(&line);
                is_revoked |= is_this;
                changed.push_str(if is_this { &tombstone } else { line });
            }
            is_revoked.then_some(changed)
        })?;
        Ok(is_revoked)
    }

    fn text(&self) -> Result<String, StoreError> {
        match read_regular_text(&self.path, Self::MOST_BYTES) {
            Ok(text) => Ok(text),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(StoreError::reading(&self.path, error)),
        }
    }

    fn change(&self, change: impl FnOnce(&str) -> Option<String>) -> Result<(), StoreError> {
        change_file(&self.path, |text| Ok(change(text))).map_err(|error| StoreError::Invalid {
            why: format!("cannot write {}: {error}; allow it", self.path.display()),
        })
    }
}

/// Decodes a line, or describes why it cannot be read. `None` for a line that this version ignores.
fn event(line: &str) -> Result<Option<EventLine>, String> {
    // Some editors begin a file with a byte order mark; joined files have it at a later line.
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() {
        return Ok(None);
    }
    let read = || {
        let fields = Fields::parse(line.as_bytes())?;
        check_version(&fields)?;
        EventLine::decode(&fields)
    };
    read().map_err(|error| match error {
        LineError::Damaged(why) => why,
        LineError::OtherVersion(version) => {
            format!("written by another version of perftest (format {version}); use that version")
        }
    })
}
