//! The one test that a profile is asked of, in the working tree or in two revisions.

use crate::args::BuildOptions;
use crate::compare::{MatchedTest, SideTest, SideTests, Sides, SourceRevision, build_in_place};
use crate::exit::{CommandError, Result};
use crate::git_checkout::GitCheckout;
use crate::history_directory::here;
use crate::series::take_the_one;
use std::time::Duration;

/// The same test of two revisions.
#[derive(Debug)]
pub(crate) struct TestPair {
    pub(crate) base: SideTest,
    pub(crate) head: SideTest,
    /// Nobody else builds in their directories while this exists.
    _sides: Sides,
}

/// Builds the working tree and finds the test of this name.
///
/// # Errors
/// When the tree cannot be built, or the name matches no test or several.
pub(crate) fn find_in_place(
    name: &str,
    options: &BuildOptions,
    longest: Duration,
) -> Result<SideTest> {
    let executables = build_in_place(&here()?, options)?;
    let tests = SideTests::list(&executables, longest)?.choose(&[name.to_owned()])?;
    chosen(tests, name, |test| test.listed.benchmark.as_str())
}

/// Builds the revision `base` and the working tree, and finds the test of this name in both.
///
/// # Errors
/// As for [`find_in_place`], and when only one of them has the test.
pub(crate) fn find_in_revisions(
    base: &str,
    name: &str,
    options: &BuildOptions,
    longest: Duration,
) -> Result<TestPair> {
    let repository = GitCheckout::around(&here()?)?;
    let base = SourceRevision::named(base, &repository)?;
    let sides = Sides::new(repository, base, None)?;
    let tests = sides.build(options, &[name.to_owned()], longest)?.matched;
    let (benchmark, matched) = chosen(tests, name, |(benchmark, _)| benchmark.as_str())?;
    let missing = |which: &str| {
        Err(CommandError::Usage(format!(
            "`{benchmark}` is not in {which}: there is nothing to compare"
        )))
    };
    match matched {
        MatchedTest::InBoth { base, head } => {
            Ok(TestPair { base: *base, head: *head, _sides: sides })
        }
        MatchedTest::NotMeasured { why, .. } => Err(CommandError::Usage(why.why)),
        MatchedTest::OnlyInBase => missing("the working tree"),
        MatchedTest::OnlyInHead => missing("the base"),
    }
}

/// The test of this name among those that contain it.
fn chosen<T>(tests: Vec<T>, name: &str, name_of: impl Fn(&T) -> &str) -> Result<T> {
    take_the_one(tests, name, name_of)?.ok_or_else(|| {
        CommandError::Usage(format!(
            "no performance test is named `{name}` in what was built, and there is no such file. \
             `cargo perftest history` lists the tests; `--package` and `--workspace` build others"
        ))
    })
}
