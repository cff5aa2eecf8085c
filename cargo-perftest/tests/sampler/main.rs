//! `cargo perftest profile record` and `cargo perftest flamegraph TEST`: real builds, real samples.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod sampled_package;
mod trouble;

use perftest_analysis::profile::{ClassWeight, ProfileFormat, ProfileReader};
use perftest_tests::patiently;
use sampled_package::{Recorded, SampledPackage};
use serde_json::Value;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Shares of samples scatter; on a busy machine, too, what is right is within this.
const WITHIN: f64 = 0.04;

/// The parts of the tests with a truth.
const PARTS: [&str; 4] = ["::spin", "::nap", "::call_the_kernel", "::wait_for_lock"];

/// Largest difference between the shares of the parts and the truth, which a busy machine makes another one.
fn largest_error(package: &SampledPackage, test: &str) -> f64 {
    let truth = package.path("truth");
    let recorded =
        package.record_with(test, &["--time", "3s", "--rate", "997"], &[("TRUTH", &truth)]);
    let times: Vec<f64> =
        fs::read_to_string(truth).unwrap().lines().map(|line| line.parse().unwrap()).collect();
    let shares = PARTS.map(|part| recorded.weight_of("main", part));
    let (all_times, all_shares): (f64, f64) = (times.iter().sum(), shares.iter().sum());
    let errors =
        times.iter().zip(shares).map(|(time, share)| time / all_times - share / all_shares);
    errors.map(f64::abs).fold(0.0, f64::max)
}

#[test]
fn shares_of_running_and_waiting_are_the_true_ones() {
    let package = SampledPackage::get();
    let error = patiently(|| largest_error(&package, "known_shares"), |error| *error < WITHIN);
    assert!(error < WITHIN, "{error}");
}

#[test]
fn a_program_with_a_period_does_not_fool_the_sampler() {
    let package = SampledPackage::get();
    let error =
        patiently(|| largest_error(&package, "locked_to_a_period"), |error| *error < WITHIN);
    assert!(error < WITHIN, "{error}");
}

#[test]
fn a_function_that_works_a_quarter_more_grew_most() {
    let package = SampledPackage::get();
    let options = ["--time", "3s", "--rate", "997", "--cpu"];
    let grown = || {
        let base = package.record_with("three_functions", &options, &[]).file;
        let new = package.record_with("three_functions", &options, &[("UNESCAPE", "125")]).file;
        let rows = package.json(&["profile", "diff", &base, &new]);
        rows[1]["function"].as_str().unwrap().to_owned()
    };
    let grown = patiently(grown, |function| function.ends_with("::unescape"));
    assert!(grown.ends_with("::unescape"), "{grown}");
}

#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn a_longer_set_up_changes_no_time_of_the_measured_function() {
    let package = SampledPackage::get();
    let changes = || {
        let record = |rounds| {
            let options = ["--time", "2s", "--rate", "997", "--cpu"];
            package.record_with("parses_what_it_unescaped", &options, &[("UNESCAPE", rounds)])
        };
        let base = package.path("short-set-up.folded");
        fs::copy(record("100").file, &base).unwrap();
        let rows = package.json(&["profile", "diff", &base, &record("400").file]);
        ["::parse", "::unescape"].map(|name| {
            let is_asked =
                |row: &&Value| row["function"].as_str().is_some_and(|it| it.ends_with(name));
            let row = rows.iter().find(is_asked).unwrap();
            row["own_new_ns"].as_f64().unwrap() / row["own_base_ns"].as_f64().unwrap()
        })
    };
    let are_right =
        |[parse, unescape]: &[f64; 2]| (0.9..1.1).contains(parse) && (3.6..4.4).contains(unescape);
    let changes = patiently(changes, are_right);
    assert!(are_right(&changes), "{changes:?}");
}

