//! The command line.

pub(crate) mod bench;
mod bisect;
mod check;
mod compare;
mod doctor;
mod init;
pub(crate) mod numbers;
pub(crate) mod reading;
mod run;
pub(crate) mod series;
pub(crate) mod stats;
mod values;

use clap::{Parser, Subcommand, ValueEnum};
use perftest_core::model::Tolerance;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use values::{at_least_one, budget, factor, history_runs, ratio, reason, tolerance};

pub(crate) use bisect::BisectArgs;
pub(crate) use check::CheckArgs;
pub(crate) use compare::{BuildOptions, CompareArgs, OnUndecided, PairOptions};
pub(crate) use doctor::DoctorArgs;
pub(crate) use init::InitArgs;
pub(crate) use run::{RunArgs, Runner};

/// History, evidence and acceptance of performance tests, and the state of this machine.
#[derive(Debug, Parser)]
#[command(name = "cargo-perftest", bin_name = "cargo perftest", version, about)]
#[command(after_help = "\
Examples:
  cargo perftest init                    prepare a package for performance tests
  cargo perftest history                 every test of this project
  cargo perftest history encode          the runs of one test
  cargo perftest show encode             why its last verdict is what it is
  cargo perftest accept encode --max-ratio 1.27 --reason \"checksums are on now\"
  cargo perftest check                   alerts by the rules in perftest.toml, the worst first
  cargo perftest power                   what each test can see, the blindest first
  cargo perftest compare main            the working tree with main, side by side
  cargo perftest run --bootstrap=ab --base main    judge, side by side where there is no history
  cargo perftest bisect encode v1.2.0    the commit that made a test slower
  cargo perftest drift                   what crept away in steps too small to be red
  cargo perftest changepoints            when tests became slower or faster for good, and which commits did it
  cargo perftest rank --by dispersion    which tests are the noisiest
  cargo perftest doctor                  what disturbs measurements here
  cargo perftest relink encode           is it the code, or where the linker put it
  cargo perftest replay recordings       would these settings have cried wolf
  cargo perftest stats summary times.txt    what numbers of any origin look like

Exit codes: 0 done, 1 drift: a test has drifted, check: an alert is open, accept --check: something is
stale, relink: it is the code, run, compare: a test is slower, bisect: the bad commit is not slower,
3 relink, bisect, --undecided=fail, run also by on_unclear: not decided, 2 the question cannot be answered
as put, 4 check, in CI: there is no run to judge, run: a test could not be judged or recorded, 5 the history cannot be read or written, 6 the machine is unfit for performance tests now.")]
pub(crate) struct Args {
    /// Where the history is [default: PERFTEST_STORE, else the user's state directory].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,

    /// Draw with ASCII characters only.
    #[arg(long, global = true)]
    pub(crate) ascii: bool,

    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    Init(InitArgs),
    History(HistoryArgs),
    Show(ShowArgs),
    Run(RunArgs),
    Compare(CompareArgs),
    Bisect(BisectArgs),
    Accept(AcceptArgs),
    Check(CheckArgs),
    Power(PowerArgs),
    Drift(DriftArgs),
    Changepoints(reading::ChangepointsArgs),
    Rank(reading::RankArgs),
    Doctor(DoctorArgs),
    Machine(MachineArgs),
    Relink(RelinkArgs),
    Replay(ReplayArgs),
    Stats(stats::Stats),
    /// Print a completion script for a shell.
    #[command(after_help = "\
Examples:
  cargo perftest completions bash > ~/.local/share/bash-completion/completions/cargo-perftest
  cargo perftest completions fish > ~/.config/fish/completions/cargo-perftest.fish")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// List the tests of this project, or the runs of one test.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest history
  cargo perftest history frame::encode --limit 50
  cargo perftest history --errors        how often a red did not repeat on the same code
  cargo perftest history --format json | jq -r 'select(.verdict == \"red\") | .benchmark'")]
pub(crate) struct HistoryArgs {
    /// The test: its whole name, else its end behind `::`, else a part of it, if only one test has that.
    pub(crate) test: Option<String>,

    /// Count the reds whose very same code was green later: the false alarms this history had.
    #[arg(long)]
    pub(crate) errors: bool,

