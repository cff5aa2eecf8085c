//! The command line of `cargo perftest check`.

use super::OutputOptions;
use super::values::{at_least_one, reason};

/// Judge the recorded runs by the rules in perftest.toml, and show the alerts.
///
/// Each run of a branch is judged by the runs before it on that branch, and for another branch than
/// the default one by what the default branch had where it left it. Looks at the branch that is checked
/// out, or at that of the newest run where none is. What a rule has said of a run stands when the rule is
/// changed; --anew judges all runs by the present rules, and keeps nothing.
///
/// Exits with 1 when an alert is open, with 2 when the rules cannot be read or there are none, with 5
/// when a history cannot be read (the others are judged all the same), and in CI with 4 when there
/// is no run to judge: nothing is recorded, no threshold watches a run, or every one is set aside.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A rule in perftest.toml, beside Cargo.toml:
  [[threshold]]
  name = \"latency\"
  test = \"t_test\"
  upper = 0.99
  min_sample_size = 5
  minimum_effect = \"5%\"

Examples:
  cargo perftest check
  cargo perftest check frame::encode --all      with what is resolved, improved and quiet
  cargo perftest check --branch main
  cargo perftest check --branch '*' --anew      what would these rules have said
  cargo perftest check --acknowledge encode --reason \"checksums are on until the new format\"
  cargo perftest check --models                 which versions of the rules have judged
  cargo perftest check --json | jq -r 'select(.state == \"open\") | .benchmark'")]
pub(crate) struct CheckArgs {
    /// The test: its whole name, or a part that only one test has [default: all].
    #[arg(conflicts_with_all = ["acknowledge", "revoke", "models"])]
    pub(crate) test: Option<String>,

    /// The branch, or a beginning of several and `*` [default: the one that is checked out].
    #[arg(long, value_name = "BRANCH", conflicts_with_all = ["revoke", "models"])]
    pub(crate) branch: Option<String>,

    /// Only the threshold of this name.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["revoke", "models"])]
    pub(crate) threshold: Option<String>,

    /// Only this metric.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["revoke", "models"])]
    pub(crate) metric: Option<String>,

    /// Only this testbed.
    #[arg(long, conflicts_with_all = ["revoke", "models"])]
    pub(crate) testbed: Option<String>,

    /// Show what is resolved, improved, quiet and not judged as well.
    #[arg(long, conflicts_with_all = ["acknowledge", "revoke", "models"])]
    pub(crate) all: bool,

    /// Judge all runs by the present rules, whatever was said of them before, and keep nothing.
    #[arg(long, conflicts_with_all = ["acknowledge", "revoke", "models"])]
    pub(crate) anew: bool,

    /// Tell only of branches among so many newest runs of a test; all runs are judged.
    #[arg(long, default_value_t = 1000, value_name = "RUNS", value_parser = at_least_one)]
    pub(crate) limit: usize,

    /// Acknowledge the open alerts of a test: a line in perf-accept.jsonl, to be reviewed and committed.
    /// They are silent until they are resolved, or half as large again.
    #[arg(long, value_name = "TEST", requires = "reason", conflicts_with_all = ["revoke", "models"])]
    pub(crate) acknowledge: Option<String>,

    /// Why an alert may be, for those who read it later.
    #[arg(long, value_name = "TEXT", value_parser = reason, requires = "acknowledge")]
    pub(crate) reason: Option<String>,

    /// Take an acknowledgement back: its line is deleted.
    #[arg(long, value_name = "ID", conflicts_with = "models")]
    pub(crate) revoke: Option<String>,

    /// List the versions of the rules that have judged runs.
    #[arg(long)]
    pub(crate) models: bool,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}
