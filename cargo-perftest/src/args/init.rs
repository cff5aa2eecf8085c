//! The command line of `cargo perftest init`.

use std::path::PathBuf;

/// Prepare a package for performance tests.
///
/// Writes the flag that aligns functions to .cargo/config.toml of the workspace, the dependency and a
/// test target to Cargo.toml, and a first performance test. Where the workspace has
/// .config/nextest.toml, adds the lines that let nextest run nothing beside performance tests. Shows
/// every change and asks before the first one. What is there already stays.
///
/// Exits with 2 when it can neither ask nor has --yes: nothing is changed then.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest init
  cargo perftest init --dry-run                 only show the changes
  cargo perftest init --yes -p my-codec         in a script, for a package of a workspace
  cargo perftest init --path ../perftest        with perftest from a checkout
  cargo perftest init --nextest")]
pub(crate) struct InitArgs {
    /// The package [default: the one of this directory].
    #[arg(short, long, value_name = "NAME")]
    pub(crate) package: Option<String>,

    /// The name of the test target.
    #[arg(long, value_name = "NAME", default_value = "perf", value_parser = target_name)]
    pub(crate) test: String,

    /// Take perftest from this checkout, not from the registry.
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Option<PathBuf>,

    /// Configure nextest, although there is no .config/nextest.toml yet.
    #[arg(long)]
    pub(crate) nextest: bool,

    /// Change the files without asking.
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// Show what would change, and change nothing.
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
