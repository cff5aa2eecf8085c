//! The command lines of `cargo perftest push`, `pull` and `sync`.

use super::OutputOptions;
use super::values::at_least_one;
use crate::remote::GivenAddress;

/// Send the new runs of this store to a place that many machines share.
///
/// Sends what was not sent before: runs, decisions, judgements and contexts of this project, never
/// executables. A run is there once, however often it is sent. What cannot be sent stays in this store for
/// the next push, and no verdict changes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest push git:perftest-history       a branch of the origin with nothing but history
  cargo perftest push dir:/mnt/performance       a shared disk, or a directory that the CI job saves
  cargo perftest push git:perftest-history --dry-run

Exit codes:
  0  sent
  2  the address is not valid
  5  the remote or this store cannot be used; what was not sent is sent the next time")]
pub(crate) struct PushArgs {
    #[command(flatten)]
    pub(crate) exchange: ExchangeOptions,
}

/// Add the runs of other machines to this store, from a place that many machines share.
///
/// Receives what a run on this machine needs: the histories of its testbed, and the decisions, rules and
/// contexts of the project. A testbed is a class of machines, so machines with another processor never mix.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest pull git:perftest-history       the histories of this machine's testbed
  cargo perftest pull git:perftest-history frame::encode
  cargo perftest pull git:perftest-history --newest 200    what the verdicts of a CI job need
  cargo perftest pull dir:/mnt/performance --all    all testbeds, for reports
  cargo perftest pull dir:/mnt/performance --json | jq .added
  cargo perftest pull dir:fork --all --show-only    of a fork: shown, and never compared with

Exit codes:
  0  received, or there is no history of this project yet
  2  the address is not valid
  5  the remote or this store cannot be used")]
pub(crate) struct PullArgs {
    #[command(flatten)]
    pub(crate) exchange: ExchangeOptions,

    #[command(flatten)]
    pub(crate) scope: ScopeOptions,

    /// Add runs for display only: under a testbed `show-only/..`, so that none of them enters a baseline,
    /// whatever it claims. Receives no decisions, rules and contexts.
    #[arg(long, conflicts_with = "newest")]
    pub(crate) show_only: bool,
}

/// Push, then pull.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest sync git:perftest-history
  cargo perftest sync dir:/mnt/performance --all --dry-run

Exit codes:
  0  sent and received
  2  the address is not valid
  5  the remote or this store cannot be used; what was not sent is sent the next time")]
pub(crate) struct SyncArgs {
    #[command(flatten)]
    pub(crate) exchange: ExchangeOptions,

    #[command(flatten)]
    pub(crate) scope: ScopeOptions,
}

/// Make the tables of a remote in a database.
///
/// Changes nothing where the tables are. A branch of git and a directory need none.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest setup-remote postgres://owner@db.example.org/perf
  cargo perftest setup-remote postgres://owner@db.example.org/perf --dry-run    print the statements
  cargo perftest setup-remote clickhouse+http://owner@db.example.org:8123/perf

Exit codes:
  0  the tables are there
  2  the address is not valid
  5  the database cannot be used")]
pub(crate) struct SetupRemoteArgs {
    /// `postgres://USER@HOST/DATABASE` or `clickhouse+http://USER@HOST:8123/DATABASE`.
    ///
    /// Needs a cargo-perftest that was installed with `--features postgres` or `--features clickhouse`.
    pub(crate) remote: GivenAddress,

    /// Print the statements, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// With whom records are exchanged, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct ExchangeOptions {
    /// `dir:PATH`, `git:BRANCH` of the remote `origin`, `postgres://USER@HOST/DATABASE`, or
    /// `clickhouse+http://USER@HOST:8123/DATABASE`.
    ///
    /// A database needs a cargo-perftest that was installed with `--features postgres` or `--features clickhouse`.
    pub(crate) remote: GivenAddress,

    /// Print how much would be exchanged, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Exchange what was exchanged before, too: for a store or a remote that lost records.
    #[arg(long)]
    pub(crate) again: bool,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Which histories are received.
#[derive(Debug, clap::Args)]
pub(crate) struct ScopeOptions {
    /// Parts of names of tests [default: all tests].
    #[arg(value_name = "TEST")]
    pub(crate) tests: Vec<String>,

    /// Histories of this testbed [default: that of this machine].
    #[arg(long, value_name = "NAME")]
    pub(crate) testbed: Option<String>,

    /// Histories of all testbeds.
    #[arg(long, conflicts_with = "testbed")]
    pub(crate) all: bool,

    /// Of each history that was never received only this many newest runs, and those from which slow drift is
    /// measured: at least 30, and more where few of them count for the baseline. Too few for `check`.
    #[arg(long, value_name = "RUNS", value_parser = at_least_one)]
    pub(crate) newest: Option<usize>,
}
