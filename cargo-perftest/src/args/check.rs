//! The command line of `cargo perftest check`.

use super::values::{at_least_one, reason};
use super::{AnswerOptions, SourceOptions};
use perftest_core::words::quoted;

/// Apply the alert rules of perftest.toml to the recorded runs.
///
/// Compares each run with the runs before it on its branch. Runs of another branch than the default one
/// are also compared with the default branch up to the branch point. Checks the checked-out branch, or
/// else that of the newest run. A result stays when its rule changes; --reevaluate applies the present
/// rules to all runs and stores nothing.
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
  cargo perftest check frame::encode --all            resolved, improved and quiet ones, too
  cargo perftest check --branch main
  cargo perftest check --remote git:perftest-history  the runs of all machines; stores no result
  cargo perftest check --branch '*' --reevaluate      all runs by the present rules
  cargo perftest check --acknowledge encode --reason \"checksums are on until the new format\"
  cargo perftest check --models                       versions of the rules that were applied
  cargo perftest check --json | jq -r 'select(.state == \"open\") | .benchmark'
  cargo perftest check --format markdown >> \"$GITHUB_STEP_SUMMARY\"

Exit codes:
  0  no alert is open
  1  an alert is open
  2  the rules cannot be read, or there are none; or a history was received only in part (pull --newest)
  4  in CI: there is no run to judge (none recorded, none covered by a threshold, or all excluded)
  5  a history cannot be read; the others were checked")]
pub(crate) struct CheckArgs {
    /// Name of the test: the whole name, or a part that only one test has [default: all].
    #[arg(conflicts_with_all = ["acknowledge", "revoke", "models"])]
    pub(crate) test: Option<String>,

    /// Branch, or the beginning of several names and `*` [default: the checked-out one].
    #[arg(long, value_name = "BRANCH", conflicts_with_all = ["revoke", "models"])]
    pub(crate) branch: Option<String>,

    /// Only this threshold.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["revoke", "models"])]
    pub(crate) threshold: Option<String>,

    /// Only this metric.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["revoke", "models"])]
    pub(crate) metric: Option<String>,

    /// Only this testbed.
    #[arg(long, conflicts_with_all = ["revoke", "models"])]
    pub(crate) testbed: Option<String>,

    /// Show resolved, improved, quiet and unjudged histories, too.
    #[arg(long, conflicts_with_all = ["acknowledge", "revoke", "models"])]
    pub(crate) all: bool,

    /// Re-evaluate all runs with the present rules, and store nothing.
    #[arg(long, conflicts_with_all = ["acknowledge", "revoke", "models"])]
    pub(crate) reevaluate: bool,

    /// Show only branches among this many newest runs of a test; all runs are checked.
    #[arg(long, default_value_t = 1000, value_name = "RUNS", value_parser = at_least_one)]
    pub(crate) limit: usize,

    /// Acknowledge the open alerts of a test with a line in perf-accept.jsonl, to be committed. They stay
    /// closed until they are resolved or 1.5 times as large.
    #[arg(long, value_name = "TEST", requires = "reason", conflicts_with_all = ["revoke", "models"])]
    pub(crate) acknowledge: Option<String>,

    /// The reason, for later readers.
    #[arg(long, value_name = "TEXT", value_parser = reason, requires = "acknowledge")]
    pub(crate) reason: Option<String>,

    /// Revoke an acknowledgement. Its line in perf-accept.jsonl becomes one that revokes it: commit that.
    #[arg(long, value_name = "ID", conflicts_with = "models")]
    pub(crate) revoke: Option<String>,

    /// List the versions of the rules that were applied.
    #[arg(long)]
    pub(crate) models: bool,

    #[command(flatten)]
    pub(crate) source: SourceOptions,

    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

impl CheckArgs {
    /// Returns the options that select alerts, each after a space, as one would type them.
    pub(crate) fn selection_as_typed(&self) -> String {
        let options = [
            ("branch", &self.branch),
            ("threshold", &self.threshold),
            ("metric", &self.metric),
            ("testbed", &self.testbed),
        ];
        let given = options.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        given.map(|(name, value)| format!(" --{name} {}", quoted(value))).collect()
    }
}
