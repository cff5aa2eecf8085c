//! A thousand perf tests, each of some tens of nanoseconds: what a large suite costs beside what it measures.

use perftest::{black_box, perf_test};

macro_rules! tests {
    ($($name:ident)*) => {$(
        #[perf_test]
        fn $name() -> u64 {
            (0..16).fold(black_box(17), |value: u64, step| (value ^ step).wrapping_mul(0x9e37_79b9))
        }
    )*};
}

macro_rules! tens {
    ($($name:ident)*) => {$(
        mod $name {
            use super::*;
            tests! { c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 }
        }
    )*};
}

macro_rules! hundreds {
    ($($name:ident)*) => {$(
        mod $name {
            use super::*;
            tens! { b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 }
        }
    )*};
}

hundreds! { a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 }

perftest::main!();
