//! `cargo demo`: the whole story in a fresh store. Learn, judge unchanged code, inject a real
//! slowdown, get a confirmed red with its evidence, and say in plain words what happened.

#![allow(clippy::print_stdout, clippy::print_stderr)] // Telling a story is all it does.

use perftest_examples::slowdown;
use perftest_tests::{TempStore, patiently};
use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::Instant;

/// Most runs in one go until every test has its baseline: one of most tests, five of those whose
/// measurements are long, and some more where other work disturbed one from start to end.
const MOST_LEARNING_RUNS: u32 = 15;
/// The example that is slowed down, and by how much.
const VICTIM: &str = "regex_search";
const ITS_NAME: [&str; 2] = ["--exact", VICTIM];
const SLOWDOWN: &str = "regex_search=1.25";
/// Names a `cargo-perftest` that is already built.
const TOOL_VARIABLE: &str = "CARGO_PERFTEST";
/// What a test binary of perftest returns when its only failures are degradations.
const ONLY_DEGRADATIONS: i32 = 3;

fn main() -> ExitCode {
    match demo() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nThe demo did not go as it should: {error}");
            ExitCode::FAILURE
        }
    }
}

fn demo() -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let store = TempStore::new();
    print_text("perftest, the main job: performance tests that behave like tests.");
    print_text(
        "The perf tests are ordinary functions in examples/tests/perf.rs. The store is new and",
    );
    print_text("empty, so nothing is known about this machine yet.");

    title("1. Learn: the same tests until each has a baseline");
    let perf_tests = PerfTests::build(&store)?;
    let judged = learn(&perf_tests, &[])?;

    title("2. Judge: unchanged code");
    show(&judged);
    print_text(
        "Nothing changed, and nothing failed. Where a line gives a ratio, a few measurements",
    );
    print_text("sufficed to prove that the test is not slower than its history; a line with");
    print_text("`unclear` passed because what is not proven is not called a degradation.");

    title("3. Inject: the same search, built to go through 25% more text");
    println!("  {}={SLOWDOWN} cargo test --release --test perf {VICTIM}\n", slowdown::VARIABLE);
    let output = inject(&perf_tests)?;
    show(&output);
    expect(output.status.code() == Some(ONLY_DEGRADATIONS), "the slowdown is found", &output)?;
    print_text(
        "The test failed, so a merge would fail. Before it failed, it was measured again in",
    );
    print_text("fresh processes beside the last good build: one slow process proves nothing.");

    title("4. Look back: the evidence is kept");
    let shown = perf_tests.tool(&["show", VICTIM])?;
    show(&shown);
    expect(shown.status.success(), "the tool shows the evidence", &shown)?;

    title("What happened");
    print_text("A few runs recorded how fast each test is on this machine. Unchanged code passed.");
    print_text(
        "A real 25% slowdown failed with exit code 3, the number, the history it was compared",
    );
    print_text("with and the next step. All of it with `cargo test` and an attribute.");
    println!("\ndemo finished in {:.0} s", began.elapsed().as_secs_f64());
    Ok(())
}

/// Runs tests in the empty store until each has a verdict, and gives that run.
fn learn(perf_tests: &PerfTests<'_>, tests: &[&str]) -> Result<Output, Box<dyn Error>> {
    let learned = patiently(|| learn_in_one_go(perf_tests, tests), |it| !matches!(it, Ok(None)));
    learned?.ok_or("the machine is too busy to learn how fast the tests are; try later".into())
}

