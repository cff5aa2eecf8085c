//! Greens that the machine may have made, and not the code: it is faster than ever, or has other processors for the
//! threads.

use crate::pairs::{baseline, process, trial, trial_of};
use crate::play::near;
use crate::support::run;
use perftest_core::judge::{
    Confirmation, PairPlan, Pairing, Policy, ProcessPair, Step, StepAnswer, Trial,
};
use perftest_core::model::{
    Baseline, Direction, Evidence, Measurement, Note, Observation, Probes, Reason, Run,
};
use perftest_core::words::notes;
use std::time::Duration;

/// Of a body whose threads work so many times as long as its wall time, half of it in the measuring one.
fn in_threads(value: f64, parallelism: f64) -> Measurement {
    let measurement = near(value, 1);
    let worked_ns = measurement.wall_ns * parallelism;
    Measurement {
        thread_cpu_ns: Some((worked_ns / 2.0) as u64),
        process_cpu_ns: Some(worked_ns as u64),
        voluntary_switches: Some(0),
        ..measurement
    }
}

/// Thirty runs of about 100 us on so many processors.
fn runs_in_threads(parallelism: f64) -> Baseline {
    let known = |center: Observation| Observation {
        processor_ns: Some(center.value * parallelism),
        ..center
    };
    let quiet = baseline(30);
    Baseline { centers: quiet.centers.into_iter().map(known).collect(), ..quiet }
}

/// How a test ends that measures this in its own process and in pairs; `base_ns` is what the last
/// good build takes there.
fn judged_beside(mut trial: Trial, own: Measurement, base_ns: Option<f64>) -> Reason {
    loop {
        let observed = match trial.step() {
            Step::Measure => StepAnswer::Measured(own),
            Step::Wait(_) => StepAnswer::Waited,
            Step::Pair(PairPlan { turns, .. }) => {
                StepAnswer::Paired(base_ns.map_or(Pairing::NoBase, |base_ns| Pairing::Measured {
                    pair: ProcessPair {
                        base: process(base_ns, turns.len()),
                        head: process(own.value, turns.len()),
                    },
                    elapsed: Duration::from_millis(50),
                }))
            }
            Step::Done(evidence) => break evidence.reason,
            other => panic!("{other:?}"),
        };
        trial.observe(observed, Duration::from_millis(1));
    }
}

/// Runs of about 100 us at 3.67 or 3.77 GHz, faster at the higher clock if the test follows it.
fn runs_at_two_clocks(runs: usize, follows: bool) -> Baseline {
    let quiet = baseline(runs);
    let clocked = |(place, center): (usize, Observation)| {
        let clock_ghz = [3.67, 3.77][place % 2];
        let value = if follows { center.value * 3.67 / clock_ghz } else { center.value };
        Observation {
            value,
            probes: Probes { clock_ghz: Some(clock_ghz), ..center.probes },
            ..center
        }
    };
    let centers = quiet.centers.iter().copied().enumerate().map(clocked).collect();
    Baseline { centers, ..quiet }
}

fn at_clock(value: f64, clock_ghz: f64) -> Measurement {
    let probes = Probes { clock_ghz: Some(clock_ghz), ..Probes::default() };
    Measurement { probes, ..near(value, 1) }
}

#[test]
fn a_green_on_a_machine_faster_than_ever_has_to_be_one_beside_the_last_good_build() {
    for (runs, follows) in [(5, false), (30, false), (5, true), (30, true)] {
        let judged = |value, clock_ghz, base| {
            let trial = trial_of(runs_at_two_clocks(runs, follows));
            judged_beside(trial, at_clock(value, clock_ghz), base)
        };
        // 10% more work at a clock that is 6% higher.
        assert_eq!(judged(102_000.0, 4.0, Some(92_700.0)), Reason::Red, "{runs} {follows}");
        assert_eq!(judged(101_000.0, 4.0, Some(101_000.0)), Reason::Green, "{runs} {follows}");
        assert_eq!(judged(101_000.0, 4.0, None), Reason::Unclear, "{runs} {follows}");
        // At the clock of the runs, and as fast as the clock makes unchanged code, no pair is asked.
        assert_eq!(judged(99_000.0, 3.77, None), Reason::Green, "{runs} {follows}");
        assert_eq!(judged(92_000.0, 4.0, None), Reason::Green, "{runs} {follows}");
    }
}

