//! `doctor` and `machine` through the whole tool: over machines made of files, and here.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use perftest_tests::{Outcome, clean_command};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A machine of `perftest-machine/tests/fixtures/sysfs`, before and after a measurement.
struct Trees {
    directory: TempDir,
}

impl Trees {
    /// Lays out the machine, and the same machine in this state.
    fn of(machine: &str, state: &str) -> Self {
        let trees = Self { directory: tempfile::tempdir().unwrap() };
        let fixture = description(machine);
        let changed = fixture["states"][state].as_object().unwrap();
        let files = fixture["files"].as_object().unwrap();
        for (path, content) in files {
            write(&trees.before().join(path), content);
            write(&trees.after().join(path), changed.get(path).unwrap_or(content));
        }
        for (path, content) in changed {
            write(&trees.after().join(path), content);
        }
        let links = fixture["links"].as_object().unwrap();
        for (path, target) in links {
            link(&trees.before().join(path), target.as_str().unwrap());
            link(&trees.after().join(path), target.as_str().unwrap());
        }
        trees
    }

    /// Lets the test run on this processor, as far as the files say.
    fn running_on(self, cpu: u32) -> Self {
        let stat = Value::from(format!("7 (test) R{} {cpu} 0 0\n", " 0".repeat(35)));
        for root in [self.before(), self.after()] {
            write(&root.join("proc/thread-self/stat"), &stat);
        }
        self
    }

    fn before(&self) -> PathBuf {
        self.directory.path().join("before")
    }

    fn after(&self) -> PathBuf {
        self.directory.path().join("after")
    }

    fn doctor(&self, more: &[&str]) -> Answer {
        let (before, after) = (self.before(), self.after());
        let trees = ["doctor", "--root", text(&before), "--after", text(&after)];
        Answer::of(&[&trees[..], more].concat())
    }
}

