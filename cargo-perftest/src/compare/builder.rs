//! Builds any revision on either side, in the same way.

use super::build::build;
use super::cargo_runner::note_cargo_runner;
use super::toolchain_file::note_toolchain;
use super::{CodeCheck, CompareDirectory, SideTests, SourceRevision};
use crate::args::BuildOptions;
use crate::exit::Result;
use crate::git_checkout::GitCheckout;
use crate::report::print_progress;
use perftest_core::judge::Side;
use std::time::Duration;

/// Where revisions are built, and the options that all builds share.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    pub(crate) repository: &'a GitCheckout,
    pub(crate) place: &'a CompareDirectory,
    pub(crate) options: &'a BuildOptions,
    /// Longest time without output of an executable before it is stopped.
    pub(crate) longest: Duration,
}

impl Builder<'_> {
    /// Notes what cargo would do otherwise for these revisions: before the first build, once.
    pub(crate) fn note_differences(&self, base: &SourceRevision, head: &SourceRevision) {
        let directory = self.repository.root.join(&self.repository.below);
        note_toolchain(self.repository, base, head);
        note_cargo_runner(&directory, self.options.compile.target.as_deref());
    }

    /// Checks `revision` out on this side, builds it and lists its tests. A new side begins with the builds of the other
    /// one. `whose` names the revision.
    pub(crate) fn tests(
        &self,
        side: Side,
        revision: &SourceRevision,
        whose: &str,
    ) -> Result<SideTests> {
        let [own, other] = [side, side.other()].map(|it| self.place.side(it));
        if !own.target().exists() && !other.target().exists() {
            announce_first_build("comparisons of this checkout", "comparisons");
        }
        print_progress(&format_args!("building {whose}: {revision}"));
        own.check_out(revision, self.repository, &other)?;
        let whose = format!("{whose} ({})", revision.name);
        let executables = build(&own, &self.repository.below, self.options, &whose)?;
        SideTests::list(&executables, self.longest)
    }

    /// Returns a check whether both sides have the same code.
    pub(crate) fn code_check(&self) -> CodeCheck {
        CodeCheck::new(&self.place.sides())
    }
}

/// Reports that a build compiles all dependencies: `later` ones compile less.
pub(crate) fn announce_first_build(builds_for: &str, later: &str) {
    print_progress(&format_args!(
        "nothing is built for {builds_for} yet: this compiles all dependencies, which takes minutes; later {later} \
         compile only changes"
    ));
}
