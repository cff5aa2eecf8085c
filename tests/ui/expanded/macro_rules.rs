//! A perf test whose parts come through a `macro_rules!` macro.
#![deny(warnings)]

macro_rules! family {
    ($($name:ident, $output:ty, $tolerance:literal, $budget:expr, $why:literal, $body:block;)*) => {$(
        #[perftest::perf_test(tolerance = $tolerance, budget = $budget)]
        #[ignore = $why]
        fn $name() -> $output $body
    )*};
}

family! {
    text, u8, "3%", "2s", "slow", { 1 };
    constant, Vec<u8>, 0.03, std::time::Duration::from_secs(2), "slow", { vec![1] };
}
