//! The command line of `cargo perftest stats bench`.

use super::numbers::{DisplayOptions, probability, threshold};
use clap::ValueEnum;
use perftest_analysis::thresholds::Assumption;
use std::path::PathBuf;

/// Results of other harnesses, as they printed them, side by side in the way of Go's benchstat.
///
/// One file is described; further ones are compared with the first, benchmark by benchmark.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Input: what `go test -bench . -count 10` prints, or libtest's bench lines of `cargo bench`, several runs
one after the other; or plain numbers of one benchmark, as the other questions take them.

Examples:
  cargo perftest stats bench new.txt
  cargo perftest stats bench old.txt new.txt
  cargo perftest stats bench old.txt new.txt --alpha 0.01 --minimum-effect 3% --json
  go test -bench . -count 10 | cargo perftest stats bench old.txt -")]
pub(crate) struct Bench {
    /// Files of results; `-` is what is piped in [default: that].
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Column of plain numbers: its name or its number from 1, or a key of JSON objects.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) column: Option<String>,

    /// A difference is told where its probability by chance is at most this.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.05, value_parser = probability)]
    pub(crate) alpha: f64,

    /// Probability that the interval of a centre holds it.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.95, value_parser = probability)]
    pub(crate) confidence: f64,

    /// What is taken for granted of the values.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) assume: Assume,

    /// Smaller differences are not told, however certain: a share (3%, 0.03) or a ratio (1.03).
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = threshold)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) minimum_effect: f64,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// What is taken for granted of values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Assume {
    /// Nothing: medians, compared by their ranks.
    #[default]
    #[value(alias = "nothing")]
    None,
    /// That they are normal: means, compared by Welch's t.
    Normal,
    /// That they have no noise: every difference counts.
    Exact,
}

impl From<Assume> for Assumption {
    fn from(assume: Assume) -> Self {
        match assume {
            Assume::None => Self::Nothing,
            Assume::Normal => Self::Normal,
            Assume::Exact => Self::Exact,
        }
    }
}
