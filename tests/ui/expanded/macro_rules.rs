//! A perf test whose parts come through a `macro_rules!` macro.
#![deny(warnings)]

macro_rules! family {
    ($($name:ident, $output:ty, $tolerance:literal, $budget:expr, $why:literal, $body:block;)*) => {$(
        #[perftest::perf_test(tolerance = $tolerance, budget = $budget)]
        #[ignore = $why]
        fn $name() -> $output $body
    )*};
}

macro_rules! fed {
    ($($name:ident, $inputs:path, $maker:ident, $input:ty;)*) => {$(
        mod $name {
            #[perftest::perf_test(inputs = $inputs, budget = "1s")]
            fn by_path(input: $input) -> $input {
                input
            }

            #[perftest::perf_test(inputs = $maker)]
            fn by_name(input: $input) -> $input {
                input
            }

            fn $maker(i: u64) -> $input {
                $inputs(i)
            }
        }
    )*};
}

fed! {
    long, u64::from, make_long, u64;
    longer, u128::from, make_longer, u128;
}

family! {
    text, u8, "3%", "2s", "slow", { 1 };
    constant, Vec<u8>, 0.03, std::time::Duration::from_secs(2), "slow", { vec![1] };
}
