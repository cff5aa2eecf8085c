//! What a test is judged by: limits, groups, `perftest.toml`, the environment, a former name.

use crate::{PROJECTS, learn};
use perftest_tests::{Invocation, Outcome, TempStore, patiently};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

fn judged() -> Invocation {
    PROJECTS.binary("judged", "perf")
}

/// The settings of a test as JSON, with this `perftest.toml`.
fn settings(test: &str, toml: &str, variables: &[(&str, &str)]) -> Value {
    let package = package_with(toml);
    let listed = variables.iter().fold(
        judged().env("CARGO_MANIFEST_DIR", package.path()).env("PERFTEST_MODE", "list-effective"),
        |listed, (name, value)| listed.env(name, value),
    );
    let listed = listed.args(&["--format", "json", "--exact", test]).run().ended_with(0);
    let mut value: Value = serde_json::from_str(&listed.stdout).expect("one test, one line");
    value["settings"].take()
}

fn package_with(toml: &str) -> TempDir {
    let package = tempfile::tempdir().expect("a temporary directory");
    fs::write(package.path().join("perftest.toml"), toml).expect("a settings file");
    package
}

fn with_file(package: &TempDir) -> Invocation {
    judged().smoke().env("CARGO_MANIFEST_DIR", package.path())
}

fn is(settings: &Value, key: &str, value: &str, from: &str) {
    assert_eq!((&settings[key]["value"], &settings[key]["from"]), (&value.into(), &from.into()));
}

#[test]
fn a_test_over_its_limit_fails_without_a_history_and_names_the_limit() {
    let store = TempStore::new();
    let over = || {
        store.clear();
        judged().args(&["--exact", "over"]).store(&store).run()
    };
    let failed = patiently(over, |outcome| outcome.code != Some(0)).ended_with(3);
    failed.prints(&["over its limit of 1 ns", "no acceptance lifts a limit"]);
    let record = store.newest("over");
    assert_eq!(record["verdict"], "over_limit", "{record}");
}

#[test]
fn a_test_that_only_reports_passes_with_its_verdict() {
    let store = TempStore::new();
    let reported = || {
        store.clear();
        judged().args(&["--exact", "reported"]).store(&store).run().ended_with(0)
    };
    let parts = ["over its limit of 1 ns", "(report only)"];
    patiently(reported, |outcome| outcome.has(&parts)).prints(&parts);
}

#[test]
fn a_renamed_test_goes_on_with_its_history() {
    let store = TempStore::new();
    let run = || {
        learn("sum", || PROJECTS.binary("judged", "before"), &store);
        judged().args(&["--exact", "total"]).store(&store).run().ended_with(0)
    };
    let is_compared = |outcome: &Outcome| outcome.line_of("total").contains("x [");
    let total = patiently(run, is_compared);
    assert!(is_compared(&total), "{total}");
    let record = store.newest("total");
    assert_eq!(record["formerly"], "judged::before::sum", "{record}");
}

#[test]
fn a_former_name_that_was_never_recorded_is_named_by_the_first_run_alone() {
    let total = |store: &TempStore| {
        judged().args(&["--exact", "total"]).store(store).run().ended_with(0).stderr
    };
    let warning = "total: no run of `judged::before::sum` is recorded";
    let (with_history, new, continued) = (TempStore::new(), TempStore::new(), TempStore::new());
    judged().args(&["--exact", "reported"]).store(&with_history).run().ended_with(0);
    let first = total(&with_history);
    assert!(first.contains(warning), "{first}");
    let is_continued = !with_history.baseline_runs("total").is_empty();
    let second = total(&with_history);
    assert!(!(is_continued && second.contains(warning)), "{second}");
    let of_new_machine = total(&new);
    assert!(!of_new_machine.contains(warning), "{of_new_machine}");
    PROJECTS.binary("judged", "before").store(&continued).run().ended_with(0);
    let of_renamed = total(&continued);
    assert!(!of_renamed.contains(warning), "{of_renamed}");
}