    /// Newest runs to look at, per test.
    #[arg(long, default_value_t = 200, value_name = "RUNS", value_parser = at_least_one)]
    pub(crate) limit: usize,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Show what the last verdict of a test rests on, and what to do next.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest show frame::encode
  cargo perftest show frame::encode --format json")]
pub(crate) struct ShowArgs {
    /// The test: its whole name, else its end behind `::`, else a part of it, if only one test has that.
    pub(crate) test: String,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Accept a slower level of a test, up to a bound.
///
/// Written to perf-accept.jsonl in the root of the repository, to be reviewed and committed with the
/// change, so that it holds in CI too; with --local only on this machine. Beyond the bound the test
/// is red as before. Without --until, the runs that follow become the new level; with it, the old
/// level stays and counts again in the end.
///
/// Exits with 1 when --check finds something stale.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest accept frame::encode --max-ratio 1.27 --reason \"checksums are on now\"
  cargo perftest accept 'codec::frame::*' --max-ratio 1.5 --reason \"until the cache lands\" --until 30d
  cargo perftest accept --session last --dry-run        what the newest session would ask for
  cargo perftest accept --session last --reason \"checksums are on now\"
  cargo perftest accept --list
  cargo perftest accept --check                         in CI, after the tests
  cargo perftest accept --revoke 01KDVDNR000000000000000000")]
pub(crate) struct AcceptArgs {
    /// The test: its whole name, else its end behind `::`, else a part of it, if only one test has that;
    /// or a beginning of several and `*`.
    #[arg(required_unless_present_any = ["list", "check", "revoke", "session"])]
    pub(crate) test: Option<String>,

    /// Largest accepted ratio to the level before, above 1.
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    #[arg(required_unless_present_any = ["list", "check", "revoke", "session"])]
    pub(crate) max_ratio: Option<f64>,

    /// Why, for those who read it later.
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    #[arg(required_unless_present_any = ["list", "check", "revoke", "dry_run"])]
    pub(crate) reason: Option<String>,

    /// Last day in UTC (2027-01-31), or days from now (30d) [default: while it stands].
    #[arg(long, value_name = "DAY")]
    pub(crate) until: Option<String>,

    /// Only on this testbed [default: on all].
    #[arg(long)]
    pub(crate) testbed: Option<String>,

    /// Every red of the newest session (one test binary, or one run of nextest), each up to its own
    /// upper bound.
    #[arg(long, value_name = "WHICH", value_parser = ["last"])]
    #[arg(conflicts_with_all = ["test", "max_ratio"])]
    pub(crate) session: Option<String>,

    /// Keep it on this machine only, not with the code.
    #[arg(long)]
    pub(crate) local: bool,

    /// Say what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// List what is accepted, in the code and on this machine, and what became of it.
    #[arg(long, conflicts_with_all = ["test", "max_ratio", "reason", "revoke", "dry_run", "session"])]
    #[arg(conflicts_with_all = ["until", "testbed", "local"])]
    pub(crate) list: bool,

    /// List what is stale: over, never needed, or of no test that is recorded here.
    #[arg(long, conflicts_with_all = ["test", "max_ratio", "reason", "revoke", "dry_run", "session"])]
    #[arg(conflicts_with_all = ["until", "testbed", "local", "list"])]
    pub(crate) check: bool,

    /// Take an acceptance back, wherever it is kept.
    #[arg(long, value_name = "ID", conflicts_with_all = ["test", "max_ratio", "reason", "until"])]
    #[arg(conflicts_with_all = ["session", "local", "testbed"])]
    pub(crate) revoke: Option<String>,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Say what each test can see with its history, the blindest first.
///
/// How far its runs lie apart, the smallest slowdown it finds with 99 % and how often unchanged code
/// would be red, computed from its baseline; with --replay also counted: its own runs are judged again,
/// unchanged and slowed down. Names what would help a test that cannot see twice its tolerance.
/// Nothing is measured and nothing is recorded.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest power
  cargo perftest power frame::encode
  cargo perftest power --replay                  judges recorded runs again too
  cargo perftest power --replay --decisions 1000 narrower bounds, where there are as many runs
  cargo perftest power --json | jq -r 'select(.sees_twice_its_tolerance == false) | .benchmark'")]
pub(crate) struct PowerArgs {
    /// The test: its whole name, else its end behind `::`, else a part of it, if only one test has that
    /// [default: all].
    pub(crate) test: Option<String>,

