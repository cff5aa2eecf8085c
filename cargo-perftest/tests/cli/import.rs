//! `cargo perftest import`: a past that other tools measured, and files that cannot be read.

use crate::bench::{Bench, line_with};
use crate::export::formats::assert_events;
use perftest_core::model::BenchmarkId;
use perftest_store::conformance::example_run;
use perftest_store::{Annotation, Store};
use perftest_tests::Outcome;
use std::fmt::Write;
use std::fs;

fn file(bench: &Bench, name: &str, text: &str) -> String {
    let path = bench.root.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// 60 commits of a benchmark, the last 20 of them 30 % slower.
fn past() -> String {
    let mut text = "benchmark,value,unit,commit,time\n".to_owned();
    for commit in 0..60 {
        let level = if commit < 40 { 100.0 } else { 130.0 };
        for measurement in 0..3 {
            let value = level + f64::from((7 * commit + 3 * measurement) % 5) / 10.0;
            let day = 1_767_225_600 + 86_400 * commit;
            writeln!(text, "codec/encode,{value},us,{commit:040x},{day}").unwrap();
        }
    }
    text
}

#[test]
fn a_past_in_a_table_has_its_change_found() {
    let bench = Bench::new("import-past");
    let path = file(&bench, "past.csv", &past());
    let text = bench.answer(&["import", "csv", &path, "--branch", "main"]);
    assert!(text.contains("60 runs of 1 test: imported\ntestbed: imported/csv\n"), "{text}");
    assert!(line_with(&bench.answer(&["history"]), "codec::encode").contains("  130."));
    let changes = bench.json(&["changepoints", "--json"]);
    let change = changes.iter().find(|it| it["event"] == "change").unwrap();
    let [lower, upper] = ["ratio_lower", "ratio_upper"].map(|key| change[key].as_f64().unwrap());
    assert!((1.29..1.31).contains(&lower) && (1.29..1.31).contains(&upper), "{change}");
    assert!(bench.answer(&["rank"]).contains("codec::encode"));
    let rules = "[[threshold]]\nname = \"latency\"\ntest = \"change\"\nminimum_effect = \"10%\"\n";
    fs::write(bench.root.join("project/perftest.toml"), rules).unwrap();
    bench.run(&["check", "--branch", "main"]).ended_with(1);
    assert_events(&bench.answer(&["import", "csv", &path, "--json"]));
    let again = bench.answer(&["import", "csv", &path]);
    assert!(again.contains("60 runs of 1 test: imported before: nothing was added"), "{again}");
    assert_eq!(bench.json(&["history", "encode", "--json"]).len(), 60);
}

#[test]
fn rows_that_are_added_to_a_table_are_added_to_the_history() {
    let bench = Bench::new("import-grown");
    let text = past();
    let (head, _) = text.split_at(text.match_indices('\n').nth(90).unwrap().0 + 1);
    bench.answer(&["import", "csv", &file(&bench, "past.csv", head)]);
    let grown = bench.json(&["import", "csv", &file(&bench, "past.csv", &text), "--json"]);
    let summary = grown.last().unwrap();
    assert_eq!((&summary["known"], &summary["new"]), (&30.into(), &30.into()));
}

#[test]
fn a_metric_with_its_change_stays_in_every_list_when_the_newest_import_has_another_one() {
    let bench = Bench::new("import-metrics");
    bench.answer(&["import", "csv", &file(&bench, "past.csv", &past()), "--branch", "main"]);
    let sizes = "benchmark,value,unit,time,metric\ncodec/encode,9,allocs,1772596800,allocs\n";
    bench.answer(&["import", "csv", &file(&bench, "sizes.csv", sizes), "--branch", "main"]);
    let history = bench.answer(&["history"]);
    for row in ["imported/csv  allocs     1", "imported/csv  wall      60"] {
        assert!(history.contains(row), "{history}");
    }
    assert!(bench.answer(&["changepoints"]).contains("1 lasting change in 1 history"));
    assert!(bench.answer(&["changepoints", "--metric", "wall"]).contains("slower"));
    let rules = "[[threshold]]\nname = \"all\"\nmetric = \"*\"\ntest = \"change\"\nminimum_effect = \"10%\"\n";
    fs::write(bench.root.join("project/perftest.toml"), rules).unwrap();
    bench.run(&["check", "--branch", "main"]).ended_with(1);
}

/// A row a day, each with this value.
fn days(values: &[u32]) -> String {
    let mut text = "benchmark,value,unit,time\n".to_owned();
    for (day, value) in values.iter().enumerate() {
        writeln!(text, "codec/encode,{value},ns,{}", 1_767_225_600 + 86_400 * day).unwrap();
    }
    text
}

/// The values of the history, oldest first.
fn values(bench: &Bench) -> Vec<f64> {
    let lines = bench.json(&["history", "encode", "--json"]);
    lines.iter().map(|line| line["median"].as_f64().unwrap()).collect()
}

#[test]
fn a_corrected_row_and_one_that_was_missing_stand_at_their_time() {
    let bench = Bench::new("import-corrected");
    let import = |text: &str| {
        let path = file(&bench, "past.csv", text);
        bench.json(&["import", "csv", &path, "--json"]).pop().unwrap()
    };
    let whole = days(&[200, 201, 202, 100, 101]);
    let without_second: Vec<&str> =
        whole.lines().enumerate().filter(|(at, _)| *at != 2).map(|(_, line)| line).collect();
    import(&without_second.join("\n"));
    assert_eq!(import(&whole)["new"], 1);
    assert_eq!(values(&bench), [200.0, 201.0, 202.0, 100.0, 101.0]);
    assert_eq!(import(&days(&[200, 211, 202, 100, 101]))["corrected"], 1);
    assert_eq!(values(&bench), [200.0, 211.0, 202.0, 100.0, 101.0]);
}

/// A project whose rule compares each run with the one before.
fn with_rule(name: &str) -> Bench {
    let bench = Bench::new(name);
    let rules = "[[threshold]]\nname = \"latency\"\ntest = \"percentage\"\nupper = 0.1\nmax_sample_size = 1\n";
    fs::write(bench.root.join("project/perftest.toml"), rules).unwrap();
    bench
}

/// What a check says of the only history, and how many of its runs were judged before.
fn state_and_judged_before(bench: &Bench) -> (String, u64) {
    let alert = &bench.run(&["check", "--branch", "main", "--json"]).json()[0];
    (alert["state"].as_str().unwrap().to_owned(), alert["judged_before"].as_u64().unwrap())
}

#[test]
fn a_corrected_row_and_the_later_ones_are_judged_again() {
    let bench = with_rule("import-judged");
    let import = |values: &[u32]| {
        bench.answer(&[
            "import",
            "csv",
            &file(&bench, "past.csv", &days(values)),
            "--branch",
            "main",
        ]);
    };
    let checked = || state_and_judged_before(&bench);
    let mut values = [100; 10];
    import(&values);
    assert_eq!(checked(), ("quiet".to_owned(), 0));
    assert_eq!(checked(), ("quiet".to_owned(), 9), "the first run has none before it");
    values[9] = 130;
    import(&values);
    assert_eq!(checked(), ("open".to_owned(), 8));
    assert_eq!(checked(), ("open".to_owned(), 9));
    (values[8], values[9]) = (130, 130);
    import(&values);
    assert_eq!(checked().1, 7, "the last two were judged by other values");
    import(&[100; 10]);
    assert_eq!(checked(), ("quiet".to_owned(), 7));
}

#[test]
fn what_another_machine_judged_by_the_old_value_does_not_stand() {
    let bench = with_rule("import-judged-elsewhere");
    let import = |values: &[u32]| {
        let path = file(&bench, "past.csv", &days(values));
        bench.json(&["import", "csv", &path, "--branch", "main", "--json"])
    };
    let checked = || state_and_judged_before(&bench);
    let mut values = [100; 10];
    let runs = import(&values);
    checked();
    let name = |key: &str| runs[0][key].as_str().unwrap();
    let benchmark = BenchmarkId::from_recorded(name("benchmark"));
    let mut judged = bench.store().judgements(&benchmark, name("testbed")).unwrap().value;
    assert_eq!(judged.len(), 9);
    values[8] = 130;
    import(&values);
    // The other machine has received the correction after its check, whatever its clock says.
    judged.iter_mut().for_each(|it| it.judged_ms += 3_600_000);
    bench.store().annotate(Annotation::Judgements(&judged[7..])).unwrap();
    assert_eq!(checked().1, 7, "the last two were judged by other values");
    assert_eq!(checked().1, 9, "they are judged once");
}

#[test]
fn rows_of_one_time_stay_in_the_order_of_their_table() {
    let bench = Bench::new("import-one-time");
    // Of commits that the repository does not know.
    let mut text = "benchmark,value,unit,commit\n".to_owned();
    let table: Vec<u32> = (0..60).map(|row| if row < 40 { 100 } else { 130 } + row % 3).collect();
    for (row, value) in table.iter().enumerate() {
        writeln!(text, "codec/encode,{value},ns,{row:040x}").unwrap();
    }
    let path = file(&bench, "past.csv", &text);
    bench.answer(&["import", "csv", &path, "--branch", "main"]);
    let table: Vec<f64> = table.into_iter().map(f64::from).collect();
    assert_eq!(values(&bench), table);
    let corrected = text.replace(&format!("130,ns,{:040x}", 42), &format!("131,ns,{:040x}", 42));
    bench.answer(&["import", "csv", &file(&bench, "past.csv", &corrected), "--branch", "main"]);
    assert_eq!(values(&bench)[42], 131.0);
}

/// Forty measurements of one metric of each of 300 commits, the first value of a measurement with this digit.
fn long_past(metric: &str, digit: u32) -> String {
    let mut text = "benchmark,metric,value,unit,commit,time\n".to_owned();
    for row in 0..300 * 40 {
        let (commit, value) = (row / 40, 100 * digit + row % 40);
        let day = 1_767_225_600 + 86_400 * commit;
        writeln!(text, "codec/encode,{metric},{value}.{commit},us,{commit:040x},{day}").unwrap();
    }
    text
}

/// What became of the runs of a file: how many are new, known, corrected and in summaries.
fn imported(bench: &Bench, text: &str) -> [u64; 4] {
    let path = file(bench, "past.csv", text);
    let summary = bench.json(&["import", "csv", &path, "--json"]).pop().unwrap();
    ["new", "known", "corrected", "summarised"].map(|state| summary[state].as_u64().unwrap())
}

#[test]
fn what_became_part_of_a_summary_is_not_imported_again() {
    let bench = Bench::new("import-gc");
    let past = long_past("wall", 1);
    assert_eq!(imported(&bench, &past), [300, 0, 0, 0]);
    let done = bench.json(&["gc", "--keep", "200", "--json"]).pop().unwrap();
    assert_eq!(done["summaries"], 100, "{done}");
    assert_eq!(bench.answer(&["export", "csv"]).lines().count(), 301, "a summary is a row, too");
    assert_eq!(imported(&bench, &past), [0, 200, 0, 100]);
    let done = bench.json(&["gc", "--keep", "200", "--json"]).pop().unwrap();
    assert_eq!(done["summarised"], 0, "{done}");
}

#[test]
fn beside_a_summary_a_further_metric_is_added_and_a_changed_value_is_reported_as_not_compared() {
    let bench = Bench::new("import-gc-more");
    imported(&bench, &long_past("wall", 1));
    bench.answer(&["gc", "--keep", "200"]);
    assert_eq!(imported(&bench, &long_past("cpu", 1)), [300, 0, 0, 0]);
    assert_eq!(imported(&bench, &long_past("wall", 2)), [0, 0, 200, 100]);
    let again = bench.answer(&["import", "csv", bench.root.join("past.csv").to_str().unwrap()]);
    let line = line_with(&again, "summaries");
    assert_eq!(line, "100 runs of 1 test: parts of summaries: not compared, and nothing was added");
    assert!(line_with(&again, "imported before").starts_with("200 runs of 1 test"), "{again}");
}

#[test]
fn a_dry_run_shows_the_runs_and_writes_none() {
    let bench = Bench::new("import-dry");
    let path = file(&bench, "go.txt", "pkg: a/b\nBenchmarkFib-8 100 2500 ns/op 16 B/op\n");
    let text = bench.answer(&["import", "go", &path, "--dry-run", "--at", "2026-01-03T00:00Z"]);
    assert!(line_with(&text, "a::b::Fib-8  wall").contains("2.500 us"), "{text}");
    assert!(text.contains("2 runs of 1 test: would be imported"), "{text}");
    assert!(bench.answer(&["history"]).contains("nothing is recorded"));
}

#[test]
fn what_is_asked_for_is_recorded() {
    let bench = Bench::new("import-asked");
    let path = file(&bench, "bench.txt", "test a ... bench:   1,234 ns/iter (+/- 5)\n");
    let asked = ["--testbed", "ci/large", "--branch", "release", "--at", "2026-01-03"];
    let lines = bench.json(&[&["import", "libtest", &path, "--json"], &asked[..]].concat());
    assert_eq!(lines[0]["testbed"], "ci/large");
    assert_eq!(lines[0]["started_ms"], 1_767_398_400_000_u64);
    let run = &bench.json(&["history", "a", "--json"])[0];
    assert_eq!((&run["median"], &run["branch"]), (&1234.0.into(), &"release".into()));
    // The same text at another time is another run.
    bench.answer(&["import", "libtest", &path, "--testbed", "ci/large", "--at", "2026-01-04"]);
    assert_eq!(bench.json(&["history", "a", "--json"]).len(), 2);
}

#[test]
fn a_commit_is_one_that_git_knows_and_gives_the_time() {
    let bench = Bench::new("import-commit");
    let git = |arguments: &[&str]| bench.git_at(Some("2026-01-03T00:00Z"), arguments);
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["commit", "--quiet", "--allow-empty", "--message", "one"]);
    let commit = git(&["rev-parse", "HEAD"]);
    let path = file(&bench, "a.json", "{\"a\": {\"latency\": {\"value\": 5}}}");
    let lines = bench.json(&["import", "bmf", &path, "--commit", "main", "--json"]);
    assert_eq!(
        (&lines[0]["commit"], &lines[0]["started_ms"]),
        (&commit.as_str().into(), &1_767_398_400_000_u64.into())
    );
    let (code, text) = bench.refusal(&["import", "bmf", &path, "--commit", "nowhere"]);
    assert!(code == 2 && text.contains("nowhere"), "{text}");
}

