//! The command line of `cargo perftest accept`.

use super::OutputOptions;
use super::values::{ratio, reason};

/// Accept a slower level of a test, up to a bound.
///
/// Writes a line to perf-accept.jsonl in the root of the repository. Commit it with the change, so that
/// it applies in CI, too. With --local it applies only on this machine. Beyond the bound the test is red
/// as before. Without --until, the following runs become the new level. With --until, the old level
/// applies again afterwards.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest accept frame::encode --max-ratio 1.27 --reason \"checksums are on now\"
  cargo perftest accept 'codec::frame::*' --max-ratio 1.5 --reason \"until the cache lands\" --until 30d
  cargo perftest accept --session last --dry-run        the bounds for all reds of the newest session
  cargo perftest accept --session last --reason \"checksums are on now\"
  cargo perftest accept --review                        the same one by one, with questions
  cargo perftest accept --list
  cargo perftest accept --check                         in CI, after the tests
  cargo perftest accept --revoke 01KDVDNR000000000000000000

Exit codes:
  0  done
  1  with --check: an acceptance is stale
  2  the test or the bound is not valid
  5  the history cannot be read or written")]
pub(crate) struct AcceptArgs {
    /// Name of the test: the whole name, its end after `::`, or a part that only one test has,
    /// or the beginning of several names and `*`.
    #[arg(required_unless_present_any = ["list", "check", "revoke", "session", "review"])]
    pub(crate) test: Option<String>,

    /// Largest accepted ratio to the old level, above 1.
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    #[arg(required_unless_present_any = ["list", "check", "revoke", "session", "review"])]
    pub(crate) max_ratio: Option<f64>,

    /// The reason, for later readers.
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    #[arg(required_unless_present_any = ["list", "check", "revoke", "dry_run", "review"])]
    pub(crate) reason: Option<String>,

    /// Last day in UTC (2027-01-31), or days from now (30d) [default: no end].
    #[arg(long, value_name = "DAY")]
    pub(crate) until: Option<String>,

    /// Only on this testbed, at every speed of its machine [default: all].
    #[arg(long)]
    pub(crate) testbed: Option<String>,

    /// Accept every red of the newest session (one `cargo perftest run` or one run of nextest, else one test binary),
    /// each up to its upper bound, but at most the tolerance above its ratio, and at least what is accepted already.
    #[arg(long, value_name = "WHICH", value_parser = ["last"])]
    #[arg(conflicts_with_all = ["test", "max_ratio"])]
    pub(crate) session: Option<String>,

    /// Go through the reds of the newest session one by one: accept, skip, look at the evidence.
    ///
    /// Asks for bound, reason and confirmation, and writes nothing before. Reads the answers line by line.
    #[arg(long, conflicts_with_all = ["test", "max_ratio", "session", "list", "check", "revoke"])]
    pub(crate) review: bool,

    /// Store the acceptance in the store of this machine only, not with the code. `push` leaves it out.
    #[arg(long)]
    pub(crate) local: bool,

    /// Show the changes without making them.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// List all acceptances, in the code and on this machine, with their status.
    #[arg(long, conflicts_with_all = ["test", "max_ratio", "reason", "revoke", "dry_run", "session"])]
    #[arg(conflicts_with_all = ["until", "testbed", "local"])]
    pub(crate) list: bool,

    /// List stale acceptances: expired, never needed, or of an unknown test.
    #[arg(long, conflicts_with_all = ["test", "max_ratio", "reason", "revoke", "dry_run", "session"])]
    #[arg(conflicts_with_all = ["until", "testbed", "local", "list"])]
    pub(crate) check: bool,

    /// Revoke an acceptance. Its line in perf-accept.jsonl becomes one that revokes it: commit that.
    #[arg(long, value_name = "ID", conflicts_with_all = ["test", "max_ratio", "reason", "until"])]
    #[arg(conflicts_with_all = ["session", "local", "testbed"])]
    pub(crate) revoke: Option<String>,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}