    /// Judge recorded runs again too, unchanged and made slower: takes about half a second a test.
    #[arg(long)]
    pub(crate) replay: bool,

    /// Most decisions that are replayed for each rate of a test.
    #[arg(long, value_name = "COUNT", default_value = "200", value_parser = at_least_one)]
    #[arg(requires = "replay")]
    pub(crate) decisions: usize,

    /// Which decisions are drawn: the same seed draws the same.
    #[arg(long, default_value_t = 1, requires = "replay")]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Say which tests have crept away from where they were, in steps too small to be red.
///
/// Compares the newest 5 runs of each test with its anchor: the first 10 runs of all, or of the
/// newest accepted level. Exits with 1 when one has drifted beyond its tolerance.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest drift
  cargo perftest drift --all                     those that stand too, however many
  cargo perftest drift frame::encode
  cargo perftest drift --json | jq -r 'select(.drifted) | .benchmark'")]
pub(crate) struct DriftArgs {
    /// The test: its whole name, else its end behind `::`, else a part of it, if only one test has that
    /// [default: all].
    pub(crate) test: Option<String>,

    /// List all tests: without it those that drifted, and others up to 20 rows.
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Print what makes measurements of this machine comparable: its testbed and what is behind it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest machine
  PERFTEST_TESTBED=ci-large cargo perftest machine
  cargo perftest machine --json | jq -r .testbed")]
pub(crate) struct MachineArgs {
    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Find out whether a test is slow by its code or by where the linker put it.
///
/// Builds the test's target with its functions in random orders, in a directory of its own, and
/// runs the test in each against its history. Nothing is recorded. Exits with 0 when the test is
/// fast in one of the orders, with 1 when it is slow in all, with 3 when that is not decided.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest relink frame::encode
  cargo perftest relink frame::encode --times 10")]
pub(crate) struct RelinkArgs {
    /// The test: its whole name, else its end behind `::`, else a part of it, if only one test has that.
    pub(crate) test: String,

    /// How many orders to try.
    #[arg(long, value_name = "ORDERS", default_value = "3")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) times: u32,

    /// Profile that the tests are built with.
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub(crate) profile: String,
}

/// Judge recorded runs again: how often would these settings have been red?
///
/// Splits the runs of each workload into a history and candidates, again and again, and judges the
/// candidates as a test would have been. On runs of unchanged code every red is a false one; with
/// --slowdown every red is a find. Nothing is measured and nothing is recorded.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest replay recordings
  cargo perftest replay recordings/busy.csv --slowdown 1.10
  cargo perftest replay ~/.local/state/perftest --tolerance 3% --json | jq .overall.red_rate")]
pub(crate) struct ReplayArgs {
    /// A recording (CSV), a directory of recordings, or the directory of a store.
    pub(crate) place: PathBuf,

    /// Make the candidates so much slower than they were recorded.
    #[arg(long, value_name = "FACTOR", default_value = "1.0", value_parser = factor)]
    pub(crate) slowdown: f64,

    /// Runs of history a decision has, where the recording has as many.
    #[arg(long, value_name = "RUNS", default_value = "30", value_parser = history_runs)]
    pub(crate) history_runs: usize,

    /// Most decisions a workload.
    #[arg(long, value_name = "COUNT", default_value = "1000", value_parser = at_least_one)]
    pub(crate) decisions: usize,

    /// Which decisions are drawn: the same seed draws the same.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Tolerance of the tests, such as 5% [default: that of the harness].
    #[arg(long, value_name = "SHARE", value_parser = tolerance)]
    pub(crate) tolerance: Option<Tolerance>,

    /// Time a test may measure, such as 500ms [default: that of the harness].
    #[arg(long, value_name = "TIME", value_parser = budget)]
    pub(crate) budget: Option<Duration>,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// How to answer.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputOptions {
    /// How to answer.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,

    /// Short for `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl OutputOptions {
    pub(crate) fn format(&self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { self.format }
    }
}

/// How to answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Aligned text for people.
    #[default]
    Table,
    /// JSON Lines for programs.
    Json,
}

/// Cargo hands its subcommand's own name on: `cargo-perftest perftest history`.
pub(crate) fn without_cargo(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.collect();
    if args.get(1).is_some_and(|first| first == "perftest") {
        args.remove(1);
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
