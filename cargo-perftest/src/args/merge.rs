//! The command line of `cargo perftest merge`.

use super::OutputOptions;
use std::path::PathBuf;

/// Add the histories of other stores to this one.
///
/// For CI jobs that run in parallel and save their stores: each run is added once, so merging again adds
/// nothing. Acceptances, judgements and kept executables are added, too. Damaged lines are reported and
/// left out. Executables of a store run on this machine: merge only stores that you trust as you trust
/// the code, and others with --show-only.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest merge shard-1/.perftest shard-2/.perftest
  cargo perftest merge */.perftest --store .perftest
  cargo perftest merge artifact --show-only       of a fork: shown, and never compared with
  cargo perftest merge --project codec.0b1c2d3e   the history from before the repository was moved

Exit codes:
  0  merged
  2  a directory is no store, or there is no such project; nothing was merged
  5  a file cannot be read or written; the others are merged")]
pub(crate) struct MergeArgs {
    /// Directories that PERFTEST_STORE named.
    #[arg(required_unless_present = "project", value_name = "DIR")]
    pub(crate) stores: Vec<PathBuf>,

    /// Add the history of another project of this store to that of the project here.
    ///
    /// For a repository whose address changed: a project is the address of `origin`. The history of the other
    /// project stays as it is. What was written under the name from before this repository had an origin is moved.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["stores", "show_only"])]
    pub(crate) project: Option<String>,

    /// Add runs for display only: under a testbed `show-only/..`, so that none of them enters a baseline,
    /// whatever it claims. Adds no acceptances, judgements and executables.
    #[arg(long)]
    pub(crate) show_only: bool,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}
