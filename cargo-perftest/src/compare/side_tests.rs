//! The perf tests of both sides, matched by their identity.

use super::SideDirectory;
use super::build::Executable;
use crate::exit::{CommandError, Result};
use perftest_core::model::{BenchmarkId, CodeState};
use perftest_process::{ListedTest, built_libraries, code_of, code_with_programs};
use perftest_store::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;
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

/// The chosen perf tests of one side.
#[derive(Debug, Default)]
pub(crate) struct SideTests {
    tests: BTreeMap<String, SideTest>,
    /// Those with `#[ignore]` whose whole name is not asked for. They run only where the other side, or another commit,
    /// asks for them.
    ignored: BTreeMap<String, SideTest>,
    /// The names of all perf tests, chosen or not.
    names: BTreeSet<String>,
}

/// A perf test, and the sides that have it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MatchedTest {
    OnlyInBase,
    OnlyInHead,
    InBoth { base: Box<SideTest>, head: Box<SideTest> },
}

impl SideTests {
    /// Lists the perf tests of these executables with one of `filters` in their names, or all. One with `#[ignore]` is
    /// chosen by its whole name.
    ///
    /// # Errors
    /// An executable that does not list its tests, and two executables with a test of the same
    /// name.
    pub(crate) fn list(
        executables: &[Executable],
        filters: &[String],
        longest: Duration,
    ) -> Result<Self> {
        let mut side = Self::default();
        for executable in executables {
            let listed = ListedTest::ask(executable.command(), longest);
            for listed in listed.map_err(CommandError::Usage)? {
                let test = SideTest { listed, executable: executable.clone() };
                side.add(test, filters)?;
            }
        }
        Ok(side)
    }

    fn add(&mut self, test: SideTest, filters: &[String]) -> Result<()> {
        let identity = test.listed.benchmark.to_string();
        self.names.insert(identity.clone());
        if !is_chosen(&identity, filters) {
            return Ok(());
        }
        if test.listed.is_ignored && !filters.contains(&identity) {
            self.ignored.insert(identity, test);
            return Ok(());
        }
        insert(&mut self.tests, identity, test)
    }

    /// Takes the test of this name out, also an ignored one.
    pub(crate) fn take(&mut self, name: &BenchmarkId) -> Option<SideTest> {
        let name = name.as_str();
        self.tests.remove(name).or_else(|| self.ignored.remove(name))
    }

    /// Fails where all tests with one of the `filters` in their names have `#[ignore]`.
    ///
    /// # Errors
    /// The whole name of one of them.
    pub(crate) fn refuse_only_ignored(&self, filters: &[String]) -> Result<()> {
        let chosen: Vec<&str> = self.tests.keys().map(String::as_str).collect();
        refuse_ignored(self.ignored.keys(), &chosen, filters)
    }

    /// Returns the tests in order of their names, without ignored ones.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SideTest> {
        self.tests.values()
    }

    /// Returns the name that a test of this side had before. `None` also where another test has that name now.
    pub(crate) fn former_name<'a>(&self, test: &'a SideTest) -> Option<&'a BenchmarkId> {
        let former = test.listed.formerly.as_ref();
        former.filter(|name| !self.names.contains(name.as_str()))
    }

    /// Returns the filters that find the same tests on the other side, also those with another name there.
    fn filters_of_base(&self, filters: &[String]) -> Vec<String> {
        if filters.is_empty() {
            return Vec::new();
        }
        let all = self.tests.values().chain(self.ignored.values());
        let formerly = all.filter_map(|test| test.listed.formerly.as_ref());
        filters.iter().cloned().chain(formerly.map(ToString::to_string)).collect()
    }
}

/// Whether a test has one of `filters` in its name. Without filters every test is chosen.
fn is_chosen(name: &str, filters: &[String]) -> bool {
    filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
}

/// A module of a library and a test target may have the same name, and so may their tests.
fn insert(tests: &mut BTreeMap<String, SideTest>, identity: String, test: SideTest) -> Result<()> {
    if let Some(other) = tests.get(&identity) {
        let [one, other] = [other, &test].map(|it| &it.executable);
        let way_out = if one.is_of_same_target(other) {
            "it is built for several targets, so name one with --target"
        } else {
            "rename one of them, or its module"
        };
        return Err(CommandError::Usage(format!(
            "two executables have a perf test `{identity}`, {} and {}: {way_out}",
            one.path.display(),
            other.path.display()
        )));
    }
    tests.insert(identity, test);
    Ok(())
}

