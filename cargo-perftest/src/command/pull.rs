//! `cargo perftest pull`: the runs of other machines for this store.

use crate::args::PullArgs as Args;
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::remote::{Exchange, PullScope};

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let scope = PullScope { is_show_only: args.show_only, ..PullScope::of(&args.scope) };
    let mut exchange = match args.show_only {
        true => Exchange::for_display(&args.exchange, context)?,
        false => Exchange::open(&args.exchange, context)?,
    };
    let pulled = exchange.pull(&scope)?;
    exchange.report(pulled, args.exchange.answer.format(), context)
}
