//! The command line of `cargo perftest doctor`.

use super::values::budget;
use super::{BuildOptions, OutputOptions};
use std::path::PathBuf;
use std::time::Duration;

/// Show what disturbs measurements on this machine, most severe first, with remedies.
///
/// Takes half a second and changes no setting. Names the processes that use processors and memory.
///
/// With --watch it names them every two seconds, for a second terminal while tests run.
///
/// With --aa it builds the performance tests of the working tree and compares them with themselves. The
/// result is how much processes of the same code differ here, the smallest detectable slowdown of a
/// comparison, and its false-alarm rate.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest doctor
  cargo perftest doctor --json | jq -r 'select(.severity == \"unfit\") | .fact'
  cargo perftest doctor --watch                        who disturbs, until Ctrl-C
  cargo perftest doctor --root before --after after    copied files of another machine
  cargo perftest doctor --aa                           the noise floor of this machine, in a minute
  cargo perftest doctor --aa frame::encode --budget 20m

Exit codes:
  0  done
  2  the project has no such profile; with --aa: a test cannot be built or measured
  6  the machine is unfit for performance tests now")]
pub(crate) struct DoctorArgs {
    /// Compare performance tests with themselves.
    #[arg(long, conflicts_with_all = ["root", "after"])]
    pub(crate) aa: bool,

    /// Show the processes that use processors and memory, until Ctrl-C.
    #[arg(long, conflicts_with_all = ["aa", "root", "after"])]
    pub(crate) watch: bool,

    /// With --aa, only tests whose names contain one of these [default: 8 of all].
    #[arg(value_name = "TESTS", requires = "aa")]
    pub(crate) tests: Vec<String>,

    /// Time for all comparisons together.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = budget, requires = "aa")]
    pub(crate) budget: Duration,

    /// Read copied files of another machine: a directory with its `proc` and `sys` (Linux).
    #[arg(long, value_name = "TREE")]
    pub(crate) root: Option<PathBuf>,

    /// The same files, copied later, to find changes.
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