#[test]
fn the_attribute_is_stronger_than_its_groups_and_they_than_the_file() {
    let toml = "[defaults]\ntolerance = \"50%\"\non_unclear = \"fail\"\nlimit = \"2h\"\n";
    let scan = settings("db::scan", toml, &[]);
    is(&scan, "tolerance", "25%", "group at judged/tests/perf.rs:20");
    is(&scan, "limit", "7200 s", "perftest.toml:4");
    is(&scan, "on_unclear", "fail", "perftest.toml:3");
    is(&scan, "on_debug", "smoke", "built in");
    is(&settings("db::lookup", toml, &[]), "tolerance", "4%", "attribute");
    let leaf = settings("db::deeper::leaf", toml, &[]);
    is(&leaf, "limit", "3600 s", "group at judged/tests/perf.rs:34");
    is(&leaf, "budget", "10 s", "group at judged/tests/perf.rs:20");
}

#[test]
fn the_environment_is_stronger_than_all_and_leaves_other_keys_alone() {
    let lookup = settings("db::lookup", "", &[("PERFTEST_TOLERANCE", "0.5")]);
    is(&lookup, "tolerance", "50%", "PERFTEST_TOLERANCE");
    is(&lookup, "budget", "10 s", "group at judged/tests/perf.rs:20");
}

#[test]
fn a_profile_is_that_of_ci_or_the_one_asked_for() {
    let toml = "[[override]]\nfilter = \"judged::perf::to*\"\nbudget = \"7s\"\n\
                [profile.ci.defaults]\non_unclear = \"fail\"\n[profile.night.defaults]\nlimit = \"1m\"\n";
    let total = |variables: &[(&str, &str)]| settings("total", toml, variables);
    is(&total(&[]), "on_unclear", "pass", "built in");
    is(&total(&[]), "budget", "7 s", "perftest.toml:3");
    is(&total(&[("CI", "true")]), "on_unclear", "fail", "perftest.toml:5");
    is(&total(&[("PERFTEST_PROFILE", "night")]), "limit", "60 s", "perftest.toml:7");
    let in_ci = [("CI", "true"), ("PERFTEST_PROFILE", "default")];
    is(&total(&in_ci), "on_unclear", "pass", "built in");
}

#[test]
fn an_override_by_the_displayed_name_counts_and_one_for_no_test_is_warned_of() {
    let by_name = "[[override]]\nfilter = \"total\"\nbudget = \"7s\"\n";
    is(&settings("total", by_name, &[]), "budget", "7 s", "perftest.toml:3");
    let package = package_with(
        "[defaults]\n[[override]]\nfilter = \"judged::totl\"\n\
                                [[override]]\nfilter = \"judged::total\"\n",
    );
    let warned = with_file(&package).args(&["--exact", "total"]).run().ended_with(0);
    warned.warns(&[
        "perftest.toml:5: the filter \"judged::total\" matches no test",
        "judged::perf::total",
    ]);
}

#[test]
fn the_page_on_settings_has_every_setting_with_its_variable_and_a_file_that_is_read() {
    let page = include_str!("../../../docs/reference/settings.md");
    let mut fragments = page.split("```toml\n").filter_map(|rest| rest.split("```").next());
    let file = fragments.find(|it| it.contains("[defaults]")).expect("a settings file");
    let over = settings("over", file, &[("CI", "true")]);
    is(&over, "tolerance", "8%", "perftest.toml:2");
    assert_eq!(over["on_unclear"]["value"], "fail", "the profile of CI counts");
    for key in over.as_object().expect("the settings by name").keys() {
        let variable = format!("`PERFTEST_{}`", key.to_uppercase());
        let rows = ["", " (expert)"].map(|kind| format!("| `{key}`{kind} | {variable} |"));
        assert!(rows.iter().any(|row| page.contains(row)), "no row begins with {}", rows[0]);
    }
}

#[test]
fn rules_of_the_tool_in_the_same_file_judge_no_test() {
    let page = include_str!("../../../docs/reference/thresholds.md");
    let rules = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let file = format!("{}\n[defaults]\ntolerance = \"8%\"\n", rules.expect("an example"));
    let lines = file.lines().count();
    is(&settings("over", &file, &[]), "tolerance", "8%", &format!("perftest.toml:{lines}"));
}

#[test]
fn a_settings_file_that_cannot_be_read_fails_the_tests_with_the_line() {
    for (toml, message) in [
        ("[defaults]\ntolerence = \"5%\"\n", "perftest.toml:2: unknown key `tolerence`"),
        ("[defaults]\nbudget = 3\n", "perftest.toml:2: the value of `budget`"),
        ("[defaults\n", "perftest.toml:1: this is no TOML"),
        ("[[override]]\nfilter = \"judged::*::sum\"\n", "perftest.toml:2: the filter"),
    ] {
        let package = package_with(toml);
        with_file(&package).run().ended_with(101).warns(&[message]);
        let listed = with_file(&package).args(&["--list"]).run().ended_with(0);
        assert!(listed.stdout.contains("over: test"), "it does not keep anybody from listing");
    }
}

