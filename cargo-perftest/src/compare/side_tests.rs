//! The perf tests of both sides, matched by their identity.

use super::NotMeasured;
use super::build::Executable;
use crate::exit::{CommandError, Result};
use perftest_core::model::{BenchmarkId, CodeState};
use perftest_process::{ListedTest, code_with_programs};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Duration;

/// One perf test of one side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SideTest {
    pub(crate) listed: ListedTest,
    pub(crate) executable: Executable,
}

impl SideTest {
    /// Returns the hashes of the code that it measures: that of its executable, and of its package's programs if it
    /// starts programs.
    ///
    /// # Errors
    /// When the executable cannot be read.
    pub(crate) fn code(&self) -> io::Result<CodeState> {
        let own = self.executable.code()?;
        // Those that its compiler knew, as for its runs: cargo builds none whose features are off.
        let Some(programs) = &self.listed.programs else { return Ok(own) };
        let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
        Ok(code_with_programs(&own, &programs, &self.executable.library_path(), None))
    }

    /// The directory of its package.
    pub(super) fn directory(&self) -> &Path {
        &self.executable.directory
    }
}

#[cfg(test)]
impl SideTest {
    /// A test of this name.
    pub(crate) fn named(name: &str) -> Self {
        let listed = ListedTest {
            name: name.to_owned(),
            ordinary: name.to_owned(),
            benchmark: BenchmarkId::from_recorded(name),
            formerly: None,
            is_ignored: false,
            tolerance: None,
            is_report_only: false,
            programs: None,
        };
        let (path, directory) = ("/t/perf".into(), "/w".into());
        Self { listed, executable: Executable { path, directory, ..Executable::default() } }
    }
}

/// The perf tests of one side.
#[derive(Debug, Default)]
pub(crate) struct SideTests {
    /// By their names. A module of a library and a test target may have the same name, and so may their tests.
    tests: BTreeMap<BenchmarkId, Vec<SideTest>>,
}

/// A perf test, and the sides that have it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MatchedTest {
    OnlyInBase,
    OnlyInHead,
    /// The base has it more than once.
    NotMeasured {
        head: Box<SideTest>,
        why: NotMeasured,
    },
    InBoth {
        base: Box<SideTest>,
        head: Box<SideTest>,
    },
}

impl SideTests {
    /// Lists the perf tests of these executables. One without perftest is not started: its own `main` may do anything.
    /// `longest` is the longest time without output of one.
    ///
    /// # Errors
    /// An executable that does not list its tests.
    pub(crate) fn list(executables: &[Executable], longest: Duration) -> Result<Self> {
        let mut side = Self::default();
        for executable in executables.iter().filter(|it| it.has_perftest()) {
            let listed = ListedTest::ask(executable.command(), longest);
            for listed in listed.map_err(CommandError::Usage)? {
                side.add(SideTest { listed, executable: executable.clone() });
            }
        }
        Ok(side)
    }

    fn add(&mut self, test: SideTest) {
        self.tests.entry(test.listed.benchmark.clone()).or_default().push(test);
    }

    /// Returns all tests.
    pub(super) fn all(&self) -> impl Iterator<Item = &SideTest> {
        self.tests.values().flatten()
    }

    /// Returns the tests with one of `filters` in their names, or all, in order of their names. One with `#[ignore]` is
    /// chosen by its whole name.
    ///
    /// # Errors
    /// Two executables with a test of the same name. Where a filter finds only tests with `#[ignore]`, the whole name of
    /// one of them.
    pub(crate) fn choose(&self, filters: &[String]) -> Result<Vec<SideTest>> {
        let chosen = self.chosen(filters)?;
        self.refuse_only_ignored(chosen.iter().map(|it| &it.listed.benchmark), filters)?;
        Ok(chosen.into_iter().cloned().collect())
    }

    fn chosen(&self, filters: &[String]) -> Result<Vec<&SideTest>> {
        let chosen =
            self.tests.values().map(|tests| tests.iter().filter(|it| is_chosen(it, filters)));
        chosen.filter_map(|tests| only(tests).transpose()).collect()
    }

    /// Returns the tests with one of `filters` in their names that are not chosen because they have `#[ignore]`.
    fn left_out(&self, filters: &[String]) -> impl Iterator<Item = &SideTest> {
        self.all().filter(|it| is_named(&it.listed.benchmark, filters) && !is_chosen(it, filters))
    }

