//! What is accepted: in the code, and on this machine.

use crate::desk::{Desk, told_of_damage};
use crate::exit::Failure;
use perftest_core::model::Acceptance;
use perftest_store::{AcceptanceFile, Annotation, Series};

/// Where an acceptance is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The reviewed file of the repository: it holds wherever the code is checked out.
    Code,
    /// The store of this machine.
    Machine,
}

impl Origin {
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Code => AcceptanceFile::NAME,
            Self::Machine => "this machine",
        }
    }

    /// The stable name in answers for programs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Machine => "machine",
        }
    }
}

/// An acceptance and where it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) acceptance: Acceptance,
    pub(crate) origin: Origin,
}

impl Entry {
    /// Whether it speaks of this history, be it over or not.
    pub(crate) fn is_about(&self, series: &Series) -> bool {
        self.acceptance.covers(&series.benchmark, &series.testbed, 0)
    }
}

impl Desk<'_> {
    /// Everything that is accepted, oldest first; what is over is among it.
    pub(crate) fn acceptances(&self) -> Result<Vec<Entry>, Failure> {
        let of = |origin| move |acceptance| Entry { acceptance, origin };
        let on_this_machine = told_of_damage(self.store.acceptances()?);
        let reviewed = told_of_damage(self.acceptance_file.load()?);
        let machine = on_this_machine.into_iter().map(of(Origin::Machine));
        let mut all: Vec<Entry> =
            machine.chain(reviewed.into_iter().map(of(Origin::Code))).collect();
        all.sort_by_key(|entry| entry.acceptance.given_ms);
        Ok(all)
    }

    /// Keeps a new acceptance.
    pub(crate) fn keep(&self, entry: &Entry) -> Result<(), Failure> {
        match entry.origin {
            Origin::Code => self.acceptance_file.add(&entry.acceptance)?,
            Origin::Machine => {
                self.refuse_read_only()?;
                self.store.annotate(Annotation::Acceptance(&entry.acceptance))?;
            }
        }
        Ok(())
    }

    /// Takes an acceptance back.
    pub(crate) fn revoke(&self, entry: &Entry) -> Result<(), Failure> {
        let id = &entry.acceptance.id;
        match entry.origin {
            Origin::Code => {
                self.acceptance_file.remove(id)?;
            }
            Origin::Machine => {
                self.refuse_read_only()?;
                let at_ms = self.now_ms();
                self.store.annotate(Annotation::Revocation { acceptance_id: id, at_ms })?;
            }
        }
        Ok(())
    }

    fn refuse_read_only(&self) -> Result<(), Failure> {
        if self.place.read_only {
            let why = "PERFTEST_STORE is `read-only`, so nothing is written; unset it to accept";
            return Err(Failure::Usage(why.into()));
        }
        Ok(())
    }
}
