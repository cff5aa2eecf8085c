//! Tests that reach the unsafe code of the harness: allocations that are counted, threads, processes, kept outputs, and
//! samples of running and blocked threads.

use perftest::{Bencher, CountingAllocator, black_box, perf_test};
use std::process::Command;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

/// Rounds of work, more in the slowed build.
fn work() -> u64 {
    tiny::work() + tiny::work()
}

#[perf_test(metrics = [wall, allocs])]
fn words() -> Vec<String> {
    (0..200).map(|number| format!("{:x}", work() ^ number)).collect()
}

#[perf_test]
fn outputs_of_inputs(b: &mut Bencher) {
    b.with_setup(|| vec![work(); 64]).iter(|mut numbers| {
        numbers.sort_unstable();
        numbers
    });
}

#[perf_test(threads = [2])]
fn a_lock_of_two() {
    static COUNT: Mutex<u64> = Mutex::new(0);
    for _ in 0..50 {
        *COUNT.lock().unwrap() += work() & 1;
    }
}

/// Starts threads in each iteration, so that some begin and end while samples are taken.
#[perf_test]
fn threads_that_come_and_go() -> u64 {
    let (sender, results) = channel();
    thread::scope(|scope| {
        for _ in 0..3 {
            let sender = sender.clone();
            scope.spawn(move || (0..20).for_each(|_| drop(sender.send(black_box(work())))));
        }
        drop(sender);
        results.iter().fold(0, |sum, number| sum ^ number)
    })
}

#[perf_test(on_red = "report")]
fn a_process(b: &mut Bencher) {
    b.command(|| Command::new("true"));
}

perftest::main!();
