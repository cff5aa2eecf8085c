//! New acceptances: how an entry is made, and what is printed of it.

use crate::acceptances::{AcceptanceEntry, AcceptanceOrigin};
use crate::args::AcceptArgs as Args;
use crate::command_context::CommandContext;
use crate::exit::CommandError;
use crate::report::deadline;
use perftest_core::model::{Acceptance, BenchmarkPattern, RunId};
use perftest_store::AcceptanceFile;
use std::hash::{BuildHasher, RandomState};

/// An entry for these tests that was given now, with the rest as it was asked for.
pub(super) fn new_entry(
    args: &Args,
    benchmark: BenchmarkPattern,
    max_ratio: f64,
    reason: &str,
    context: &CommandContext<'_>,
) -> Result<AcceptanceEntry, CommandError> {
    let until = args.until.as_deref().map(|text| deadline(text, context.now)).transpose();
    let acceptance = Acceptance {
        id: new_id(context.now_ms()),
        benchmark,
        testbed: args.testbed.clone().unwrap_or_default(),
        max_ratio,
        reason: reason.to_owned(),
        given_ms: context.now_ms(),
        until_ms: until.map_err(CommandError::Usage)?,
    };
    let origin = if args.local { AcceptanceOrigin::Machine } else { AcceptanceOrigin::Code };
    Ok(AcceptanceEntry { acceptance, origin })
}

/// Prints the id of an entry that is kept, and what is left to do.
pub(super) fn print_kept(
    entry: &AcceptanceEntry,
    context: &mut CommandContext<'_>,
) -> Result<(), CommandError> {
    let id = &entry.acceptance.id;
    match entry.origin {
        AcceptanceOrigin::Code => writeln!(
            context.out,
            "accepted as {id} in {}: commit it with the change",
            AcceptanceFile::NAME
        )?,
        AcceptanceOrigin::Machine => {
            writeln!(context.out, "accepted as {id} on this machine only")?
        }
    }
    writeln!(context.out, "take it back with: cargo perftest accept --revoke {id}")?;
    Ok(())
}

/// A ULID, like the ids of runs. The standard library seeds each of its hashers at random.
pub(super) fn new_id(now_ms: u64) -> String {
    let half = || u128::from(RandomState::new().hash_one(now_ms));
    RunId::new(now_ms, half() << 64 | half()).as_str().to_owned()
}