fn description(machine: &str) -> Value {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixtures = fixtures.join("../perftest-machine/tests/fixtures/sysfs");
    let text = fs::read_to_string(fixtures.join(format!("{machine}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Writes a file, unless it is one that a state takes away.
fn write(path: &Path, content: &Value) {
    if let Some(content) = content.as_str() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

fn link(path: &Path, target: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(target, path).unwrap();
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What the tool printed.
struct Answer {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Answer {
    fn of(args: &[&str]) -> Self {
        Self::to(tool().args(args))
    }

    fn to(command: &mut Command) -> Self {
        let Outcome { code, stdout, stderr } = Outcome::of(command);
        Self { code: code.unwrap(), stdout, stderr }
    }

    fn objects(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Whether it has this text, wherever its lines are broken.
    fn prints(&self, part: &str) -> bool {
        let words: Vec<&str> = self.stdout.split_whitespace().collect();
        words.join(" ").contains(part)
    }

    /// The line with this, and the two that follow.
    fn lines_from(&self, part: &str) -> String {
        let lines = self.stdout.lines().skip_while(|line| !line.contains(part));
        let lines: Vec<&str> = lines.take(3).collect();
        assert!(!lines.is_empty(), "no `{part}` in {}{}", self.stdout, self.stderr);
        lines.join("\n")
    }
}

/// The tool in an environment that this test decides.
fn tool() -> Command {
    let mut command = clean_command(env!("CARGO_BIN_EXE_cargo-perftest"));
    command.arg("perftest");
    command
}

/// A package with a store beside it.
struct Package {
    directory: TempDir,
}

impl Package {
    fn new(manifest: &str) -> Self {
        let package = Self { directory: tempfile::tempdir().unwrap() };
        let head = "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
        package.write("tiny/Cargo.toml", &format!("{head}{manifest}\n[workspace]\n"));
        package.write("tiny/src/lib.rs", "");
        package
    }

    fn write(&self, path: &str, content: &str) {
        write(&self.directory.path().join(path), &Value::from(content));
    }

    fn doctor(&self, more: &[&str]) -> Command {
        let root = self.directory.path();
        let mut command = tool();
        command.current_dir(root.join("tiny")).env("PERFTEST_STORE", root.join("store"));
        command.env("CARGO_HOME", root.join("cargo")).arg("doctor").args(more);
        command
    }
}

#[test]
fn a_machine_that_no_verdict_can_be_expected_of_is_unfit() {
    for (machine, state, cpu, topic) in [
        ("intel_laptop", "throttled", 0, "throttling"),
        ("intel_laptop", "throttling_still_going_on", 0, "throttling"),
        ("intel_laptop", "kernel_before_5_6_counts_only", 0, "throttling"),
        ("intel_laptop", "power_limited_no_thermal", 0, "slow-clock"),
        ("intel_laptop", "unplugged_during_run", 0, "power-changed"),
        ("amd_desktop", "throttled", 3, "throttling"),
        ("raspberry_pi4", "under_voltage", 0, "throttling"),
        ("kvm_guest_nothing", "swapping", 0, "swap"),
        ("kvm_guest_nothing", "steal", 0, "steal"),
        ("container_cgroup1_quota", "throttled", 0, "quota"),
        ("container_cgroup2_quota", "throttled", 0, "quota"),
    ] {
        let answer = Trees::of(machine, state).running_on(cpu).doctor(&["--json"]);
        assert_eq!(answer.code, 6, "{machine} {state}: {}{}", answer.stdout, answer.stderr);
        let objects = answer.objects();
        assert_eq!(objects[0]["fit"], false);
        assert_eq!(
            (&objects[1]["severity"], &objects[1]["topic"]),
            (&"unfit".into(), &topic.into())
        );
    }
}

#[test]
fn a_machine_in_order_or_with_something_to_note_is_fit() {
    for (machine, state, cpu) in [
        ("intel_laptop", "fine", 0),
        ("intel_laptop", "short_spike_kernel_ignored", 0),
        ("amd_desktop", "fine", 3),
        ("amd_desktop", "at_95c_full_speed", 3),
        ("raspberry_pi4", "fine", 0),
        ("kvm_guest_nothing", "fine", 0),
        ("kvm_guest_nothing", "busy_guest", 0),
        ("container_cgroup2_quota", "no_quota", 0),
        ("intel_hybrid", "ran_on_p_core", 1),
    ] {
        let answer = Trees::of(machine, state).running_on(cpu).doctor(&["--json"]);
        assert_eq!(answer.code, 0, "{machine} {state}: {}{}", answer.stdout, answer.stderr);
        assert_eq!(answer.objects()[0]["fit"], true);
    }
}

#[test]
fn a_throttled_laptop_is_reported_with_heat_clock_events_and_the_way_out() {
    let answer = Trees::of("intel_laptop", "throttled").running_on(0).doctor(&[]);
    let output = answer.lines_from("unfit    ");
    let circumstances = "61 -> 98 C, 4.4 -> 2.6 GHz, 66 events (1264 ms)";
    for part in [circumstances, "no test gets a verdict", "let the machine cool"] {
        assert!(output.contains(part), "{part} in {output}");
    }
    assert!(answer.stdout.lines().nth(1).unwrap().starts_with("unfit"), "the conclusion first");
    assert!(!answer.stdout.contains('\u{1b}'), "no colour without a terminal");
}

#[test]
fn a_clock_that_is_lowered_because_of_heat_is_throttled_and_no_changed_cap() {
    let answer = Trees::of("intel_laptop", "cooling_begins").running_on(0).doctor(&[]);
    assert!(answer.prints("61 -> 88 C, 4.4 -> 3.8 GHz, clock limited to 80%"), "{}", answer.stdout);
    for word in ["capped", "changed while looking"] {
        assert!(!answer.prints(word), "{word} in {}", answer.stdout);
    }
}

#[test]
fn settings_are_reported_without_nagging() {
    let capped = Trees::of("intel_laptop", "frequency_cap_set").running_on(0).doctor(&[]);
    assert!(capped.lines_from("capped at 1.9 of 4.7 GHz").contains("lift the cap"));
    let fine = Trees::of("intel_laptop", "fine").running_on(0).doctor(&["--json"]).objects();
    let settings = fine.iter().find(|it| it["topic"] == "settings").unwrap();
    assert_eq!(settings["severity"], "good", "an unchanged powersave is fine");
    let guest = Trees::of("kvm_guest_nothing", "fine").doctor(&[]);
    for word in ["governor", "boost", "battery"] {
        assert!(!guest.prints(word), "{word} where there is none: {}", guest.stdout);
    }
}

#[test]
fn a_guest_without_sensors_names_what_is_read_instead() {
    let guest = Trees::of("kvm_guest_nothing", "fine").doctor(&[]);
    assert!(guest.lines_from("no temperature sensor").contains("probe"));
    assert!(guest.lines_from("a virtual machine").contains("nothing to do"));
    assert!(guest.prints("no steal"));
}

#[test]
fn one_tree_shows_a_state_and_no_changes() {
    let trees = Trees::of("intel_laptop", "throttled").running_on(0);
    let answer = Answer::of(&["doctor", "--root", text(&trees.before())]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.prints("61 C of 100 C"));
    for word in ["throttle", "steal", "others"] {
        assert!(!answer.prints(word), "{word} in {}", answer.stdout);
    }
}

#[test]
fn pressure_is_a_share_of_the_time_between_the_trees() {
    let busy = |apart: &str| {
        let trees = Trees::of("kvm_guest_nothing", "busy_guest");
        trees.doctor(&["--apart", apart]).prints("work waited")
    };
    assert!(busy("4"));
    assert!(!busy("60"));
}

#[test]
fn an_empty_tree_has_nothing_to_tell_and_no_panic() {
    let empty = tempfile::tempdir().unwrap();
    let answer = Answer::of(&["doctor", "--root", text(empty.path())]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert!(answer.prints("no temperature sensor"), "{}", answer.stdout);
}

#[test]
fn a_tree_that_is_no_directory_is_refused_with_what_to_give() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let (there, missing) = (text(directory.path()), directory.path().join("missing"));
    for args in [
        &["doctor", "--root", text(&file)][..],
        &["doctor", "--root", text(&missing)],
        &["doctor", "--root", there, "--after", text(&missing)],
    ] {
        let answer = Answer::of(args);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{args:?}");
        assert!(answer.stderr.contains("`proc` and `sys`"), "{}", answer.stderr);
    }
    assert_eq!(Answer::of(&["doctor", "--after", there]).code, 2, "after what?");
    let no_time = ["doctor", "--root", there, "--after", there, "--apart", "0"];
    assert_eq!(Answer::of(&no_time).code, 2);
}

#[test]
fn json_by_either_name_is_the_same() {
    let trees = Trees::of("intel_laptop", "unplugged_during_run").running_on(0);
    let short = trees.doctor(&["--json"]);
    assert_eq!(short.stdout, trees.doctor(&["--format", "json"]).stdout);
    let objects = short.objects();
    assert_eq!(objects[0]["event"], "doctor");
    assert_eq!(objects[0]["distrusted"], Value::from(vec!["power-changed"]));
    for finding in &objects[1..] {
        assert_eq!(finding["event"], "finding");
        for key in ["severity", "topic", "fact", "effect", "advice"] {
            assert!(finding[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {finding}");
        }
    }
    assert_eq!(trees.doctor(&["--json", "--format", "table"]).code, 2);
}

#[test]
fn a_project_is_reported_what_to_add_and_what_is_there_is_found() {
    let package = Package::new("[profile.release]\ndebug = 1\ncodegen-units = 1");
    let bare = Answer::to(&mut package.doctor(&[]));
    let output = bare.lines_from("functions are not aligned") + &bare.lines_from("[build]");
    assert!(output.contains("up to 15%"), "{output}");
    assert!(
        output.contains(r#"rustflags = ["-C", "llvm-args=-align-all-functions=6"]"#),
        "{output}"
    );
    assert!(bare.prints("profile release: opt-level 3, no LTO, codegen-units 1"));
    assert!(bare.prints("no history of this project yet in a directory of its own"));

    let flags = "[build]\nrustflags = [\"-C\", \"llvm-args=-align-all-functions=6\"]\n";
    package.write(".cargo/config.toml", flags);
    let lto = Answer::to(package.doctor(&[]).env("CARGO_PROFILE_RELEASE_LTO", "thin"));
    for part in ["functions aligned to 64 bytes", "thin LTO"] {
        assert!(lto.prints(part), "{part} in {}", lto.stdout);
    }
    let hidden = Answer::to(package.doctor(&[]).env("RUSTFLAGS", "-Dwarnings"));
    assert!(hidden.prints("not the flag in build.rustflags"), "{}", hidden.stdout);
}

#[test]
fn the_flags_are_those_of_the_target_that_is_asked_for() {
    let package = Package::new("");
    let flags = "rustflags = [\"-C\", \"llvm-args=-align-all-functions=6\"]";
    package.write(".cargo/config.toml", &format!("[target.wasm32-wasip1]\n{flags}\n"));
    let of = |more: &[&str]| Answer::to(&mut package.doctor(more));
    assert!(of(&["--target", "wasm32-wasip1"]).prints("functions aligned to 64 bytes"));
    assert!(of(&[]).prints("functions are not aligned"));
}

#[test]
fn a_profile_by_name_is_examined_or_refused() {
    let package = Package::new("[profile.perf]\ninherits = \"release\"\nlto = true");
    let perf = Answer::to(&mut package.doctor(&["--profile", "perf"]));
    assert!(perf.prints("profile perf: opt-level 3, fat LTO"), "{}", perf.stdout);
    let dev = Answer::to(&mut package.doctor(&["--profile", "dev"]));
    assert!(dev.lines_from("profile dev").contains("cargo test --release"));
    let unknown = Answer::to(&mut package.doctor(&["--profile", "fast"]));
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    assert!(unknown.stderr.contains("[profile.fast]"), "{}", unknown.stderr);
}

#[test]
fn this_machine_is_examined_on_one_screen_that_can_be_shared() {
    let package = Package::new("");
    let answer = Answer::to(&mut package.doctor(&[]));
    // How busy the machine is decides the code, not the test.
    assert!([0, 6].contains(&answer.code), "{}", answer.stderr);
    assert!(answer.stdout.lines().all(|line| line.chars().count() <= 100), "{}", answer.stdout);
    let root = text(package.directory.path());
    assert!(!answer.stdout.contains(root), "{}", answer.stdout);
    let off = Answer::to(package.doctor(&[]).env("PERFTEST_STORE", "off"));
    assert!(off.lines_from("no history is kept").contains("PERFTEST_STORE"));
}

/// A process that keeps a processor busy until it is dropped.
struct BusyLoop(std::process::Child);

impl BusyLoop {
    /// One with this name, which may be of any characters.
    fn named(directory: &Path, name: &str) -> Self {
        let program = directory.join(name);
        symlink("/bin/sh", &program).unwrap();
        Self(Command::new(program).args(["-c", "while :; do :; done"]).spawn().unwrap())
    }
}

impl Drop for BusyLoop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_process_that_takes_a_processor_is_named_with_what_it_took() {
    let package = Package::new("");
    let busy = BusyLoop::named(package.directory.path(), "hog\u{1b}[2J");
    let answer = Answer::to(&mut package.doctor(&["--json"]));
    let objects = answer.objects();
    let pid = busy.0.id();
    let process = objects.iter().find(|it| it["event"] == "process" && it["pid"] == pid);
    let process = process.unwrap_or_else(|| panic!("{}", answer.stdout));
    assert!(process["cores"].as_f64().unwrap() > 0.05, "{process}");
    assert!(process["memory_bytes"].as_u64().unwrap() > 0, "{process}");
    let text = Answer::to(&mut package.doctor(&[]));
    let line = text.lines_from("others use").replace('\n', " ");
    assert!(line.contains("% of a core") && !text.stdout.contains('\u{1b}'), "{}", text.stdout);
}

#[test]
fn a_watch_prints_processes_that_become_busy_and_ends_with_its_reader() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let package = Package::new("");
    let busy = BusyLoop::named(package.directory.path(), "hog");
    let mut command = package.doctor(&["--watch", "--json"]);
    let mut watch = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let named = |change: &str, lines: &mut dyn Iterator<Item = String>| {
        let pid = busy.0.id();
        let is_it = |it: &Value| it["pid"] == pid && it["change"] == change;
        lines.map(|line| serde_json::from_str(&line).unwrap()).any(|it: Value| is_it(&it))
    };
    assert!(named("began", &mut lines.by_ref().map(Result::unwrap)));
    drop(lines);
    // The end of the process is a change that it cannot write any more.
    drop(busy);
    let code = watch.wait().unwrap();
    assert!(code.success(), "{code}");
}

#[test]
fn outside_a_project_the_machine_is_examined_all_the_same() {
    let nowhere = tempfile::tempdir().unwrap();
    let answer = Answer::to(tool().arg("doctor").current_dir(nowhere.path()));
    assert!([0, 6].contains(&answer.code), "{}", answer.stderr);
    assert!(answer.lines_from("no project here").contains("locate-project"));
}

#[test]
fn a_machine_prints_its_testbed_and_what_is_behind_it() {
    let words = Answer::of(&["machine"]);
    assert_eq!((words.code, words.stderr.as_str()), (0, ""));
    let [machine] = <[Value; 1]>::try_from(Answer::of(&["machine", "--json"]).objects()).unwrap();
    let fingerprint = machine["fingerprint"].as_str().unwrap();
    assert!(fingerprint.len() == 16 && fingerprint.chars().all(|sign| sign.is_ascii_hexdigit()));
    assert_eq!(machine["testbed"], format!("local/{fingerprint}"));
    assert_eq!(words.stdout.lines().next(), machine["testbed"].as_str());
    for (part, hashed) in [("identity", "yes"), ("epoch", "no")] {
        for name in machine[part].as_object().unwrap().keys() {
            let line = words.lines_from(&format!("{name} "));
            let cells: Vec<&str> = line.split_whitespace().take(2).collect();
            assert_eq!(cells, [name, hashed]);
        }
    }
    let named = Answer::to(tool().arg("machine").env("PERFTEST_TESTBED", "ci-large"));
    assert!(named.stdout.starts_with(&format!("ci-large/{fingerprint}\n")), "{}", named.stdout);
    let ci = Answer::to(tool().arg("machine").env("CI", "true"));
    assert!(ci.stdout.starts_with("ci/"), "{}", ci.stdout);
}
