//! New acceptances: how an entry is made, and what is printed of it.

use crate::acceptances::{AcceptanceEntry, AcceptanceOrigin};
use crate::args::AcceptArgs as Args;
use crate::command_context::CommandContext;
use crate::exit::{CommandError, Result};
use crate::report::{deadline, end_of, write_line};
use perftest_core::model::{Acceptance, BenchmarkId, BenchmarkPattern, RunId};
use perftest_store::AcceptanceFile;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};

/// The acceptances so far, to which new ones are added.
pub(super) struct AcceptanceWriter<'a> {
    args: &'a Args,
    /// The oldest first.
    known: Vec<AcceptanceEntry>,
}

impl<'a> AcceptanceWriter<'a> {
    /// Reads the acceptances.
    pub(super) fn new(args: &'a Args, context: &CommandContext<'_>) -> Result<Self> {
        Ok(Self { args, known: context.acceptances()? })
    }

    /// An entry for these tests that is given now, with the rest as it was asked for. Its time is later than that of all
    /// others, though a colleague's clock may be ahead: of several that cover a test the latest counts.
    pub(super) fn entry(
        &self,
        benchmark: BenchmarkPattern,
        max_ratio: f64,
        reason: &str,
        context: &CommandContext<'_>,
    ) -> Result<AcceptanceEntry> {
        let args = self.args;
        let until = args.until.as_deref().map(|text| deadline(text, context.now)).transpose();
        let newest_ms = self.known.last().map_or(0, |it| it.acceptance.given_ms);
        let given_ms = context.now_ms().max(newest_ms.saturating_add(1));
        let acceptance = Acceptance {
            id: new_id(given_ms),
            benchmark,
            testbed: args.testbed.clone().unwrap_or_default(),
            max_ratio,
            reason: reason.to_owned(),
            given_ms,
            until_ms: until.map_err(CommandError::Usage)?,
        };
        let origin = if args.local { AcceptanceOrigin::Machine } else { AcceptanceOrigin::Code };
        Ok(AcceptanceEntry { acceptance, origin })
    }

    /// Prints the acceptances that applied to these tests on their testbeds until now. Of several that cover a
    /// test the newest applies.
    pub(super) fn print_replaced<'t>(
        &self,
        entry: &AcceptanceEntry,
        tests: impl Iterator<Item = (&'t BenchmarkId, &'t str)>,
        context: &mut CommandContext<'_>,
    ) -> Result<()> {
        let now_ms = context.now_ms();
        let mut printed = BTreeSet::new();
        for (benchmark, testbed) in tests {
            let covers = |it: &&AcceptanceEntry| it.acceptance.covers(benchmark, testbed, now_ms);
            let Some(applied) = self.known.iter().rfind(covers).map(|it| &it.acceptance) else {
                continue;
            };
            if !printed.insert(&applied.id) {
                continue;
            }
            let is_of_others = applied.benchmark != entry.acceptance.benchmark;
            let tests = is_of_others.then(|| format!(" for {}", entry.acceptance.benchmark));
            let (id, tests) = (&applied.id, tests.unwrap_or_default());
            write_line(
                context.out,
                &format_args!("  replaces {id}{tests}: {}", sentence(applied)),
            )?;
        }
        Ok(())
    }

    /// Stores an entry, and prints its id and what is left to do.
    pub(super) fn keep(
        &mut self,
        entry: AcceptanceEntry,
        context: &mut CommandContext<'_>,
    ) -> Result<()> {
        context.keep(&entry)?;
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
        self.known.push(entry);
        Ok(())
    }
}

/// An acceptance in one sentence.
pub(super) fn sentence(acceptance: &Acceptance) -> String {
    let Acceptance { benchmark, testbed, max_ratio, reason, until_ms, .. } = acceptance;
    let place = if acceptance.holds_on_every_testbed() { "every testbed" } else { testbed };
    let until = until_ms.map_or("while it stands".into(), |ms| format!("until {}", end_of(ms)));
    format!("{benchmark} on {place} may be up to {max_ratio}x its level before, {until}: {reason}")
}

/// A ULID, like the ids of runs. The standard library seeds each of its hashers at random.
pub(super) fn new_id(now_ms: u64) -> String {
    let half = || u128::from(RandomState::new().hash_one(now_ms));
    RunId::new(now_ms, half() << 64 | half()).as_str().to_owned()
}
