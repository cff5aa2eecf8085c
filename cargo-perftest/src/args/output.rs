//! Output of a command: a table or JSON.

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
