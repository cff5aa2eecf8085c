//! Each body as a perf test.

use perftest::{Bencher, perf_test};

macro_rules! perf_tests {
    ($($name:ident),+) => {$(
        #[perf_test]
        fn $name(b: &mut Bencher) {
            b.iter(real_crates::$name());
        }
    )+};
}

real_crates::each_body!(perf_tests);

perftest::main!();
