//! The command line.

mod accept;
mod bisect;
mod check;
mod compare;
mod doctor;
mod export;
mod gc;
mod help;
mod import;
mod init;
mod merge;
pub(crate) mod numbers;
mod output;
pub(crate) mod profile;
pub(crate) mod reading;
mod remote;
mod replay;
mod report;
mod run;
pub(crate) mod series;
mod source;
pub(crate) mod stats;
mod testbeds;
mod values;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use values::at_least_one;

pub(crate) use accept::AcceptArgs;
pub(crate) use bisect::BisectArgs;
pub(crate) use check::CheckArgs;
pub(crate) use compare::{BuildOptions, CompareArgs, CompileOptions, OnUndecided, PairOptions};
pub(crate) use doctor::DoctorArgs;
pub(crate) use export::{CSV_HAS_HISTORIES, ExportArgs, ExportFile, ExportFormat};
pub(crate) use gc::GcArgs;
pub(crate) use help::parse;
pub(crate) use import::{CriterionBaselines, ImportArgs, ImportFormat};
pub(crate) use init::InitArgs;
pub(crate) use merge::MergeArgs;
pub(crate) use output::{AnswerFormat, AnswerOptions, OutputFormat, OutputOptions};
pub(crate) use remote::{
    ExchangeOptions, PullArgs, PushArgs, ScopeOptions, SetupRemoteArgs, SyncArgs,
};
pub(crate) use replay::ReplayArgs;
pub(crate) use report::ReportArgs;
pub(crate) use run::{RunArgs, Runner};
pub(crate) use source::SourceOptions;
pub(crate) use testbeds::{TestbedsArgs, TestbedsChange};
pub(crate) use values::{ratio, reason, value_name};

/// Show, compare and accept the results of performance tests.
#[derive(Debug, Parser)]
#[command(name = "cargo-perftest", bin_name = "cargo perftest", version, about)]
#[command(after_long_help = "\
Examples:
  cargo perftest init                    prepare a package for performance tests
  cargo perftest history                 every test of this project
  cargo perftest history encode          the runs of one test
  cargo perftest show encode             why its last verdict is what it is
  cargo perftest accept encode --max-ratio 1.27 --reason \"checksums are on now\"
  cargo perftest check                   alerts by the rules in perftest.toml, most severe first
  cargo perftest power                   the smallest slowdown each test can detect
  cargo perftest compare main            the working tree with main, side by side
  cargo perftest run --bootstrap=ab --base main    the tests, compared with main where there is no history
  cargo perftest bisect encode v1.2.0    the commit that made a test slower
  cargo perftest export junit --out perf.xml    results for other programs: JUnit, GitHub, Bencher ..
  cargo perftest drift                   slow drift in steps too small to be red
  cargo perftest changepoints            lasting changes of each test, with their commits
  cargo perftest rank --by dispersion    the noisiest tests
  cargo perftest import criterion target/criterion    results of other tools as history
  cargo perftest merge shard-*/.perftest    the stores of parallel CI jobs as one
  cargo perftest pull git:perftest-history    the runs of other machines; push sends those of this one
  cargo perftest testbeds                which machines there are, and which of them share a history
  cargo perftest gc --dry-run            how much smaller the store would be with summaries of old runs
  cargo perftest report --open           all of it as one HTML file
  cargo perftest doctor                  what disturbs measurements on this machine
  cargo perftest relink encode           whether the code is slow, or only its place in memory
  cargo perftest replay recordings       the false alarms of these settings on recorded runs
  cargo perftest stats summary times.txt    statistics of any numbers
  cargo perftest profile diff base.folded new.folded    the functions that grew
  cargo perftest flamegraph --base base.folded new.folded --open    the same as a flame graph
  cargo perftest flamegraph encode --diff main --open    where the time of a test went since main

