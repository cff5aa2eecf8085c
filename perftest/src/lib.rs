//! Performance tests that behave like tests.
//!
//! Write [`#[perf_test]`](perf_test) above a function and run `cargo test --release`. The runner
//! compares the test with its history on this machine. It measures until the test is green (no
//! slowdown beyond the tolerance), red (a slowdown), or until the time budget is used up. A red fails
//! the test.
//!
//! ```no_run
//! // tests/perf.rs, with `harness = false` for this target in Cargo.toml
//! use perftest::{Bencher, perf_test};
//!
//! #[perf_test]
//! fn sum() -> u64 {
//!     (0..1_000_u64).sum()
//! }
//!
//! #[perf_test(tolerance = "10%")]
//! fn sort(b: &mut Bencher) {
//!     b.with_setup(|| (0..1_000).rev().collect::<Vec<u64>>()).iter(|mut values| {
//!         values.sort_unstable();
//!         values
//!     });
//! }
//!
//! perftest::main!();
//! ```
//!
//! In an ordinary test binary (unit tests in `src/`) the same attribute works without `main!`,
//! so private functions can be measured where they live.
//!
//! ## Overview
//!
//! * [`perf_test`]: the attribute of a test. [`perf_group`] sets defaults for a module.
//! * [`Bencher`]: the parameter of a test with set-up. [`ThreadBencher`]: for several threads.
//! * [`main!`]: the `main` function of a test target. [`bench_main!`]: of a bench target.
//! * [`black_box`]: hides a value from the optimiser.
//! * [`Stages`]: parts of a routine with their own histories.
//! * [`Direction`]: whether a custom metric improves upwards or downwards.
//! * [`CountingAllocator`]: counts allocations.
//! * [`tag`]: marks in a profile what a thread works on.

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod bencher;
mod cases;
mod ci_job;
mod clock;
mod config;
mod event;
mod harness;
mod measure;
mod misspelt;
mod own_metric;
mod perf_test;
mod perf_tests;
mod provenance;
mod registry;
mod session_totals;
mod settings;
mod sink;
mod tag;

pub use bencher::{Bencher, ThreadBencher, ThreadSetup, WithSetup, WithTeardown};
pub use measure::{CountingAllocator, Stages};
pub use own_metric::MetricValue;
pub use perftest_core::model::{Direction, Goal};
pub use perftest_macros::{perf_group, perf_test};
pub use std::hint::black_box;
pub use tag::{Tag, tag};

/// The `main` of a test target with `harness = false`: runs its perf tests as `cargo test` and
/// `cargo nextest` expect.
///
/// Perf tests inside a library need no `main!`: they run with the library's tests
/// (`cargo test --release --lib`). A file in `benches/` ends in [`bench_main!`], and fails with this `main!`: its
/// histories would be those of the test target of its name.
///
/// Exit codes: 0 when nothing failed. 101 when a body failed, or the command line is wrong. Else 3 when a test failed
/// by its verdict: slower, over its limit, or what the settings `on_improved` and `on_unclear` fail. Else 4: a test could
/// not be judged or recorded.
///
/// A body that ends the process, as `std::process::exit(0)` does, fails its test on Linux and macOS. On Windows nothing
/// notices that: the process ends with the code of the body, and the tests behind it do not run.
///
/// ```no_run
/// perftest::main!();
/// ```
#[macro_export]
macro_rules! main {
    () => {
        fn main() -> ::std::process::ExitCode {
            $crate::__private::main(::core::file!())
        }
    };
}

/// The `main` of a bench target with `harness = false`. It measures under `cargo bench` and
/// `cargo nextest bench`, which pass `--bench`. Without that option, as in `cargo test --benches`, it runs
/// each body once.
///
/// The perf tests are listed as benchmarks, with `bench` in their names: `package::bench::target::function`.
/// Otherwise it is the same as [`main!`].
///
/// ```no_run
/// // benches/speed.rs
/// perftest::bench_main!();
/// ```
#[macro_export]
macro_rules! bench_main {
    () => {
        $crate::__private::inventory::submit! { $crate::__private::BenchTarget }

        fn main() -> ::std::process::ExitCode {
            $crate::__private::bench_main()
        }
    };
}
