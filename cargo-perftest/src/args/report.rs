//! The command line of `cargo perftest report`.

use super::SourceOptions;
use super::values::at_least_one;
use std::path::PathBuf;

/// Write a report as one HTML file: every test with its history, last comparison and evidence.
///
/// The file loads nothing from anywhere, so it can be sent, kept as an artifact of a CI job, and opened
/// without a network. Where profiles are kept, it links flame graphs in a directory beside it, such as
/// perftest-report-profiles: send that, too. The file has a table of all tests that can be searched and sorted,
/// and a view of each test. Measures and records nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest report                          every test, into perftest-report.html
  cargo perftest report --open                   and show it
  cargo perftest report encode decode --out codec.html
  cargo perftest report --limit 1000             more of each history
  cargo perftest report --remote git:perftest-history    the runs of all machines
  cargo perftest report --out - | gzip > report.html.gz

Exit codes:
  0  the report is written
  2  no such test
  5  a history cannot be read (the report names it) or a remote, or the report cannot be written")]
pub(crate) struct ReportArgs {
    /// Names of the tests: each the whole name, its end after `::`, or a part that only one test has
    /// [default: all].
    #[arg(value_name = "TEST")]
    pub(crate) tests: Vec<String>,

    /// The file to write; `-` for standard output.
    #[arg(long, value_name = "FILE", default_value = "perftest-report.html")]
    pub(crate) out: PathBuf,

    /// Open the report in the browser.
    #[arg(long)]
    pub(crate) open: bool,

    /// Number of newest runs, per test.
    #[arg(long, default_value_t = 200, value_name = "RUNS", value_parser = at_least_one)]
    pub(crate) limit: usize,

    #[command(flatten)]
    pub(crate) source: SourceOptions,
}