#[test]
fn a_sleep_is_seen_on_the_wall_and_not_on_the_processor() {
    let package = SampledPackage::get();
    let error = patiently(|| largest_error(&package, "sleeps_and_spins"), |error| *error < WITHIN);
    assert!(error < WITHIN, "{error}");
    let recorded = package.record("sleeps_and_spins", &["--cpu"]);
    let [nap, spin] = ["::nap", "::spin"].map(|part| recorded.weight_of("main", part));
    assert!(nap < 0.1 * spin, "{nap} {spin}");
}

#[test]
fn blocked_threads_are_seen_where_they_block() {
    let package = SampledPackage::get();
    // Of each thread the share that it waits at its place, and its time beside that of the body's thread.
    let shares = || {
        let recorded = package.record("two_blocked_threads", &["--wall"]);
        let threads = [("locker", "::wait_for_lock"), ("listener", "::blocked_in_a_channel")];
        threads.map(|(thread, place)| {
            let all = recorded.weight_of(thread, "");
            let waiting = recorded.weight_of_stacks(|stack| {
                stack[0] == thread
                    && stack.iter().any(|frame| frame.ends_with(place))
                    && stack.last() == Some(&"[waiting]")
            });
            (waiting / all, all / recorded.weight_of("main", ""))
        })
    };
    // As long as the thread with the body, though nearly nothing woke it.
    let is_seen = |(waiting, all): &(f64, f64)| *waiting > 0.95 && (0.8..1.2).contains(all);
    let shares = patiently(shares, |shares| shares.iter().all(is_seen));
    assert!(shares.iter().all(is_seen), "{shares:?}");
}

#[test]
fn a_thread_without_a_name_is_the_same_in_each_build() {
    let package = SampledPackage::get();
    let recorded = package.record("beside_a_thread_without_a_name", &["--wall"]);
    assert!(recorded.weight_of("[thread]", "::blocked_in_a_channel") > 0.0, "{recorded:?}");
    let is_other = |stack: &[&str]| !["main", "[thread]"].contains(&stack[0]);
    assert_eq!(recorded.weight_of_stacks(is_other), 0.0, "{recorded:?}");
}

#[test]
fn a_thread_that_a_value_of_a_case_started_is_sampled_and_found_by_the_whole_of_its_long_name() {
    let package = SampledPackage::get();
    let options = ["--wall", "--time", "1s", "--threads", "pool-that-serves-cases"];
    let recorded = package.record_with("beside_a_pool::1", &options, &[("POOL", "1")]);
    assert!(recorded.weight_of("pool-that-serve", "::blocked_in_a_channel") > 0.0, "{recorded:?}");
}

#[test]
fn threads_that_are_sampled_less_often_have_no_more_samples_while_they_wait() {
    let package = SampledPackage::get();
    // 17 threads, each at a third of the rate.
    let ratio = || {
        let samples = package.record("beside_a_crowd::16", &["--wall"]).samples();
        samples / (17.0 * 499.0 / 3.0)
    };
    let is_right = |ratio: &f64| (0.75..1.25).contains(ratio);
    let ratio = patiently(ratio, is_right);
    assert!(is_right(&ratio), "{ratio}");
}

#[test]
fn allocations_are_those_of_the_function_that_asks_for_them() {
    let package = SampledPackage::get();
    let recorded = || package.record("allocates", &["--cpu"]);
    let encode = |recorded: &Recorded| {
        recorded.weight_of("main", "::encode") / recorded.weight_of("main", "")
    };
    let recorded = patiently(recorded, |recorded| encode(recorded) > 0.9);
    assert!(encode(&recorded) > 0.9, "{recorded:?}");
    let is_harness = |stack: &[&str]| stack.iter().any(|frame| frame.contains("perftest::"));
    assert_eq!(recorded.weight_of_stacks(is_harness), 0.0, "{recorded:?}");
}

/// Keeps all processors busy until it is dropped.
struct BusyProcessors(Arc<AtomicBool>);

impl BusyProcessors {
    fn new() -> Self {
        let is_done = Arc::new(AtomicBool::new(false));
        for _ in 0..thread::available_parallelism().unwrap().get() {
            let is_done = Arc::clone(&is_done);
            thread::spawn(move || while !is_done.load(Ordering::Relaxed) {});
        }
        Self(is_done)
    }
}

