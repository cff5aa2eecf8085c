//! The command line of `cargo perftest gc`.

use super::OutputOptions;
use super::values::at_least;
use perftest_core::model::BaselineRule;

/// Make the store smaller: older runs become summaries, one for each commit.
///
/// The newest runs of each test stay, and every run that a verdict, an anchor, an accepted level or an alert may be
/// based on: no verdict changes. So a test needs many runs before it frees much: the newest 3200 that count for the
/// baseline stay, for checkouts of earlier commits. A summary has the number of runs and the deciles of their
/// measurements.
/// `history TEST`, `changepoints` and `report` show it as a point. Decisions, judgements and executables
/// stay.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest gc --dry-run            the plan: what stays, and why
  cargo perftest gc
  cargo perftest gc --keep 2000
  cargo perftest gc --dry-run --json | jq -s 'map(select(.event == \"gc\"))[0].bytes_after'

Exit codes:
  0  done, or nothing to do
  2  PERFTEST_STORE is read-only or off, or a perftest.toml of the project is wrong
  5  a file cannot be read or written; the others are done")]
pub(crate) struct GcArgs {
    /// Number of newest runs that stay, per test and metric; at least 200.
    #[arg(long, value_name = "RUNS", default_value_t = 400, value_parser = at_least_the_shown)]
    pub(crate) keep: usize,

    /// Print the plan, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Commands show the newest 200 runs, and rules judge them.
fn at_least_the_shown(text: &str) -> Result<usize, String> {
    let least = BaselineRule::LOADED_RUNS;
    at_least(text, least, &format!("`{text}` is no number of runs from {least} on"))
}
