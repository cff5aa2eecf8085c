//! Hostile names, notes and branches.

use crate::bench::Bench;
use perftest_core::model::{BenchmarkId, Metric, Note, Run};
use perftest_store::conformance::example_run;
use perftest_tests::Outcome;
use std::process::Stdio;

/// Ends the line, begins a command of a CI job, and turns the direction of writing.
const HOSTILE: &str = "x\n::error::forged\r\u{85}\u{9b}31m\u{202e}\u{2028}##[error]y";

fn hostile(ordinal: u64) -> Run {
    let mut run = example_run(ordinal);
    run.benchmark = BenchmarkId::from_recorded(format!("::error::t::{HOSTILE}"));
    run.testbed = format!("::error::{HOSTILE}");
    run.revision.branch = format!("::error::{HOSTILE}");
    run.metric = Metric { name: format!("::error::{HOSTILE}"), ..Metric::wall() };
    if let Some(evidence) = &mut run.evidence {
        evidence.notes = vec![Note::NotConfirmed { why: HOSTILE.to_owned() }];
    }
    run
}

#[test]
fn no_line_of_an_answer_is_one_that_a_record_has_written() {
    let bench = Bench::new("hostile");
    (0..40).for_each(|ordinal| bench.append(&hostile(ordinal)));
    let commands: [&[&str]; 16] = [
        &["report"],
        &["history"],
        &["history", "t"],
        &["show", "t"],
        &["show", "nothing-like-it"],
        &["rank"],
        &["rank", "--by", "trend"],
        &["changepoints"],
        &["changepoints", "t"],
        &["power"],
        &["drift"],
        &["check"],
        &["accept", "t", "--max-ratio", "1.3", "--reason", HOSTILE],
        &["accept", "--list"],
        &["accept", "--review"],
        &["accept", "--session", "last", "--dry-run"],
    ];
    let in_columns = [None, Some("60")].into_iter();
    for (arguments, columns) in
        commands.iter().flat_map(|it| in_columns.clone().map(move |columns| (it, columns)))
    {
        let mut command = bench.command();
        command.args(*arguments).envs(columns.map(|columns| ("COLUMNS", columns)));
        let Outcome { stdout, stderr, .. } = Outcome::of(command.stdin(Stdio::null()));
        assert!(!(stdout.is_empty() && stderr.is_empty()), "{arguments:?}");
        for line in stdout.lines().chain(stderr.lines()) {
            let is_forged = line.trim_start().starts_with("::") || line.contains("##[");
            let is_turned =
                |it: char| it != '\u{1b}' && it.is_control() || "\u{202e}\u{2028}".contains(it);
            assert!(!is_forged && !line.contains(is_turned), "{arguments:?}: {line:?}");
        }
    }
}
