//! `cargo perftest`: the history of performance tests, the evidence behind a verdict, and the
//! acceptance of a new level.
//!
//! The tool reads what test processes recorded, looks at the machine, and lets test processes of two
//! revisions measure side by side. It measures nothing itself, and it never depends on the harness.

mod acceptances;
mod alerts;
mod args;
mod bisect;
mod branches;
mod cargo;
mod cargo_files;
mod closed_pipe;
mod command;
mod compare;
mod desk;
mod doctor;
mod exit;
mod guard;
mod init;
mod look;
mod outcome_file;
mod place;
mod rank;
mod reading;
mod relink;
mod replay;
mod report;
mod rules;
mod season;
mod series;
mod stats;
mod test_run;
mod testbed;
mod unread;

use args::{Args, Command};
use clap::{CommandFactory, Parser};
use closed_pipe::UntilClosed;
use compare::Conclusion;
use desk::Desk;
use exit::{Ending, Failure};
use std::env;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse_from(args::without_cargo(env::args_os()));
    match run(args) {
        Ok(code) => code,
        Err(failure) => {
            let style = anstyle::AnsiColor::Red.on_default().bold();
            // Where even this cannot be written, the code still says it.
            let _ = writeln!(anstream::stderr(), "{style}error:{style:#} {failure}");
            failure.code()
        }
    }
}

fn run(args: Args) -> Result<ExitCode, Failure> {
    let mut out = UntilClosed::new(anstream::stdout().lock());
    let Args { store, ascii, command } = args;
    let ascii = ascii || env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    let done = match command {
        Command::Doctor(doctor) => {
            return command::doctor::run(&doctor, store, &mut out).map(Ending::code);
        }
        Command::Relink(relink) => {
            let mut desk = Desk::new(place::find(store)?, ascii, &mut out)?;
            return command::relink::run(&relink, &mut desk).map(relink::Conclusion::code);
        }
        Command::Accept(accept) => {
            let mut desk = Desk::new(place::find(store)?, ascii, &mut out)?;
            return command::accept::run(&accept, &mut desk).map(Ending::code);
        }
        Command::Check(check) => {
            let mut desk = Desk::new(place::find(store)?, ascii, &mut out)?;
            return command::check::run(&check, &mut desk).map(Ending::code);
        }
        Command::Compare(compare) => {
            let concluded = command::compare::run(&compare, store, &mut out)?;
            return Ok(concluded.map_or(ExitCode::SUCCESS, Conclusion::code));
        }
        Command::Run(run) => {
            return command::run::run(&run, store, &mut out).map(command::run::Ending::code);
        }
        Command::Bisect(bisect) => return command::bisect::run(&bisect, &mut out),
        Command::Drift(drift) => {
            let mut desk = Desk::new(place::find(store)?, ascii, &mut out)?;
            return command::drift::run(&drift, &mut desk).map(Ending::code);
        }
        Command::Init(init) => command::init::run(&init, &mut out),
        Command::Machine(machine) => command::machine::run(&machine, &mut out),
        Command::Replay(replay) => command::replay::run(&replay, &mut out),
        Command::Stats(stats) => command::stats::run(&stats, ascii, &mut out),
        Command::Completions { shell } => completions(shell, &mut out),
        Command::History(history) => {
            command::history::run(&history, &mut Desk::new(place::find(store)?, ascii, &mut out)?)
        }
        Command::Changepoints(changepoints) => {
            let mut desk = Desk::new(place::find(store)?, ascii, &mut out)?;
            command::changepoints::run(&changepoints, &mut desk)
        }
        Command::Rank(rank) => {
            command::rank::run(&rank, &mut Desk::new(place::find(store)?, ascii, &mut out)?)
        }
        Command::Power(power) => {
            command::power::run(&power, &mut Desk::new(place::find(store)?, ascii, &mut out)?)
        }
        Command::Show(show) => {
            command::show::run(&show, &mut Desk::new(place::find(store)?, ascii, &mut out)?)
        }
    };
    done.map(|()| Ending::Done.code())
}

fn completions(shell: clap_complete::Shell, out: &mut dyn Write) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "cargo-perftest", &mut script);
    Ok(out.write_all(&script)?)
}
