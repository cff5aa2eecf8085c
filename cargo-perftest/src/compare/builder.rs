//! Builds any revision in any slot, in the same way.

use super::build::{Executable, build};
use super::{SideDirectory, SideTests, SourceRevision};
use crate::args::BuildOptions;
use crate::exit::Result;
use crate::git_checkout::GitCheckout;
use crate::report::print_progress;
use std::time::Duration;

/// The options that all builds share.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    pub(crate) repository: &'a GitCheckout,
    pub(crate) options: &'a BuildOptions,
    /// Parts of the names of the requested tests; empty for all.
    pub(crate) tests: Vec<String>,
    /// Longest time without output of an executable before it is stopped.
    pub(crate) longest: Duration,
}

impl Builder<'_> {
    /// Checks `revision` out in `slot`, builds it and lists its tests. A new slot begins with the
    /// builds of `other`; `whose` names the side.
    pub(crate) fn build(
        &self,
        slots: [&SideDirectory; 2],
        revision: &SourceRevision,
        whose: &str,
    ) -> Result<SideTests> {
        SideTests::list(&self.executables(slots, revision, whose)?, &self.tests, self.longest)
    }

    /// Does the same without listing the tests.
    pub(super) fn executables(
        &self,
        [slot, other]: [&SideDirectory; 2],
        revision: &SourceRevision,
        whose: &str,
    ) -> Result<Vec<Executable>> {
        if !slot.target().exists() && !other.target().exists() {
            announce_first_build("comparisons of this checkout", "comparisons");
        }
        print_progress(&format_args!("building {whose}: {revision}"));
        slot.check_out(revision, self.repository, other)?;
        let whose = format!("{whose} ({})", revision.name);
        build(slot, &self.repository.below, self.options, &whose)
    }
}

/// Reports that a build compiles all dependencies: `later` ones compile less.
pub(crate) fn announce_first_build(builds_for: &str, later: &str) {
    print_progress(&format_args!(
        "nothing is built for {builds_for} yet: this compiles all dependencies, which takes minutes; later {later} \
         compile only changes"
    ));
}
