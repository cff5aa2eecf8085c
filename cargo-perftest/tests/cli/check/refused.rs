//! Without rules, without runs, and with rules that cannot be.

use super::{CHANGE, checked, filled, rules, run, table};
use crate::bench::Bench;
use perftest_core::model::{BenchmarkId, Run, Tag};
use perftest_tests::Outcome;
use std::fs;

#[test]
fn without_rules_there_is_one_to_paste_and_without_runs_a_kind_word() {
    let bench = Bench::filled("check-none");
    let (code, text) = bench.refusal(&["check"]);
    assert!(code == 2 && text.contains("there is no perftest.toml here"), "{text}");
    let example: String =
        text.lines().filter(|line| line.starts_with("  ")).collect::<Vec<_>>().join("\n");
    rules(&bench, &example);
    let text = table(&bench, &[]);
    assert!(text.contains("3 not judged"), "what is to be pasted is understood: {text}");
    assert!(text.contains("note: 3 have only runs of uncommitted code"), "{text}");
    rules(&bench, "[defaults]\ntolerance = \"5%\"\n");
    let (code, text) = bench.refusal(&["check"]);
    assert!(code == 2 && text.contains("there is no [[threshold]] in "), "{text}");

    let empty = Bench::new("check-empty");
    rules(&empty, CHANGE);
    assert!(empty.answer(&["check"]).contains("nothing is recorded for project yet"));
    let (code, alerts, all) = checked(&empty, &["--branch", "topic"]);
    assert_eq!((code, alerts.len(), &all["watched"]), (0, 0, &0.into()));
    assert_eq!((&all["event"], &all["branch"]), (&"check".into(), &"topic".into()));
    assert_eq!(bench.refusal(&["check", "zzz"]).0, 2);
}

#[test]
fn a_rule_that_cannot_be_read_is_refused_with_its_line() {
    let bench = Bench::filled("check-wrong");
    for (text, part) in [
        (
            "\n[[threshold]]\nname = \"a\"\ntest = \"t_test\"\nupper = 0.99",
            "perftest.toml:4: t_test finds",
        ),
        ("[[threshold]]\nname = \"a\"\ntset = \"t_test\"", "perftest.toml:3: unknown key `tset`"),
        ("[[suppress]]\nfilter = \"a\"", "perftest.toml:2: it needs a reason"),
        ("[thresholds]\n", "perftest.toml:1: unknown table `thresholds`"),
        ("[[threshold]\n", "perftest.toml:1: this is no TOML"),
    ] {
        rules(&bench, text);
        for args in [&["check"][..], &["check", "--models"]] {
            let (code, report) = bench.refusal(args);
            assert!(code == 2 && report.contains(part), "{part} in {report}");
        }
    }
    let package = bench.root.join("project/member");
    fs::create_dir_all(&package).unwrap();
    rules(&bench, CHANGE);
    fs::write(package.join("perftest.toml"), "[[threshold]]\n").unwrap();
    // The nearest one counts, alone.
    Outcome::of(bench.command().arg("check").current_dir(&package)).ended_with(2);
}

#[test]
fn a_gate_that_compares_with_nothing_fails_in_ci_and_not_at_home() {
    let is = |bench: &Bench, args: &[&str], variable: (&str, &str), expected, message: &str| {
        let mut command = bench.command();
        let output = Outcome::of(command.arg("check").args(args).env(variable.0, variable.1));
        let output = output.ended_with(expected).warns(&[message]);
        assert!(!message.is_empty() || output.stderr.is_empty(), "{output}");
    };
    let (ci, home) = (("CI", "true"), ("CI", "false"));
    let empty = Bench::new("check-ci-empty");
    rules(&empty, CHANGE);
    for args in [&[][..], &["--json"]] {
        is(&empty, args, ci, 4, "nothing is recorded, so this job checks nothing");
        is(&empty, args, home, 0, "");
    }
    let bench = filled("check-ci", CHANGE, &[100.0, 100.0, 120.0]);
    is(&bench, &[], ci, 1, "");
    for misspelt in ["filter = \"*::x\"", "metric = \"nosuch\"", "branch = \"topic\""] {
        rules(&bench, &format!("{CHANGE}{misspelt}\n"));
        is(&bench, &[], ci, 4, "no threshold watches a run, so this job checks nothing");
        is(&bench, &["--json"], ("GITHUB_ACTIONS", "true"), 4, "no threshold watches a run");
        is(&bench, &[], home, 0, "");
    }
    let unfit = filled("check-ci-unfit", CHANGE, &[]);
    let untrusted = |nth| {
        let mut run = run(nth, 100.0);
        run.environment.distrust(Tag::Steal);
        run
    };
    (0..3).for_each(|nth| unfit.append(&untrusted(nth)));
    let message = "every run that a threshold watches is set aside, so this job checks nothing";
    for args in [&[][..], &["--json"]] {
        is(&unfit, args, ci, 4, message);
        is(&unfit, args, home, 0, "");
    }
    unfit.append(&run(3, 100.0));
    is(&unfit, &[], ci, 0, "");
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_hides_no_other_history() {
    let bench = filled("check-broken", CHANGE, &[100.0, 100.0, 100.0]);
    let benchmark = BenchmarkId::from_recorded("codec::frame::decode");
    bench.append(&Run { benchmark, ..run(9, 50.0) });
    let file = bench.history_file("codec-frame-decode");
    for text in ["name,value\ncodec,57\n", "{\"v\":207}\n"] {
        fs::write(&file, text).unwrap();
        let output = bench.run(&["check"]).ended_with(5).warns(&["codec-frame-decode"]);
        output.prints(&["no alert on branch main\n1 quiet"]);
        assert!(bench.answer(&["check", "encode"]).contains("1 quiet"), "it is not asked for");
        let (code, err) = bench.refusal(&["check", "decode"]);
        assert!(code == 5 && err.contains("codec-frame-decode"), "{err}");
    }
    for (unknown, message) in [
        (["--branch", "gone"], "no run on branch `gone`"),
        (["--metric", "walls"], "no metric `walls` is recorded"),
    ] {
        let (code, err) = bench.refusal(&[&["check"], &unknown[..]].concat());
        assert!(code == 5 && err.contains(message) && err.contains("codec-frame-decode"), "{err}");
    }
    bench.append(&run(10, 150.0));
    // An open alert is the graver answer.
    bench.run(&["check"]).ended_with(1).warns(&["codec-frame-decode"]);
    let (code, err) = bench.refusal(&["check", "nothing-like-it"]);
    assert_eq!(code, 5, "it may be in the file: {err}");
}