/// Signs whatever it is given, and says so when it verifies.
#[cfg(unix)]
const SIGNER: &str = "#!/bin/sh
case \"$*\" in
*--verify*) echo 'gpg: Signature made' >&2; echo '[GNUPG:] GOODSIG A Tester' ;;
*) cat >/dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo '-----BEGIN PGP SIGNATURE-----' ;;
esac
";

#[cfg(unix)]
#[test]
fn a_commit_gives_its_time_and_its_parent_also_where_git_shows_signatures() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new("import-signed");
    let git = |arguments: &[&str]| bench.git_at(Some("2026-01-03T00:00Z"), arguments);
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["commit", "--quiet", "--allow-empty", "--message", "one"]);
    let parent = git(&["rev-parse", "HEAD"]);
    let signer = file(&bench, "signer", SIGNER);
    fs::set_permissions(&signer, fs::Permissions::from_mode(0o755)).unwrap();
    git(&["config", "gpg.program", &signer]);
    git(&["config", "log.showSignature", "true"]);
    git(&["commit", "--quiet", "--allow-empty", "--gpg-sign=A", "--message", "two"]);
    assert!(git(&["log", "-1", "--format=%ct"]).starts_with("gpg: Signature made"));
    let path = file(&bench, "a.json", "{\"a\": {\"latency\": {\"value\": 5}}}");
    let lines = bench.json(&["import", "bmf", &path, "--commit", "main", "--json"]);
    assert_eq!(lines[0]["started_ms"], 1_767_398_400_000_u64);
    let store = bench.store();
    let series = store.list(None).unwrap().series.value.remove(0);
    let run = store.load(&series.query(1)).unwrap().value.runs.remove(0);
    assert_eq!(run.revision.parent, parent);
    bench.answer(&["changepoints", "--since", "main"]);
}

