use perftest::perf_test;

#[perf_test]
fn by_value(n: usize) {}

#[perf_test]
fn shared(bencher: &perftest::Bencher) {}

#[perf_test]
fn two(bencher: &mut perftest::Bencher, n: usize) {}

#[perf_test]
fn generic<T>() {}

#[perf_test]
fn lifetime<'a>(bencher: &'a mut perftest::Bencher<'a>) {}

#[perf_test]
fn variadic(_: ...) {}

#[perf_test]
fn no_body();

struct Receiver;

impl Receiver {
    #[perf_test]
    fn by_reference(&self) {}

    #[perf_test]
    fn by_type(self: Box<Self>) {}
}

fn main() {}