#[test]
fn a_profile_that_is_not_there_is_refused_with_those_that_are() {
    let package = package_with("[profile.night.defaults]\nlimit = \"1m\"\n");
    let refused = with_file(&package).env("PERFTEST_PROFILE", "nigth").run().ended_with(101);
    refused.warns(&["[profile.nigth]", "the profiles are: night"]);
}

#[test]
fn the_effective_settings_are_a_table_that_names_the_file() {
    let package = package_with("");
    let table = with_file(&package).env("PERFTEST_MODE", "list-effective").run().ended_with(0);
    let table =
        table.prints(&["db::lookup        tolerance         4%", "attribute", "settings file: "]);
    assert!(!table.stdout.contains("running"), "nothing ran: {table}");
}

#[test]
fn a_misspelt_variable_is_warned_of_once_with_the_one_that_was_meant() {
    let warned = judged().smoke().env("PERFTEST_TOLERENCE", "5%").env("PERFTEST_DATA", "x").run();
    let warned = warned.ended_with(0).warns(&["PERFTEST_TOLERENCE", "PERFTEST_TOLERANCE?"]);
    assert_eq!(warned.stderr.matches("has no effect").count(), 1, "{warned}");
    let listed = judged().env("PERFTEST_TOLERENCE", "5%").env("PERFTEST_MODE", "list-effective");
    let listed = listed.args(&["--format", "json"]).run().ended_with(0);
    let listed = listed.warns(&["PERFTEST_TOLERENCE", "PERFTEST_TOLERANCE?"]);
    assert!(!listed.stdout.contains("TOLERENCE"), "what is listed can be read: {listed}");
}

#[test]
fn only_who_asks_by_the_protocol_is_answered_by_it() {
    let package = package_with("[defaults]\nbudget = 3\n");
    let refused = with_file(&package).env("PERFTEST_MODE", "list-effective").run().ended_with(101);
    let refused = refused.warns(&["perftest.toml:2: the value of `budget`"]);
    assert_eq!(refused.stdout, "");
    let listed = with_file(&package).internal("PERFTEST_LIST", "1").run().ended_with(101);
    listed.prints(&["\"say\":\"failed\"", "perftest.toml:2"]);
}

#[test]
fn what_stands_in_the_attribute_alone_is_among_the_effective_settings() {
    let listed = |package, test: &str| {
        let all = PROJECTS.binary(package, "perf").env("PERFTEST_MODE", "list-effective");
        let one = all.args(&["--format", "json", "--exact", test]).run().ended_with(0);
        let mut value: Value = serde_json::from_str(&one.stdout).expect("one test, one line");
        value["settings"].take()
    };
    is(&listed("judged", "total"), "formerly", "judged::before::sum", "attribute");
    let kept = listed("series", "keeps_count");
    is(&kept, "metrics", "[wall, allocs = 1%, alloc_peak]", "attribute");
    is(&listed("ratcheted", "held"), "on_improved", "fail", "attribute");
    is(&listed("curved", "forgiving"), "curve", "[(9, 12.0), (30, 4.0)]", "attribute");
    let compared = listed("contended", "versus::compared");
    is(&compared, "versus", "other", "attribute");
    assert!(compared["limit"].is_null() && compared["max_measurements"].is_null(), "{compared}");
}

#[test]
fn libtest_shows_the_settings_too() {
    let library = || PROJECTS.binary("measured", "measured").env("PERFTEST_MODE", "list-effective");
    let table = library().run().ended_with(0);
    let table = table.prints(&["tests::inner", "built in"]);
    assert!(!table.stdout.contains("tests::ordinary"), "{table}");
}

#[test]
fn an_unoptimised_build_follows_on_debug() {
    let unoptimised = || PROJECTS.binary("unoptimised", "perf").args(&["--exact", "sum"]);
    let refused = unoptimised().env("PERFTEST_ON_DEBUG", "fail").run().ended_with(101);
    refused.prints(&["on_debug", "cargo test --release"]);
    let measured = unoptimised().env("PERFTEST_ON_DEBUG", "measure").run().ended_with(0);
    assert!(!measured.stdout.contains("not measured"), "{measured}");
}