#[test]
fn imported_runs_judge_no_test_of_the_same_name() {
    let bench = Bench::new("import-baseline");
    let run = example_run(0);
    bench.append(&run);
    let mut text = "benchmark,value,testbed,time\n".to_owned();
    for day in 1..=9 {
        writeln!(text, "{},1,{},2025-12-0{day}", run.benchmark.as_str(), run.testbed).unwrap();
    }
    bench.answer(&["import", "csv", &file(&bench, "same.csv", &text)]);
    let runs = bench.json(&["history", "encode", "--json"]);
    assert_eq!(runs.len(), 10);
    let counting = runs.iter().filter(|run| run["counts_for_baseline"] == true).count();
    assert_eq!(counting, 1, "the run of the test alone");
    let configs: Vec<_> = runs.iter().map(|run| run["config"].clone()).collect();
    assert_eq!(configs.iter().filter(|config| **config == "imported-csv").count(), 9);
}

#[test]
fn a_wrong_or_torn_file_is_refused_with_its_name_its_line_and_a_way_out() {
    let bench = Bench::new("import-wrong");
    for (format, text, expected) in [
        ("csv", "benchmark,value\na,1\nb\n", "wrong:3: 1 cells under 2 columns"),
        ("csv", "name,value\n", "wrong:1: there is no column `name`: rename or remove it"),
        ("bmf", "{\n\"a\": {\"latency\": {\"value\": 1}", "wrong:2: the file ends too early"),
        ("hyperfine", "{\"results\": 5}", "wrong:1: this is not what hyperfine"),
        ("hyperfine", "{\"results\": [{\"command\": \"a\", \"mean\": 1}]}", "with --export-json"),
        ("google-benchmark", "", "wrong:1: the file ends too early"),
        ("go", "ok\nBenchmarkA 10 3 ns/op 4\n", "wrong:2: after the number of iterations"),
        ("go", "PASS\n", "no line is `BenchmarkName-8"),
        ("libtest", "test a ... bench: 1 ns/iter (+/- 0)\ntest b ... bench: 12\n", "wrong:2:"),
        ("libtest", "running 0 tests\n", "no line is `test name ... bench"),
        ("divan", "Timer precision: 20 ns\n", "give what `cargo bench` with divan prints"),
        (
            "go",
            "test a ... bench: 1 ns/iter (+/- 0)\n",
            "it looks like libtest: cargo perftest import libtest",
        ),
        ("csv", "benchmark,value\na/b,1\na::b,1\n", "rename one"),
        ("bmf", "{\"a\": {\"latency\": {\"value\": -1}}}", "nothing measures below zero"),
        ("criterion", "", "it is no directory"),
    ] {
        let path = file(&bench, "wrong", text);
        let (code, error) = bench.refusal(&["import", format, &path]);
        assert_eq!(code, 2, "{format} {text}: {error}");
        assert!(error.contains(expected), "{format} {text}: {error}");
        assert!(error.contains("nothing was imported"), "{error}");
    }
    fs::write(bench.root.join("binary"), [b'a', b'\n', 0xff]).unwrap();
    let binary = bench.root.join("binary");
    let (_, error) = bench.refusal(&["import", "go", binary.to_str().unwrap()]);
    assert!(error.contains("binary:2: it is no text in UTF-8"), "{error}");
    let (_, error) = bench.refusal(&["import", "go", bench.root.to_str().unwrap()]);
    assert!(error.contains("it is a directory"), "{error}");
    let (_, error) = bench.refusal(&["import", "go", "/no/such/file"]);
    assert!(error.contains("/no/such/file: it cannot be read"), "{error}");
    let (code, _) = bench.refusal(&["import", "excel", "x"]);
    assert_eq!(code, 2);
    assert!(bench.answer(&["history"]).contains("nothing is recorded"));
}