/// Fails where a filter is in the name of an ignored test and in that of no chosen one: it would choose nothing.
fn refuse_ignored<'a>(
    ignored: impl Iterator<Item = &'a String>,
    chosen: &[&str],
    filters: &[String],
) -> Result<()> {
    for name in ignored {
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

/// Names the missing tests for an error.
pub(crate) fn performance_test(filters: &[String]) -> &'static str {
    if filters.is_empty() { "performance test" } else { "performance test of this name" }
}

impl IntoIterator for SideTests {
    type Item = SideTest;
    type IntoIter = std::collections::btree_map::IntoValues<String, SideTest>;

    /// Returns the tests in order of their names, without ignored ones.
    fn into_iter(self) -> Self::IntoIter {
        self.tests.into_values()
    }
}

/// Pairs the tests of both sides with one of `filters` in their names, or all. `list_base` lists the base's tests by
/// filters: a renamed test has another name there.
pub(crate) fn match_chosen(
    head: SideTests,
    filters: &[String],
    list_base: impl FnOnce(&[String]) -> Result<SideTests>,
) -> Result<Vec<(BenchmarkId, MatchedTest)>> {
    let base = list_base(&head.filters_of_base(filters))?;
    let ignored: Vec<String> = head.ignored.keys().cloned().collect();
    let mut matched = match_up(base, head);
    matched.retain(|(benchmark, _)| is_chosen(benchmark.as_str(), filters));
    let chosen: Vec<&str> = matched.iter().map(|(benchmark, _)| benchmark.as_str()).collect();
    refuse_ignored(ignored.iter(), &chosen, filters)?;
    Ok(matched)
}

/// Pairs the tests of both sides, in order of their names. A test that the base has only under its former name is in
/// both, and so is one that only the base ignores. One that the head ignores is left out.
fn match_up(mut base: SideTests, mut head: SideTests) -> Vec<(BenchmarkId, MatchedTest)> {
    let mut matched = Vec::new();
    for test in std::mem::take(&mut head.tests).into_values() {
        let in_base = base.take(&test.listed.benchmark);
        let in_base = in_base.or_else(|| base.take(head.former_name(&test)?));
        let benchmark = test.listed.benchmark.clone();
        matched.push(match in_base {
            Some(base) => {
                (benchmark, MatchedTest::InBoth { base: Box::new(base), head: Box::new(test) })
            }
            None => (benchmark, MatchedTest::OnlyInHead),
        });
    }
    for test in head.ignored.values() {
        base.tests.remove(test.listed.benchmark.as_str());
        head.former_name(test).map(|name| base.tests.remove(name.as_str()));
    }
    let in_base = base.tests.into_values();
    matched.extend(in_base.map(|test| (test.listed.benchmark, MatchedTest::OnlyInBase)));
    matched.sort_by_key(|(benchmark, _)| benchmark.to_string());
    matched
}

/// Checks whether executables of both sides have the same code, constants, variables and environment.
#[derive(Debug, Default)]
pub(crate) struct CodeCheck {
    /// The build directories of base and head; `None` if they are unknown.
    roots: Option<[PathBuf; 2]>,
    known: BTreeMap<PathBuf, String>,
}

impl CodeCheck {
    pub(crate) fn new(base: &SideDirectory, head: &SideDirectory) -> Self {
        Self { roots: Some([base, head].map(|it| it.root.clone())), known: BTreeMap::new() }
    }

    /// An unreadable executable is never the same as another.
    pub(crate) fn is_same(&mut self, base: &SideTest, head: &SideTest) -> bool {
        let base = self.code(base);
        base.is_some() && base == self.code(head)
    }

    /// Returns digests of the code, constants and variables that a test measures, also in the shared libraries that
    /// cargo built, and of the environment that its configuration and its build script choose; `None` if the code cannot be read, or if the test
    /// starts programs.
    pub(crate) fn code(&mut self, test: &SideTest) -> Option<String> {
        if test.listed.programs.is_some() {
            return None;
        }
        let executable = &test.executable;
        if let Some(code) = self.known.get(&executable.path) {
            return Some(code.clone());
        }
        let variables = executable.environment.iter().chain(executable.chosen_variables());
        let mut environment = text_of(variables);
        self.unify_sides(&mut environment);
        let mut parts = vec![Digest::of(&environment).hex16()];
        let path = &executable.path;
        let libraries = built_libraries(path, path, &executable.library_path());
        for file in [path].into_iter().chain(&libraries) {
            let mut bytes = fs::read(file).ok()?;
            self.unify_sides(&mut bytes);
            parts.push(code_of(&bytes).text);
        }
        let code = parts.join(" ");
        self.known.insert(executable.path.clone(), code.clone());
        Some(code)
    }

    /// Executables and paths contain the directory of their sources, so the head's is replaced by the base's, which is
    /// as long.
    fn unify_sides(&self, bytes: &mut [u8]) {
        if let Some([base, head]) = &self.roots {
            let [base, head] = [base, head].map(|it| it.as_os_str().as_encoded_bytes());
            replace(bytes, head, base);
        }
    }
}

fn text_of<'a>(variables: impl Iterator<Item = (&'a String, &'a OsString)>) -> Vec<u8> {
    let parts = variables.flat_map(|(name, value)| [name.as_bytes(), value.as_encoded_bytes()]);
    parts.flat_map(|part| part.iter().chain(b"\0")).copied().collect()
}

