//! Tests that are not in this checkout any more: nobody records that a test was deleted.

use crate::project_directories::project_directories;
use perftest_core::model::{BenchmarkId, Run};
use perftest_store::read_regular_text;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A larger file is no source.
const MOST_SOURCE_BYTES: u64 = 16 << 20;
/// The attribute of a test.
const ATTRIBUTE: &str = "perf_test";

/// Returns the tests that are gone, with their stages. Each history comes with its newest run.
///
/// A test is gone when the newest session of its package ran without it, and its source neither names it any more nor
/// calls a macro that may make it. The session alone may have run a selection. Where the source of a test is not there
/// any more, the file may have moved, and the test is gone only if no other source may make a test of its name. Where the
/// sources of that session are not below `root`, this is no checkout of theirs, and nothing is gone.
pub(crate) fn gone_tests(newest_runs: &[Run], root: &Path) -> BTreeSet<BenchmarkId> {
    let mut packages = BTreeMap::<&str, Vec<&Run>>::new();
    for run in newest_runs.iter().filter(|run| !run.is_show_only()) {
        packages.entry(package_of(run)).or_default().push(run);
    }
    let mut sources = SourceFiles { root, files: BTreeMap::new(), all: OnceCell::new() };
    packages.values().flat_map(|runs| gone_of_package(runs, &mut sources)).collect()
}

fn gone_of_package(runs: &[&Run], sources: &mut SourceFiles<'_>) -> Vec<BenchmarkId> {
    let Some(newest) = runs.iter().max_by_key(|run| run.started_ms) else { return Vec::new() };
    let of_session = || runs.iter().filter(|run| run.session == newest.session);
    let present: BTreeSet<&str> = of_session().map(|run| run.benchmark.whole()).collect();
    if !of_session().any(|run| sources.still_have(run)) {
        return Vec::new();
    }
    let absent = runs.iter().filter(|run| !present.contains(run.benchmark.whole()));
    let gone = absent.filter(|run| sources.have_lost(run));
    gone.map(|run| run.benchmark.clone()).collect()
}

fn package_of(run: &Run) -> &str {
    run.benchmark.whole().split("::").next().unwrap_or_default()
}

/// The recorded file of a test, and its name without the package.
fn recorded_place(run: &Run) -> Option<(&str, &str)> {
    let (_, name) = run.benchmark.whole().split_once("::")?;
    Some((&run.source.as_ref()?.file, name))
}

/// The files of a checkout, each read once.
struct SourceFiles<'a> {
    root: &'a Path,
    /// The names in recorded files; `None` where there is no such file.
    files: BTreeMap<String, Option<SourceNames>>,
    /// The names of tests in all files; `None` where it is unknown which files these are.
    all: OnceCell<Option<PossibleTests>>,
}

impl SourceFiles<'_> {
    /// Whether the recorded file of a test names its function.
    fn still_have(&mut self, run: &Run) -> bool {
        let Some((file, name)) = recorded_place(run) else { return false };
        self.of_file(file).is_some_and(|names| names.include(name))
    }

    /// Whether no source can make a test any more.
    fn have_lost(&mut self, run: &Run) -> bool {
        let Some((file, name)) = recorded_place(run) else { return false };
        match self.of_file(file) {
            Some(names) => !names.include(name) && !names.has_items_of_macros,
            None => self.of_all_files().is_some_and(|names| !names.include(name)),
        }
    }

    fn of_file(&mut self, file: &str) -> Option<&SourceNames> {
        let read = || SourceNames::read(&self.root.join(file));
        self.files.entry(file.to_owned()).or_insert_with(read).as_ref()
    }

    fn of_all_files(&self) -> Option<&PossibleTests> {
        self.all.get_or_init(|| PossibleTests::below(self.root)).as_ref()
    }
}

/// The names in a source.
struct SourceNames {
    words: HashSet<String>,
    functions: HashSet<String>,
    /// Whether a macro of another file may make functions of this one.
    has_items_of_macros: bool,
}

impl SourceNames {
    fn read(file: &Path) -> Option<Self> {
        read_source(file).map(|text| Self::of(&text))
    }

    fn of(text: &str) -> Self {
        Self {
            words: words(text).map(str::to_owned).collect(),
            functions: functions(text).map(str::to_owned).collect(),
            has_items_of_macros: has_items_of_macros(text),
        }
    }

    /// Whether the function of a test is among these names, given the test's name without the package.
    ///
    /// The last part of a name may be a case, which no source needs to have. A macro may make the function, so its name
    /// alone counts, too.
    fn include(&self, test: &str) -> bool {
        let mut parts = test.rsplit("::");
        parts.clone().next().is_some_and(|last| self.words.contains(last))
            || parts.any(|part| self.functions.contains(part))
    }
}

/// The names that the tests of a checkout may have, wherever they are.
#[derive(Default)]
struct PossibleTests {
    /// The functions behind the attribute of tests.
    tests: HashSet<String>,
    /// All functions of files with it: its name may be another one there.
    functions: HashSet<String>,
    /// The words beside macros that may make functions of them.
    words: HashSet<String>,
}

