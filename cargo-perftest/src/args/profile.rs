//! The command lines of `cargo perftest profile` and `flamegraph`.

use super::values::at_least_one;
use clap::ValueEnum;
use perftest_analysis::profile::ProfileFormat;
use std::path::PathBuf;

/// Show where the time of a program goes, or how two profiles differ.
///
/// Reads files that profilers wrote: folded stacks, the output of `perf script`, or what gdb printed for
/// `thread apply all bt`. `-` reads standard input.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  perf script | cargo perftest profile show -
  cargo perftest profile diff base.folded new.folded
  cargo perftest profile show new.perf --format folded > new.folded
  cargo perftest profile diff base.folded new.folded --json | jq -r 'select(.culprit) | .function'

Exit codes:
  0  the answer is printed, whatever it is
  2  a file cannot be read or is no profile")]
pub(crate) struct ProfileArgs {
    #[command(subcommand)]
    pub(crate) question: ProfileQuestion,
}

/// What is asked about profiles.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ProfileQuestion {
    Show(ProfileShowArgs),
    Diff(ProfileDiffArgs),
}

/// Show the functions of a profile, or convert the profile.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest profile show new.folded
  cargo perftest profile show new.folded --slice worker- --by total
  perf script | cargo perftest profile show - --format folded > new.folded
  cargo perftest profile show new.folded --format speedscope > new.speedscope.json
  cargo perftest profile show new.folded --format svg > new.svg")]
pub(crate) struct ProfileShowArgs {
    /// File that a profiler wrote; `-` for standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: ProfileReading,

    #[command(flatten)]
    pub(crate) rows: ProfileRows,

    /// Format of the output.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ShowFormat,

    /// Short for `--format json`.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// Compare two profiles, function by function.
///
/// Each function is summed over all its callers. Shares of the whole profile are compared, so the profiles may
/// have different lengths. Functions that grew most are first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest profile diff base.folded new.folded
  cargo perftest profile diff base.folded new.folded --by total --top 50
  cargo perftest profile diff base.folded new.folded --format svg > difference.svg
  cargo perftest profile diff base.folded new.folded --json | jq -r 'select(.culprit) | .function'")]
pub(crate) struct ProfileDiffArgs {
    /// File with the profile before.
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,

    /// File with the profile after.
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,

    #[command(flatten)]
    pub(crate) reading: ProfileReading,

    #[command(flatten)]
    pub(crate) rows: ProfileRows,

    /// Format of the output.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DiffFormat,

    /// Short for `--format json`.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// Draw a flame graph of one profile, or of the difference of two.
///
/// Writes one HTML file that needs no network. The width of a frame is its share in the base profile, in the
/// new one or in both; its colour is the change of the share, in the whole or within its caller.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest flamegraph --base base.folded new.folded --out difference.html --open
  cargo perftest flamegraph new.folded --out new.html
  perf script | cargo perftest flamegraph - --out new.html

Exit codes:
  0  the page is written
  2  a file cannot be read or is no profile, or the page cannot be written")]
pub(crate) struct FlamegraphArgs {
    /// File with a profile, of any profiler whose output `cargo perftest profile` reads; `-` for standard input.
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,

    /// File with the profile to compare with.
    #[arg(long, value_name = "BASE")]
    pub(crate) base: Option<PathBuf>,

    /// Page to write.
    #[arg(long, value_name = "FILE", default_value = "flamegraph.html")]
    pub(crate) out: PathBuf,

    /// Open the page in a browser.
    #[arg(long)]
    pub(crate) open: bool,

    #[command(flatten)]
    pub(crate) reading: ProfileReading,
}

/// How files are read.
#[derive(Debug, clap::Args)]
pub(crate) struct ProfileReading {
    /// Format of the files [default: by their lines].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<FromFormat>,

    /// Only stacks whose outermost frame begins with this, such as the name of a thread.
    #[arg(long, value_name = "PREFIX")]
    pub(crate) slice: Option<String>,

    /// Weight of one sample, where a folded file counts nanoseconds or cycles [default: 1].
    #[arg(long, value_name = "WEIGHT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sample_weight: Option<u64>,
}

/// Which functions are listed.
#[derive(Debug, clap::Args)]
pub(crate) struct ProfileRows {
    /// Time that ranks the functions.
    #[arg(long, value_enum, value_name = "TIME", default_value_t)]
    pub(crate) by: RankedTime,

    /// Number of functions [default: 20 in a table, all as JSON].
    #[arg(long, value_name = "COUNT", value_parser = at_least_one)]
    pub(crate) top: Option<usize>,
}

/// A time of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankedTime {
    /// Of the function itself.
    #[default]
    Own,
    /// Of the function and all that it called.
    Total,
}

/// Format of a file with a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FromFormat {
    /// A stack and its weight a line.
    Folded,
    /// What `perf script` prints.
    Perf,
    /// What gdb prints for `thread apply all bt`.
    Gdb,
}

impl From<FromFormat> for ProfileFormat {
    fn from(format: FromFormat) -> Self {
        match format {
            FromFormat::Folded => Self::Folded,
            FromFormat::Perf => Self::PerfScript,
            FromFormat::Gdb => Self::Gdb,
        }
    }
}

/// Format of a shown profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// Table of functions.
    #[default]
    Table,
    /// JSON Lines for programs.
    Json,
    /// Folded stacks.
    Folded,
    /// JSON for speedscope.
    Speedscope,
    /// JSON for the Firefox profiler.
    Firefox,
    /// Flame graph as a picture.
    Svg,
}

/// Format of a difference.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// Table of functions.
    #[default]
    Table,
    /// JSON Lines for programs.
    Json,
    /// Flame graph of the difference as a picture.
    Svg,
}
