use perftest::{Bencher, CountingAllocator, Direction::Lower, black_box, perf_test};
use series::{allocate, count_call, number, slow, work};
use std::thread;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

/// Next to nothing of the whole is the stage that becomes slower.
#[perf_test(tolerance = "50%")]
fn compiles(b: &mut Bencher) {
    let steps = 12_000 * slow();
    let skips = number("SKIP").is_some();
    b.iter_stages(|s| {
        let tree = s.stage("lex", || work(steps));
        if !skips {
            s.stage("link", || work(30_000));
        }
        s.stage("parse", || tree ^ work(1_200_000))
    });
}

#[perf_test]
fn blinks(b: &mut Bencher) {
    b.iter_stages(|s| {
        s.stage("blink", || ());
        s.stage("look", || work(10_000))
    });
}

#[perf_test]
fn drops_what_its_stages_return(b: &mut Bencher) {
    let numbers: Vec<u64> = (0..20_000).collect();
    b.iter_stages(|s| {
        s.stage("sum", || numbers.iter().map(|it| it ^ 5).sum::<u64>());
        s.stage("max", || numbers.iter().map(|it| it ^ 7).max());
    });
}

#[perf_test]
fn now_and_then(b: &mut Bencher) {
    let mut calls = 0;
    b.with_setup(|| 2_000_000).iter_stages(|steps, s| {
        calls += 1;
        // Long enough to be measured call by call.
        let all = work(steps);
        if calls % 3 == 0 { s.stage("rare", || work(10_000)) } else { all }
    });
}

#[perf_test(tolerance = "50%", metrics = [wall, allocs, alloc_peak])]
fn allocates(b: &mut Bencher) {
    let count = 10 * slow();
    b.iter(|| {
        allocate(count);
        work(400_000)
    });
}

#[perf_test(tolerance = "50%", metrics = [wall, allocs = "1%", alloc_peak])]
fn keeps_count(b: &mut Bencher) {
    let count = 98 + 2 * slow();
    b.iter(|| {
        allocate(count);
        work(400_000)
    });
}

/// One call takes the whole budget.
#[perf_test(budget = "40ms")]
fn takes_long() {
    count_call();
    thread::sleep(Duration::from_millis(45));
}

#[perf_test(budget = "40ms", metrics = [wall, allocs])]
fn takes_long_and_counts() {
    count_call();
    thread::sleep(Duration::from_millis(45));
}

#[perf_test(tolerance = "50%")]
fn packs(b: &mut Bencher) {
    let mut size = 0;
    b.iter(|| {
        size = 1_000 + 40 * (slow() - 1);
        work(1_000)
    });
    if number("SKIP").is_none() {
        b.metric("bytes_out", size, Lower.within("1%").unit("bytes"));
        b.metric("hits", 0.5, perftest::Direction::Higher);
    }
}

/// Fresh processes know that they are fresh ones.
#[perf_test(tolerance = "50%")]
fn packs_at_first(b: &mut Bencher) {
    b.iter(|| work(1_000));
    if std::env::var_os("PERFTEST_WORKER").is_none() {
        b.metric("bytes_out", 1_000 * slow(), Lower.within("1%").unit("bytes"));
    }
}

#[perf_test(metrics = [wall, allocs])]
fn times_itself(b: &mut Bencher) {
    b.iter_custom(|iterations| {
        let began = Instant::now();
        for _ in 0..iterations {
            black_box(work(1_000));
        }
        began.elapsed()
    });
}

#[perf_test(metrics = [wall, instructions])]
fn counts_what_it_times(b: &mut Bencher) {
    b.iter_custom(|iterations| {
        let began = Instant::now();
        black_box(work(1_000 * iterations));
        began.elapsed()
    });
}

/// Next to nothing of its time is work.
#[perf_test(metrics = [wall, instructions])]
fn executes(b: &mut Bencher) {
    let steps = 40_000 * (9 + slow());
    b.iter(|| {
        thread::sleep(Duration::from_millis(10));
        work(steps)
    });
}

#[perf_test(args = ["data/small"])]
fn has_cases(b: &mut Bencher, _: &str) {
    b.iter_stages(|s| s.stage("lex", || work(10_000)));
}

perftest::main!();