impl PossibleTests {
    fn below(root: &Path) -> Option<Self> {
        let directories = project_directories(root).ok()?;
        let sources = directories.iter().flat_map(|directory| sources_in(directory));
        let mut all = Self::default();
        sources.filter_map(|file| read_source(&file)).for_each(|text| all.add(&text));
        Some(all)
    }

    /// Adds the names in a source. Most sources have none, and are not split into words.
    fn add(&mut self, text: &str) {
        if text.contains(ATTRIBUTE) {
            self.tests.extend(functions_behind_attribute(text).map(str::to_owned));
            self.functions.extend(functions(text).map(str::to_owned));
        }
        if has_items_of_macros(text) {
            self.words.extend(words(text).map(str::to_owned));
        }
    }

    /// Whether a test may be here, given its name without the package. Its function is the last part of the name, or
    /// stands before the types, threads and values of a case.
    fn include(&self, test: &str) -> bool {
        let mut parts = test.rsplit("::");
        parts.clone().any(|part| self.tests.contains(part))
            || parts.clone().take(2).any(|part| self.functions.contains(part))
            || parts.find(|part| is_identifier(part)).is_some_and(|part| self.words.contains(part))
    }
}

fn read_source(file: &Path) -> Option<String> {
    read_regular_text(file, MOST_SOURCE_BYTES).ok()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    text.split(move |it| !is_part(it)).filter(|word| !word.is_empty())
}

fn functions(text: &str) -> impl Iterator<Item = &str> {
    let behind_fn = words(text).zip(words(text).skip(1)).filter(|(before, _)| *before == "fn");
    behind_fn.map(|(_, name)| name)
}

fn functions_behind_attribute(text: &str) -> impl Iterator<Item = &str> {
    let attributes = text.match_indices(ATTRIBUTE).filter(|(start, _)| {
        let line = text[..*start].rsplit('\n').next();
        line.is_some_and(|line| line.contains("#["))
    });
    attributes.filter_map(|(start, _)| functions(&text[start..]).next())
}

fn is_identifier(part: &str) -> bool {
    !part.starts_with(|it: char| it.is_ascii_digit()) && words(part).next() == Some(part)
}

fn sources_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path());
    files.filter(|file| file.extension().is_some_and(|it| it == "rs")).collect()
}

/// Macros that stand beside functions and make none that are measured.
const WITHOUT_TESTS: [&str; 6] =
    ["criterion_group", "criterion_main", "lazy_static", "macro_rules", "main", "thread_local"];

/// Whether a macro is called where items are: in no block, or in blocks of modules alone. Blocks are known by the
/// indentation of the lines that open them.
fn has_items_of_macros(text: &str) -> bool {
    let mut blocks: Vec<(usize, bool)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let code = line.trim_start();
        let indentation = line.len() - code.len();
        blocks.retain(|(outside, _)| *outside < indentation);
        let is_item = blocks.iter().all(|(_, is_module)| *is_module);
        if is_item && calls_macro(code) {
            return true;
        }
        if code.trim_end().ends_with('{') {
            blocks.push((indentation, code.split_whitespace().any(|word| word == "mod")));
        }
    }
    false
}

