//! `cargo perftest sync`: push, then pull.

use crate::args::SyncArgs as Args;
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::remote::{Exchange, PullScope};

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let mut exchange = Exchange::open(&args.exchange, context)?;
    let format = args.exchange.answer.format();
    // A machine that may only read receives, too.
    let pushed = exchange.push().and_then(|it| exchange.report(it, format, context));
    let pulled = exchange.pull(&PullScope::of(&args.scope));
    let pulled = pulled.and_then(|it| exchange.report(it, format, context));
    pushed.and(pulled)
}
