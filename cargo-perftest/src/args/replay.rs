//! The command line of `cargo perftest replay`.

use super::OutputOptions;
use super::values::{at_least_one, budget, factor, history_runs, tolerance};
use perftest_core::model::Tolerance;
use std::path::PathBuf;
use std::time::Duration;

/// Re-evaluate recorded runs with other settings, and count the reds.
///
/// Repeatedly splits the runs of each workload into a history and candidates, and judges the
/// candidates. On runs of unchanged code every red is a false alarm; with --slowdown every red is a
/// correct one. Measures and records nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest replay recordings
  cargo perftest replay recordings/busy.csv --slowdown 1.10
  cargo perftest replay ~/.local/state/perftest --tolerance 3% --json | jq .overall.red_rate

Exit codes:
  0  the answer is printed, whatever it is
  2  the recordings cannot be read, or have too few runs
  5  the store cannot be read")]
pub(crate) struct ReplayArgs {
    /// A recording (CSV), a directory of recordings, or the directory of a store.
    pub(crate) place: PathBuf,

    /// Slow the candidates down by this factor.
    #[arg(long, value_name = "FACTOR", default_value = "1.0", value_parser = factor)]
    pub(crate) slowdown: f64,

    /// Runs in the history of a decision, if the recording has as many.
    #[arg(long, value_name = "RUNS", default_value = "30", value_parser = history_runs)]
    pub(crate) history_runs: usize,

    /// Largest number of decisions a workload.
    #[arg(long, value_name = "COUNT", default_value = "1000", value_parser = at_least_one)]
    pub(crate) decisions: usize,

    /// Seed of the drawn decisions.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Tolerance of the tests, such as 5% [default: as in the harness].
    #[arg(long, value_name = "SHARE", value_parser = tolerance)]
    pub(crate) tolerance: Option<Tolerance>,

    /// Measuring time of a test, such as 500ms [default: as in the harness].
    #[arg(long, value_name = "TIME", value_parser = budget)]
    pub(crate) budget: Option<Duration>,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}
