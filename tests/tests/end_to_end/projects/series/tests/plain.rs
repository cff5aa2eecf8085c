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

#[perf_test(metrics = [wall, cycles], tolerance = "50%")]
fn needs_cycles() -> u64 {
    work(1_000)
}

#[perf_test(metrics = [wall, instructions], tolerance = "50%")]
fn needs_instructions() -> u64 {
    work(1_000)
}

#[perf_test(metrics = [wall, peak_rss])]
fn has_no_process() -> u64 {
    work(1_000)
}

#[perf_test(metrics = [wall, peak_rss], tolerance = "50%")]
fn starts_a_process(b: &mut Bencher) {
    b.command(thirty_megabytes);
}

#[perf_test(metrics = [wall, peak_rss], tolerance = "50%")]
fn has_more_than_its_process(b: &mut Bencher) {
    let ballast = std::hint::black_box(vec![1_u8; 100 << 20]);
    b.command(thirty_megabytes);
    drop(ballast);
}

#[perf_test(metrics = [wall, user, system], tolerance = "50%")]
fn starts_next_to_nothing(b: &mut Bencher) {
    b.command(|| Command::new("true"));
}

fn thirty_megabytes() -> Command {
    let mut command = Command::new("dd");
    command.args(["if=/dev/zero", "of=/dev/null", "bs=30M", "count=1"]);
    command
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
