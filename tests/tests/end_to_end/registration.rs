//! Which perf tests a binary has.

use crate::PROJECTS;
use perftest_tests::{Invocation, TempStore};
use std::collections::BTreeSet;

#[test]
fn two_tests_of_one_name_are_refused_with_both_places() {
    for arguments in [&["--list"][..], &[]] {
        let refused = PROJECTS.binary("linked", "duplicates").args(arguments).run();
        let refused = refused.ended_with(101);
        assert_eq!(refused.stdout, "");
        refused.warns(&["`twice`", "duplicates.rs:3", "duplicates.rs:8", "rename"]);
    }
}

#[test]
fn a_binary_without_a_perf_test_names_what_is_missing() {
    let refused = PROJECTS.binary("linked", "empty").run().ended_with(101);
    refused.warns(&["no perf test", "#[perf_test]", "#[cfg(not(..))] above fn main() {}"]);
}

#[test]
fn a_binary_without_a_perf_test_still_answers_a_runner_that_lists_or_filters() {
    let empty = || PROJECTS.binary("linked", "empty");
    let listed = empty().args(&["--list", "--format", "terse"]).run().ended_with(0);
    assert_eq!(listed.stdout, "");
    empty().args(&["elsewhere"]).run().ended_with(0).prints(&["0 passed; 0 failed"]);
}

#[test]
fn a_perf_test_of_a_library_is_in_the_librarys_own_test_binary_and_in_no_other() {
    let listed = PROJECTS.binary("linked", "linked").args(&["--list"]).run().ended_with(0);
    listed.prints(&["of_the_library: test"]);
    let named = PROJECTS.binary("linked", "named").run().ended_with(101);
    named.warns(&["no perf test"]);
}

/// A binary, whose name and those of its modules sort behind `perftest`, has these tests.
fn has_tests(binary: impl Fn() -> Invocation, names: [&str; 2]) {
    let names = names.map(|name| format!("\"name\":\"{name}\""));
    let names = names.each_ref().map(String::as_str);
    let listed = binary().internal("PERFTEST_LIST", "1").args(&["--list", "--format", "terse"]);
    listed.run().ended_with(0).prints(&names);
    let settings = binary().env("PERFTEST_MODE", "list-effective");
    settings.args(&["--format", "json"]).run().ended_with(0).prints(&names);
}

const OF_BENCH_TARGET: [&str; 2] = ["lines", "inner::words"];

/// Other orders of the linker have the same effect as LTO, which builds all dependencies again.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn no_test_is_hidden_where_constructors_run_in_the_opposite_order() {
    let opposite = "link-arg=-Wl,--shuffle-sections=.init_array=-1";
    let arguments = ["rustc", "--release", "--bench", "speed", "--", "-C", opposite];
    let built = PROJECTS.built_by(&arguments, "tokenizer");
    has_tests(|| built("speed"), OF_BENCH_TARGET);
}

/// With this profile.
fn has_all_its_tests(profile: &str) {
    let arguments = ["test", "--profile", profile, "--lib", "--benches", "--no-run"];
    let built = PROJECTS.built_by(&arguments, "tokenizer");
    has_tests(|| built("tokenizer"), ["lines::perf::lines", "words::perf::words"]);
    has_tests(|| built("speed"), OF_BENCH_TARGET);
}

#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn thin_lto_hides_no_test_of_a_crate_that_is_linked_behind_perftest() {
    has_all_its_tests("thin");
}

#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn fat_lto_hides_no_test_of_any_codegen_unit() {
    has_all_its_tests("fat");
}

/// A module of the library, one of a program and a test target, each named `tests`, each with `inner`.
#[test]
fn tests_of_one_name_in_several_executables_are_never_compared_with_each_other() {
    let store = TempStore::new();
    for (target, arguments) in
        [("tests", ["--exact", "inner"]), ("measured", ["--exact", "tests::inner"])]
    {
        PROJECTS.binary("measured", target).args(&arguments).store(&store).run().ended_with(0);
    }
    PROJECTS.binary("measured", "tool").store(&store).run().ended_with(0);
    let records = store.records_of_all_series("inner");
    let series = records.iter().map(|it| (it["benchmark"].to_string(), it["config"].to_string()));
    assert_eq!(series.collect::<BTreeSet<_>>().len(), 3, "{records:?}");
    let names: BTreeSet<&str> = records.iter().filter_map(|it| it["benchmark"].as_str()).collect();
    let expected = ["measured::bin::tool::tests::inner", "measured::tests::inner"];
    assert_eq!(names, BTreeSet::from(expected));
}