fn calls_macro(code: &str) -> bool {
    let is_path = |it: &str| {
        !it.is_empty() && it.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | ':'))
    };
    let path = code.split_once('!').map(|(path, _)| path).filter(|path| is_path(path));
    let name = path.and_then(|path| path.rsplit("::").next());
    name.is_some_and(|name| !WITHOUT_TESTS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::SourcePlace;
    use perftest_store::conformance::example_run;

    fn run(session: u64, benchmark: &str, file: &str) -> Run {
        Run {
            benchmark: BenchmarkId::from_recorded(benchmark),
            session: session.to_string(),
            source: Some(SourcePlace { file: file.into(), line: 1 }),
            ..example_run(session)
        }
    }

    fn gone(runs: &[Run], root: &Path) -> Vec<String> {
        gone_tests(runs, root).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_test_is_gone_that_neither_the_newest_session_nor_its_source_has() {
        let root = tempfile::tempdir().unwrap();
        let text = "#[perf_test]\nfn kept() {}\nfn  of_cases(n: u64) {\n    info!(made);\n}\n// deleted_too";
        fs::write(root.path().join("perf.rs"), text).unwrap();
        let runs = [
            run(2, "codec::perf::kept", "perf.rs"),
            run(1, "codec::perf::deleted", "perf.rs"),
            run(1, "codec::perf::deleted/stage", "perf.rs"),
            run(1, "codec::perf::moved", "gone.rs"),
            run(1, "codec::perf::of_cases::64", "perf.rs"),
            run(1, "codec::perf::made", "perf.rs"),
            run(1, "other::perf::deleted", "perf.rs"),
            Run { source: None, ..run(1, "codec::perf::imported", "") },
        ];
        let deleted = ["codec::perf::deleted", "codec::perf::deleted/stage", "codec::perf::moved"];
        assert_eq!(gone(&runs, root.path()), deleted);
        let again = [&runs[..], &[run(2, "codec::perf::deleted", "perf.rs")]].concat();
        assert_eq!(
            gone(&again, root.path()),
            ["codec::perf::moved"],
            "it ran in the newest session"
        );
    }

    #[test]
    fn tests_of_a_file_that_moved_stay_and_those_of_a_file_that_was_deleted_are_gone() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let decode = "#[perf_test]\nfn decode() {}";
        write("kept.rs", "#[perf_test]\nfn kept() {}");
        write("codec/src/lib.rs", "pub fn decode() {}");
        write("target/CACHEDIR.TAG", "");
        write("target/package/old.rs", decode);
        let runs = [
            run(2, "codec::kept", "kept.rs"),
            run(1, "codec::frame::decode", "codec/src/frame.rs"),
            run(1, "codec::frame::decode/stage", "codec/src/frame.rs"),
        ];
        let both = ["codec::frame::decode", "codec::frame::decode/stage"];
        assert_eq!(gone(&runs, root.path()), both, "the measured function is no test");
        for moved in ["codec/src/frame/mod.rs", "crates/codec/src/frame.rs"] {
            write(moved, decode);
            assert_eq!(gone(&runs, root.path()), [""; 0], "{moved}");
            fs::remove_file(root.path().join(moved)).unwrap();
        }
        write("codec/src/frame/mod.rs", "suite!(decode);");
        assert_eq!(gone(&runs, root.path()), [""; 0], "a macro may make it there");
    }

    #[test]
    fn a_test_of_a_deleted_file_is_gone_whatever_else_has_a_part_of_its_name() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
        write("kept.rs", "#[perf_test]\nfn kept() {}");
        let runs = [
            run(2, "codec::kept", "kept.rs"),
            run(1, "codec::bench::frame::decode::64", "frame.rs"),
            run(1, "codec::bench::frame::encode", "frame.rs"),
            run(1, "codec::bench::frame::sort::BTreeSet<u64>::16", "frame.rs"),
        ];
        let [decode, encode, sort] = [
            "codec::bench::frame::decode::64",
            "codec::bench::frame::encode",
            "codec::bench::frame::sort::BTreeSet<u64>::16",
        ];
        for (text, stay) in [
            ("#[perf_test]\nfn other() {\n    decode(64);\n    encode();\n}", vec![]),
            ("#[perf_test]\nfn other() {}\nfn bench() {}", vec![]),
            ("bitflags! {\n    struct Flags: u64 { const A = 64; }\n}", vec![]),
            ("bench::frame::suite!(64);", vec![]),
            ("#[perf_test(args = [64])]\nfn decode(n: u64) {}", vec![decode]),
            ("suite!(decode, [64]);", vec![decode]),
            ("suite!(encode);", vec![encode]),
            ("#[perftest::perf_test]\nfn sort<T>(n: u64) {}", vec![sort]),
            ("suite!(sort, BTreeSet<u64>);", vec![sort]),
        ] {
            write("other.rs", text);
            let is_gone = |test: &&str| !stay.contains(test);
            let expected: Vec<&str> = [decode, encode, sort].into_iter().filter(is_gone).collect();
            assert_eq!(gone(&runs, root.path()), expected, "{text}");
        }
    }

    #[test]
    fn what_a_macro_of_another_file_may_make_stays_as_long_as_its_file() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
        write("perf.rs", "fn kept() {}");
        let runs = [
            run(3, "codec::perf::kept", "perf.rs"),
            run(2, "codec::suite::insert", "suite.rs"),
            run(1, "codec::suite::remove", "suite.rs"),
        ];
        for suite in
            ["common::suite!(Map);", "suite! {\n    Map\n}", "mod map {\n    suite!(Map);\n}"]
        {
            write("suite.rs", suite);
            assert_eq!(gone(&runs, root.path()), [""; 0], "{suite}");
        }
        let both = ["codec::suite::insert", "codec::suite::remove"];
        let in_function = "mod map {\n    fn other() {\n        suite!(Map);\n    }\n}";
        for other in [in_function, "thread_local!(static A: u8 = 0);\nperftest::main!();"] {
            write("suite.rs", other);
            assert_eq!(gone(&runs, root.path()), both, "{other}");
        }
        fs::remove_file(root.path().join("suite.rs")).unwrap();
        assert_eq!(gone(&runs, root.path()), both);
    }

    #[test]
    fn where_the_sources_are_elsewhere_nothing_is_gone() {
        let root = tempfile::tempdir().unwrap();
        let runs =
            [run(2, "codec::perf::kept", "perf.rs"), run(1, "codec::perf::deleted", "perf.rs")];
        assert_eq!(gone(&runs, root.path()), [""; 0]);
    }
}
