//! Rules of other tools, one a file. What perftest ships is in [`perftest_analysis::thresholds`].

mod benchstat;
mod rustc_perf;

pub use benchstat::{
    Assumption, BenchstatComparison, BenchstatSummary, fewest_for_significance, least_two_sided,
};
pub use rustc_perf::{Magnitude, RustcPerf, RustcPerfAnswer};
