//! `cargo perftest push`, `pull` and `sync`: the runs of this store for other machines, and theirs for this store.
//! `cargo perftest setup-remote`: the tables of a remote in a database.

use crate::args::{PullArgs, PushArgs, SetupRemoteArgs, SyncArgs};
use crate::command_context::CommandContext;
use crate::exit::{CommandError, Result};
use crate::remote::{Exchange, PullScope, make_tables, tables};
use crate::report::report_errors;
use std::io::Write;

pub(crate) fn push(args: &PushArgs, context: &mut CommandContext<'_>) -> Result<()> {
    let mut exchange = Exchange::open(&args.exchange, &context.place, &context.project)?;
    let pushed = exchange.push()?;
    exchange.report(pushed, args.exchange.answer.format(), context.out)
}

pub(crate) fn pull(args: &PullArgs, context: &mut CommandContext<'_>) -> Result<()> {
    let scope = PullScope { is_show_only: args.show_only, ..PullScope::of(&args.scope) };
    let mut exchange = match args.show_only {
        true => Exchange::for_display(&args.exchange, &context.place, &context.project)?,
        false => Exchange::open(&args.exchange, &context.place, &context.project)?,
    };
    let pulled = exchange.pull(&scope)?;
    exchange.report(pulled, args.exchange.answer.format(), context.out)
}

/// Pushes, then pulls.
pub(crate) fn sync(args: &SyncArgs, context: &mut CommandContext<'_>) -> Result<()> {
    let mut exchange = Exchange::open(&args.exchange, &context.place, &context.project)?;
    let format = args.exchange.answer.format();
    // A machine that may only read receives, too.
    let pushed = exchange.push().and_then(|it| exchange.report(it, format, context.out));
    let pulled = exchange.pull(&PullScope::of(&args.scope));
    let pulled = pulled.and_then(|it| exchange.report(it, format, context.out));
    let mut errors: Vec<CommandError> = pushed.err().into_iter().chain(pulled.err()).collect();
    // What cannot be reached can be neither sent to nor received from, and who sends reads what became of the runs, too.
    errors.dedup_by(|of_pull, of_push| of_push.to_string().starts_with(&of_pull.to_string()));
    report_errors(errors)
}

pub(crate) fn set_up(args: &SetupRemoteArgs, out: &mut dyn Write) -> Result<()> {
    let address = args.remote.read()?;
    let Some(statements) = tables(&address)? else {
        return Ok(writeln!(out, "{address} needs no tables")?);
    };
    if args.dry_run {
        return Ok(write!(out, "{statements}")?);
    }
    make_tables(&address)?;
    Ok(writeln!(out, "the tables of {address} are there")?)
}
