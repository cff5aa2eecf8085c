use perftest::{Bencher, perf_test};
use std::hint::black_box;

#[perf_test]
fn before_it() -> u64 {
    work(100)
}

#[perf_test(tolerance = "50%")]
fn closes_standard_output(b: &mut Bencher) {
    // SAFETY: nothing owns the number of standard output.
    unsafe { close(1) };
    let steps = 2_000 * slow();
    b.iter(|| work(steps));
}

#[perf_test]
fn closes_standard_output_and_fails() {
    // SAFETY: as above.
    unsafe { close(1) };
    panic!("without an output");
}

#[perf_test]
fn redirects_standard_output(b: &mut Bencher) {
    let nowhere = std::fs::File::options().write(true).open("/dev/null").unwrap();
    // SAFETY: as above.
    unsafe { dup2(std::os::fd::AsRawFd::as_raw_fd(&nowhere), 1) };
    b.iter(|| println!("unseen"));
}

unsafe extern "C" {
    fn close(file: i32) -> i32;
    fn dup2(file: i32, other: i32) -> i32;
    fn fork() -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
}

#[perf_test(budget = "100ms")]
fn forks(b: &mut Bencher) {
    b.iter(|| {
        // SAFETY: the child ends at once, and leaves alone what other threads may hold.
        let child = unsafe { fork() };
        if child == 0 {
            std::process::exit(0);
        }
        let mut status = -1;
        // SAFETY: the pointer is that of a local variable.
        unsafe { waitpid(child, &raw mut status, 0) };
        assert_eq!(status, 0);
    });
}

/// The process writes its number into a file.
#[perf_test]
fn waits_for_a_process_that_hangs(b: &mut Bencher) {
    let note = std::env::var("NOTE").unwrap();
    b.command(|| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "echo $$ > \"$1\"; exec sleep 600", "sh", &note]);
        shell
    });
}

#[perf_test]
fn exits_with_success() {
    std::process::exit(0);
}

#[perf_test(tolerance = "50%")]
fn ends_the_fresh_process(b: &mut Bencher) {
    if is_fresh() {
        std::process::exit(7);
    }
    let steps = 2_000 * slow();
    b.iter(|| work(steps));
}

#[perf_test(tolerance = "50%")]
fn hangs_in_the_fresh_process(b: &mut Bencher) {
    while is_fresh() {
        std::thread::park();
    }
    let steps = 2_000 * slow();
    b.iter(|| work(steps));
}

#[perf_test]
fn sleeps(b: &mut Bencher) {
    b.iter(|| std::thread::sleep(std::time::Duration::from_millis(100)));
}

#[perf_test]
fn iterates_twice(b: &mut Bencher) {
    b.iter(|| work(10));
    b.iter(|| work(20));
}

#[perf_test]
fn never_iterates(_: &mut Bencher) {}

#[perf_test]
fn optimised_away() {}

#[perf_test]
fn panics() {
    panic!("forty-two is not {}", 43);
}

#[perf_test]
fn panics_in_its_maker(b: &mut Bencher) {
    b.with_inputs(seven_inputs).iter(work);
}

#[perf_test]
fn panics_in_its_preparation(b: &mut Bencher) {
    let file: Result<(), &str> = Err("no such catalog");
    file.unwrap();
    b.iter(|| 1);
}

#[perf_test(tolerance = "50%")]
fn prints(b: &mut Bencher) {
    print!("a beginning of a line: ");
    let steps = 2_000 * slow();
    b.iter(|| {
        print!("and ");
        work(steps)
    });
}

#[perf_test(tolerance = "50%")]
fn leaves_its_directory_and_removes_it(b: &mut Bencher) {
    let own = std::env::temp_dir().join(format!("perftest-left-{}", std::process::id()));
    std::fs::create_dir(&own).unwrap();
    std::env::set_current_dir(&own).unwrap();
    b.iter(|| work(100));
    std::fs::remove_dir(&own).unwrap();
}

#[perf_test(tolerance = "50%")]
fn reads_standard_input(b: &mut Bencher) {
    let steps = 2_000 * slow();
    b.iter(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap();
        work(steps)
    });
}

#[perf_test]
fn returns_an_error() -> Result<u64, String> {
    Err("the index is gone".to_owned())
}

#[perf_test]
fn returns_an_error_among_others(b: &mut Bencher) {
    let mut calls = 0;
    b.try_iter(|| {
        calls += 1;
        if calls % 8 == 0 { Err(format!("cannot swallow {calls}")) } else { Ok(work(10)) }
    });
}

#[perf_test]
fn returns_an_error_at_the_eighth_input(b: &mut Bencher) {
    let digest = |input| if input == 7 { Err(format!("cannot digest {input}")) } else { Ok(work(input)) };
    b.with_inputs(std::convert::identity).try_iter(digest);
}

#[perf_test]
fn returns_an_error_later(b: &mut Bencher) -> Result<(), std::num::ParseIntError> {
    b.iter(|| work(10));
    "seven".parse::<u32>().map(drop)
}

#[perf_test]
fn then_aborts(b: &mut Bencher) {
    b.iter(|| {
        if black_box(true) {
            std::process::abort();
        }
    });
}

fn work(steps: u64) -> u64 {
    // In a register: newer processors take a state that goes through memory at several speeds.
    let step = |state: u64, step: u64| (state ^ step).wrapping_mul(0x9e37_79b9);
    black_box((0..steps).fold(black_box(1), step))
}

fn seven_inputs(call: u64) -> u64 {
    assert!(call < 7, "the maker ran out at {call}");
    call
}

/// Of a build with the feature `slowed`.
fn slow() -> u64 {
    if !cfg!(feature = "slowed") {
        return 1;
    }
    std::env::var("SLOW").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// Whether this is the process that confirms.
fn is_fresh() -> bool {
    std::env::var_os("PERFTEST_WORKER").is_some()
}

perftest::main!();