impl Drop for BusyProcessors {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_short_test_waits_for_a_busy_processor_in_its_measured_loop() {
    let package = SampledPackage::get();
    let outside = || {
        let _busy = BusyProcessors::new();
        package.record("microseconds::5", &["--wall"]).share_outside()
    };
    let outside = patiently(outside, |outside| *outside < 0.05);
    assert!(outside < 0.05, "{outside}");
}

#[test]
fn inlined_functions_have_frames_and_the_harness_has_none() {
    let package = SampledPackage::get();
    // A busy machine may add these notes, and that time passed outside the loop, which a quieter moment lacks.
    let of_machine = ["slowed the test by", "in no sample", "there are only"];
    let is_of_machine = |note: &str| of_machine.iter().any(|words| note.contains(words));
    let has_no_other_note = |recorded: &Recorded| recorded.notes().lines().all(is_of_machine);
    let record = || package.record("with_an_inlined_function", &["--cpu"]);
    let recorded = patiently(record, has_no_other_note);
    assert!(has_no_other_note(&recorded), "{recorded:?}");
    let inlined = recorded.weight_of("main", "inlined");
    assert!(inlined > 0.9 * recorded.weight_of("main", ""), "{recorded:?}");
    let is_harness = |stack: &[&str]| stack.iter().any(|frame| frame.contains("perftest::"));
    assert_eq!(recorded.weight_of_stacks(is_harness), 0.0, "{recorded:?}");
}

#[test]
fn tags_and_stages_are_below_the_thread() {
    let package = SampledPackage::get();
    let tagged = |stack: &[&str]| stack[1] == "stage first" && stack[2].starts_with("request=");
    let shares = || {
        let recorded = package.record("tags_and_stages", &["--wall"]);
        let all = recorded.weight_of("main", "");
        let states = ["request=7", "request=8", "stage second"];
        (
            states.map(|state| recorded.weight_of("main", state) / all),
            recorded.weight_of_stacks(tagged) / all,
            recorded.share_outside(),
        )
    };
    let is_seen = |(states, tagged, outside): &([f64; 3], f64, f64)| {
        states.iter().all(|share| (0.25..0.42).contains(share)) && *tagged > 0.55 && *outside < 0.05
    };
    let shares = patiently(shares, is_seen);
    assert!(is_seen(&shares), "{shares:?}");
}

#[test]
fn a_process_is_measured_while_it_is_waited_for() {
    let package = SampledPackage::get();
    let outside = || package.record("a_command", &["--wall"]).share_outside();
    let outside = patiently(outside, |outside| *outside < 0.05);
    assert!(outside < 0.05, "{outside}");
}

#[test]
fn slow_iterations_have_a_profile_of_their_own() {
    let package = SampledPackage::get();
    let options = ["--wall", "--slower-than", "60ms", "--time", "2s"];
    let recorded = || package.record_with("sometimes_slow", &options, &[]);
    let nap =
        |recorded: &Recorded| recorded.weight_of("main", "::nap") / recorded.weight_of("main", "");
    // Of all iterations it is half.
    let recorded = patiently(recorded, |recorded| nap(recorded) > 0.8);
    assert!(nap(&recorded) > 0.8, "{recorded:?}");
    assert!(recorded.notes().contains("of iterations of 60ms or more"), "{recorded:?}");
    let none = package.tool(&[
        "profile",
        "record",
        "sometimes_slow",
        "--time",
        "1s",
        "--slower-than",
        "10min",
    ]);
    none.ended_with(2).warns(&["no sample is in an iteration of 600s or more"]);
}

/// Of slow iterations: the share that a function has of their weight, and the shares that they have of all iterations
/// and of the function's weight.
fn in_slow_iterations(recorded: &Recorded, slow_ns: u64, function: &str) -> [f64; 3] {
    let mut reader = ProfileReader::new(ProfileFormat::Folded);
    recorded.text.lines().for_each(|line| reader.read_line(line).unwrap());
    let profile = reader.finish().unwrap();
    let (tree, classes) = (profile.tree(), profile.classes().unwrap());
    let is_slow = |class: u32| classes.classes[class as usize].from_ns >= slow_ns;
    let is_in = |mut frame: usize| {
        while frame > 0 && !tree.name(frame).ends_with(function) {
            frame = tree.frames()[frame].parent as usize;
        }
        frame > 0
    };
    let weight = |is_asked: &dyn Fn(&ClassWeight) -> bool| {
        classes.weights.iter().filter(|it| is_asked(it)).map(|it| it.weight as f64).sum::<f64>()
    };
    let in_both = weight(&|it| is_slow(it.class) && is_in(it.frame as usize));
    let count = |is_counted: &dyn Fn(u32) -> bool| {
        let counted = (0..).zip(&classes.classes).filter(|(class, _)| is_counted(*class));
        counted.map(|(_, it)| it.iterations as f64).sum::<f64>()
    };
    [
        in_both / weight(&|it| is_slow(it.class)),
        count(&is_slow) / count(&|_| true),
        in_both / weight(&|it| is_in(it.frame as usize)),
    ]
}

#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn a_whole_profile_has_its_slow_iterations_apart() {
    let package = SampledPackage::get();
    let recorded = || package.record_with("sometimes_slow", &["--wall", "--time", "2s"], &[]);
    let shares = || in_slow_iterations(&recorded(), 60_000_000, "::nap");
    // One of fifty iterations, nearly all of it the nap, and all of the nap.
    let are_right = |[in_slow, of_iterations, of_nap]: &[f64; 3]| {
        *in_slow > 0.8 && (0.005..0.08).contains(of_iterations) && *of_nap > 0.98
    };
    let shares = patiently(shares, are_right);
    assert!(are_right(&shares), "{shares:?}");
}

