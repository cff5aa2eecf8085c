//! Tests that are not in this checkout any more: nobody records that a test was deleted.

use perftest_core::model::{BenchmarkId, Run};
use perftest_store::read_regular_text;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

/// A larger file is no source.
const MOST_SOURCE_BYTES: u64 = 16 << 20;

/// Returns the tests that are gone, with their stages. Each history comes with its newest run.
///
/// A test is gone when the newest session of its package ran without it, and its source neither names it any more nor
/// calls a macro that may make it. The session alone may have run a selection. Where the sources of that session are not
/// below `root`, this is no checkout of theirs, and nothing is gone.
pub(crate) fn gone_tests(newest_runs: &[Run], root: &Path) -> BTreeSet<BenchmarkId> {
    let mut packages = BTreeMap::<&str, Vec<&Run>>::new();
    for run in newest_runs.iter().filter(|run| !run.is_show_only()) {
        packages.entry(package_of(run)).or_default().push(run);
    }
    let mut sources = Sources { root, files: BTreeMap::new() };
    packages.values().flat_map(|runs| gone_of_package(runs, &mut sources)).collect()
}

fn gone_of_package(runs: &[&Run], sources: &mut Sources<'_>) -> Vec<BenchmarkId> {
    let Some(newest) = runs.iter().max_by_key(|run| run.started_ms) else { return Vec::new() };
    let of_session = || runs.iter().filter(|run| run.session == newest.session);
    let present: BTreeSet<&str> = of_session().map(|run| run.benchmark.whole()).collect();
    if !of_session().any(|run| sources.names(run) == Some(true)) {
        return Vec::new();
    }
    let absent = runs.iter().filter(|run| !present.contains(run.benchmark.whole()));
    let gone = absent.filter(|run| sources.names(run) == Some(false) && !sources.may_make(run));
    gone.map(|run| run.benchmark.clone()).collect()
}

fn package_of(run: &Run) -> &str {
    run.benchmark.whole().split("::").next().unwrap_or_default()
}

/// The files of a checkout, each read once.
struct Sources<'a> {
    root: &'a Path,
    files: BTreeMap<String, SourceNames>,
}

impl Sources<'_> {
    /// Whether the source of a test names its function; `None` where its file is not recorded.
    ///
    /// The last part of a name may be a case, which no source needs to have. A macro may make the function, so its name
    /// alone counts, too.
    fn names(&mut self, run: &Run) -> Option<bool> {
        let names = self.of(run)?;
        let (_, below_package) = run.benchmark.whole().split_once("::")?;
        let last = below_package.rsplit("::").next()?;
        let is_function = |part: &str| names.functions.contains(part);
        Some(names.words.contains(last) || below_package.split("::").any(is_function))
    }

    /// Whether the source of a test calls a macro of another file that may make it.
    fn may_make(&mut self, run: &Run) -> bool {
        self.of(run).is_some_and(|names| names.has_items_of_macros)
    }

    fn of(&mut self, run: &Run) -> Option<&SourceNames> {
        let file = &run.source.as_ref()?.file;
        let read = || read_regular_text(&self.root.join(file), MOST_SOURCE_BYTES);
        let names = self.files.entry(file.clone());
        Some(names.or_insert_with(|| SourceNames::of(&read().unwrap_or_default())))
    }
}

/// The names in a source; none where there is no such file.
struct SourceNames {
    words: HashSet<String>,
    functions: HashSet<String>,
    /// Whether a macro of another file may make functions of this one.
    has_items_of_macros: bool,
}

impl SourceNames {
    fn of(text: &str) -> Self {
        let is_part = |it: char| it.is_alphanumeric() || it == '_';
        let words = || text.split(|it| !is_part(it)).filter(|word| !word.is_empty());
        let behind_fn = words().zip(words().skip(1)).filter(|(before, _)| *before == "fn");
        Self {
            words: words().map(str::to_owned).collect(),
            functions: behind_fn.map(|(_, name)| name.to_owned()).collect(),
            has_items_of_macros: has_items_of_macros(text),
        }
    }
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
    use std::fs;

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
