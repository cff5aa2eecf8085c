//! `cargo perftest completions`: scripts that complete the command as it is typed.

use crate::args::Args;
use crate::exit::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

/// The name of the tool's own file, which cargo starts.
const TOOL: &str = "cargo-perftest";
/// The name of its function in bash. In a name with `-` the generator does not find its own subcommands.
const IN_BASH: &str = "cargo_perftest";

/// Writes what completes `cargo-perftest`, and what lets `cargo perftest` be completed so, too.
pub(crate) fn run(shell: Shell, out: &mut dyn Write) -> Result<()> {
    let mut script = Vec::new();
    let name = if shell == Shell::Bash { IN_BASH } else { TOOL };
    clap_complete::generate(shell, &mut Args::command(), name, &mut script);
    out.write_all(&script)?;
    Ok(out.write_all(as_typed(shell).as_bytes())?)
}

/// What goes through the completion of cargo; nothing for shells without one.
fn as_typed(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("../completions/as_typed.bash"),
        Shell::Zsh => include_str!("../completions/as_typed.zsh"),
        Shell::Fish => include_str!("../completions/as_typed.fish"),
        _ => "",
    }
}
