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
            #[perftest::perf_test(budget = "1s")]
            fn by_path(b: &mut perftest::Bencher) {
                b.with_inputs($inputs).iter(|input: $input| input);
            }

            #[perftest::perf_test]
            fn by_name(b: &mut perftest::Bencher) {
                b.with_inputs($maker).iter(|input: $input| input);
            }

            fn $maker(i: u64) -> $input {
                $inputs(i)
            }
        }
    )*};
}

macro_rules! taken {
    ($($name:ident, $bencher:ty, $input:ty;)*) => {$(
        mod $name {
            #[perftest::perf_test(args = [vec![1_u8], vec![2]])]
            fn by_reference(input: $input) -> usize {
                input.len()
            }

            #[perftest::perf_test]
            fn measured(b: $bencher) {
                b.iter(|| 1);
            }
        }
    )*};
}

taken! {
    slices, &mut perftest::Bencher<'_>, &[u8];
}

fed! {
    long, u64::from, make_long, u64;
    longer, u128::from, make_longer, u128;
}

family! {
    text, u8, "3%", "2s", "slow", { 1 };
    constant, Vec<u8>, 0.03, std::time::Duration::from_secs(2), "slow", { vec![1] };
}

macro_rules! cases {
    ($($name:ident, $type:ty, $number:literal, $values:expr, $names:expr;)*) => {$(
        mod $name {
            #[perftest::perf_test(args = [$number, 2], types = [$type, u64], throughput = bytes($number))]
            fn literals<T: From<u8>>(n: u8) -> T {
                n.into()
            }

            #[perftest::perf_test(args = $values, names = $names)]
            fn expressions(n: u8) -> u8 {
                n
            }
        }
    )*};
}

cases! {
    few, u32, 1, [3, 4], |n: &u8| n + 1;
    many, u128, 5, 1..100, u8::to_string;
}

/// The lifetime of a bencher is not written, and a value stands behind it.
#[perftest::perf_test(runtime = drive, args = [1, 2], types = [fn(u8) -> u8])]
async fn made_visible<F: Fn(u8) -> u8>(b: &mut perftest::Bencher, n: u8) {
    b.iter_async(async || (size_of::<F>(), n)).await;
}

macro_rules! of_a_type {
    ($name:ident, $bencher:ty) => {
        #[perftest::perf_test(runtime = drive)]
        async fn $name(b: $bencher) {
            b.iter_async(async || 1).await;
        }
    };
}

of_a_type!(made_visible_in_a_type, &mut perftest::Bencher);

fn drive<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => panic!("it waits for nobody"),
    }
}
