//! Answers whose reader goes away, as in `| head`, and places that take none.

use crate::bench::Bench;
use std::fs::{self, File};
use std::io::Read;
use std::process::{Child, Stdio};

/// Everything that prints, over a history with a red and an open alert.
const COMMANDS: [&[&str]; 25] = [
    &["history"],
    &["history", "--json"],
    &["history", "--errors"],
    &["history", "encode"],
    &["history", "encode", "--json"],
    &["show", "encode"],
    &["report", "--out", "-"],
    &["rank"],
    &["rank", "--by", "trend"],
    &["changepoints"],
    &["changepoints", "encode"],
    &["power"],
    &["drift", "--all"],
    &["check"],
    &["check", "--format", "markdown"],
    &["accept", "--list"],
    &["accept", "--session", "last", "--dry-run"],
    &["export", "junit"],
    &["export", "csv"],
    &["import", "csv", "past.csv", "--dry-run"],
    &["machine"],
    &["stats", "summary", "numbers.txt"],
    &["completions", "bash"],
    &["--help"],
    &["run", "--help"],
];

fn bench(name: &str) -> Bench {
    let bench = Bench::filled(name);
    let project = bench.root.join("project");
    let rules = "[[threshold]]\nname = \"wall\"\ntest = \"percentage\"\nupper = 0.01\nmin_sample_size = 2\n";
    fs::write(project.join("perftest.toml"), rules).unwrap();
    fs::write(project.join("past.csv"), "benchmark,value\n".to_owned() + &"a,1\n".repeat(9))
        .unwrap();
    fs::write(project.join("numbers.txt"), "1\n2\n3\n".repeat(9)).unwrap();
    bench.answer(&["accept", "decode", "--max-ratio", "1.3", "--reason", "checksums"]);
    bench
}

/// A pipe that nobody reads from.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn started(bench: &Bench, arguments: &[&str], stdout: Stdio, stderr: Stdio) -> Child {
    let mut command = bench.command();
    command.args(arguments).stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn().unwrap()
}

#[test]
fn a_reader_that_goes_away_changes_no_exit_code_and_gets_no_complaint() {
    let bench = bench("pipes");
    for arguments in COMMANDS {
        let read = bench.run(arguments);
        assert!(!read.stdout.is_empty(), "{arguments:?} prints nothing, so this proves nothing");
        let unread = started(&bench, arguments, closed(), Stdio::piped());
        let unread = unread.wait_with_output().unwrap();
        let complaint = String::from_utf8_lossy(&unread.stderr);
        assert_eq!(unread.status.code(), read.code, "{arguments:?}: {complaint}");
        for word in ["panicked", "roken pipe", "os error"] {
            assert!(!complaint.contains(word), "{arguments:?}: {complaint}");
        }
        let mut head = started(&bench, arguments, Stdio::piped(), Stdio::null());
        head.stdout.take().unwrap().read_exact(&mut [0; 8]).unwrap();
        assert_eq!(head.wait().unwrap().code(), read.code, "{arguments:?} | head");
        let mut deaf = started(&bench, arguments, closed(), closed());
        assert_eq!(deaf.wait().unwrap().code(), read.code, "{arguments:?} 2>&1 | head");
    }
}

#[test]
fn a_refusal_has_the_same_code_when_its_reader_goes_away() {
    let bench = bench("pipes-refused");
    for arguments in [
        &["show", "nothing-like-it"][..],
        &["export", "junit", "--session", "x"],
        &["rank", "--by"],
    ] {
        let read = bench.run(arguments).code;
        assert_eq!(read, Some(2), "{arguments:?}");
        let mut deaf = started(&bench, arguments, closed(), closed());
        assert_eq!(deaf.wait().unwrap().code(), read, "{arguments:?}");
    }
}

/// Devices that refuse every byte, and directories in which nobody makes a file, root neither.
#[cfg(target_os = "linux")]
#[test]
fn a_place_that_takes_nothing_is_named_and_exits_with_5() {
    let bench = bench("pipes-full");
    for place in ["/dev/full", "/proc/perf.out"] {
        for arguments in [&["report"][..], &["export", "junit"], &["export", "csv"]] {
            let arguments = [arguments, &["--out", place]].concat();
            let why = bench.run(&arguments).ended_with(5).stderr;
            assert!(why.contains(place) && !why.contains("panicked"), "{arguments:?}: {why}");
        }
    }
    for arguments in [&["history"][..], &["report", "--out", "-"], &["export", "jsonl"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let full = started(&bench, arguments, full.into(), Stdio::piped());
        let output = full.wait_with_output().unwrap();
        let why = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(5), "{arguments:?}: {why}");
        assert!(!why.contains("panicked"), "{arguments:?}: {why}");
    }
}