#[test]
fn an_improvement_of_threads_has_to_be_one_beside_the_last_good_build() {
    let judged = |base| judged_beside(trial(30), in_threads(60_000.0, 2.0), base);
    assert_eq!(judged(Some(50_000.0)), Reason::Red, "with a processor less both are faster");
    assert_eq!(judged(Some(100_000.0)), Reason::Improved);
    assert_eq!(judged(None), Reason::Unclear, "how many processors the runs had is unknown");
    let on_as_many = trial_of(runs_in_threads(2.0));
    assert_eq!(judged_beside(on_as_many, in_threads(60_000.0, 2.0), None), Reason::Improved);
}

/// The acceptance allows 30%, and other work interrupts every measurement for a tenth of its time.
#[test]
fn an_acceptance_clears_no_threads_whose_parallelism_no_run_had() {
    let accepted = Baseline { accepted_ratio: Some(1.3), ..runs_in_threads(2.0) };
    let judged = |value, parallelism, base| {
        let own = in_threads(value, parallelism);
        let interrupted =
            Measurement { thread_cpu_ns: own.thread_cpu_ns.map(|ns| ns * 9 / 10), ..own };
        judged_beside(trial_of(accepted.clone()), interrupted, base)
    };
    assert_eq!(judged(112_000.0, 1.3, None), Reason::Unclear);
    assert_eq!(judged(112_000.0, 1.3, Some(50_000.0)), Reason::Red, "twice the work");
    assert_eq!(judged(112_000.0, 1.3, Some(100_000.0)), Reason::Green);
}

#[test]
fn a_green_of_threads_on_fewer_processors_than_ever_has_to_be_one_beside_the_last_good_build() {
    let judged = |parallelism, base| {
        let own = in_threads(100_000.0, parallelism);
        judged_beside(trial_of(runs_in_threads(2.0)), own, base)
    };
    assert_eq!(judged(1.3, Some(50_000.0)), Reason::Red, "twice the work on one processor");
    assert_eq!(judged(1.3, Some(100_000.0)), Reason::Green);
    assert_eq!(judged(1.3, None), Reason::Unclear, "as many processors may be slower");
    assert_eq!(judged(2.0, Some(50_000.0)), Reason::Green, "no pairs are asked");
}

#[test]
fn other_tests_of_the_process_cast_no_doubt_on_a_green() {
    let judged = |mut trial: Trial, without: Pairing| loop {
        let observed = match trial.step() {
            Step::Measure => StepAnswer::Measured(in_threads(100_000.0, 2.0)),
            Step::Wait(_) => StepAnswer::Waited,
            Step::Pair(_) => StepAnswer::Paired(without.clone()),
            Step::Done(evidence) => break evidence.reason,
            other => panic!("{other:?}"),
        };
        trial.observe(observed, Duration::from_millis(1));
    };
    let trial = || trial_of(runs_in_threads(1.0));
    for without in [Pairing::NotAlone, Pairing::NoBase] {
        assert_eq!(judged(trial().beside_neighbours(), without), Reason::Green);
    }
    // Work of another process, which has the measuring lock, is none of this process.
    assert_eq!(judged(trial(), Pairing::NotAlone), Reason::NotAlone);
    assert_eq!(judged(trial(), Pairing::NoBase), Reason::Unclear);
}

#[test]
fn a_green_of_threads_has_to_be_one_against_runs_on_as_many_processors() {
    // The newest six runs had a processor less and were faster by that.
    let judged = |own, base| {
        let mut runs = runs_in_threads(2.0);
        for center in &mut runs.centers[24..] {
            let value = center.value * 0.65;
            *center = Observation { value, processor_ns: Some(value), ..*center };
        }
        judged_beside(trial_of(runs), own, base)
    };
    let (few, all) = (in_threads(78_000.0, 1.0), in_threads(100_000.0, 2.0));
    assert_eq!(judged(few, Some(65_000.0)), Reason::Red, "slower than those six");
    assert_eq!(judged(all, Some(50_000.0)), Reason::Green, "no pairs are asked");
}

