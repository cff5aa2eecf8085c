//! The command lines of `cargo perftest profile` and `flamegraph`.

use super::BuildOptions;
use super::values::{at_least_one, budget};
use clap::ValueEnum;
use perftest_analysis::profile::ProfileFormat;
use perftest_process::protocol::{SampledClock, SamplingPlan};
use std::path::PathBuf;
use std::time::Duration;

/// Samples of a thread in a second, where nobody asks for more: they cost less than 1%.
const RATE: u32 = 199;

/// Show where the time of a program goes, or how two profiles differ.
///
/// `record` samples a test. The others read files that profilers wrote: folded stacks, the output of
/// `perf script`, or what gdb printed for `thread apply all bt`. `-` reads standard input.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest profile record frame::encode
  perf script | cargo perftest profile show -
  cargo perftest profile diff base.folded new.folded
  cargo perftest profile show new.perf --format folded > new.folded
  cargo perftest profile diff base.folded new.folded --json | jq -r 'select(.culprit) | .function'

Exit codes:
  0  the answer is printed, whatever it is
  2  a file cannot be read or is no profile, or a test cannot be sampled")]
pub(crate) struct ProfileArgs {
    #[command(subcommand)]
    pub(crate) question: ProfileQuestion,
}

/// What is asked about profiles.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ProfileQuestion {
    Record(ProfileRecordArgs),
    Show(ProfileShowArgs),
    Diff(ProfileDiffArgs),
}

/// Record where the time of a test goes.
///
/// Builds the test, runs it in a process of its own and takes samples of all its threads at random instants,
/// also of blocked ones. Nothing is measured meanwhile: verdicts and histories stay as they are. Writes folded
/// stacks and shows the functions with the largest shares. The outermost frame is the thread; below it are the
/// stage and the tag, if there are any. Works on Linux on x86-64 and AArch64.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest profile record frame::encode
  cargo perftest profile record frame::encode --cpu --time 30s --out encode.folded
  cargo perftest profile record frame::encode --json | jq -r 'select(.function) | .function'

Names of inlined functions need debug information in Cargo.toml:
  [profile.release]
  debug = \"limited\"

Exit codes:
  0  the profile is written
  2  the test cannot be built or sampled, or the file cannot be written")]
pub(crate) struct ProfileRecordArgs {
    /// Name of the test: the whole name, its end after `::`, or a part that only one test has.
    pub(crate) test: String,

    /// File to write.
    #[arg(long, value_name = "FILE", default_value = "profile.folded")]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    pub(crate) sampling: SamplingOptions,

    #[command(flatten)]
    pub(crate) rows: ProfileRows,

    /// Print JSON Lines for programs.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) build: BuildOptions,
}

/// How a test is sampled.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Sampling")]
pub(crate) struct SamplingOptions {
    /// Sample time on the wall, of running and of blocked threads. This is the default.
    #[arg(long, conflicts_with = "cpu")]
    wall: bool,

    /// Sample processor time.
    #[arg(long)]
    cpu: bool,

    /// Time with samples. Half as much again is needed without samples.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = budget)]
    time: Duration,

    /// Mean number of samples of a thread in a second.
    #[arg(long, value_name = "COUNT", default_value_t = RATE)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4000))]
    rate: u32,

    /// Only threads whose names begin with this. The thread of the test is `main`.
    #[arg(long, value_name = "PREFIX", default_value = "", hide_default_value = true)]
    threads: String,

    /// Only iterations that take at least so long: the mean of the batch, where one batch has several.
    #[arg(long, value_name = "TIME", value_parser = budget)]
    pub(crate) slower_than: Option<Duration>,

    /// Longest time without an answer of the sampled process before it is stopped.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = budget)]
    pub(crate) timeout: Duration,
}

impl SamplingOptions {
    /// Options for several tests, one after the other.
    pub(crate) fn of_several_tests() -> Self {
        let (time, timeout) = (Duration::from_secs(5), Duration::from_secs(60));
        Self {
            wall: true,
            cpu: false,
            time,
            rate: RATE,
            threads: String::new(),
            slower_than: None,
            timeout,
        }
    }

    /// The samples to take.
    pub(crate) fn plan(&self) -> SamplingPlan {
        let clock = if self.cpu { SampledClock::Cpu } else { SampledClock::Wall };
        let (rate_hz, time, threads) = (self.rate, self.time, self.threads.clone());
        SamplingPlan { clock, rate_hz, time, threads }
    }
}

/// Show the functions of a profile, or convert the profile.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest profile show new.folded
  cargo perftest profile show new.folded --slice worker- --by total
  perf script | cargo perftest profile show - --format folded > new.folded
  cargo perftest profile show new.folded --format speedscope > new.speedscope.json
  cargo perftest profile show new.folded --format svg > new.svg

Exit codes:
  0  the answer is printed, whatever it is
  2  the file cannot be read or is no profile")]
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
  cargo perftest profile diff base.folded new.folded --json | jq -r 'select(.culprit) | .function'

Exit codes:
  0  the answer is printed, whatever it is
  2  a file cannot be read or is no profile")]
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
/// Samples a test, or reads a file of a profiler. Writes one HTML file that needs no network. The width of a
/// frame is its share in the base profile, in the new one or in both; its colour is the change of the share, in
/// the whole or within its caller.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest flamegraph frame::encode --open
  cargo perftest flamegraph frame::encode --diff main --open    the working tree with main
  cargo perftest flamegraph frame::encode --diff last-good --open    after a red
  cargo perftest flamegraph frame::encode --diff 01KDVDNR00000000000000000S    as it was in that run
  cargo perftest flamegraph --base base.folded new.folded --out difference.html --open
  cargo perftest flamegraph new.folded --out new.html
  perf script | cargo perftest flamegraph - --out new.html

Exit codes:
  0  the page is written
  2  a file cannot be read or is no profile, a test cannot be sampled, or the page cannot be written")]
pub(crate) struct FlamegraphArgs {
    /// Name of a test to sample, or a file of any profiler whose output `cargo perftest profile` reads; `-` for
    /// standard input.
    #[arg(value_name = "TEST|FILE")]
    pub(crate) new: PathBuf,

    /// File with the profile to compare with.
    #[arg(long, value_name = "BASE")]
    pub(crate) base: Option<PathBuf>,

    /// Revision to sample, too, and to compare with: a branch, a tag or a commit; or `last-good`, the newest good
    /// build that the history keeps; or the id of a run, as `history TEST --json` prints it.
    #[arg(long, value_name = "REVISION", conflicts_with = "base")]
    pub(crate) diff: Option<String>,

    /// Page to write [default: perftest/flamegraph-TEST.html in the target directory].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Open the page in a browser.
    #[arg(long)]
    pub(crate) open: bool,

    #[command(flatten)]
    pub(crate) reading: ProfileReading,

    #[command(flatten)]
    pub(crate) sampling: SamplingOptions,

    #[command(flatten)]
    pub(crate) build: BuildOptions,
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
