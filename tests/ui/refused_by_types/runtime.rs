use perftest::perf_test;

#[perf_test(runtime = String::new())]
async fn runtime() {}
