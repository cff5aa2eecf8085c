//! `cargo perftest push`: the new runs of this store for other machines.

use crate::args::PushArgs as Args;
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::remote::Exchange;

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let mut exchange = Exchange::open(&args.exchange, context)?;
    let pushed = exchange.push()?;
    exchange.report(pushed, args.exchange.answer.format(), context)
}
