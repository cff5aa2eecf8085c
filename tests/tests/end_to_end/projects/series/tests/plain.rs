//! Nothing counts allocations here.

use perftest::{Bencher, Direction::Lower, perf_test};
use series::work;
use std::process::Command;

#[perf_test(metrics = [wall, allocs])]
fn counts_nothing() -> u64 {
    work(1_000)
}

#[perf_test(metrics = [wall, cpu], tolerance = "50%")]
fn judges_processor_time() -> u64 {
    work(1_000)
}

#[perf_test(metrics = [wall, peak_rss])]
fn has_no_process() -> u64 {
    work(1_000)
}

#[perf_test(metrics = [wall, peak_rss], tolerance = "50%")]
fn starts_a_process(b: &mut Bencher) {
    b.command(|| Command::new("true"));
}

#[perf_test]
fn names_a_stage_badly(b: &mut Bencher) {
    b.iter_stages(|s| s.stage("lex/parse", || work(1_000)));
}

#[perf_test]
fn gives_a_metric_first(b: &mut Bencher) {
    b.metric("size", 7, Lower);
    b.iter(|| work(1_000));
}

perftest::main!();
