//! Terminals: how wide they are, and colours.

use crate::bench::{Bench, line_with, red};
use perftest_core::model::{BenchmarkId, Run};
use perftest_store::conformance::example_run;
use perftest_tests::Outcome;
#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

/// Tests with long names, the last run of each red, and an acceptance of one.
fn with_long_names(name: &str) -> Bench {
    let bench = Bench::new(name);
    for (test, first) in [("encode", 0), ("decode", 100)] {
        let name = format!("codec::{}::{test}", ["frame"; 50].join("::"));
        for ordinal in first..first + 24 {
            let run = example_run(ordinal);
            let run = if ordinal == first + 23 { red(run) } else { run };
            bench.append(&Run { benchmark: BenchmarkId::from_recorded(name.clone()), ..run });
        }
    }
    let reason =
        "checksums are on now, and everybody who reads this long reason knows why they are";
    bench.answer(&["accept", "codec::*", "--max-ratio", "1.3", "--reason", reason]);
    bench
}

fn answer_in(bench: &Bench, columns: &str, arguments: &[&str]) -> String {
    Outcome::of(bench.command().args(arguments).env("COLUMNS", columns)).stdout
}

#[test]
fn no_table_is_wider_than_the_terminal() {
    let bench = with_long_names("width");
    let commands: [&[&str]; 9] = [
        &["history"],
        &["history", "encode"],
        &["history", "--errors"],
        &["accept", "--list"],
        &["accept", "--session", "last", "--dry-run"],
        &["power"],
        &["drift", "--all"],
        &["rank", "--by", "dispersion"],
        &["changepoints", "--branch", "*"],
    ];
    for columns in [60, 80, 120] {
        for arguments in commands {
            let text = answer_in(&bench, &columns.to_string(), arguments);
            // Behind the table sentences may be longer: a terminal breaks them where it wants.
            let rows = text.split("\n\n").next().unwrap().lines().filter(|it| it.contains("  "));
            let rows: Vec<&str> = rows.collect();
            assert!(!rows.is_empty() || arguments[0] == "changepoints", "{arguments:?}: {text}");
            for row in rows {
                assert!(row.chars().count() <= columns, "{columns} {arguments:?}: {row}");
            }
        }
    }
}

#[test]
fn a_narrow_table_keeps_both_ends_of_a_name_and_names_what_is_missing() {
    let bench = with_long_names("narrow");
    let text = answer_in(&bench, "80", &["history"]);
    let encode = line_with(&text, "::encode ");
    assert!(encode.starts_with("codec::frame::") && encode.contains(".."), "{text}");
    assert!(encode.contains("  red"), "{text}");
    assert!(line_with(&text, "(no room in 80 columns for: ").contains("when"), "{text}");
}

#[test]
fn a_script_gets_whole_names_and_every_column() {
    let bench = with_long_names("script");
    let text = bench.answer(&["history"]);
    assert!(text.contains(&["frame"; 50].join("::")), "{text}");
    assert!(text.lines().next().unwrap().ends_with("when"), "{text}");
    assert!(!text.contains(".."), "{text}");
}

/// `script` is that of util-linux.
#[cfg(target_os = "linux")]
#[test]
fn progress_fills_one_row_at_most_and_is_cleared_also_without_colours() {
    const CLEARED: &str = "\r\u{1b}[2K";
    let bench = with_long_names("progress");
    let on_terminal = |variable: (&str, &str)| {
        let tool = bench.command();
        let program = tool.get_program().to_str().unwrap();
        let history = format!("stty rows 40 cols 60 && '{program}' perftest history");
        let mut script = Command::new("script");
        script.args(["-qec", &history, "/dev/null"]).current_dir(tool.get_current_dir().unwrap());
        for (name, value) in tool.get_envs() {
            match value {
                Some(value) => script.env(name, value),
                None => script.env_remove(name),
            };
        }
        Outcome::of(script.env(variable.0, variable.1).stdin(Stdio::null())).ended_with(0).stdout
    };
    for variable in [("NO_COLOR", "1"), ("CARGO_TERM_COLOR", "always")] {
        let text = on_terminal(variable);
        let mut parts: Vec<&str> = text.split(CLEARED).collect();
        let answer = parts.pop().unwrap();
        assert!(answer.contains("::encode") && answer.starts_with("test"), "{text:?}");
        assert!(parts.len() > 2, "{text:?}");
        for row in parts {
            assert!(row.chars().count() < 60 && !row.contains('\n'), "{row:?} in {text:?}");
        }
    }
    let text = on_terminal(("TERM", "dumb"));
    assert!(text.starts_with("test") && !text.contains(CLEARED), "{text:?}");
}

#[test]
fn colours_follow_the_variables_and_the_words_stay() {
    let bench = Bench::filled("colours");
    let show = |variables: &[(&str, &str)]| {
        let mut command = bench.command();
        Outcome::of(command.args(["show", "encode"]).envs(variables.iter().copied())).stdout
    };
    let plain = show(&[]);
    assert!(plain.contains("slower than the last good build"), "{plain}");
    for coloured in [&[("CLICOLOR_FORCE", "1")][..], &[("CARGO_TERM_COLOR", "always")]] {
        let text = show(coloured);
        assert!(text.contains("\u{1b}["), "{coloured:?}: {text}");
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), plain);
    }
    for variables in [
        &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")][..],
        &[("CARGO_TERM_COLOR", "never"), ("CLICOLOR_FORCE", "1")],
        &[("TERM", "dumb")],
    ] {
        assert_eq!(show(variables), plain, "{variables:?}");
    }
}
