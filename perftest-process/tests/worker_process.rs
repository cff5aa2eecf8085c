//! Workers that behave and workers that do not: small shell scripts.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use perftest_core::judge::{PairPlan, Side};
use perftest_core::model::{
    BenchmarkId, InstructionCounter, Instructions, Measurement, Metric, ProcessRecord,
    ProcessValue, Take,
};
use perftest_process::protocol::{FromParent, FromWorker};
use perftest_process::{
    WorkerCommand, WorkerPair, WorkerProcess, count_instructions, count_under_valgrind,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Longer than any script needs that does not hang.
const LONG: Duration = Duration::from_secs(20);
/// What a hanging one is granted.
const SHORT: Duration = Duration::from_millis(300);

/// A worker that is this script. The shell is the executable, the script its test.
fn worker(name: &str, script: &str) -> WorkerCommand {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("worker-{name}.sh"));
    fs::write(&path, script).unwrap();
    WorkerCommand {
        executable: "/bin/sh".into(),
        directory: "/".into(),
        test: path.to_str().unwrap().to_owned(),
        ordinary: vec![path.to_str().unwrap().to_owned()],
        test_threads: 1,
        environment: Vec::new(),
        longest_start: LONG,
    }
}

/// A line of a script that says this.
fn print_command(message: &FromWorker) -> String {
    format!("printf '%s\\n' '{}'\n", message.encode().trim())
}

/// The beginning of every script whose worker gets ready.
fn ready() -> String {
    let hello = FromWorker::Hello { benchmark: BenchmarkId::from_recorded("codec::encode") };
    print_command(&hello) + &print_command(&FromWorker::Prepared { iterations: 64 })
}

fn take(value: f64) -> Take {
    Take { measurement: Measurement::of_value(value), stages: Vec::new() }
}

fn measured(value: f64) -> String {
    print_command(&FromWorker::Measured(Box::new(take(value))))
}

/// Why it did not start, or did not measure.
fn why(command: &WorkerCommand, longest: Duration) -> String {
    match WorkerProcess::start(command) {
        Err(why) => why,
        Ok(mut worker) => worker.measure(1, None, longest).unwrap_err(),
    }
}

#[test]
fn a_worker_measures_as_often_as_it_is_asked() {
    let ask = "read -r asked\n";
    let allocations = ProcessValue { metric: Metric::allocations(), value: 7.0 };
    let script = ready()
        + ask
        + &measured(1.0)
        + &measured(2.0)
        + ask
        + &measured(3.0)
        + ask
        + &print_command(&FromWorker::Bye { values: vec![allocations.clone()] });
    let mut worker = WorkerProcess::start(&worker("repeats", &script)).unwrap();
    assert_eq!(worker.tuned_iterations(), 64);
    worker.measure(2, None, LONG).unwrap();
    worker.measure(1, Some(70), LONG).unwrap();
    let takes = [1.0, 2.0, 3.0].map(take).to_vec();
    assert_eq!(worker.end(LONG), Ok(ProcessRecord { takes, values: vec![allocations] }));
}

/// A worker that measures batches of this many iterations, and the file of the requests to it.
fn limited_to(iterations: u64, name: &str) -> (WorkerCommand, PathBuf) {
    let requests = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("requests-{name}"));
    let measurement = Measurement { iterations, ..Measurement::of_value(1.0) };
    let take = Take { measurement, stages: Vec::new() };
    let answer = print_command(&FromWorker::Measured(Box::new(take)));
    let bye = print_command(&FromWorker::Bye { values: Vec::new() });
    let script = ready()
        + &format!(
            "for turn in 1 2 3 4; do read -r asked; echo \"$asked\" >>{}; {answer}done\nread -r asked\n",
            requests.display()
        )
        + &bye;
    let _ = fs::remove_file(&requests);
    (worker(name, &script), requests)
}

#[test]
fn both_sides_of_a_pair_have_as_many_iterations_as_each_of_them_allows() {
    let (base, _) = limited_to(64, "limited");
    let (head, requests) = limited_to(u64::MAX, "unlimited");
    let pair = WorkerPair { base: &base, head: &head, longest: LONG };
    let turns = [Side::Head, Side::Base].repeat(2);
    let plan = PairPlan { starts: Side::Base, turns, jitter: vec![1.0; 4], longest: LONG };
    pair.measure(&plan, Some(4_096)).unwrap();
    let requests = fs::read_to_string(requests).unwrap();
    let asked = requests.lines().filter_map(|line| FromParent::decode(line).unwrap());
    let asked: Vec<u64> = asked
        .filter_map(|it| match it {
            FromParent::Measure { iterations, .. } => iterations,
            _ => None,
        })
        .collect();
    assert_eq!(asked, [4_096, 64, 64, 64], "the base answered behind the first");
}

#[test]
fn a_worker_hears_the_test_and_the_variables_it_is_started_with() {
    let script = ready()
        + "read -r asked\n\
           echo \"$1 $PERFTEST_WORKER $ADDED\" >&2\n\
           pwd >&2\n\
           exit 9\n";
    let mut command = worker("hears", &script);
    command.environment = vec![("ADDED".into(), "more".into())];
    let why = why(&command, LONG);
    assert!(why.contains(&format!("--exact {} more\n/", command.test)), "{why}");
}

