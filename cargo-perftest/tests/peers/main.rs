//! Files that other tools really write, imported: criterion, divan and hyperfine run here. That of Google
//! Benchmark was written by version 1.7.1, run on functions of our own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use perftest_tests::{Invocation, Outcome, TempStore};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const GOOGLE_BENCHMARK: &str = include_str!("google_benchmark.json");

/// A project with a store.
struct Bench {
    store: TempStore,
    project: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join("Cargo.toml"), "[package]\n").unwrap();
        Self { store: TempStore::new(), project }
    }

    fn tool(&self, arguments: &[&str]) -> Invocation {
        let tool = Invocation::new(env!("CARGO_BIN_EXE_cargo-perftest"), self.project.path());
        tool.store(&self.store).args(arguments)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.project.path().join(name)
    }

    /// The last line of an import as JSON.
    fn import(&self, format: &str, path: &Path) -> Value {
        let path = path.to_str().unwrap();
        let outcome = self.tool(&["import", format, path, "--json"]).run().ended_with(0);
        outcome.json().pop().unwrap()
    }

    /// The histories by name and metric, each with its number of runs and its last value.
    fn histories(&self) -> Vec<(String, String, u64, f64)> {
        let outcome = self.tool(&["history", "--json"]).run().ended_with(0);
        let history = |line: Value| {
            let text = |key: &str| line[key].as_str().unwrap().to_owned();
            let runs = line["runs"].as_u64().unwrap();
            (text("benchmark"), text("metric"), runs, line["last"].as_f64().unwrap())
        };
        outcome.json().into_iter().map(history).collect()
    }

    /// The names of histories of wall time.
    fn tests(&self) -> Vec<String> {
        let histories = self.histories().into_iter();
        histories.filter(|(_, metric, ..)| metric == "wall").map(|(name, ..)| name).collect()
    }
}

fn counts(summary: &Value) -> (u64, u64) {
    (summary["new"].as_u64().unwrap(), summary["known"].as_u64().unwrap())
}

/// Runs a bench target of `peers/formats`.
fn peer(target: &str, criterion: &Path, arguments: &[&str]) -> Outcome {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target_directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers");
    let cargo = Invocation::new(env!("CARGO"), &workspace)
        .args(&["bench", "--quiet", "--locked", "--profile", "dev"])
        .args(&["--manifest-path", "peers/Cargo.toml", "-p", "peer-formats", "--bench", target])
        .args(&["--"])
        .args(arguments)
        .env("CARGO_TARGET_DIR", target_directory)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CRITERION_HOME", criterion);
    cargo.run().ended_with(0)
}

#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn each_run_of_criterion_is_a_run_of_the_history() {
    let bench = Bench::new();
    let directory = bench.file("criterion");
    let quick =
        ["--noplot", "--sample-size", "10", "--warm-up-time", "0.05", "--measurement-time", "0.1"];
    peer("by_criterion", &directory, &quick);
    let first = bench.import("criterion", &directory);
    assert_eq!(counts(&first), (3, 0));
    assert_eq!(bench.tests(), ["single", "sum::of range::100", "sum::of range::1000"]);
    let estimates = fs::read_to_string(directory.join("single/new/estimates.json")).unwrap();
    let estimates: Value = serde_json::from_str(&estimates).unwrap();
    let median = estimates["median"]["point_estimate"].as_f64().unwrap();
    let (.., imported) = bench.histories()[0];
    assert!((imported / median - 1.0).abs() < 1e-5, "{imported} ns, criterion has {median}");
    assert_eq!(counts(&bench.import("criterion", &directory)), (0, 3));
    // A baseline of its own name, and a new run in the place of the old one.
    peer("by_criterion", &directory, &[&quick[..], &["--save-baseline", "v1"]].concat());
    peer("by_criterion", &directory, &quick);
    let later = bench.import("criterion", &directory);
    assert_eq!(counts(&later), (6, 0));
    assert!(bench.histories().iter().all(|(_, _, runs, _)| *runs == 3));
    let one = bench.tool(&["history", "single", "--json"]).run().ended_with(0);
    for run in one.json() {
        assert_eq!(
            (&run["counts_for_baseline"], &run["marks"][0]),
            (&Value::Bool(false), &"imported".into())
        );
    }
    bench.tool(&["changepoints"]).run().ended_with(0);
    bench.tool(&["rank", "--by", "dispersion"]).run().ended_with(0);
}

#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn the_table_of_divan_is_read_from_a_pipe_with_its_allocations() {
    let bench = Bench::new();
    let printed = peer("by_divan", bench.project.path(), &["--sample-count", "20"]).stdout;
    let import = || bench.tool(&["import", "divan", "-"]).input(&printed).run().ended_with(0);
    let imported = import();
    imported.prints(&["of 3 tests: imported", "testbed: imported/divan"]).warns(&["was ignored"]);
    let expected = ["by_divan::collect", "by_divan::sum::100", "by_divan::sum::1000"];
    assert_eq!(bench.tests(), expected);
    let histories = bench.histories();
    let of = |metric: &str| histories.iter().find(|(_, it, ..)| it == metric).unwrap().3;
    assert_eq!((of("allocs"), of("alloc_bytes")), (1.0, 512.0));
    assert!((1.0..1e7).contains(&of("wall")), "{histories:?}");
    import().prints(&["imported before: nothing was added"]);
    // Output that ends in the middle of a line.
    let cut = printed.rfind("1000").unwrap() + 20;
    let cut = &printed[..printed.ceil_char_boundary(cut)];
    let refused = bench.tool(&["import", "divan", "-"]).input(cut).run().ended_with(2);
    refused.warns(&["standard input:", "ends too early", "nothing was imported"]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_times_of_hyperfine_are_nanoseconds() {
    let bench = Bench::new();
    let file = bench.file("times.json");
    let hyperfine = Invocation::new("hyperfine", bench.project.path())
        .args(&["--shell=none", "--runs", "3", "--export-json", file.to_str().unwrap()])
        .args(&["--command-name", "nothing/at all", "true", "echo a"]);
    hyperfine.run().ended_with(0);
    assert_eq!(counts(&bench.import("hyperfine", &file)), (6, 0));
    assert_eq!(bench.tests(), ["echo a", "nothing::at all"]);
    let export: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let median_s = export["results"][1]["median"].as_f64().unwrap();
    let histories = bench.histories();
    let wall = histories.iter().find(|(name, metric, ..)| name == "echo a" && metric == "wall");
    assert!((wall.unwrap().3 / (1e9 * median_s) - 1.0).abs() < 1e-5, "{histories:?}");
    assert_eq!(counts(&bench.import("hyperfine", &file)), (0, 6));
}

#[test]
fn the_repetitions_of_google_benchmark_are_measurements() {
    let bench = Bench::new();
    let file = bench.file("sums.json");
    fs::write(&file, GOOGLE_BENCHMARK).unwrap();
    let imported = bench.tool(&["import", "google-benchmark", file.to_str().unwrap()]).run();
    imported.ended_with(0).warns(&["`BM_Broken` failed and is left out", "hits"]);
    assert_eq!(bench.tests(), ["BM_Counted", "BM_Sum::4096", "BM_Sum::64"]);
    let runs = bench.tool(&["history", "BM_Sum::64", "--json"]).run().ended_with(0);
    let run = runs.json().into_iter().find(|run| run["metric"] == "wall").unwrap();
    assert_eq!(run["started_ms"], 1_795_387_427_000_u64);
    assert!(run["testbed"].as_str().unwrap().starts_with("imported/google-benchmark-"), "{run}");
}
