//! Output of a command whose answer also goes into a pull request.

use super::OutputFormat;
use clap::ValueEnum;

/// Options of the output.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportOptions {
    /// Format of the output.
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,

    /// Short for `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl ReportOptions {
    pub(crate) fn format(&self) -> ReportFormat {
        if self.json { ReportFormat::Json } else { self.format }
    }
}

/// Format of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Aligned text for people.
    #[default]
    Table,
    /// JSON Lines for programs.
    Json,
    /// Markdown for comments and job summaries.
    Markdown,
}

impl ReportFormat {
    /// The format of an answer that no pull request shows.
    pub(crate) fn plain(self) -> OutputFormat {
        match self {
            Self::Json => OutputFormat::Json,
            Self::Table | Self::Markdown => OutputFormat::Table,
        }
    }
}