/// Runs them until each has a verdict. One that needs every processor hardly learns where others
/// want them too: in the end it is enough that the test has one that is to be slowed down.
fn learn_in_one_go(
    perf_tests: &PerfTests<'_>,
    tests: &[&str],
) -> Result<Option<Output>, Box<dyn Error>> {
    perf_tests.store.clear();
    for run in 1..=MOST_LEARNING_RUNS {
        let output = perf_tests.run(tests, None)?;
        expect(output.status.success(), "unchanged code passes", &output)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let is_open = |line: &&str| line.contains("no baseline") || line.contains("no verdict");
        let open: Vec<&str> = text.lines().filter(is_open).collect();
        let is_last = run == MOST_LEARNING_RUNS;
        if open.is_empty() || (is_last && !open.iter().any(|line| line.contains(VICTIM))) {
            return Ok(Some(output));
        }
        println!("  run {run}: passed; {} tests were recorded and had no verdict yet", open.len());
    }
    Ok(None)
}

/// Runs the slower test until that is proven, each time after it has learned.
fn inject(perf_tests: &PerfTests<'_>) -> Result<Output, Box<dyn Error>> {
    let mut has_learned = true;
    let slow = || {
        if !has_learned {
            print_text("Not proven yet: the machine was busy with something else. Once more.\n");
            learn(perf_tests, &ITS_NAME)?;
        }
        has_learned = false;
        perf_tests.run(&ITS_NAME, Some(SLOWDOWN))
    };
    let is_over = |it: &Result<Output, _>| it.as_ref().map_or(true, |it| !it.status.success());
    patiently(slow, is_over)
}

/// The built test binary and tool, and the store they share.
struct PerfTests<'a> {
    store: &'a TempStore,
    package: PathBuf,
}

impl<'a> PerfTests<'a> {
    /// Builds what the demo runs, with cargo's own progress on the terminal.
    fn build(store: &'a TempStore) -> Result<Self, Box<dyn Error>> {
        let package = Path::new(env!("CARGO_MANIFEST_DIR")).to_owned();
        let perf_tests = Self { store, package };
        let builds: [&[&str]; 2] = [
            &["test", "--release", "-p", "perftest-examples", "--test", "perf", "--no-run"],
            &["build", "-p", "cargo-perftest"],
        ];
        let is_tool_built = env::var_os(TOOL_VARIABLE).is_some();
        let needed = if is_tool_built { &builds[..1] } else { &builds[..] };
        for arguments in needed {
            let status = perf_tests.cargo(arguments).status()?;
            if !status.success() {
                return Err(format!("cargo {} failed", arguments.join(" ")).into());
            }
        }
        Ok(perf_tests)
    }

    /// Runs the perf tests as a user would.
    fn run(&self, arguments: &[&str], slowdown: Option<&str>) -> Result<Output, Box<dyn Error>> {
        let fixed = ["test", "-q", "--release", "-p", "perftest-examples", "--test", "perf", "--"];
        let mut command = self.cargo(&fixed);
        command.args(["--color", "never"]).args(arguments);
        if let Some(slowdown) = slowdown {
            command.env(slowdown::VARIABLE, slowdown);
        }
        Ok(command.output()?)
    }

    /// Runs `cargo perftest` on the same store.
    fn tool(&self, arguments: &[&str]) -> Result<Output, Box<dyn Error>> {
        let mut tool = match env::var_os(TOOL_VARIABLE) {
            Some(tool) => self.command(tool),
            None => self.cargo(&["run", "-q", "-p", "cargo-perftest", "--"]),
        };
        Ok(tool.arg("perftest").args(arguments).output()?)
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = self.command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(arguments);
        cargo
    }

    /// A program in the package of the examples, with the store.
    fn command(&self, program: OsString) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.package)
            .env("PERFTEST_STORE", self.store.path())
            .env_remove("PERFTEST_MODE")
            .env_remove(slowdown::VARIABLE)
            .stdin(Stdio::null());
        command
    }
}

fn expect(holds: bool, what: &str, output: &Output) -> Result<(), Box<dyn Error>> {
    if holds {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("{what}: it did not ({}).\n{text}{errors}", output.status).into())
}

/// What the tests printed, indented.
fn show(output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().lines().for_each(|line| println!("  | {line}"));
    println!();
}

fn title(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.len()));
}

fn print_text(text: &str) {
    println!("{text}");
}
