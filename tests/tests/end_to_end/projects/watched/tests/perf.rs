use perftest::{Bencher, perf_test};
use std::path::PathBuf;
use watched::{slow, work};

/// About 0.2 ms of work.
const STEPS: u64 = 370_000;

#[perf_test]
fn falling(b: &mut Bencher) {
    let mut calls = 0;
    b.iter(|| {
        calls += 1;
        work(STEPS + 200 * STEPS / (100 + calls))
    });
}

#[perf_test]
fn flat() -> u64 {
    work(STEPS)
}

/// About 8 ms of work: hardly a call escapes interruption on a busy machine.
#[perf_test(tolerance = "50%")]
fn long() -> u64 {
    work(40 * STEPS)
}

#[perf_test(expert(disk_probe), tolerance = "50%")]
fn with_disk_probe(b: &mut Bencher) {
    let file = disk_probe();
    assert!(file.exists(), "no {}", file.display());
    println!("probed by {}", file.display());
    assert!(std::env::var_os("FAIL").is_none(), "asked to");
    let steps = 2_000 * slow();
    b.iter(|| work(steps));
}

#[perf_test]
fn without_disk_probe() -> u64 {
    assert!(!disk_probe().exists());
    work(2_000)
}

/// Where the harness probes the disk.
fn disk_probe() -> PathBuf {
    let executable = std::env::current_exe().expect("a test binary has a path");
    executable.with_file_name(format!("perftest-disk-probe-{}", std::process::id()))
}

perftest::main!();