Exit codes:
  0  done
  1  run, compare: a test is slower; check: an alert is open; drift: a test has drifted;
     accept --check: an acceptance is stale; relink: the code is slow; bisect: the bad commit is not slower
  2  the command cannot be answered as given
  3  relink, bisect, run, compare: not decided (run, compare: only with --undecided=fail or on_unclear)
  4  run: a test could not be judged or recorded, or did not run; check, in CI: there is no run to judge
  5  the history or a remote cannot be read or written
  6  doctor: the machine is unfit for performance tests now")]
pub(crate) struct Args {
    /// Directory of the history [default: PERFTEST_STORE, else the user's state directory].
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
    #[command(flatten)]
    OfHistory(HistoryCommand),
    Init(InitArgs),
    Run(RunArgs),
    Compare(CompareArgs),
    Bisect(BisectArgs),
    Merge(MergeArgs),
    SetupRemote(SetupRemoteArgs),
    Doctor(DoctorArgs),
    Machine(MachineArgs),
    Replay(ReplayArgs),
    Stats(stats::Stats),
    Profile(profile::ProfileArgs),
    Flamegraph(profile::FlamegraphArgs),
    /// Print a completion script for a shell: for `cargo perftest` as it is typed.
    #[command(after_help = "\
Examples:
  echo 'source <(cargo perftest completions bash)' >> ~/.bashrc
  echo 'source <(cargo perftest completions zsh)' >> ~/.zshrc      after compinit
  cargo perftest completions fish > ~/.config/fish/conf.d/cargo-perftest.fish

Exit codes:
  0  the script is printed
  2  the shell is not known
  5  the script cannot be written")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// A command over the history of this project.
#[derive(Debug, Subcommand)]
pub(crate) enum HistoryCommand {
    History(HistoryArgs),
    Show(ShowArgs),
    Accept(AcceptArgs),
    Export(ExportArgs),
    Check(CheckArgs),
    Power(PowerArgs),
    Drift(DriftArgs),
    Changepoints(reading::ChangepointsArgs),
    Rank(reading::RankArgs),
    Import(ImportArgs),
    Push(PushArgs),
    Pull(PullArgs),
    Sync(SyncArgs),
    Testbeds(TestbedsArgs),
    Gc(GcArgs),
    Report(ReportArgs),
    Relink(RelinkArgs),
}

impl HistoryCommand {
    /// Where the history is read; `None` for a command that may also write it.
    pub(crate) fn source(&self) -> Option<&SourceOptions> {
        match self {
            Self::History(HistoryArgs { source, .. })
            | Self::Show(ShowArgs { source, .. })
            | Self::Export(ExportArgs { source, .. })
            | Self::Check(CheckArgs { source, .. })
            | Self::Power(PowerArgs { source, .. })
            | Self::Drift(DriftArgs { source, .. })
            | Self::Changepoints(reading::ChangepointsArgs { source, .. })
            | Self::Rank(reading::RankArgs { source, .. })
            | Self::Report(ReportArgs { source, .. }) => Some(source),
            Self::Accept(_)
            | Self::Import(_)
            | Self::Push(_)
            | Self::Pull(_)
            | Self::Sync(_)
            | Self::Testbeds(_)
            | Self::Gc(_)
            | Self::Relink(_) => None,
        }
    }
}

/// List the tests of this project, or the runs of one test.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest history
  cargo perftest history frame::encode --limit 50
  cargo perftest history --errors        how often a red did not repeat on the same code
  cargo perftest history --format json | jq -r 'select(.verdict == \"red\") | .benchmark'

Exit codes:
  0  the answer is printed, whatever the verdicts are
  2  the test is not known
  5  the history cannot be read")]
pub(crate) struct HistoryArgs {
    /// Name of the test: the whole name, its end after `::`, or a part that only one test has.
    pub(crate) test: Option<String>,

    /// Count the false alarms: reds whose unchanged code was green later.
    #[arg(long)]
    pub(crate) errors: bool,

    /// Number of newest runs, per test.
    #[arg(long, default_value_t = 200, value_name = "RUNS", value_parser = at_least_one)]
    pub(crate) limit: usize,

