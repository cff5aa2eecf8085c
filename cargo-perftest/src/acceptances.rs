//! Acceptances in the code, and on this machine.

use crate::command_context::CommandContext;
use crate::exit::{Result, refuse};
use crate::report::report_damage;
use perftest_core::model::{Acceptance, Run};
use perftest_core::named;
use perftest_store::{AcceptanceFile, Annotation, Series};

named! {
    /// The place of an acceptance.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum AcceptanceOrigin {
        /// The reviewed file of the repository: it applies to every checkout.
        Code = "code",
        /// The store of this machine.
        Machine = "machine",
    }
}

impl AcceptanceOrigin {
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Code => AcceptanceFile::NAME,
            Self::Machine => "this machine",
        }
    }
}

/// An acceptance with its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AcceptanceEntry {
    pub(crate) acceptance: Acceptance,
    pub(crate) origin: AcceptanceOrigin,
}

impl AcceptanceEntry {
    /// Returns whether it is for this history, whether it has ended or not.
    pub(crate) fn is_about(&self, series: &Series) -> bool {
        series.is_covered_by(&self.acceptance, 0)
    }

    /// Returns whether it has the name of this test, the present or the former one, on whatever testbed.
    pub(crate) fn names(&self, series: &Series) -> bool {
        let mut names = [&series.benchmark].into_iter().chain(&series.formerly);
        names.any(|name| self.acceptance.benchmark.matches(name))
    }
}

impl CommandContext<'_> {
    /// Returns every acceptance, oldest first, also expired ones.
    pub(crate) fn acceptances(&self) -> Result<Vec<AcceptanceEntry>> {
        let of = |origin| move |acceptance| AcceptanceEntry { acceptance, origin };
        let on_this_machine = report_damage(self.store.decisions()?);
        let mut reviewed = report_damage(self.acceptance_file.load()?);
        on_this_machine.testbeds.rename_in(&mut reviewed);
        let machine = on_this_machine.acceptances.into_iter().map(of(AcceptanceOrigin::Machine));
        let mut all: Vec<AcceptanceEntry> =
            machine.chain(reviewed.into_iter().map(of(AcceptanceOrigin::Code))).collect();
        all.sort_by_key(|entry| entry.acceptance.given_ms);
        Ok(all)
    }

    /// Returns the reason of the acceptance under which the run was taken; `None` where it had none, or
    /// the acceptance is revoked.
    pub(crate) fn accepted_for(&self, run: &Run) -> Result<Option<String>> {
        if run.acceptance.is_none() {
            return Ok(None);
        }
        let entries = self.acceptances()?;
        let held = entries.into_iter().rfind(|entry| entry.acceptance.holds_for(run));
        Ok(held.map(|entry| entry.acceptance.reason))
    }

    /// Stores a new acceptance.
    pub(crate) fn keep(&self, entry: &AcceptanceEntry) -> Result<()> {
        match entry.origin {
            AcceptanceOrigin::Code => self.acceptance_file.add(&entry.acceptance)?,
            AcceptanceOrigin::Machine => {
                self.refuse_read_only()?;
                self.store.annotate(Annotation::Acceptance(&entry.acceptance))?;
            }
        }
        Ok(())
    }

    /// Revokes an acceptance.
    pub(crate) fn revoke(&self, entry: &AcceptanceEntry) -> Result<()> {
        let (id, at_ms) = (&entry.acceptance.id, self.now_ms());
        match entry.origin {
            AcceptanceOrigin::Code => {
                self.acceptance_file.revoke(id, at_ms)?;
            }
            AcceptanceOrigin::Machine => {
                self.refuse_read_only()?;
                self.store.annotate(Annotation::Revocation { of: id, at_ms })?;
            }
        }
        Ok(())
    }

    fn refuse_read_only(&self) -> Result<()> {
        if self.place.read_only {
            return refuse(
                "PERFTEST_STORE is `read-only`, so nothing is written; unset it to accept",
            );
        }
        Ok(())
    }
}