#[test]
fn a_store_that_is_read_only_is_only_looked_at() {
    let bench = Bench::new("import-read-only");
    let path = file(&bench, "a.json", "{\"a\": {\"latency\": {\"value\": 5}}}");
    let run = |more: &[&str]| {
        let mut command = bench.command();
        command.args(["import", "bmf", &path]).args(more).env("PERFTEST_STORE", "read-only");
        Outcome::of(command.env("HOME", &bench.root).env("XDG_STATE_HOME", &bench.root))
    };
    run(&[]).ended_with(2);
    run(&["--dry-run"]).ended_with(0);
}

#[test]
fn hostile_names_stay_on_one_line() {
    let bench = Bench::new("import-hostile");
    let long = "x".repeat(300);
    let text = format!(
        "{{\"<b>\\n\\u202e\\\"a\\u001b[31m\": {{\"latency\": {{\"value\": 1}}}}, \"{long}\": {{\"latency\": \
         {{\"value\": 2}}}}}}"
    );
    let path = file(&bench, "hostile.json", &text);
    let table = bench.answer(&["import", "bmf", &path, "--dry-run"]);
    assert!(!table.contains(['\u{1b}', '\u{202e}']), "{table:?}");
    bench.answer(&["import", "bmf", &path]);
    assert_eq!(bench.answer(&["history"]).lines().count(), 3);
}

#[test]
fn the_evidence_of_a_test_is_shown_beside_imported_runs_of_its_name() {
    let bench = Bench::new("import-show");
    let path = file(&bench, "a.json", "{\"codec/frame/encode\": {\"latency\": {\"value\": 5}}}");
    bench.answer(&["import", "bmf", &path]);
    let (code, text) = bench.refusal(&["show", "encode"]);
    assert!(code == 2 && text.contains("are imported and have no verdict"), "{text}");
    assert!(text.contains("`cargo perftest history codec::frame::encode`"), "{text}");
    bench.append(&example_run(0));
    let shown = bench.answer(&["show", "encode"]);
    assert!(shown.contains("codec::frame::encode on local/7f3a2b"), "{shown}");
    assert_eq!(bench.json(&["show", "encode", "--json"]).len(), 1);
}
