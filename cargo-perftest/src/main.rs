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
mod cargo_files;
mod closed_pipe;
mod color;
mod command;
mod command_context;
mod compare;
mod doctor;
mod ended_test;
mod exit;
mod export;
mod history_directory;
mod html;
mod import;
mod init;
mod live_view;
mod look;
mod opener;
mod outcome_file;
mod parallel;
mod process_watch;
mod profile;
mod profiler;
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
mod season;
mod series;
mod session_id;
mod shard;
mod stats;
mod test_past;
mod test_power;
mod test_run;
mod testbed;

use args::{Args, CliCommand};
use closed_pipe::UntilClosed;
use command_context::CommandContext;
use compare::CompareConclusion;
use exit::{CommandEnd, Result};
use std::env;
use std::io::Write;
use std::process::ExitCode;

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
    let Args { store, ascii, command } = args;
    let ascii = ascii || env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    let done = match command {
        CliCommand::Doctor(doctor) => {
            return command::doctor::run(&doctor, store, &mut out).map(CommandEnd::code);
        }
        CliCommand::Relink(relink) => {
            let mut context =
                CommandContext::new(history_directory::find(store)?, ascii, &mut out)?;
            return command::relink::run(&relink, &mut context).map(relink::RelinkConclusion::code);
        }
        CliCommand::Accept(accept) => {
            let mut context =
                CommandContext::new(history_directory::find(store)?, ascii, &mut out)?;
            return command::accept::run(&accept, &mut context).map(CommandEnd::code);
        }
        CliCommand::Check(check) => {
            let mut context = CommandContext::reading(store, &check.source, ascii, &mut out)?;
            return command::check::run(&check, &mut context).map(CommandEnd::code);
        }
        CliCommand::Compare(compare) => {
            let concluded = command::compare::run(&compare, store, &mut out)?;
            return Ok(concluded.map_or(ExitCode::SUCCESS, CompareConclusion::code));
        }
        CliCommand::Run(run) => {
            let ended = command::run::run(&run, store, ascii, &mut out);
            return ended.map(command::run::TestRunEnd::code);
        }
        CliCommand::Bisect(bisect) => return command::bisect::run(&bisect, store, &mut out),
        CliCommand::Drift(drift) => {
            let mut context = CommandContext::reading(store, &drift.source, ascii, &mut out)?;
            return command::drift::run(&drift, &mut context).map(CommandEnd::code);
        }
        CliCommand::Init(init) => command::init::run(&init, &mut out),
        CliCommand::Machine(machine) => command::machine::run(&machine, &mut out),
        CliCommand::Merge(merge) => command::merge::run(&merge, store, &mut out),
        CliCommand::Replay(replay) => command::replay::run(&replay, &mut out),
        CliCommand::Stats(stats) => command::stats::run(&stats, ascii, &mut out),
        CliCommand::Profile(profile) => command::profile::run(&profile, store, &mut out),
        CliCommand::Flamegraph(graph) => command::flamegraph::run(&graph, store, &mut out),
        CliCommand::Completions { shell } => command::completions::run(shell, &mut out),
        CliCommand::History(history) => command::history::run(
            &history,
            &mut CommandContext::reading(store, &history.source, ascii, &mut out)?,
        ),
        CliCommand::Changepoints(changepoints) => {
            let mut context =
                CommandContext::reading(store, &changepoints.source, ascii, &mut out)?;
            command::changepoints::run(&changepoints, &mut context)
        }
        CliCommand::Rank(rank) => command::rank::run(
            &rank,
            &mut CommandContext::reading(store, &rank.source, ascii, &mut out)?,
        ),
        CliCommand::Import(import) => command::import::run(
            &import,
            &mut CommandContext::new(history_directory::find(store)?, ascii, &mut out)?,
        ),
        CliCommand::Push(push) => command::push::run(
            &push,
            &mut CommandContext::new(history_directory::find(store)?, ascii, &mut out)?,
        ),
        CliCommand::Pull(pull) => command::pull::run(
            &pull,
            &mut CommandContext::new(history_directory::find(store)?, ascii, &mut out)?,
        ),
        CliCommand::Sync(sync) => command::sync::run(
            &sync,
            &mut CommandContext::new(history_directory::find(store)?, ascii, &mut out)?,
        ),
        CliCommand::Gc(gc) => command::gc::run(
            &gc,
            &mut CommandContext::new(history_directory::find(store)?, ascii, &mut out)?,
        ),
        CliCommand::Testbeds(testbeds) => command::testbeds::run(
            &testbeds,
            &mut CommandContext::new(history_directory::find(store)?, ascii, &mut out)?,
        ),
        CliCommand::SetupRemote(setup) => command::setup_remote::run(&setup, &mut out),
        CliCommand::Report(report) => command::report::run(
            &report,
            &mut CommandContext::reading(store, &report.source, ascii, &mut out)?,
        ),
        CliCommand::Power(power) => command::power::run(
            &power,
            &mut CommandContext::reading(store, &power.source, ascii, &mut out)?,
        ),
        CliCommand::Export(export) => command::export::run(
            &export,
            &mut CommandContext::reading(store, &export.source, ascii, &mut out)?,
        ),
        CliCommand::Show(show) => command::show::run(
            &show,
            &mut CommandContext::reading(store, &show.source, ascii, &mut out)?,
        ),
    };
    done.map(|()| CommandEnd::Done.code())
}
