//! Three perf tests, one of which misbehaves when it is asked to.

#[perftest::perf_test]
fn first() -> u64 {
    attacked::work()
}

#[perftest::perf_test]
fn hostile() -> u64 {
    attacked::misbehave();
    attacked::work()
}

#[perftest::perf_test]
fn last() -> u64 {
    attacked::work()
}

perftest::main!();
