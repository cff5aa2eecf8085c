//! The cost of each read and probe, and the harness's share of a run. Printed by `ci/campaigns/costs.sh`.

#![allow(clippy::print_stdout)] // A table is all it makes.

use super::usage::{UsageReading, process_cpu_ns};
use super::{LoopRoutine, Meter, Stopwatch, Surroundings, run_queue::RunQueue, tune};
use crate::clock::ClockKind;
use perftest_machine::{ClockProbe, DiskProbe, Sensors, SpeedProbe, ThroughputProbe};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of timed calls; the table has their median and 99th percentile.
const CALLS: usize = 2_000;

fn row<T>(what: &str, mut call: impl FnMut() -> T) {
    let mut each_ns: Vec<f64> = (0..CALLS)
        .map(|_| {
            let start = Instant::now();
            black_box(call());
            start.elapsed().as_nanos() as f64
        })
        .collect();
    each_ns.sort_unstable_by(f64::total_cmp);
    println!("{what:<44} {:>10.0} {:>10.0}", each_ns[CALLS / 2], each_ns[CALLS * 99 / 100]);
}

#[test]
#[ignore = "prints a table; run it with ci/campaigns/costs.sh"]
fn what_each_read_and_probe_costs() {
    println!("\n{:<44} {:>10} {:>10}", "read or probe", "median ns", "p99 ns");
    let run_queue = RunQueue::of_this_thread();
    let (clock, throughput) = (ClockProbe::calibrate().unwrap(), ThroughputProbe::new().unwrap());
    let sensors = Sensors::of_this_machine();
    row("reading the time (in every row)", || ());
    row("processor time of the process", process_cpu_ns);
    row("thread and process time, switches, faults", UsageReading::before);
    row("run-queue wait", || run_queue.wait_ns());
    row("processor time of the machine", || sensors.used_ms());
    row("clock probe", || clock.take_ghz().unwrap());
    row("throughput probe", || throughput.take_ns().unwrap());
    row("look at all sensors", || sensors.look());
    let directory = tempfile::tempdir().unwrap();
    let mut disk = DiskProbe::new(directory.path()).unwrap();
    row("disk probe (only where a test asks for it)", || disk.take_ns().unwrap());
}

#[test]
#[ignore = "prints a table; run it with ci/campaigns/costs.sh"]
fn what_share_of_a_run_the_harness_takes() {
    println!(
        "\n{:<24} {:>12} {:>14} {:>12} {:>12}",
        "batches", "batch us", "reads us", "reads", "probes"
    );
    for spins in [20_u64, 2_000, 400_000, 4_000_000] {
        let body = || {
            (0..spins).for_each(|n| {
                black_box(n);
            })
        };
        let mut routine = LoopRoutine::new(body, |()| None);
        let sensors = Arc::new(Sensors::of_this_machine());
        let surroundings = Surroundings::new(SpeedProbe::new(), None, sensors);
        let mut meter = Meter::new(Stopwatch::calibrate(ClockKind::Finest), surroundings);
        let iterations = tune(&mut routine, &mut meter, Duration::from_secs(3)).unwrap().iterations;
        let shares = |measure: &mut dyn FnMut() -> f64| {
            let mut shares: Vec<(f64, f64)> = (0..200)
                .map(|_| {
                    let start = Instant::now();
                    let batch_ns = measure();
                    let all_ns = start.elapsed().as_nanos() as f64;
                    ((all_ns - batch_ns) / batch_ns, all_ns - batch_ns)
                })
                .collect();
            shares.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            // Every batch has the reads, and some have the probes: median and mean.
            let mean = shares.iter().map(|(share, _)| share).sum::<f64>() / shares.len() as f64;
            (shares[100].0, shares[100].1, mean)
        };
        let mut batch_ns = 0.0;
        let (reads, reads_ns, mean_of_reads) =
            shares(&mut || meter.warm_up_ns(&mut routine, iterations).unwrap());
        let (_, _, with_probes) = shares(&mut || {
            batch_ns = meter.measure(&mut routine, iterations).unwrap().wall_ns;
            batch_ns
        });
        println!(
            "{:<24} {:>12.1} {:>14.2} {:>10.2}% {:>10.2}%",
            format!("{iterations} calls"),
            batch_ns / 1e3,
            reads_ns / 1e3,
            100.0 * reads,
            100.0 * (with_probes - mean_of_reads)
        );
    }
}
