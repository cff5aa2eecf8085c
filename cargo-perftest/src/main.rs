//! `cargo perftest`: the history of performance tests, the evidence behind a verdict, and the
//! acceptance of a new level.
//!
//! The tool reads what test processes recorded. It measures nothing, and it never depends on the
//! harness.

mod args;
mod command;
mod desk;
mod exit;
mod place;
mod report;
mod series;

use args::{Args, Command};
use clap::{CommandFactory, Parser};
use desk::Desk;
use exit::Failure;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse_from(args::without_cargo(std::env::args_os()));
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            let style = anstyle::AnsiColor::Red.on_default().bold();
            // Where even this cannot be written, the code still says it.
            let _ = writeln!(anstream::stderr(), "{style}error:{style:#} {failure}");
            failure.code()
        }
    }
}

fn run(args: Args) -> Result<(), Failure> {
    if let Command::Completions { shell } = args.command {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Args::command(), "cargo-perftest", &mut script);
        io::stdout().write_all(&script)?;
        return Ok(());
    }
    let place = place::find(args.store)?;
    let mut out = anstream::stdout().lock();
    let mut desk = Desk::new(&place, args.ascii, &mut out)?;
    match args.command {
        Command::History(history) => command::history::run(&history, &mut desk),
        Command::Show(show) => command::show::run(&show, &mut desk),
        Command::Accept(accept) => command::accept::run(&accept, &mut desk),
        Command::Completions { .. } => Ok(()),
    }
}
