//! `cargo perftest pull`: the runs of other machines for this store.

use crate::args::PullArgs as Args;
use crate::command_context::CommandContext;
use crate::exit::CommandError;
use crate::remote::{Exchange, PullScope};

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<(), CommandError> {
    let mut exchange = Exchange::open(&args.exchange, context)?;
    let pulled = exchange.pull(&PullScope::of(&args.scope))?;
    exchange.report(pulled, args.exchange.answer.format(), context)
}
