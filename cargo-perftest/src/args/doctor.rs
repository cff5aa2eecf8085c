//! The command line of `cargo perftest doctor`.

use super::values::budget;
use super::{BuildOptions, OutputOptions};
use std::path::PathBuf;
use std::time::Duration;

/// Say what disturbs measurements on this machine, the worst first, and what to do about it.
///
/// Looks for half a second and changes no setting. Exits with 6 when no verdict can be expected
/// here now.
///
/// With --aa the performance tests of the working tree are built and compared with themselves, side by
/// side as `cargo perftest compare` does it: how far processes of the same code lie apart here, what
/// a comparison can see, and how often it is red for nothing. Exits with 2 when a test cannot be built
/// or measured.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest doctor
  cargo perftest doctor --json | jq -r 'select(.severity == \"unfit\") | .fact'
  cargo perftest doctor --root before --after after    files of another machine, copied twice
  cargo perftest doctor --aa                           the noise floor of this machine, in a minute
  cargo perftest doctor --aa frame::encode --budget 20m")]
pub(crate) struct DoctorArgs {
    /// Compare performance tests with themselves.
    #[arg(long, conflicts_with_all = ["root", "after"])]
    pub(crate) aa: bool,

    /// With --aa, only tests with one of these in their names [default: 8, spread over all].
    #[arg(value_name = "TESTS", requires = "aa")]
    pub(crate) tests: Vec<String>,

    /// Time for all comparisons together.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = budget, requires = "aa")]
    pub(crate) budget: Duration,

    /// Look at the files of another machine: a directory with its `proc` and `sys` (Linux).
    #[arg(long, value_name = "TREE")]
    pub(crate) root: Option<PathBuf>,

    /// The same files, copied later: what changed counts.
    #[arg(long, value_name = "TREE", requires = "root")]
    pub(crate) after: Option<PathBuf>,

    /// Seconds between the two copies.
    #[arg(long, value_name = "SECONDS", requires = "after", default_value = "4")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) apart: u32,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}
