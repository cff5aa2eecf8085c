//! A type that the function does not take.
use perftest::perf_test;

#[perf_test(types = [u8, std::thread::Thread])]
fn made<T: Default>() -> T {
    T::default()
}
