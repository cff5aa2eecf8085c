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

use args::{Args, CliCommand, SourceOptions};
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
    let history = HistoryArgs { store: store.clone(), ascii };
    match command {
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
        CliCommand::Relink(args) => history.of_store(out, |it| command::relink::run(&args, it)),
        CliCommand::Accept(args) => history.of_store(out, |it| command::accept::run(&args, it)),
        CliCommand::Import(args) => history.of_store(out, |it| command::import::run(&args, it)),
        CliCommand::Push(args) => history.of_store(out, |it| command::remote::push(&args, it)),
        CliCommand::Pull(args) => history.of_store(out, |it| command::remote::pull(&args, it)),
        CliCommand::Sync(args) => history.of_store(out, |it| command::remote::sync(&args, it)),
        CliCommand::Gc(args) => history.of_store(out, |it| command::gc::run(&args, it)),
        CliCommand::Testbeds(args) => history.of_store(out, |it| command::testbeds::run(&args, it)),
        CliCommand::Check(args) => {
            history.of_source(&args.source, out, |it| command::check::run(&args, it))
        }
        CliCommand::Drift(args) => {
            history.of_source(&args.source, out, |it| command::drift::run(&args, it))
        }
        CliCommand::History(args) => {
            history.of_source(&args.source, out, |it| command::history::run(&args, it))
        }
        CliCommand::Changepoints(args) => {
            history.of_source(&args.source, out, |it| command::changepoints::run(&args, it))
        }
        CliCommand::Rank(args) => {
            history.of_source(&args.source, out, |it| command::rank::run(&args, it))
        }
        CliCommand::Report(args) => {
            history.of_source(&args.source, out, |it| command::report::run(&args, it))
        }
        CliCommand::Power(args) => {
            history.of_source(&args.source, out, |it| command::power::run(&args, it))
        }
        CliCommand::Export(args) => {
            history.of_source(&args.source, out, |it| command::export::run(&args, it))
        }
        CliCommand::Show(args) => {
            history.of_source(&args.source, out, |it| command::show::run(&args, it))
        }
    }
}

/// The exit code of a command without a history.
fn ended(end: Result<impl Termination>) -> Result<ExitCode> {
    end.map(Termination::report)
}

/// Where a command finds its history, and how it draws it.
struct HistoryArgs {
    store: Option<PathBuf>,
    ascii: bool,
}

impl HistoryArgs {
    /// Runs a command over the history of the store.
    fn of_store<E: Termination>(
        self,
        out: &mut dyn Write,
        run: impl FnOnce(&mut CommandContext<'_>) -> Result<E>,
    ) -> Result<ExitCode> {
        self.of_source(&SourceOptions::default(), out, run)
    }

    /// Runs a command that only reads over the history of the store, or of a remote.
    fn of_source<E: Termination>(
        self,
        source: &SourceOptions,
        out: &mut dyn Write,
        run: impl FnOnce(&mut CommandContext<'_>) -> Result<E>,
    ) -> Result<ExitCode> {
        let mut context = CommandContext::reading(self.store, source, self.ascii, out)?;
        let end = ended(run(&mut context));
        context.read_failures.end(end)
    }
}
