//! The command line of `cargo perftest bisect`.

use super::{BuildOptions, OutputOptions, PairOptions};

/// Find the commit that made a test slower.
///
/// Builds the good commit once and compares others with it, side by side in pairs of fresh processes:
/// first the bad one, then whichever halves what is left. A commit that cannot be built, lacks the test
/// or is not decided is stepped around. What is found is compared with the commit before it. Neither
/// the working tree nor its index is touched.
///
/// Exits with 0 when the commit is found, with 1 when the bad one is not slower than the good one, with
/// 2 when one of these two cannot be built or measured, with 3 when the answer is less than one
/// commit: a range, a doubt, or that nothing was decided.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest bisect frame::encode                     the suspects of its history
  cargo perftest bisect frame::encode v1.2.0              up to HEAD
  cargo perftest bisect frame::encode HEAD~50 HEAD~3
  cargo perftest bisect encode main~20 main --tolerance 3% --budget 2m
  cargo perftest bisect encode v1.2.0 --json | jq -r 'select(.event == \"bisect\") | .commit'
  cargo perftest compare --clean                          remove what was built

The search follows first parents: what a merge brought counts as one commit.")]
pub(crate) struct BisectArgs {
    /// The test: its whole name, else its end behind `::`, else a part of it, if only one test has that.
    pub(crate) test: String,

    /// A commit at which it is fast: a branch, a tag or a commit [default: the suspects of the newest lasting
    /// change for the worse in the history of the test].
    pub(crate) good: Option<String>,

    /// A later commit at which it is slow [default: HEAD, or the last of these suspects].
    pub(crate) bad: Option<String>,

    #[command(flatten)]
    pub(crate) pairs: PairOptions,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}
