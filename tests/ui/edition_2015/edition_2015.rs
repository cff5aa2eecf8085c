//! Paths of this edition begin at the crate.
extern crate perftest;

use perftest::{Bencher, perf_test};

mod inner {
    use perftest::{perf_group, perf_test};

    #[perf_group(budget = "1s")]
    mod deeper {
        use perftest::perf_test;

        #[perf_test(args = [1, 2], metrics = [wall, cpu = "10%"])]
        fn each(n: u64) -> u64 {
            n
        }
    }

    #[perf_test(on_red = "report")]
    #[ignore]
    fn ignored() -> u64 {
        1
    }
}

#[perf_test(tolerance = "5%")]
fn sum() -> u64 {
    (0..1_000).sum()
}

#[perf_test]
fn prepares(b: &mut Bencher) {
    b.iter(|| 1);
}

/// No keyword yet.
#[perf_test]
fn gen() -> u64 {
    1
}

mod with_cases {
    use perftest::perf_test;

    #[perf_test(args = ["gen", "fn"])]
    fn gen(text: &str) -> usize {
        text.len()
    }
}
