//! Output of a command: a table, JSON, or Markdown for a pull request.

use clap::ValueEnum;

/// Options of the output.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputOptions {
    /// Format of the output.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,

    /// Short for `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl OutputOptions {
    pub(crate) fn format(&self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { self.format }
    }
}

/// Format of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Aligned text for people.
    #[default]
    Table,
    /// JSON Lines for programs.
    Json,
}

/// Options of the output.
#[derive(Debug, clap::Args)]
pub(crate) struct AnswerOptions {
    /// Format of the output.
    #[arg(long, value_enum, default_value_t)]
    format: AnswerFormat,

    /// Short for `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl AnswerOptions {
    pub(crate) fn format(&self) -> AnswerFormat {
        if self.json { AnswerFormat::Json } else { self.format }
    }
}

/// Format of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerFormat {
    /// Aligned text for people.
    #[default]
    Table,
    /// JSON Lines for programs.
    Json,
    /// Markdown for comments and job summaries.
    Markdown,
}

impl AnswerFormat {
    /// The format of an answer that no pull request shows.
    pub(crate) fn plain(self) -> OutputFormat {
        match self {
            Self::Json => OutputFormat::Json,
            Self::Table | Self::Markdown => OutputFormat::Table,
        }
    }
}
