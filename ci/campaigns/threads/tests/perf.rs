//! Bodies that work in threads.

use perftest::{Bencher, perf_test};
use threads::Spinner;

#[perf_test]
fn mutex_ping_pong() -> usize {
    threads::mutex_ping_pong()
}

#[perf_test]
fn contended_lock() -> u64 {
    threads::contended_lock()
}

#[perf_test]
fn rayon_sum() -> u64 {
    threads::rayon_sum()
}

#[perf_test]
fn channel() -> u64 {
    threads::channel()
}

#[perf_test]
fn thread_per_call() -> u64 {
    threads::thread_per_call()
}

#[perf_test]
fn tokio_tasks(b: &mut Bencher) {
    let runtime = threads::runtime();
    b.iter(|| threads::tokio_tasks(&runtime));
}

#[perf_test]
fn beside_a_spinner(b: &mut Bencher) {
    let _spinner = Spinner::start();
    b.iter(threads::alone);
}

perftest::main!();