/// Judges without a last good build: this process measures `own`, and the n-th fresh one `fresh(n)`.
fn judged_alone(
    mut trial: Trial,
    own: Measurement,
    fresh: impl Fn(u32) -> Measurement,
) -> Evidence {
    loop {
        let observed = match trial.step() {
            Step::Measure => StepAnswer::Measured(own),
            Step::Wait(_) => StepAnswer::Waited,
            Step::Pair(_) => StepAnswer::Paired(Pairing::NoBase),
            Step::Confirm { process, measurements } => {
                StepAnswer::Confirmed(Confirmation::Measured {
                    measurements: vec![fresh(process); measurements as usize],
                    others_cpus: Some(0.0),
                    elapsed: Duration::ZERO,
                })
            }
            Step::Done(evidence) => break *evidence,
        };
        trial.observe(observed, Duration::from_millis(1));
    }
}

/// 15% slower code at the clock of the runs.
fn slow() -> Measurement {
    at_clock(115_000.0, 3.7)
}

/// The same code at a clock that hides it.
fn hidden() -> Measurement {
    at_clock(101_300.0, 4.2)
}

#[test]
fn a_fresh_process_on_a_machine_faster_than_ever_clears_no_slower_code() {
    for runs in [5, 30] {
        let judged = |fresh: fn(u32) -> Measurement| {
            judged_alone(trial_of(runs_at_two_clocks(runs, false)), slow(), fresh)
        };
        let once = judged(|process| if process == 1 { hidden() } else { slow() });
        assert_eq!((once.reason, once.processes), (Reason::Red, 5), "{runs} runs");
        let always = judged(|_| hidden());
        assert_eq!(always.reason, Reason::Unclear, "{runs} runs: {always:?}");
        let why = notes(&always.notes).unwrap();
        assert!(why.contains("faster than in any run of the baseline"), "{why}");
        assert_eq!(judged(|_| at_clock(100_000.0, 3.7)).reason, Reason::Green, "{runs} runs");
    }
}

#[test]
fn a_retry_on_a_machine_faster_than_ever_leaves_the_red_as_it_is() {
    let red = |_| Run { measurements: vec![slow(); 30], ..run(1, 0.0, "slow") };
    let earlier: Vec<Run> = (0..4).map(red).collect();
    let retry = |measured: Measurement| {
        let history = runs_at_two_clocks(30, false);
        let trial = Trial::continued(history, Direction::Lower, Policy::default(), &earlier);
        judged_alone(trial, measured, |_| measured)
    };
    let faster = retry(hidden());
    assert_eq!(faster.reason, Reason::Red);
    assert!(faster.degradation.unwrap().estimate > 1.1, "{faster:?}");
    assert_eq!(retry(at_clock(100_000.0, 3.7)).reason, Reason::Green);
}

#[test]
fn a_fresh_process_of_threads_on_fewer_processors_than_ever_clears_no_slower_code() {
    let judged = |trial: Trial, parallelism| {
        let fast = in_threads(100_000.0, parallelism);
        judged_alone(trial, in_threads(125_000.0, 2.0), |_| fast)
    };
    let trial = || trial_of(runs_in_threads(2.0));
    let fewer = judged(trial(), 1.3);
    let why = vec![Note::OtherParallelism, Note::NoLastGoodBuild { commit: String::new() }];
    assert_eq!((fewer.reason, fewer.notes), (Reason::Unclear, why));
    assert_eq!(judged(trial(), 2.0).reason, Reason::Green);
    let beside = judged(trial().beside_neighbours(), 1.3);
    assert_eq!(beside.reason, Reason::Green, "the parallelism may be that of the neighbours");
}
