//! `cargo perftest`: the history of performance tests, the evidence behind a verdict, and the
//! acceptance of a new level.
//!
//! The tool reads the records of test processes, inspects the machine, and lets test processes of
//! two revisions measure side by side. It measures nothing itself, and it does not depend on the
//! harness.

mod acceptances;
mod alerts;
mod args;
mod bisect;
mod branches;
mod cargo;
mod cargo_environment;
mod cargo_files;
mod closed_pipe;
mod color;
mod command;
mod command_context;
mod compare;
mod directory_lock;
mod doctor;
mod ended_test;
mod exit;
mod export;
mod git_checkout;
mod grouped;
mod history_directory;
mod html;
mod import;
mod init;
mod live_view;
mod look;
mod opener;
mod outcome_file;
mod parallel;
mod power_table;
mod process_watch;
mod profile;
mod profiler;
mod project_directories;
mod rank;
mod read_failures;
mod reading;
mod record_reader;
mod relink;
mod remote;
mod replay;
mod report;
mod report_file;
mod rules;
mod run_plan;
mod scratch_file;
mod season;
mod series;
mod session_id;
mod shard;
mod stats;
mod target_platform;
mod test_past;
mod test_power;
mod test_run;
mod testbed;
mod whole_runs;

use args::{Args, CliCommand, HistoryCommand};
use closed_pipe::UntilClosed;
use command_context::CommandContext;
use exit::Result;
use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::process::{ExitCode, Termination};

fn main() -> ExitCode {
    let args = args::parse(args::without_cargo(env::args_os()));
    color::follow_cargo();
    report::find_out_width();
    match run(args) {
        Ok(code) => code,
        Err(failure) => {
            let style = anstyle::AnsiColor::Red.on_default().bold();
            // If even this cannot be written, the exit code still reports the error.
            let _ = writeln!(anstream::stderr(), "{style}error:{style:#} {failure}");
            failure.code()
        }
    }
}

fn run(args: Args) -> Result<ExitCode> {
    let mut out = UntilClosed::new(anstream::stdout());
    let out: &mut dyn Write = &mut out;
    let Args { store, ascii, command } = args;
    let ascii = ascii || env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    match command {
        CliCommand::OfHistory(command) => of_history(&command, store, ascii, out),
        CliCommand::Doctor(args) => ended(command::doctor::run(&args, store, out)),
        CliCommand::Compare(args) => ended(command::compare::run(&args, store, out)),
        CliCommand::Run(args) => ended(command::run::run(&args, store, ascii, out)),
        CliCommand::Bisect(args) => ended(command::bisect::run(&args, store, out)),
        CliCommand::Init(args) => ended(command::init::run(&args, out)),
        CliCommand::Machine(args) => ended(command::machine::run(&args, out)),
        CliCommand::Merge(args) => ended(command::merge::run(&args, store, out)),
        CliCommand::Replay(args) => ended(command::replay::run(&args, out)),
        CliCommand::Stats(args) => ended(command::stats::run(&args, ascii, out)),
        CliCommand::Profile(args) => ended(command::profile::run(&args, store, out)),
        CliCommand::Flamegraph(args) => ended(command::flamegraph::run(&args, store, out)),
        CliCommand::Completions { shell } => ended(command::completions::run(shell, out)),
        CliCommand::SetupRemote(args) => ended(command::remote::set_up(&args, out)),
    }
}

/// Runs a command over the history of the store, or of a remote that it only reads.
fn of_history(
    command: &HistoryCommand,
    store: Option<PathBuf>,
    ascii: bool,
    out: &mut dyn Write,
) -> Result<ExitCode> {
    let context = &mut CommandContext::reading(store, command.source(), ascii, out)?;
    let end = match command {
        HistoryCommand::Relink(args) => ended(command::relink::run(args, context)),
        HistoryCommand::Accept(args) => ended(command::accept::run(args, context)),
        HistoryCommand::Import(args) => ended(command::import::run(args, context)),
        HistoryCommand::Push(args) => ended(command::remote::push(args, context)),
        HistoryCommand::Pull(args) => ended(command::remote::pull(args, context)),
        HistoryCommand::Sync(args) => ended(command::remote::sync(args, context)),
        HistoryCommand::Gc(args) => ended(command::gc::run(args, context)),
        HistoryCommand::Testbeds(args) => ended(command::testbeds::run(args, context)),
        HistoryCommand::Check(args) => ended(command::check::run(args, context)),
        HistoryCommand::Drift(args) => ended(command::drift::run(args, context)),
        HistoryCommand::History(args) => ended(command::history::run(args, context)),
        HistoryCommand::Changepoints(args) => ended(command::changepoints::run(args, context)),
        HistoryCommand::Rank(args) => ended(command::rank::run(args, context)),
        HistoryCommand::Report(args) => ended(command::report::run(args, context)),
        HistoryCommand::Power(args) => ended(command::power::run(args, context)),
        HistoryCommand::Export(args) => ended(command::export::run(args, context)),
        HistoryCommand::Show(args) => ended(command::show::run(args, context)),
    };
    context.read_failures.end(end)
}

fn ended(end: Result<impl Termination>) -> Result<ExitCode> {
    end.map(Termination::report)
}
