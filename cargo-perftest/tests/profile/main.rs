//! `cargo perftest profile` and `cargo perftest flamegraph` over files.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod hostile;
mod page;

use perftest_tests::{Outcome, clean_command};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/profile/files")
}

fn tool(args: &[&str]) -> Command {
    let mut command = clean_command(env!("CARGO_BIN_EXE_cargo-perftest"));
    command.arg("perftest").args(args).current_dir(files()).stdin(Stdio::null());
    command
}

fn text(args: &[&str]) -> String {
    Outcome::of(&mut tool(args)).ended_with(0).stdout
}

fn json_lines(args: &[&str]) -> Vec<Value> {
    Outcome::of(&mut tool(&[args, &["--json"]].concat())).ended_with(0).json()
}

/// What is printed where there is no answer.
fn error(args: &[&str]) -> String {
    let (code, text) = Outcome::of(&mut tool(args)).refusal();
    assert_eq!(code, 2, "{args:?}: {text}");
    text
}

/// A directory with one file.
struct OneFile(TempDir);

impl OneFile {
    fn new(text: impl AsRef<[u8]>) -> Self {
        let root = TempDir::new().unwrap();
        fs::write(root.path().join("profile"), text).unwrap();
        Self(root)
    }

    fn path(&self) -> String {
        self.0.path().join("profile").to_str().unwrap().to_owned()
    }

