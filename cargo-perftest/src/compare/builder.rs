//! Builds any revision in any slot, in the same way.

use super::build::build;
use super::{Repository, Revision, SideTests, Slot};
use crate::args::BuildOptions;
use crate::exit::Failure;
use crate::report::tell;
use std::time::Duration;

/// What is the same for every revision that is built.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) options: &'a BuildOptions,
    /// Parts of the names of the tests that are asked for; empty for all.
    pub(crate) tests: &'a [String],
    /// Longest time in which an executable may give no sign.
    pub(crate) longest: Duration,
}

impl Builder<'_> {
    /// Checks `revision` out in `slot`, builds it and lists its tests. A slot that is new begins
    /// with what `other` has built; `whose` names the side.
    pub(crate) fn build(
        &self,
        [slot, other]: [&Slot; 2],
        revision: &Revision,
        whose: &str,
    ) -> Result<SideTests, Failure> {
        tell(&format_args!("building {whose}: {revision}"));
        slot.check_out(revision, self.repository, other)?;
        let whose = format!("{whose} ({})", revision.name);
        let executables = build(slot, &self.repository.below, self.options, &whose)?;
        SideTests::list(&executables, self.tests, self.longest)
    }
}
