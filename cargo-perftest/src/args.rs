//! The command line.

use clap::{Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// History, evidence and acceptance of performance tests, and the state of this machine.
#[derive(Debug, Parser)]
#[command(name = "cargo-perftest", bin_name = "cargo perftest", version, about)]
#[command(after_help = "\
Examples:
  cargo perftest history                 every test of this project
  cargo perftest history encode          the runs of one test
  cargo perftest show encode             why its last verdict is what it is
  cargo perftest accept encode --max-ratio 1.27 --reason \"checksums are on now\"
  cargo perftest doctor                  what disturbs measurements here
  cargo perftest relink encode           is it the code, or where the linker put it

Exit codes: 0 done, 1 relink: it is the code, 3 relink: not decided, 2 the question cannot be answered as put, 5 the history cannot be read or written,
6 the machine is unfit for performance tests now.")]
pub(crate) struct Args {
    /// Where the history is [default: PERFTEST_STORE, else the user's state directory].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,

    /// Draw with ASCII characters only.
    #[arg(long, global = true)]
    pub(crate) ascii: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    History(History),
    Show(Show),
    Accept(Accept),
    Doctor(Doctor),
    Machine(Machine),
    Relink(Relink),
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
  cargo perftest history --format json | jq -r 'select(.verdict == \"red\") | .benchmark'")]
pub(crate) struct History {
    /// The test: its whole name, or a part that only one test has.
    pub(crate) test: Option<String>,

    /// Newest runs to look at, per test.
    #[arg(long, default_value_t = 200, value_name = "RUNS", value_parser = at_least_one)]
    pub(crate) limit: usize,

    #[command(flatten)]
    pub(crate) answer: Answer,
}

/// Show what the last verdict of a test rests on, and what to do next.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest show frame::encode
  cargo perftest show frame::encode --format json")]
pub(crate) struct Show {
    /// The test: its whole name, or a part that only one test has.
    pub(crate) test: String,

    #[command(flatten)]
    pub(crate) answer: Answer,
}

/// Accept a slower level of a test, up to a bound.
///
/// Beyond the bound the test is red as before. Once enough runs of the new level are recorded,
/// they are the baseline.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest accept frame::encode --max-ratio 1.27 --reason \"checksums are on now\"
  cargo perftest accept frame::encode --max-ratio 1.5 --reason \"until the cache lands\" --until 30d
  cargo perftest accept --list
  cargo perftest accept --revoke 01KDVDNR000000000000000000")]
pub(crate) struct Accept {
    /// The test: its whole name, or a part that only one test has.
    #[arg(required_unless_present_any = ["list", "revoke"])]
    pub(crate) test: Option<String>,

    /// Largest accepted ratio to the level before, above 1.
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    #[arg(required_unless_present_any = ["list", "revoke"])]
    pub(crate) max_ratio: Option<f64>,

    /// Why, for those who read it later.
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    #[arg(required_unless_present_any = ["list", "revoke"])]
    pub(crate) reason: Option<String>,

    /// Last day (2027-01-31), or how long from now (30d) [default: while it stands].
    #[arg(long, value_name = "DAY")]
    pub(crate) until: Option<String>,

    /// Only on this testbed [default: on all].
    #[arg(long)]
    pub(crate) testbed: Option<String>,

    /// Say what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// List what is accepted.
    #[arg(long, conflicts_with_all = ["test", "max_ratio", "reason", "revoke", "dry_run"])]
    pub(crate) list: bool,

    /// Take an acceptance back.
    #[arg(long, value_name = "ID", conflicts_with_all = ["test", "max_ratio", "reason", "until"])]
    pub(crate) revoke: Option<String>,
}

/// Say what disturbs measurements on this machine, the worst first, and what to do about it.
///
/// Looks for half a second and changes no setting. Exits with 6 when no verdict can be expected
/// here now.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest doctor
  cargo perftest doctor --json | jq -r 'select(.severity == \"unfit\") | .fact'
  cargo perftest doctor --root before --after after    files of another machine, copied twice")]
pub(crate) struct Doctor {
    /// Profile that the tests are built with.
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub(crate) profile: String,

    /// Look at the files of another machine: a directory with its `proc` and `sys` (Linux).
    #[arg(long, value_name = "TREE")]
    pub(crate) root: Option<PathBuf>,

    /// The same files, copied later: what changed counts.
    #[arg(long, value_name = "TREE", requires = "root")]
    pub(crate) after: Option<PathBuf>,

    /// Seconds between the two copies.
    #[arg(long, value_name = "SECONDS", requires = "after", default_value = "4")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) apart: u32,

    #[command(flatten)]
    pub(crate) answer: Answer,
}

/// Print what makes measurements of this machine comparable: its testbed and what is behind it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest machine
  PERFTEST_TESTBED=ci-large cargo perftest machine
  cargo perftest machine --json | jq -r .testbed")]
pub(crate) struct Machine {
    #[command(flatten)]
    pub(crate) answer: Answer,
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
pub(crate) struct Relink {
    /// The test: its whole name, or a part that only one test has.
    pub(crate) test: String,

    /// How many orders to try.
    #[arg(long, value_name = "ORDERS", default_value = "3")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) times: u32,

    /// Profile that the tests are built with.
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub(crate) profile: String,
}

/// How to answer.
#[derive(Debug, clap::Args)]
pub(crate) struct Answer {
    /// How to answer.
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Short for `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Answer {
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// How to answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
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

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give a whole number of runs, at least 1".into()),
        Ok(limit) => Ok(limit),
    }
}

fn ratio(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('x').unwrap_or(text).parse::<f64>();
    let ratio = number.map_err(|_| "give a ratio such as 1.27".to_owned())?;
    if ratio.is_finite() && ratio > 1.0 {
        return Ok(ratio);
    }
    Err("a ratio above 1 accepts a slower level, such as 1.27 for 27 % slower".into())
}

fn reason(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("say why, for those who read it later".into()),
        reason => Ok(reason.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_ratio_is_above_one() {
        assert_eq!(ratio("1.27"), Ok(1.27));
        assert_eq!(ratio("1.27x"), Ok(1.27));
        for text in ["1", "0.9", "-2", "NaN", "inf", "27%", ""] {
            assert!(ratio(text).is_err(), "{text}");
        }
    }
}