    /// The page of this file.
    fn page(&self) -> String {
        let page = self.0.path().join("page.html");
        text(&["flamegraph", &self.path(), "--out", page.to_str().unwrap()]);
        fs::read_to_string(page).unwrap()
    }
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Folded stacks without their remarks, which other programs skip.
fn stacks_of(folded: &str) -> String {
    let stacks: Vec<&str> = folded.lines().filter(|line| !line.starts_with('#')).collect();
    stacks.join("\n")
}

/// A sample of `perf` weighs its period, so that the sum of the weights is no number of samples.
#[test]
fn folded_stacks_of_perf_are_as_many_samples_as_perf_took() {
    let shown = &json_lines(&["profile", "show", "recorded.perf"])[0];
    let folded = text(&["profile", "show", "recorded.perf", "--format", "folded"]);
    let first = folded.lines().next().unwrap();
    assert_eq!(first, format!("# samples: {}.", shown["samples"]));
    assert_ne!(shown["samples"], shown["weight"], "{shown}");
}

/// The expected files are what inferno-collapse-perf 0.12.8 printed: `ci/campaigns/folded-as-inferno.sh`.
#[test]
fn folded_stacks_of_perf_are_those_of_inferno() {
    for name in ["recorded", "odd"] {
        let ours = text(&["profile", "show", &format!("{name}.perf"), "--format", "folded"]);
        let expected = fs::read_to_string(files().join(format!("{name}.inferno"))).unwrap();
        assert!(expected.lines().count() >= 5, "{name}");
        assert_eq!(sorted(&stacks_of(&ours)), sorted(&expected), "{name}");
    }
}

#[test]
fn folded_stacks_of_gdb_are_its_threads_from_the_outside() {
    let folded = text(&["profile", "show", "threads.gdb", "--format", "folded"]);
    let expected = [
        "[thread];poll 1",
        "server;server::main;std::thread::JoinHandle<T>::join;__futex_abstimed_wait_common64 2",
        "worker;[unknown];<alloc::boxed::Box<F,A> as core::ops::function::FnOnce<(A, B)>>::call_once;\
         mio::poll::Poll::poll;poll 1",
    ];
    assert_eq!(stacks_of(&folded).lines().collect::<Vec<_>>(), expected);
    let whole = &json_lines(&["profile", "show", "threads.gdb"])[0];
    let note = "stacks that the profiler could not follow to their beginning: 1";
    assert_eq!((&whole["samples"], &whole["notes"][0]), (&Value::from(4), &Value::from(note)));
}

#[test]
fn the_table_of_a_difference_begins_with_what_grew() {
    let table = text(&["profile", "diff", "base.folded", "new.folded"]);
    let first = table.lines().skip_while(|line| !line.ends_with("function")).nth(1).unwrap();
    assert!(first.ends_with("app::unescape"), "{table}");
    assert!(first.contains("30.00%") && first.contains("34.88%"), "{table}");
    let lines = json_lines(&["profile", "diff", "base.folded", "new.folded"]);
    assert_eq!(lines[0]["event"], "profile_diff");
    assert_eq!(
        (&lines[1]["function"], &lines[1]["own_base_weight"]),
        (&"app::unescape".into(), &300.into())
    );
    let change = lines[1]["own_change"].as_f64().unwrap();
    assert!((change - (375.0 / 1_075.0 - 0.3)).abs() < 1e-12);
}

#[test]
fn a_difference_begins_with_the_function_behind_it_and_its_time() {
    let iteration = |ns: u32, sampled_ns: u32| {
        format!(
            "# whole iteration: {ns} ns, standard error 1000 ns, sampled for {sampled_ns} ns.\n"
        )
    };
    let base = "main;parse 500000000\nmain;parse;unescape;[waiting] 500000000\n";
    let base =
        OneFile::new(format!("# samples: 1000.\n{}{base}", iteration(1_000_000, 1_000_000_000)));
    let new = "main;parse 500000000\nmain;parse;unescape;[waiting] 1500000000\n";
    let new =
        OneFile::new(format!("# samples: 2000.\n{}{new}", iteration(2_000_000, 2_000_000_000)));
    let table = text(&["profile", "diff", &base.path(), &new.path()]);
    let cause = "mostly in `unescape`: 50.0% -> 75.0% of the time, +1.000 ms (";
    assert!(table.contains(cause) && table.contains("of +1.000 ms per iteration\n"), "{table}");
    let heading = table.lines().find(|line| line.ends_with("function")).unwrap();
    assert!(heading.contains("per iteration"), "{table}");
    let lines = json_lines(&["profile", "diff", &base.path(), &new.path()]);
    assert!(lines[0]["cause"].as_str().unwrap().starts_with(cause));
    let waiting = lines.iter().find(|line| line["function"] == "[waiting]").unwrap();
    assert_eq!(
        (&waiting["own_base_ns"], &waiting["own_new_ns"]),
        (&500_000.0.into(), &1_500_000.0.into())
    );
    let (lower, upper) = (&waiting["own_change_lower_ns"], &waiting["own_change_upper_ns"]);
    assert!(lower.as_f64() > Some(900_000.0) && upper.as_f64() < Some(1_100_000.0), "{waiting}");
}

#[test]
fn a_total_time_ranks_callers_too() {
    let of = |by| text(&["profile", "show", "base.folded", "--by", by, "--top", "1"]);
    assert!(of("total").lines().last().unwrap().ends_with("100.00%  app::run"), "{}", of("total"));
    assert!(of("own").lines().last().unwrap().ends_with("app::unescape"), "{}", of("own"));
}

#[test]
fn speedscope_gets_every_stack_with_its_weight() {
    let exported = text(&["profile", "show", "base.folded", "--format", "speedscope"]);
    let exported: Value = serde_json::from_str(&exported).unwrap();
    let profile = &exported["profiles"][0];
    let names = exported["shared"]["frames"].as_array().unwrap();
    let stacks =
        profile["samples"].as_array().unwrap().iter().zip(profile["weights"].as_array().unwrap());
    let folded: Vec<String> = stacks
        .map(|(stack, weight)| {
            let stack = stack.as_array().unwrap().iter();
            let stack: Vec<&str> = stack
                .map(|it| names[it.as_u64().unwrap() as usize]["name"].as_str().unwrap())
                .collect();
            format!("{} {weight}", stack.join(";"))
        })
        .collect();
    let expected = fs::read_to_string(files().join("base.folded")).unwrap();
    assert_eq!(sorted(&folded.join("\n")), sorted(&expected));
    assert_eq!(profile["endValue"], 1_000);
}

#[test]
fn the_firefox_profiler_gets_every_stack_with_its_weight() {
    let exported = text(&["profile", "show", "base.folded", "--format", "firefox"]);
    let exported: Value = serde_json::from_str(&exported).unwrap();
    let thread = &exported["threads"][0];
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let (stacks, samples) = (&thread["stackTable"], &thread["samples"]);
    let folded: Vec<String> = (0..number(&samples["length"]))
        .map(|sample| {
            let mut names = Vec::new();
            let mut stack = samples["stack"][sample].clone();
            while !stack.is_null() {
                let frame = number(&stacks["frame"][number(&stack)]);
                let function = number(&thread["frameTable"]["func"][frame]);
                let name = number(&thread["funcTable"]["name"][function]);
                names.insert(0, thread["stringArray"][name].as_str().unwrap());
                stack = stacks["prefix"][number(&stack)].clone();
            }
            format!("{} {}", names.join(";"), samples["weight"][sample])
        })
        .collect();
    let expected = fs::read_to_string(files().join("base.folded")).unwrap();
    assert_eq!(sorted(&folded.join("\n")), sorted(&expected));
}

#[test]
fn a_picture_has_every_function_and_the_one_that_grew_is_red() {
    let picture = text(&["profile", "diff", "base.folded", "new.folded", "--format", "svg"]);
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
    let grown =
        picture.lines().find(|line| line.contains("<title>app::unescape (21.00% then")).unwrap();
    assert!(grown.contains("fill=\"#d55e00\""), "{grown}");
    let one = text(&["profile", "show", "base.folded", "--format", "svg"]);
    assert_eq!(one.matches("<g>").count(), 9, "{one}");
}

#[test]
fn a_slice_is_what_is_compared() {
    let lines = json_lines(&["profile", "show", "threads.gdb", "--slice", "server"]);
    assert_eq!(lines[0]["samples"], 2);
    let wrong = error(&["profile", "show", "threads.gdb", "--slice", "nobody"]);
    assert!(wrong.contains("no outermost frame begins with `nobody`"), "{wrong}");
}

#[test]
fn a_missing_file_is_answered_by_how_a_profile_is_recorded() {
    for arguments in [["profile", "show", "codec::encode"], ["flamegraph", "no.folded", "--open"]] {
        let wrong = error(&arguments);
        assert!(
            wrong.contains("there is no such file. `cargo perftest profile record TEST`"),
            "{wrong}"
        );
    }
    let wrong = error(&["flamegraph", "new.folded", "--diff", "main"]);
    assert!(wrong.contains("new.folded is a file, and --diff samples a test"), "{wrong}");
}

#[test]
fn standard_input_is_a_file_too() {
    let mut show = tool(&["profile", "show", "-", "--json"]);
    let text = Outcome::of_piped(&mut show, "a;b 3\n").stdout;
    assert!(text.starts_with('{') && text.contains("\"file\":\"standard input\""), "{text}");
}