    /// Fails where a filter is in the name of an ignored test and in that of no chosen one: it would choose nothing.
    fn refuse_only_ignored<'a>(
        &self,
        chosen: impl Iterator<Item = &'a BenchmarkId>,
        filters: &[String],
    ) -> Result<()> {
        let chosen: Vec<&str> = chosen.map(BenchmarkId::as_str).collect();
        for test in self.left_out(filters) {
            let name = test.listed.benchmark.as_str();
            let alone = match filters {
                [] => chosen.is_empty().then(String::new),
                _ => filters
                    .iter()
                    .filter(|filter| name.contains(*filter))
                    .find(|filter| !chosen.iter().any(|it| it.contains(*filter)))
                    .map(|filter| format!(" with `{filter}` in its name")),
            };
            if let Some(which) = alone {
                return Err(CommandError::Usage(format!(
                    "each performance test{which} has #[ignore]: give the whole name of one, such as `{name}`"
                )));
            }
        }
        Ok(())
    }

    /// Takes out the test with the first of these names that the side has, also an ignored one.
    ///
    /// # Errors
    /// Two executables with a test of this name.
    pub(crate) fn take<'a>(
        &mut self,
        names: impl IntoIterator<Item = &'a BenchmarkId>,
    ) -> Result<Option<SideTest>> {
        let tests = names.into_iter().find_map(|name| self.tests.remove(name)).unwrap_or_default();
        let not_ignored = only(tests.iter().filter(|it| !it.listed.is_ignored))?;
        Ok(not_ignored.map_or_else(|| only(tests.iter()), |it| Ok(Some(it)))?.cloned())
    }

    /// Returns the name that a test of this side had before. `None` also where another test has that name now.
    fn former_name<'a>(&self, test: &'a SideTest) -> Option<&'a BenchmarkId> {
        let former = test.listed.formerly.as_ref();
        former.filter(|name| !self.tests.contains_key(name))
    }

    /// Returns the names that a test of this side may have on the other one.
    pub(crate) fn names_of<'a>(
        &self,
        test: &'a SideTest,
    ) -> impl Iterator<Item = &'a BenchmarkId> + use<'a> {
        [&test.listed.benchmark].into_iter().chain(self.former_name(test))
    }
}

/// Whether a test has one of `filters` in its name. Without filters every test has.
fn is_named(name: &BenchmarkId, filters: &[String]) -> bool {
    filters.is_empty() || filters.iter().any(|filter| name.as_str().contains(filter.as_str()))
}

fn is_chosen(test: &SideTest, filters: &[String]) -> bool {
    let name = &test.listed.benchmark;
    let is_whole_name = |filter: &String| filter == name.as_str();
    is_named(name, filters) && (!test.listed.is_ignored || filters.iter().any(is_whole_name))
}

/// Returns the only one of these tests, which have one name.
///
/// # Errors
/// Where there are several: what to do about it.
fn only<'a>(mut tests: impl Iterator<Item = &'a SideTest>) -> Result<Option<&'a SideTest>> {
    let first = tests.next();
    let Some((one, other)) = first.zip(tests.next()) else { return Ok(first) };
    let name = &one.listed.benchmark;
    let [one, other] = [one, other].map(|it| &it.executable);
    let way_out = if one.is_of_same_target(other) {
        "it is built for several targets, so name one with --target"
    } else {
        "rename one of them, or its module"
    };
    Err(CommandError::Usage(format!(
        "two executables have a perf test `{name}`, {} and {}: {way_out}",
        one.path.display(),
        other.path.display()
    )))
}

/// Names the missing tests for an error.
pub(crate) fn performance_test(filters: &[String]) -> &'static str {
    if filters.is_empty() { "performance test" } else { "performance test of this name" }
}

