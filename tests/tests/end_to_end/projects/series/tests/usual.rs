//! A perf test beside an ordinary one, in one process.

use perftest::{Bencher, CountingAllocator, perf_test};
use series::{allocate, work};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static IS_OVER: AtomicBool = AtomicBool::new(false);
const LONGEST: Duration = Duration::from_secs(60);

/// Until the other one is over, also its last look at the others.
#[test]
fn allocates_in_a_loop() {
    let began = Instant::now();
    while !IS_OVER.load(SeqCst) && began.elapsed() < LONGEST {
        allocate(100);
    }
}

#[perf_test(tolerance = "50%", metrics = [wall, allocs, alloc_bytes, alloc_peak, cpu, thread_cpu])]
fn counts_beside_others(b: &mut Bencher) {
    b.iter(|| {
        allocate(10);
        work(40_000)
    });
    thread::spawn(|| {
        thread::sleep(Duration::from_secs(2));
        IS_OVER.store(true, SeqCst);
    });
}