#[test]
fn what_the_body_prints_does_not_disturb() {
    let noise = "printf 'progress 50%%'\necho; printf '\\000\\033[0m\\n{}\\n[1]\\n'\n";
    let bye = print_command(&FromWorker::Bye { values: Vec::new() });
    let ask = "read -r asked\n";
    let script = [noise, &ready(), ask, noise, &measured(1.0), ask, noise, &bye].concat();
    let mut worker = WorkerProcess::start(&worker("prints", &script)).unwrap();
    worker.measure(1, None, LONG).unwrap();
    assert_eq!(worker.end(LONG).unwrap().takes, [take(1.0)]);
}

#[test]
fn a_worker_that_prints_without_end_is_ended_in_time() {
    let mut command = worker("floods", "exec cat /dev/zero\n");
    command.longest_start = SHORT;
    let began = Instant::now();
    assert!(why(&command, LONG).contains("gave no answer for "));
    assert!(began.elapsed() < LONG);
}

#[test]
fn a_worker_that_hangs_is_ended_in_time_whenever_it_hangs() {
    let began = Instant::now();
    let hang = "exec sleep 1000\n";
    let mut never_begins = worker("never-begins", hang);
    never_begins.longest_start = SHORT;
    assert!(why(&never_begins, LONG).contains("gave no answer for"));
    let never_measures = worker("never-measures", &(ready() + hang));
    assert!(why(&never_measures, SHORT).contains("gave no answer for"));
    assert!(began.elapsed() < LONG);
}

#[test]
fn a_worker_is_gone_as_soon_as_it_is_dropped() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("worker-id");
    let script = format!("echo $$ > '{}'\n{}exec sleep 1000\n", file.display(), ready());
    drop(WorkerProcess::start(&worker("dropped", &script)).unwrap());
    let id = fs::read_to_string(file).unwrap();
    let alive =
        Command::new("/bin/sh").args(["-c", &format!("kill -0 {}", id.trim())]).output().unwrap();
    assert!(!alive.status.success());
}

#[test]
fn a_worker_that_crashes_is_reported_with_its_last_words() {
    let script = ready()
        + "read -r asked\n\
           for line in 1 2 3 4 5 6; do echo \"line $line\" >&2; done\n\
           echo 'cannot open the catalogue' >&2\n\
           kill -ABRT $$\n";
    let why = why(&worker("crashes", &script), LONG);
    assert!(why.contains("ended too early (signal: 6"), "{why}");
    assert!(why.ends_with("line 6\ncannot open the catalogue"), "{why}");
    assert!(!why.contains("line 2"), "{why}");
}

#[test]
fn a_worker_that_cannot_measure_says_why_itself() {
    let failed = print_command(&FromWorker::Failed { why: "the body panicked".into() });
    let script = ready() + &failed + &print_command(&FromWorker::Bye { values: Vec::new() });
    assert_eq!(why(&worker("fails", &script), LONG), "in a fresh process the body panicked");
}

#[test]
fn a_worker_that_is_no_perf_test_is_reported() {
    let why = why(&worker("mute", "echo 'running 0 tests'\n"), LONG);
    assert!(why.contains("ended too early (exit status: 0)"), "{why}");
}

#[test]
fn a_worker_that_speaks_out_of_turn_is_refused() {
    assert!(why(&worker("eager", &measured(1.0)), LONG).contains("without being asked"));
    let bye = ready() + "read -r asked\n" + &print_command(&FromWorker::Bye { values: Vec::new() });
    assert!(why(&worker("leaves", &bye), LONG).contains("ended before it was asked to"));
}

/// Why a worker that has measured does not end well, with this script from there on.
fn why_not_ended(name: &str, rest: &str, longest: Duration) -> String {
    let script = ready() + "read -r asked\n" + &measured(1.0) + "read -r asked\n" + rest;
    let mut worker = WorkerProcess::start(&worker(name, &script)).unwrap();
    worker.measure(1, None, LONG).unwrap();
    worker.end(longest).unwrap_err()
}

#[test]
fn a_body_that_fails_after_its_measurements_says_why() {
    let failed = print_command(&FromWorker::Failed { why: "the sum is wrong".into() });
    let rest = failed + &print_command(&FromWorker::Bye { values: Vec::new() });
    assert_eq!(why_not_ended("fails-last", &rest, LONG), "in a fresh process the sum is wrong");
    let why = why_not_ended("leaves", "echo 'all is lost' >&2\nexit 4\n", LONG);
    assert!(why.contains("exit status: 4") && why.ends_with("all is lost"), "{why}");
}

