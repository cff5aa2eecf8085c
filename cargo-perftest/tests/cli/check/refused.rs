//! Without rules, without runs, and with rules that cannot be.

use super::{CHANGE, rules, table};
use crate::bench::Bench;
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
    assert!(text.contains("note: 3 have only runs of code that is not committed"), "{text}");
    rules(&bench, "[defaults]\ntolerance = \"5%\"\n");
    let (code, text) = bench.refusal(&["check"]);
    assert!(code == 2 && text.contains("there is no [[threshold]] in "), "{text}");

    let empty = Bench::new("check-empty");
    rules(&empty, CHANGE);
    assert!(empty.answer(&["check"]).contains("nothing is recorded for project yet"));
    assert_eq!(empty.answer(&["check", "--json"]), "");
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
            let (code, told) = bench.refusal(args);
            assert!(code == 2 && told.contains(part), "{part} in {told}");
        }
    }
    let package = bench.root.join("project/member");
    fs::create_dir_all(&package).unwrap();
    rules(&bench, CHANGE);
    fs::write(package.join("perftest.toml"), "[[threshold]]\n").unwrap();
    let told = bench.command().arg("check").current_dir(&package).output().unwrap();
    assert_eq!(told.status.code(), Some(2), "the nearest one counts, alone");
}