/// Replaces each occurrence by text of the same length.
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    let (Some(first), true) = (old.first(), old.len() == new.len()) else {
        return;
    };
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| byte == first) {
        at += found;
        if bytes[at..].starts_with(old) {
            bytes[at..at + new.len()].copy_from_slice(new);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn test(name: &str, path: &str) -> SideTest {
        let test = SideTest::named(name);
        SideTest { executable: Executable { path: path.into(), ..test.executable }, ..test }
    }

    fn side(names: &[&str]) -> SideTests {
        let named = |name: &&str| ((*name).to_owned(), test(name, "/t/perf"));
        let all = names.iter().map(|name| (*name).to_owned()).collect();
        SideTests { tests: names.iter().map(named).collect(), names: all, ..SideTests::default() }
    }

    #[test]
    fn two_executables_with_tests_of_one_name_are_refused_and_none_is_lost() {
        let mut tests = BTreeMap::new();
        assert!(insert(&mut tests, "a::tests::sum".into(), test("sum", "/t/tests")).is_ok());
        let refused = insert(&mut tests, "a::tests::sum".into(), test("sum", "/t/a"));
        let Err(CommandError::Usage(message)) = refused else { panic!("{refused:?}") };
        assert!(message.contains("/t/tests and /t/a"), "{message}");
    }

    #[test]
    fn one_test_that_is_built_for_several_targets_is_not_to_be_renamed() {
        let built = |target: &str, selector: &[&str]| {
            let mut test = test("sum", &format!("/t/{target}/release/deps/perf"));
            test.executable.selector = selector.iter().map(ToString::to_string).collect();
            test
        };
        let refused = |one: SideTest, other: SideTest| {
            let mut tests = BTreeMap::from([("a::perf::sum".to_owned(), one)]);
            insert(&mut tests, "a::perf::sum".into(), other).unwrap_err().to_string()
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
        type Listed = (Result<(), String>, Result<Vec<String>, String>);
        let listed = |filters: &[&str]| -> Listed {
            let filters: Vec<String> = filters.iter().map(ToString::to_string).collect();
            let mut side = SideTests::default();
            for (name, is_ignored) in [("a::slow", true), ("a::sum", false)] {
                let mut test = test(name, "/t/perf");
                test.listed.is_ignored = is_ignored;
                side.add(test, &filters).unwrap();
            }
            let refused = side.refuse_only_ignored(&filters);
            let matched = match_chosen(side, &filters, |_| Ok(SideTests::default()));
            let names =
                matched.map(|it| it.into_iter().map(|(name, _)| name.to_string()).collect());
            (refused.map_err(|it| it.to_string()), names.map_err(|it| it.to_string()))
        };
        let found = |names: &[&str]| -> Listed {
            (Ok(()), Ok(names.iter().map(ToString::to_string).collect()))
        };
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
        let matched = match_up(side(&["a", "b"]), side(&["b", "c"]));
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
            let mut side = SideTests::default();
            for (name, is_ignored) in tests {
                let mut test = test(name, "/t/perf");
                test.listed.is_ignored = *is_ignored;
                test.listed.formerly = (*name == "new").then(|| BenchmarkId::from_recorded("old"));
                side.add(test, &[]).unwrap();
            }
            side
        };
        let matched = |base: &[(&str, bool)], head: &[(&str, bool)]| {
            let matched = match_up(listed(base), listed(head)).into_iter();
            let is_in_both = |it: MatchedTest| matches!(it, MatchedTest::InBoth { .. });
            matched.map(|(name, it)| (name.to_string(), is_in_both(it))).collect::<Vec<_>>()
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
        let renamed = |others: &[&str]| {
            let mut head = side(others);
            let mut test = test("new", "/t/perf");
            test.listed.formerly = Some(BenchmarkId::from_recorded("old"));
            head.tests.insert("new".to_owned(), test);
            let matched = match_up(side(&["old"]), head).into_iter();
            let is_in_both = |it: MatchedTest| matches!(it, MatchedTest::InBoth { .. });
            let matched = matched.map(|(name, it)| (name.to_string(), is_in_both(it)));
            matched.collect::<Vec<_>>()
        };
        assert_eq!(renamed(&[]), [("new".to_owned(), true)]);
        assert_eq!(renamed(&["old"]), [("new".to_owned(), false), ("old".to_owned(), true)]);
    }

    #[test]
    fn a_renamed_test_that_is_chosen_by_its_new_name_is_in_both() {
        let chosen = |head_names: &[&str]| {
            let mut renamed = test("new", "/t/perf");
            renamed.listed.formerly = Some(BenchmarkId::from_recorded("old"));
            let tests = BTreeMap::from([("new".to_owned(), renamed)]);
            let head = SideTests { tests, names: side(head_names).names, ..SideTests::default() };
            let matched = match_chosen(head, &["new".to_owned()], |filters| {
                assert_eq!(filters, ["new", "old"]);
                Ok(side(&["old", "older"]))
            });
            let [(name, matched)] = &matched.unwrap()[..] else { panic!("others are not chosen") };
            (name.to_string(), matches!(matched, MatchedTest::InBoth { .. }))
        };
        assert_eq!(chosen(&["new"]), ("new".to_owned(), true));
        // The base's test is that of this name, which is not chosen.
        assert_eq!(chosen(&["new", "old"]), ("new".to_owned(), false));
    }

    #[test]
    fn the_same_executable_in_another_environment_is_not_the_same_code() {
        let in_side = |side: &str, name: &str, file: &str| {
            let mut test = SideTest::named("sum");
            test.executable.path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
            let value = format!("/c/{side}/{file}").into();
            test.executable.environment.insert(name.to_owned(), value);
            test
        };
        let sides = ["base", "head"].map(|it| SideDirectory { root: Path::new("/c").join(it) });
        let is_same = |base: &SideTest, head: &SideTest| {
            let codes = [base, head].map(|it| CodeCheck::new(&sides[0], &sides[1]).code(it));
            assert!(codes[0].is_some());
            codes[0] == codes[1]
        };
        let base = in_side("base", "CORPUS", "words");
        assert!(is_same(&base, &in_side("head", "CORPUS", "words")));
        assert!(!is_same(&base, &in_side("head", "CORPUS", "lines")));
        assert!(!is_same(&base, &in_side("head", "WORDS", "words")));
        let built = |side: &str, size: &str| {
            let mut test = in_side(side, "CORPUS", "words");
            let out = format!("/c/{side}/target/build/codec-{side}/out");
            let [list, version] = [format!("{out}/list"), side.len().to_string() + side];
            let variables = [
                ("SIZE", size),
                ("LIST", &list),
                ("OUT_DIR", &out),
                ("CARGO_PKG_VERSION", &version),
            ];
            let variables = variables.map(|(name, value)| (name.to_owned(), value.into()));
            test.executable.package = variables.into();
            test
        };
        assert!(is_same(&built("base", "1000"), &built("head", "1000")));
        assert!(!is_same(&built("base", "1000"), &built("head", "2000")));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_same_executable_with_another_library_of_its_build_is_not_the_same_code() {
        let root = tempfile::tempdir().unwrap();
        let sides = ["base", "head"].map(|it| SideDirectory { root: root.path().join(it) });
        let tests = sides.each_ref().map(|side| {
            let mut test = SideTest::named("sum");
            test.executable.path = side.root.join("target/release/deps/perf");
            fs::create_dir_all(test.executable.path.parent().unwrap()).unwrap();
            fs::copy(std::env::current_exe().unwrap(), &test.executable.path).unwrap();
            test
        });
        let is_same = |libraries: [&str; 2]| {
            for (side, library) in sides.iter().zip(libraries) {
                fs::write(side.root.join("target/release/libc.so.6"), library).unwrap();
            }
            CodeCheck::new(&sides[0], &sides[1]).is_same(&tests[0], &tests[1])
        };
        assert!(is_same(["sums", "sums"]));
        assert!(!is_same(["sums", "sums slowly"]));
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

    #[test]
    fn a_directory_is_replaced_wherever_it_stands() {
        let mut bytes = b"/c/head/x\0/c/hea/c/head".to_vec();
        replace(&mut bytes, b"/c/head", b"/c/base");
        assert_eq!(bytes, b"/c/base/x\0/c/hea/c/base");
        replace(&mut bytes, b"/c/base", b"/c");
        assert_eq!(bytes, b"/c/base/x\0/c/hea/c/base");
    }
}