#[test]
fn the_rest_of_a_body_may_take_as_long_as_is_granted() {
    let size = ProcessValue { metric: Metric::allocated_bytes(), value: 8.0 };
    let bye = print_command(&FromWorker::Bye { values: vec![size.clone()] });
    let script = ready() + "read -r asked\nsleep 3\n" + &bye;
    let worker = WorkerProcess::start(&worker("ends-slowly", &script)).unwrap();
    assert_eq!(worker.end(LONG).unwrap().values, [size]);
    let why = why_not_ended("never-ends", "exec sleep 1000\n", SHORT);
    assert!(why.contains("gave no answer for "), "{why}");
}

#[test]
fn a_worker_of_another_version_is_refused_whether_older_or_newer() {
    for version in [1, 2, 1_000] {
        let script =
            format!("echo '{{\"perftest\":{version},\"say\":\"hello\"}}'\nexec sleep 1000\n");
        let why = why(&worker(&format!("version-{version}"), &script), LONG);
        assert!(why.contains(&format!("speaks version {version}")), "{why}");
        assert!(why.contains("the same version of perftest"), "{why}");
    }
}

#[test]
fn an_executable_that_is_not_there_is_named() {
    let mut command = worker("missing", "");
    command.executable = "/nowhere/perf".into();
    assert!(why(&command, LONG).contains("`/nowhere/perf` could not be started"));
}

/// The script of a worker that counts, with these answers.
fn counting(name: &str, answers: &[Option<u64>]) -> WorkerCommand {
    let hello = FromWorker::Hello { benchmark: BenchmarkId::from_recorded("codec::encode") };
    let answered = |instructions: &Option<u64>| {
        let counted = FromWorker::Counted { instructions: *instructions };
        format!("read -r asked\n{}", print_command(&counted))
    };
    let answers: String = answers.iter().map(answered).collect();
    let guard = "[ \"$PERFTEST_WORKER_COUNTS\" = 1 ] || exit 3\n";
    worker(name, &(guard.to_owned() + &print_command(&hello) + &answers + "read -r asked\n"))
}

fn counted(before: &WorkerCommand, now: &WorkerCommand) -> Result<Instructions, String> {
    count_instructions(before, now, 64, InstructionCounter::Processor, LONG)
}

#[test]
fn instructions_are_counted_in_a_process_that_is_warm() {
    let before = counting("counts-before", &[Some(1_000_000), Some(64_000)]);
    let now = counting("counts-now", &[Some(1_000_000), Some(80_000)]);
    let counted = counted(&before, &now).unwrap();
    assert_eq!((counted.before, counted.now, counted.variation), (1000.0, 1250.0, 0.0));
}

#[test]
fn a_processor_that_counts_none_is_reported_and_no_count_of_zero() {
    for (name, answer) in [("counts-absent", None), ("counts-zero", Some(0))] {
        let absent = counting(name, &[answer, answer]);
        assert_eq!(counted(&absent, &absent).unwrap_err(), "the processor counts none");
    }
}

#[test]
fn a_worker_that_measures_instead_of_counting_is_refused() {
    let measures = worker("measures-instead", &(ready() + "read -r asked\n" + &measured(1.0)));
    let why = counted(&measures, &measures).unwrap_err();
    assert_eq!(why, "a fresh process was ready again");
}

/// A worker in the place of valgrind: it takes 5,000 instructions itself, 100 for a batch and 250 for an
/// iteration.
fn under_valgrind(name: &str) -> WorkerCommand {
    let hello = FromWorker::Hello { benchmark: BenchmarkId::from_recorded("codec::encode") };
    let script = format!(
        "#!/bin/sh\n{}executed=5000\n\
         while read -r asked; do\n\
         case $asked in *'\"count\"'*) ;; *) break ;; esac\n\
         iterations=${{asked##*'\"iterations\":'}}\n\
         executed=$((executed + 100 + 250 * ${{iterations%%[!0-9]*}}))\n\
         {}done\n\
         echo \"==7== I refs: $executed\" >&2\n",
        print_command(&hello),
        print_command(&FromWorker::Counted { instructions: None })
    );
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("valgrind-{name}"));
    fs::create_dir_all(&directory).unwrap();
    let program = directory.join("valgrind");
    // Nobody who is forked here meanwhile holds it open: it would be too busy to be started.
    let written = Command::new("/bin/sh")
        .args(["-c", "printf %s \"$1\" > \"$2\" && chmod 755 \"$2\"", "sh", &script])
        .arg(&program)
        .status();
    assert!(written.unwrap().success());
    let environment = vec![("PATH".into(), directory.into_os_string())];
    WorkerCommand { environment, ..worker(name, "") }
}

#[test]
fn what_a_process_and_its_messages_cost_is_no_part_of_an_iteration() {
    for iterations in [1, 2, 3, 4096] {
        let command = under_valgrind(&format!("exact-{iterations}"));
        assert_eq!(count_under_valgrind(&command, iterations, LONG), Ok(250.0), "{iterations}");
    }
}

#[test]
fn a_valgrind_that_is_not_there_is_reported() {
    let nowhere = vec![("PATH".into(), "/nowhere".into())];
    let command = WorkerCommand { environment: nowhere, ..counting("no-valgrind", &[]) };
    let why = count_under_valgrind(&command, 64, LONG).unwrap_err();
    assert!(why.contains("`valgrind` could not be started"), "{why}");
}
