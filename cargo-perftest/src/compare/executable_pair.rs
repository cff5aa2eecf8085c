//! Two existing test executables, measured side by side.

use super::build::Executable;
use super::session::CompareSession;
use super::{
    CodeCheck, Counting, MatchedTest, Measurer, SideName, SideNames, SideTests, TestComparison,
    match_chosen,
};
use crate::cargo_environment::cargo_environment;
use crate::exit::Result;
use perftest_core::model::BenchmarkId;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Both executables, with the directories of their tests.
#[derive(Debug)]
pub(crate) struct ExecutablePair<'a> {
    pub(crate) base: &'a Path,
    pub(crate) head: &'a Path,
    pub(crate) directory: PathBuf,
}

impl ExecutablePair<'_> {
    /// Lists the tests of both with one of `names` in their names, or all. `longest` is the longest
    /// time without output of an executable.
    pub(crate) fn list(
        &self,
        names: &[String],
        longest: Duration,
    ) -> Result<Vec<(BenchmarkId, MatchedTest)>> {
        let tests = |path: &Path, names: &[String]| {
            let directory = self.directory.clone();
            let path = directory.join(path);
            let environment = cargo_environment(&directory);
            let executable = Executable { path, directory, environment, ..Executable::default() };
            SideTests::list(&[executable], names, longest)
        };
        match_chosen(tests(self.head, names)?, names, |names| tests(self.base, names))
    }

    /// Returns the results of these tests, worst first. With `check`, equal code is not measured.
    pub(crate) fn compare(
        &self,
        tests: Vec<(BenchmarkId, MatchedTest)>,
        check: Option<CodeCheck>,
        measurer: Measurer,
        counting: Counting,
    ) -> Vec<TestComparison> {
        // Executables come with no acceptances.
        let (acceptances, testbed) = (Vec::new(), String::new());
        CompareSession { check, measurer, counting, acceptances, testbed }.answers(tests)
    }

    pub(crate) fn names(&self) -> SideNames {
        SideNames { base: SideName::from(self.base), head: SideName::from(self.head) }
    }
}
