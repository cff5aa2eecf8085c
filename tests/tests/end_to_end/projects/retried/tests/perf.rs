use measured::{slow, work};
use perftest::{Bencher, perf_test};
use std::thread;
use std::time::Duration;

/// Slowed in the first attempts only, as many as `SLOW_ATTEMPTS`.
fn is_slow() -> bool {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u32>().ok());
    let attempt = number("NEXTEST_ATTEMPT").unwrap_or(1);
    number("SLOW_ATTEMPTS").is_none_or(|slow_attempts| attempt <= slow_attempts)
}

#[perf_test(tolerance = "50%")]
fn tried(b: &mut Bencher) {
    let steps = 2_000 * if is_slow() { slow() } else { 1 };
    b.iter(|| work(steps));
}

/// Sleeps longer where it is slowed.
#[perf_test(tolerance = "50%")]
fn waits(b: &mut Bencher) {
    let pause = Duration::from_micros(300 * slow());
    b.iter(|| thread::sleep(pause));
}

/// Sleeps beyond its limit where it is slowed.
#[perf_test(limit = "30ms")]
fn limited(b: &mut Bencher) {
    let pause = Duration::from_millis(if is_slow() { 60 } else { 1 });
    b.iter(|| thread::sleep(pause));
}

/// Its `command` starts no program.
struct Shell;

impl Shell {
    fn command(&self, steps: u64) -> u64 {
        work(steps)
    }
}

#[perf_test(tolerance = "50%")]
fn commands(b: &mut Bencher) {
    let steps = 2_000 * slow();
    b.iter(|| Shell.command(steps));
}

perftest::main!();
