//! A bench target whose name sorts behind `perftest`.

#[perftest::perf_test]
fn lines() -> usize {
    tokenizer::lines::lines(perftest::black_box("a b\nc"))
}

mod inner {
    #[perftest::perf_test]
    fn words() -> usize {
        tokenizer::words::words(perftest::black_box("a b\nc"))
    }
}

perftest::bench_main!();