#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn only_threads_of_a_name_are_sampled_where_that_is_asked() {
    let package = SampledPackage::get();
    let recorded = package.record("two_blocked_threads", &["--wall", "--threads", "lock"]);
    assert!(recorded.weight_of("locker", "::wait_for_lock") > 0.0, "{recorded:?}");
    assert_eq!(recorded.weight_of_stacks(|stack| stack[0] != "locker"), 0.0, "{recorded:?}");
    let none = ["profile", "record", "two_blocked_threads", "--time", "1s", "--threads", "pool"];
    let none = package.tool(&none).ended_with(2);
    none.warns(&["no thread had a name that begins with `pool`"]);
}

#[test]
fn the_overhead_is_measured_and_printed() {
    let package = SampledPackage::get();
    let arguments = ["profile", "record", "three_functions", "--time", "2s", "--json"];
    let record = || {
        let output = package.tool(&arguments).ended_with(0);
        let first: serde_json::Value =
            serde_json::from_str(output.stdout.lines().next().unwrap()).unwrap();
        (output, first)
    };
    // An iteration that other work lengthens seems too long to take turns.
    let (output, first) = patiently(record, |(_, first)| first["overhead"].is_f64());
    assert_eq!(
        (&first["event"], &first["overhead_pairs"]),
        (&"profile_recorded".into(), &20.into())
    );
    assert!(first["overhead"].is_f64() && first["samples"].as_u64() > Some(50), "{first}");
    output.warns(&[
        "the samples changed the time of an iteration by ",
        "(ratio of medians of 20 pairs)",
    ]);
}

#[test]
fn a_flame_graph_is_drawn_from_the_name_of_a_test() {
    let package = SampledPackage::get();
    let page = package.path("page.html");
    package.tool(&["flamegraph", "three_functions", "--time", "1s", "--out", &page]).ended_with(0);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("three_functions, wall time") && page.contains("::unescape"));
}

#[test]
fn the_sampler_leaves_no_file_behind() {
    let package = SampledPackage::get();
    package.record("three_functions", &["--wall"]);
    let names = fs::read_dir(package.scratch()).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<_> = names.filter(|it| it.to_string_lossy().contains("samples")).collect();
    assert!(names.is_empty(), "{names:?}");
}

/// Debug output of a profile is its stacks.
impl std::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
