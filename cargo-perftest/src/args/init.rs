//! The command line of `cargo perftest init`.

use std::path::PathBuf;

/// Prepare a package for performance tests.
///
/// Adds the dependency and a test target to Cargo.toml, a first performance test, and the flag that
/// aligns functions to .cargo/config.toml of the workspace. If the workspace has .config/nextest.toml,
/// adds lines that let nextest run performance tests alone. Shows all changes and asks before writing.
/// Existing settings stay.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest init
  cargo perftest init --dry-run                 only show the changes
  cargo perftest init --yes -p my-codec         in a script, for a package of a workspace
  cargo perftest init --path ../perftest        with perftest from a checkout
  cargo perftest init --nextest

Exit codes:
  0  done
  2  nothing was changed: no answer and no --yes, no such package, or a file is taken or cannot be changed")]
pub(crate) struct InitArgs {
    /// Package [default: the one of this directory].
    #[arg(short, long, value_name = "NAME")]
    pub(crate) package: Option<String>,

    /// Name of the test target.
    #[arg(long, value_name = "NAME", default_value = "perf", value_parser = target_name)]
    pub(crate) test: String,

    /// Use perftest from this checkout instead of the registry. An absolute path works in `compare`, too.
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Option<PathBuf>,

    /// Configure nextest, even without an existing .config/nextest.toml.
    #[arg(long)]
    pub(crate) nextest: bool,

    /// Change the files without asking.
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// Show the changes without making them.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// The name of a file below `tests/`.
fn target_name(text: &str) -> Result<String, String> {
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '-';
    if !text.is_empty() && text.chars().all(is_name) {
        return Ok(text.to_owned());
    }
    Err("give a name of letters, digits, `_` and `-`, such as perf".into())
}
