//! Tests that were deleted.

use crate::bench::Bench;
use perftest_core::model::{BenchmarkId, Run, SourcePlace};
use perftest_store::conformance::example_run;
use std::fs;

/// A project whose newest session has `encode`, and an older one `decode`, with these sources.
fn project(name: &str, sources: &str) -> Bench {
    let bench = Bench::new(name);
    fs::create_dir_all(bench.root.join("project/src")).unwrap();
    fs::write(bench.root.join("project/src/frame.rs"), sources).unwrap();
    fs::write(
        bench.root.join("project/perftest.toml"),
        "[[threshold]]\nname = \"any\"\ntest = \"percentage\"\nupper = 0.5\nmin_sample_size = 2\n",
    )
    .unwrap();
    for ordinal in 0..6 {
        let benchmark = BenchmarkId::from_recorded("codec::frame::decode");
        let session = "an older one".to_owned();
        bench.append(&Run { benchmark, session, ..example_run(ordinal) });
        bench.append(&example_run(10 + ordinal));
    }
    bench
}

fn output(bench: &Bench, args: &[&str]) -> [String; 2] {
    let output = bench.run(args);
    [output.stdout, output.stderr]
}

const COMMANDS: [&[&str]; 6] =
    [&["history"], &["history", "--json"], &["power"], &["rank"], &["drift"], &["check", "--all"]];

#[test]
fn a_deleted_test_is_left_out_with_its_name_and_is_there_when_it_is_named() {
    let bench = project("gone", "#[perf_test]\nfn encode() {}\n\nperftest::main!();\n");
    for command in COMMANDS {
        let [out, notes] = output(&bench, command);
        assert!(!out.contains("decode"), "{command:?}: {out}");
        assert!(
            notes.contains("left out") && notes.contains("codec::frame::decode"),
            "{command:?}: {notes}"
        );
    }
    let [out, notes] = output(&bench, &["history", "decode", "--json"]);
    assert!(out.contains("decode") && !notes.contains("left out"), "{out}{notes}");
}

#[test]
fn a_test_that_was_only_not_selected_stays() {
    let bench = project("selected", "#[perf_test]\nfn encode() {}\n#[perf_test]\nfn decode() {}\n");
    for command in COMMANDS {
        let [_, notes] = output(&bench, command);
        assert!(!notes.contains("left out"), "{command:?}: {notes}");
    }
    let [out, _] = output(&bench, &["history"]);
    assert!(out.contains("decode") && out.contains("encode"), "{out}");
}

/// Adds a source with this text, in which a session of its own has measured `decode`.
fn measure_decode_in(bench: &Bench, file: &str, text: &str) {
    fs::write(bench.root.join("project").join(file), text).unwrap();
    for ordinal in 6..12 {
        let benchmark = BenchmarkId::from_recorded("codec::frame::decode");
        let source = Some(SourcePlace { file: file.into(), line: 1 });
        let session = format!("the one of {file}");
        bench.append(&Run { benchmark, session, source, ..example_run(ordinal) });
    }
}

#[test]
fn tests_that_a_macro_of_another_file_makes_stay_when_another_test_binary_has_run() {
    let bench = project("suite", "#[perf_test]\nfn encode() {}\n");
    measure_decode_in(&bench, "src/suite.rs", "suite!(Map);\n");
    for command in COMMANDS {
        let [_, notes] = output(&bench, command);
        assert!(!notes.contains("left out"), "{command:?}: {notes}");
    }
}

#[test]
fn deleted_tests_of_a_file_that_stays_are_left_out() {
    let bench = project("stays", "#[perf_test]\nfn encode() {}\n");
    measure_decode_in(&bench, "src/old.rs", "pub fn other() {}\n");
    let [_, notes] = output(&bench, &["check", "--all"]);
    assert!(notes.contains("left out") && notes.contains("codec::frame::decode"), "{notes}");
}

#[test]
fn an_alert_of_a_test_whose_file_moved_stays_open() {
    let bench = project("moved", "#[perf_test]\nfn encode() {}\n");
    let append = |ordinal: u64, benchmark: &str, file: &str, value: f64| {
        let benchmark = BenchmarkId::from_recorded(benchmark);
        let source = Some(SourcePlace { file: file.into(), line: 1 });
        let session = format!("the one of {benchmark}");
        let mut run = Run { benchmark, session, source, ..example_run(ordinal) };
        run.measurements.iter_mut().for_each(|it| it.value = value);
        run.on_processor_time.clear();
        run.revision.branch = "main".into();
        run.revision.base.clear();
        run.revision.dirty = false;
        bench.append(&run);
    };
    for (ordinal, value) in (20..).zip([100.0, 100.0, 100.0, 200.0]) {
        append(ordinal, "codec::old::slow", "src/old.rs", value);
    }
    append(30, "codec::frame::encode", "src/frame.rs", 100.0);
    let moved = bench.root.join("project/src/old");
    fs::create_dir(&moved).unwrap();
    fs::write(moved.join("mod.rs"), "#[perf_test]\nfn slow() {}\n").unwrap();
    let checked = bench.run(&["check"]).ended_with(1).prints(&["codec::old::slow"]);
    assert!(!checked.stderr.contains("codec::old::slow"), "{checked}");
}
