//! The command line of `cargo perftest import`.

use super::OutputOptions;
use crate::stats::time_ms;
use clap::ValueEnum;
use perftest_core::named;
use std::path::PathBuf;

/// Import the results of another benchmark tool as history.
///
/// Afterwards `history`, `changepoints`, `rank` and `check` work on them. Times become nanoseconds.
/// Importing the same results again adds nothing. Imported runs never count for the baseline of a
/// performance test. A file that cannot be read as a whole adds nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest import criterion target/criterion
  cargo bench 2>/dev/null | cargo perftest import divan -
  cargo perftest import hyperfine times.json --commit v1.2.0
  cargo perftest import go old.txt --at 2026-01-31T08:30Z --testbed ci-large
  cargo perftest import csv results.csv --dry-run
  cargo perftest changepoints --testbed imported

docs/reference/import.md describes the formats.

Exit codes:
  0  imported, or there already
  2  the file is not of this format, or is damaged; nothing was imported
  5  the history cannot be written")]
pub(crate) struct ImportArgs {
    /// Format of the results.
    #[arg(value_enum, value_name = "FORMAT")]
    pub(crate) results: ImportFormat,

    /// The file, `-` for standard input; for criterion the directory `target/criterion`.
    pub(crate) path: PathBuf,

    /// Testbed of the runs [default: `imported/FORMAT`, and the machine where the file names one].
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) testbed: Option<String>,

    /// Commit that was measured [default: from the file, else unknown].
    #[arg(long, value_name = "REVISION")]
    pub(crate) commit: Option<String>,

    /// Branch of the runs [default: from the file, else the default branch].
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) branch: Option<String>,

    /// Time of the runs: a date (2026-01-31T08:30Z), or a time since 1970 [default: from the file, else
    /// that of the commit, else that of the file].
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) at: Option<u64>,

    /// Show what would be imported, and import nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Which directories of a benchmark of criterion are imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CriterionBaselines {
    /// The run that ended last, and saved ones.
    All,
    /// The run that ended last.
    New,
}

impl ImportArgs {
    /// Saved baselines may be of other code than what `--commit` or `--at` names.
    pub(crate) fn criterion_baselines(&self) -> CriterionBaselines {
        if self.commit.is_some() || self.at.is_some() {
            CriterionBaselines::New
        } else {
            CriterionBaselines::All
        }
    }
}

named! {
    /// A format of results.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
    pub(crate) enum ImportFormat {
        /// The directory `target/criterion`.
        Criterion = "criterion",
        /// What divan prints.
        Divan = "divan",
        /// What `cargo bench` of the nightly toolchain prints.
        Libtest = "libtest",
        /// Bencher Metric Format, JSON.
        Bmf = "bmf",
        /// What `hyperfine --export-json` writes.
        Hyperfine = "hyperfine",
        /// What `--benchmark_format=json` of Google Benchmark prints.
        GoogleBenchmark = "google-benchmark",
        /// What `go test -bench` prints.
        Go = "go",
        /// A table with the columns `benchmark` and `value`.
        Csv = "csv",
    }
}

fn name(text: &str) -> Result<String, String> {
    match text.trim().is_empty() || text.contains(char::is_control) {
        true => Err("give a name of one line".into()),
        false => Ok(text.to_owned()),
    }
}

fn time(text: &str) -> Result<u64, String> {
    time_ms(text).ok_or_else(|| {
        "give a date such as 2026-01-31T08:30Z, or seconds or milliseconds since 1970, later than March 1973"
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_has_the_name_of_the_command_line() {
        for format in ImportFormat::value_variants() {
            let value = format.to_possible_value();
            assert_eq!(value.as_ref().map(|it| it.get_name()), Some(format.name()));
        }
    }

    #[test]
    fn a_time_is_a_date_or_since_1970() {
        let hours = 1_767_398_400_000;
        for text in ["2026-01-03", "2026-01-03T00:00Z", "1767398400", "1767398400000"] {
            assert_eq!(time(text), Ok(hours), "{text}");
        }
        for text in ["yesterday", "", "-5", "NaN", "2026-13-01"] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
