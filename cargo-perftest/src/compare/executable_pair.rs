//! Two existing test executables as the sides of a comparison.

use super::build::Executable;
use super::{MatchedTest, SideTests, match_chosen};
use crate::cargo_environment::cargo_environment;
use crate::exit::Result;
use crate::history_directory::here;
use perftest_core::model::BenchmarkId;
use std::path::Path;
use std::time::Duration;

/// Lists the tests of both executables, base and head, with one of `names` in their names, or all. They run in the
/// current directory. `longest` is the longest time without output of an executable.
pub(crate) fn tests_of_executables(
    [base, head]: [&Path; 2],
    names: &[String],
    longest: Duration,
) -> Result<Vec<(BenchmarkId, MatchedTest)>> {
    let directory = here()?;
    let environment = cargo_environment(&directory);
    let tests = |path: &Path| {
        let (directory, environment) = (directory.clone(), environment.clone());
        let path = directory.join(path);
        let executable = Executable { path, directory, environment, ..Executable::default() };
        SideTests::list(&[executable], longest)
    };
    match_chosen(tests(base)?, &tests(head)?, names)
}
