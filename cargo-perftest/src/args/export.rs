//! The command line of `cargo perftest export`.

use super::SourceOptions;
use super::values::value_name;
use clap::ValueEnum;
use std::path::PathBuf;

/// Write the results of a session in the format of another program.
///
/// Exports the newest verdict of each test in a session: one invocation of `cargo perftest run` or
/// nextest, or one test binary under `cargo test`. The exception is csv, which has the whole history.
/// Tests whose body failed, and those with `versus`, have no record and are not exported.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest export jsonl | jq -r 'select(.verdict == \"red\") | .benchmark'
  cargo perftest export junit --out perf.xml
  cargo perftest export github-summary >> \"$GITHUB_STEP_SUMMARY\"
  cargo perftest export gitlab --out metrics.txt
  cargo perftest export bmf --out bench.json && bencher run --adapter json --file bench.json
  cargo perftest export csv frame::encode --out history.csv
  cargo perftest export markdown --session 01KDVDNR00000000000000000S

docs/reference/formats.md describes each format.

Exit codes:
  0  exported, whatever the verdicts are
  2  the session or the test is not known
  5  the history cannot be read, or the file cannot be written")]
pub(crate) struct ExportArgs {
    /// Format of the export.
    #[arg(value_enum, value_name = "FORMAT")]
    pub(crate) format: ExportFormat,

    /// Only these tests: whole names, their ends after `::`, or parts that only one test has
    /// [default: all].
    #[arg(value_name = "TEST")]
    pub(crate) tests: Vec<String>,

    /// Session: `last`, or the id that `export jsonl` prints. Has no effect on csv.
    #[arg(long, value_name = "SESSION", default_value = "last")]
    pub(crate) session: String,

    /// File to write [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) source: SourceOptions,
}

/// Why a session has no file in one of the formats.
pub(crate) const CSV_HAS_HISTORIES: &str =
    "csv has whole histories: use `cargo perftest export csv` after the run";

/// A file to write in a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExportFile {
    pub(crate) format: ExportFormat,
    pub(crate) path: PathBuf,
}

/// A format of another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// JSON Lines: a session, then its verdicts.
    Jsonl,
    /// JUnit XML, for GitLab, Jenkins and others.
    Junit,
    /// Annotations of GitHub Actions.
    Github,
    /// Markdown for $GITHUB_STEP_SUMMARY, below 1 MiB.
    #[value(name = "github-summary")]
    GitHubSummary,
    /// The same Markdown.
    Markdown,
    /// Body of a comment on a pull request, with a hidden marker.
    Comment,
    /// Metrics report of GitLab: OpenMetrics text.
    Gitlab,
    /// Bencher Metric Format.
    Bmf,
    /// Skia Perf, ingest format 1.
    Skia,
    /// One row a commit, for Otava and spreadsheets.
    Csv,
    /// Bench lines of libtest.
    Libtest,
}

/// Parses `junit=perf.xml`.
pub(super) fn export_file(text: &str) -> Result<ExportFile, String> {
    let (format, path) = text
        .split_once('=')
        .filter(|(_, path)| !path.is_empty())
        .ok_or("give a format and a file, such as junit=perf.xml")?;
    match ExportFormat::from_str(format, false) {
        Ok(ExportFormat::Csv) => Err(CSV_HAS_HISTORIES.into()),
        Ok(format) => Ok(ExportFile { format, path: path.into() }),
        Err(_) => {
            let all = ExportFormat::value_variants().iter().filter(|it| **it != ExportFormat::Csv);
            let all: Vec<String> = all.map(|it| value_name(*it)).collect();
            Err(format!("there is no format `{format}`; there are {}", all.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_a_format_of_sessions_and_a_file() {
        let expected = ExportFile { format: ExportFormat::Junit, path: "out/a=b.xml".into() };
        assert_eq!(export_file("junit=out/a=b.xml"), Ok(expected));
        for (text, why) in [("junit", "and a file"), ("junit=", "and a file"), ("csv=a", "whole")] {
            assert!(export_file(text).is_err_and(|it| it.contains(why)), "{text}");
        }
        assert!(
            export_file("xml=a")
                .is_err_and(|it| it.contains("junit, github") && !it.contains("csv"))
        );
    }
}
