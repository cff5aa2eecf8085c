use perftest::perf_test;

#[perf_test]
async fn without() {}

#[perf_test(runtime = tokio_rt())]
fn not_async() {}

#[perf_test(runtime)]
async fn no_value() {}

#[perf_test(runtime = |future| block_on(future))]
async fn a_closure() {}

#[perf_test(runtime = tokio_rt(), runtime = tokio_rt())]
async fn repeated() {}

#[perf_test(runtime = tokio_rt())]
async unsafe fn unsound() {}

fn main() {}