/// Pairs the tests of both sides with one of `filters` in their names, or all, in order of their names. A test that the
/// base has only under its former name is in both, and so is one that only the base ignores. One that the head ignores is
/// left out.
///
/// # Errors
/// Those of the head, as for [`SideTests::choose`].
pub(super) fn match_chosen(
    mut base: SideTests,
    head: &SideTests,
    filters: &[String],
) -> Result<Vec<(BenchmarkId, MatchedTest)>> {
    let mut matched = Vec::new();
    for test in head.chosen(filters)? {
        let found = match base.take(head.names_of(test)) {
            Ok(None) => MatchedTest::OnlyInHead,
            Ok(Some(base)) => {
                MatchedTest::InBoth { base: Box::new(base), head: Box::new(test.clone()) }
            }
            Err(why) => MatchedTest::NotMeasured {
                head: Box::new(test.clone()),
                why: NotMeasured::of_base(&why.to_string()),
            },
        };
        matched.push((test.listed.benchmark.clone(), found));
    }
    for name in head.left_out(filters).flat_map(|test| head.names_of(test)) {
        base.tests.remove(name);
    }
    base.tests.retain(|_, tests| tests.iter().any(|it| is_chosen(it, filters)));
    matched.extend(base.tests.into_keys().map(|name| (name, MatchedTest::OnlyInBase)));
    matched.sort_by(|(one, _), (other, _)| one.cmp(other));
    head.refuse_only_ignored(matched.iter().map(|(name, _)| name), filters)?;
    Ok(matched)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(name: &str, path: &str) -> SideTest {
        let test = SideTest::named(name);
        SideTest { executable: Executable { path: path.into(), ..test.executable }, ..test }
    }

    fn side(tests: impl IntoIterator<Item = SideTest>) -> SideTests {
        let mut side = SideTests::default();
        tests.into_iter().for_each(|test| side.add(test));
        side
    }

    fn named(names: &[&str]) -> SideTests {
        side(names.iter().map(|name| test(name, "/t/perf")))
    }

    /// A test that was called `old` before.
    fn renamed() -> SideTest {
        let mut test = test("new", "/t/perf");
        test.listed.formerly = Some(BenchmarkId::from_recorded("old"));
        test
    }

    fn filters(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    /// The names of the matched tests, and whether each is in both sides.
    fn matched(base: SideTests, head: SideTests, names: &[&str]) -> Result<Vec<(String, bool)>> {
        let matched = match_chosen(base, &head, &filters(names))?.into_iter();
        let is_in_both = |it: MatchedTest| matches!(it, MatchedTest::InBoth { .. });
        Ok(matched.map(|(name, it)| (name.to_string(), is_in_both(it))).collect())
    }

    #[test]
    fn two_executables_with_tests_of_one_name_are_refused_and_none_is_lost() {
        let both = side(["/t/tests", "/t/a"].map(|path| test("a::tests::sum", path)));
        let refused = both.choose(&[]);
        let Err(CommandError::Usage(message)) = refused else { panic!("{refused:?}") };
        assert!(message.contains("/t/tests and /t/a"), "{message}");
        assert!(both.choose(&filters(&["other"])).unwrap().is_empty());
    }

    #[test]
    fn two_tests_of_one_name_in_the_base_leave_that_test_open_and_the_others_are_matched() {
        let base = || {
            let mut base = side(["/t/tests", "/t/a"].map(|path| test("a::tests::sum", path)));
            base.add(test("other", "/t/a"));
            base
        };
        let matched = match_chosen(base(), &named(&["a::tests::sum", "other"]), &[]).unwrap();
        let MatchedTest::NotMeasured { why, .. } = &matched[0].1 else { panic!("{matched:?}") };
        assert!(why.why.starts_with("base: two executables have"), "{why:?}");
        assert!(matches!(matched[1].1, MatchedTest::InBoth { .. }), "{matched:?}");
        let renamed = match_chosen(base(), &named(&["a::tests::sum_of_two"]), &[]).unwrap();
        assert_eq!(renamed[0].1, MatchedTest::OnlyInBase);
    }

    #[test]
    fn one_test_that_is_built_for_several_targets_is_not_to_be_renamed() {
        let built = |target: &str, selector: &[&str]| {
            let mut test = test("a::perf::sum", &format!("/t/{target}/release/deps/perf"));
            test.executable.selector = selector.iter().map(ToString::to_string).collect();
            test
        };
        let refused = |one: SideTest, other: SideTest| {
            side([one, other]).choose(&[]).unwrap_err().to_string()
        };
        let perf: &[&str] = &["--test", "perf"];
        let several = refused(built("x86_64-a", perf), built("x86_64-b", perf));
        assert!(several.ends_with("so name one with --target"), "{several}");
        for other in [&["--lib"][..], &[]] {
            let renamed = refused(built("x86_64-a", other), built("x86_64-a", perf));
            assert!(renamed.ends_with("rename one of them, or its module"), "{renamed}");
        }
    }

    #[test]
    fn a_test_with_ignore_is_chosen_by_its_whole_name_and_a_part_of_the_name_says_so() {
        type Listed = (Result<Vec<String>, String>, Result<Vec<String>, String>);
        let listed = |names: &[&str]| -> Listed {
            let mut head = named(&["a::slow", "a::sum"]);
            let slow = head.tests.get_mut(&BenchmarkId::from_recorded("a::slow")).unwrap();
            slow[0].listed.is_ignored = true;
            let chosen = head
                .choose(&filters(names))
                .map(|it| it.into_iter().map(|test| test.listed.benchmark.to_string()).collect());
            let matched = matched(SideTests::default(), head, names);
            let matched = matched.map(|it| it.into_iter().map(|(name, _)| name).collect());
            (chosen.map_err(|it| it.to_string()), matched.map_err(|it| it.to_string()))
        };
        let found = |names: &[&str]| -> Listed { (Ok(filters(names)), Ok(filters(names))) };
        assert_eq!(listed(&["a::slow"]), found(&["a::slow"]));
        assert_eq!(listed(&["a::"]), found(&["a::sum"]));
        assert_eq!(listed(&[]), found(&["a::sum"]));
        assert_eq!(listed(&["none"]), found(&[]));
        let why = "each performance test with `slow` in its name has #[ignore]: give the whole name of one, such as \
                   `a::slow`";
        for filters in [&["slow"][..], &["slow", "sum"]] {
            assert_eq!(listed(filters), (Err(why.to_owned()), Err(why.to_owned())));
        }
    }

    #[test]
    fn a_test_of_one_side_only_is_not_lost() {
        let matched = match_chosen(named(&["a", "b"]), &named(&["b", "c"]), &[]).unwrap();
        let actual: Vec<(&str, bool)> = matched
            .iter()
            .map(|(it, matched)| (it.as_str(), matches!(matched, MatchedTest::InBoth { .. })))
            .collect();
        assert_eq!(actual, [("a", false), ("b", true), ("c", false)]);
        assert_eq!(
            (&matched[0].1, &matched[2].1),
            (&MatchedTest::OnlyInBase, &MatchedTest::OnlyInHead)
        );
    }

    #[test]
    fn a_test_that_only_the_base_ignores_is_in_both_and_one_that_the_head_ignores_in_none() {
        let listed = |tests: &[(&str, bool)]| {
            side(tests.iter().map(|(name, is_ignored)| {
                let mut test = if *name == "new" { renamed() } else { test(name, "/t/perf") };
                test.listed.is_ignored = *is_ignored;
                test
            }))
        };
        let matched = |base: &[(&str, bool)], head: &[(&str, bool)]| {
            // Where nothing is chosen, the error says so.
            matched(listed(base), listed(head), &[]).unwrap_or_default()
        };
        assert_eq!(matched(&[("a", true)], &[("a", false)]), [("a".to_owned(), true)]);
        assert_eq!(matched(&[("old", true)], &[("new", false)]), [("new".to_owned(), true)]);
        assert_eq!(matched(&[("a", false)], &[("a", true)]), []);
        assert_eq!(matched(&[("old", false)], &[("new", true)]), []);
        assert_eq!(matched(&[("a", true)], &[("a", true)]), []);
        // The base's test of that name is the head's ignored one, and not the renamed one's.
        let both = matched(&[("old", false)], &[("new", false), ("old", true)]);
        assert_eq!(both, [("new".to_owned(), false)]);
    }

    #[test]
    fn a_renamed_test_is_in_both_unless_the_head_has_another_one_of_that_name() {
        let matched = |others: &[&str]| {
            let mut head = named(others);
            head.add(renamed());
            matched(named(&["old"]), head, &[]).unwrap()
        };
        assert_eq!(matched(&[]), [("new".to_owned(), true)]);
        assert_eq!(matched(&["old"]), [("new".to_owned(), false), ("old".to_owned(), true)]);
    }

    #[test]
    fn a_renamed_test_that_is_chosen_by_its_new_name_is_in_both() {
        let chosen = |others: &[&str]| {
            let mut head = named(others);
            head.add(renamed());
            matched(named(&["old", "older"]), head, &["new"]).unwrap()
        };
        assert_eq!(chosen(&[]), [("new".to_owned(), true)], "others are not chosen");
        // The base's test is that of this name, which is not chosen.
        assert_eq!(chosen(&["old"]), [("new".to_owned(), false)]);
    }

    #[test]
    fn a_test_has_the_programs_that_its_compiler_knew_whatever_was_built() {
        let this = std::env::current_exe().unwrap();
        let this = this.to_str().unwrap();
        let mut test = SideTest::named("start");
        test.executable.path = this.into();
        test.executable.package = vec![("CARGO_BIN_EXE_tool".into(), this.into())];
        let mut code = |programs: &[&str]| {
            test.listed.programs = Some(programs.iter().map(ToString::to_string).collect());
            test.code().unwrap()
        };
        assert_eq!(code(&[this]).programs.len(), 1);
        let with_missing = code(&[this, "/nowhere/extra"]);
        assert_eq!((with_missing.programs.len(), with_missing.text.as_str()), (0, ""));
    }
}
