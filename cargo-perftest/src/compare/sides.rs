//! Two revisions, built in one place and measured side by side.

use super::data_files::below;
use super::session::CompareSession;
use super::{
    Builder, CodeCheck, CompareDirectory, Counting, DataFiles, MatchedTest, Measurer, SideNames,
    SideTests, SourceRevision, TestComparison, match_chosen,
};
use crate::args::BuildOptions;
use crate::exit::Result;
use crate::git_checkout::GitCheckout;
use crate::report::report_damage;
use crate::testbed::Testbed;
use perftest_core::judge::Side;
use perftest_core::model::{Acceptance, BenchmarkId};
use perftest_store::{AcceptanceFile, Testbeds};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// Both revisions, and their directories.
#[derive(Debug)]
pub(crate) struct Sides {
    repository: GitCheckout,
    place: CompareDirectory,
    base: SourceRevision,
    head: SourceRevision,
}

/// The tests of both sides.
#[derive(Debug)]
pub(crate) struct BuiltTests {
    /// The chosen ones.
    pub(crate) matched: Vec<(BenchmarkId, MatchedTest)>,
    /// The directories of packages with perf tests, also of those that are not chosen, below the root of the repository.
    packages: BTreeSet<PathBuf>,
}

impl Sides {
    /// Waits while another comparison of this checkout is running. The default head is the working
    /// tree at that time.
    pub(crate) fn new(
        repository: GitCheckout,
        base: SourceRevision,
        head: Option<SourceRevision>,
    ) -> Result<Self> {
        let place = CompareDirectory::of(&repository)?;
        let head = match head {
            Some(head) => head,
            None => SourceRevision::of_working_tree(&repository, &place.index())?,
        };
        Ok(Self { repository, place, base, head })
    }

    /// Builds the tests of both sides with one of `names` in their names, or all. `longest` is the
    /// longest time without output of an executable.
    pub(crate) fn build(
        &self,
        options: &BuildOptions,
        names: &[String],
        longest: Duration,
    ) -> Result<BuiltTests> {
        let builder = self.builder(options, longest);
        builder.note_differences(&self.base, &self.head);
        let base = builder.tests(Side::Base, &self.base, "the base")?;
        let head = builder.tests(Side::Head, &self.head, "the head")?;
        let [of_base, of_head] = self.place.sides().map(|it| it.source());
        let of_base = base.all().map(|test| below(&of_base, test.directory()));
        let of_head = head.all().map(|test| below(&of_head, test.directory()));
        let packages = of_base.chain(of_head).map(PathBuf::from).collect();
        Ok(BuiltTests { matched: match_chosen(base, &head, names)?, packages })
    }

    /// Builds the tests of the base only.
    pub(crate) fn build_base(
        &self,
        options: &BuildOptions,
        longest: Duration,
    ) -> Result<SideTests> {
        self.builder(options, longest).tests(Side::Base, &self.base, "the base")
    }

    fn builder<'a>(&'a self, options: &'a BuildOptions, longest: Duration) -> Builder<'a> {
        Builder { repository: &self.repository, place: &self.place, options, longest }
    }

    /// Returns how to find tests with the same code, and files that differ and that they may read.
    pub(crate) fn code_check(&self, tests: &BuiltTests) -> Result<CodeCheck> {
        let sides = self.place.sides();
        let sources = sides.each_ref().map(|it| it.source());
        let (repository, packages) = (&self.repository, &tests.packages);
        let data = DataFiles::between(repository, &self.base, &self.head, packages, sources)?;
        Ok(CodeCheck::new(&sides).beside(data))
    }

    /// Returns the results of these tests, worst first; without those that did not begin in time.
    /// What an acceptance of the head allows, and none of the base, is not slower.
    pub(crate) fn compare(
        &self,
        tests: Vec<(BenchmarkId, MatchedTest)>,
        check: Option<CodeCheck>,
        measurer: Measurer,
        counting: Counting,
        testbeds: &Testbeds,
    ) -> Result<Vec<TestComparison>> {
        let acceptances = new_acceptances(&self.repository, &self.base, &self.head)?;
        let testbed = Testbed::of_this_machine().name();
        let session = CompareSession::new(check, measurer, counting);
        Ok(CompareSession { acceptances, testbed, ..session }.read_as(testbeds).answers(tests))
    }

    pub(crate) fn names(&self) -> SideNames {
        SideNames { base: (&self.base).into(), head: (&self.head).into() }
    }
}

/// Returns the acceptances in the head's file that the base's file lacks. What the base has already
/// was accepted of an older level: its slowdown is in the base.
fn new_acceptances(
    repository: &GitCheckout,
    base: &SourceRevision,
    head: &SourceRevision,
) -> Result<Vec<Acceptance>> {
    let of_base = acceptances(repository, base)?;
    let mut new = acceptances(repository, head)?;
    new.retain(|entry| of_base.iter().all(|it| it.id != entry.id));
    Ok(new)
}

fn acceptances(repository: &GitCheckout, revision: &SourceRevision) -> Result<Vec<Acceptance>> {
    let tree = ["ls-tree", "--name-only", &revision.commit, "--", AcceptanceFile::NAME];
    if repository.git(&tree)?.is_empty() {
        return Ok(Vec::new());
    }
    let text =
        repository.git(&["show", &format!("{}:{}", revision.commit, AcceptanceFile::NAME)])?;
    Ok(report_damage(AcceptanceFile::in_root(&repository.root).acceptances_in(&text)))
}
