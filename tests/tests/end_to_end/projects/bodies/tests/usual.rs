use perftest::{Bencher, perf_test};
use std::hint::black_box;

#[test]
fn fails() {
    panic!("an ordinary test has to fail");
}

#[perf_test]
fn closes_standard_output() -> u64 {
    // SAFETY: nothing owns the number of standard output.
    unsafe { close(1) };
    black_box(3_u64).pow(7)
}

unsafe extern "C" {
    fn close(file: i32) -> i32;
}

#[perf_test]
fn measures() -> u64 {
    black_box(3_u64).pow(7)
}

#[perf_test]
fn hangs(_: &mut Bencher) {
    loop {
        std::thread::park();
    }
}