    #[command(flatten)]
    pub(crate) source: SourceOptions,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Show the evidence of a test's last verdict, and what to do next.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest show frame::encode
  cargo perftest show frame::encode --format json

Exit codes:
  0  the evidence is printed, whatever the verdict is
  2  the test is not known, or has no verdict
  5  the history cannot be read")]
pub(crate) struct ShowArgs {
    /// Name of the test: the whole name, its end after `::`, or a part that only one test has.
    pub(crate) test: String,

    #[command(flatten)]
    pub(crate) source: SourceOptions,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Show the smallest slowdown each test can detect, least sensitive first.
///
/// Computes three figures from the baseline of each test: how much its runs differ, the smallest
/// slowdown it detects with 99%, and the false-alarm rate. With --replay it also counts them, by
/// re-evaluating recorded runs, unchanged and slowed down. Names a remedy for each test that does not
/// detect twice its tolerance. Measures and records nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest power
  cargo perftest power frame::encode
  cargo perftest power --replay                  re-evaluate recorded runs, too
  cargo perftest power --replay --decisions 1000 narrower bounds, with enough runs
  cargo perftest power --json | jq -r 'select(.detects_twice_its_tolerance == false) | .benchmark'

Exit codes:
  0  the answer is printed, whatever it is
  2  the test is not known
  5  the history cannot be read")]
pub(crate) struct PowerArgs {
    /// Name of the test: the whole name, its end after `::`, or a part that only one test has
    /// [default: all].
    pub(crate) test: Option<String>,

    /// Re-evaluate recorded runs, unchanged and slowed down; takes about half a second a test.
    #[arg(long)]
    pub(crate) replay: bool,

    /// Largest number of replayed decisions for each rate of a test.
    #[arg(long, value_name = "COUNT", default_value = "200", value_parser = at_least_one)]
    #[arg(requires = "replay")]
    pub(crate) decisions: usize,

    /// Seed of the drawn decisions.
    #[arg(long, default_value_t = 1, requires = "replay")]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) source: SourceOptions,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Show slow drift: tests that became slower in steps too small to be red.
///
/// Compares the newest 5 runs of each test with its anchor: the first 10 runs of its history, or of
/// the newest accepted level.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest drift
  cargo perftest drift --all                     tests without drift, too
  cargo perftest drift frame::encode
  cargo perftest drift --json | jq -r 'select(.drifted) | .benchmark'

Exit codes:
  0  no test has drifted
  1  a test has drifted beyond its tolerance
  2  the test is not known
  5  the history cannot be read")]
pub(crate) struct DriftArgs {
    /// Name of the test: the whole name, its end after `::`, or a part that only one test has
    /// [default: all].
    pub(crate) test: Option<String>,

    /// List all tests [default: those that drifted, and others up to 20 rows].
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) source: SourceOptions,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Print the testbed of this machine and the features it is made of.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest machine
  PERFTEST_TESTBED=ci-large cargo perftest machine
  cargo perftest machine --json | jq -r .testbed

Exit codes:
  0  the testbed is printed
  5  the answer cannot be written")]
pub(crate) struct MachineArgs {
    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Test whether a test is slow because of its code or because of its place in memory.
///
/// Builds the test's target with its functions in random orders, in a separate directory, and runs the
/// test in each order against its history. Records nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest relink frame::encode
  cargo perftest relink frame::encode --times 10
  cargo perftest relink frame::encode --features simd
  cargo perftest relink frame::encode --json | jq -r 'select(.event == \"relink\") | .answer'

Exit codes:
  0  the test is fast in one of the orders
  1  the test is slow in all orders: its code is slow
  2  the target cannot be built
  3  not decided
  5  the history cannot be read")]
pub(crate) struct RelinkArgs {
    /// Name of the test: the whole name, its end after `::`, or a part that only one test has.
    pub(crate) test: String,

    /// Number of orders to try.
    #[arg(long, value_name = "ORDERS", default_value = "3")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) times: u32,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,

    #[command(flatten)]
    pub(crate) compile: CompileOptions,
}

/// Removes the subcommand's name that cargo passes on: `cargo-perftest perftest history`.
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
