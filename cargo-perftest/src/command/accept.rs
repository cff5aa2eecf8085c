//! `cargo perftest accept`: a bounded permission to be slower.

use super::{accept_list, accept_session};
use crate::acceptances::{Entry, Origin};
use crate::args::Accept as Args;
use crate::desk::Desk;
use crate::exit::{Ending, Failure};
use crate::report::{deadline, end_of, ratio, write_line};
use crate::series::in_words;
use crate::unread::Unread;
use perftest_core::model::{Acceptance, BenchmarkPattern, Outcome, RunId};
use perftest_store::{AcceptanceFile, Series};
use std::hash::{BuildHasher, RandomState};

pub(crate) fn run(args: &Args, desk: &mut Desk<'_>) -> Result<Ending, Failure> {
    if args.list {
        return accept_list::list(args.answer.format(), desk).map(|()| Ending::Done);
    }
    if args.check {
        return accept_list::check(args.answer.format(), desk);
    }
    match (&args.revoke, &args.session) {
        (Some(id), _) => revoke(id, args.dry_run, desk)?,
        (None, Some(_)) => accept_session::run(args, desk)?,
        (None, None) => accept(args, desk)?,
    }
    Ok(Ending::Done)
}

fn accept(args: &Args, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let (Some(test), Some(max_ratio), Some(reason)) = (&args.test, args.max_ratio, &args.reason)
    else {
        let missing = "name the test, --max-ratio and --reason; `--help` has examples";
        return Err(Failure::Usage(missing.into()));
    };
    let (spoken_of, mut unread) = spoken_of(test, desk)?;
    let Some((pattern, found)) = spoken_of else {
        return unread.into_result();
    };
    let covered = unread.or_told(on_testbed(&found, args.testbed.as_deref()))?;
    let entry = unread.or_told(new_entry(args, pattern, max_ratio, reason, desk))?;
    write_line(desk.out, &sentence(&entry.acceptance))?;
    for series in covered {
        let told = tell_last_verdict(series, max_ratio, desk);
        unread.or_added(told)?;
    }
    if args.dry_run {
        writeln!(desk.out, "nothing was changed (--dry-run)")?;
        return unread.into_result();
    }
    unread.or_told(desk.keep(&entry))?;
    tell_kept(&entry, desk)?;
    unread.into_result()
}

/// Tests that somebody speaks of, and their histories, of which there is at least one.
type SpokenOf = (BenchmarkPattern, Vec<Series>);

/// The tests with this name, this in their name, or this beginning before a `*`; `None` where their files
/// cannot be read.
fn spoken_of(test: &str, desk: &Desk<'_>) -> Result<(Option<SpokenOf>, Unread), Failure> {
    if !test.ends_with('*') {
        let (found, unread) = desk.chosen(Some(test))?;
        let name = found.first().map(|series| BenchmarkPattern::from(&series.benchmark));
        return Ok((name.map(|name| (name, found)), unread));
    }
    let (mut found, mut unread) = desk.series_of(None)?;
    let pattern = BenchmarkPattern::new(test);
    found.retain(|series| pattern.matches(&series.benchmark));
    if found.is_empty() {
        let why = format!("no test begins with `{test}`; `cargo perftest history` lists all");
        return unread.or_told(Err(Failure::Usage(why)));
    }
    Ok((Some((pattern, found)), unread))
}

/// An entry for these tests that was given now, with the rest as it was asked for.
pub(super) fn new_entry(
    args: &Args,
    benchmark: BenchmarkPattern,
    max_ratio: f64,
    reason: &str,
    desk: &Desk<'_>,
) -> Result<Entry, Failure> {
    let until = args.until.as_deref().map(|text| deadline(text, desk.now)).transpose();
    let acceptance = Acceptance {
        id: new_id(desk.now_ms()),
        benchmark,
        testbed: args.testbed.clone().unwrap_or_default(),
        max_ratio,
        reason: reason.to_owned(),
        given_ms: desk.now_ms(),
        until_ms: until.map_err(Failure::Usage)?,
    };
    let origin = if args.local { Origin::Machine } else { Origin::Code };
    Ok(Entry { acceptance, origin })
}

/// Says under which id an entry is kept, and what is left to do.
pub(super) fn tell_kept(entry: &Entry, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let id = &entry.acceptance.id;
    match entry.origin {
        Origin::Code => writeln!(
            desk.out,
            "accepted as {id} in {}: commit it with the change",
            AcceptanceFile::NAME
        )?,
        Origin::Machine => writeln!(desk.out, "accepted as {id} on this machine only")?,
    }
    writeln!(desk.out, "take it back with: cargo perftest accept --revoke {id}")?;
    Ok(())
}

fn on_testbed<'a>(found: &'a [Series], testbed: Option<&str>) -> Result<Vec<&'a Series>, Failure> {
    let wanted = |series: &&Series| testbed.is_none_or(|testbed| series.testbed == testbed);
    let covered: Vec<&Series> = found.iter().filter(wanted).collect();
    match testbed {
        Some(testbed) if covered.is_empty() => {
            let mut known: Vec<&str> = found.iter().map(|series| series.testbed.as_str()).collect();
            known.sort_unstable();
            known.dedup();
            let known = known.join(", ");
            Err(Failure::Usage(format!("it never ran on testbed `{testbed}`, only on {known}")))
        }
        _ => Ok(covered),
    }
}

fn sentence(acceptance: &Acceptance) -> String {
    let Acceptance { benchmark, testbed, max_ratio, reason, until_ms, .. } = acceptance;
    let place = if acceptance.holds_on_every_testbed() { "every testbed" } else { testbed };
    let until = until_ms.map_or("while it stands".into(), |ms| format!("until {}", end_of(ms)));
    format!("{benchmark} on {place} may be up to {max_ratio}x its level before, {until}: {reason}")
}

/// Whether the bound is wide enough for what failed last.
fn tell_last_verdict(series: &Series, max_ratio: f64, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let history = desk.history(series, 50)?;
    let evidence = history.newest_judged().and_then(|run| run.evidence.as_ref());
    let failed = evidence.filter(|evidence| evidence.reason.outcome() == Outcome::Failed);
    let Some(evidence) = failed else {
        return Ok(());
    };
    let Some(seen) = evidence.degradation else {
        return Ok(());
    };
    let enough = if seen.estimate <= max_ratio { "covered" } else { "NOT covered by this bound" };
    let name = in_words(&series.benchmark, &series.metric);
    let (reason, ratio) = (evidence.reason.name(), ratio(seen.estimate));
    let place = &series.testbed;
    let line = format_args!("  last verdict of {name} on {place}: {reason}, {ratio}: {enough}");
    Ok(write_line(desk.out, &line)?)
}

fn revoke(id: &str, dry_run: bool, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let Some(entry) = desk.acceptances()?.into_iter().find(|it| it.acceptance.id == id) else {
        let unknown = "no acceptance has this id; `cargo perftest accept --list` shows them";
        return Err(Failure::Usage(unknown.into()));
    };
    if dry_run {
        write_line(
            desk.out,
            &format_args!("would no longer hold: {}", sentence(&entry.acceptance)),
        )?;
        return Ok(());
    }
    desk.revoke(&entry)?;
    write_line(desk.out, &format_args!("no longer holds: {}", sentence(&entry.acceptance)))?;
    if entry.origin == Origin::Code {
        writeln!(desk.out, "its line is deleted from {}: commit that", AcceptanceFile::NAME)?;
    }
    Ok(())
}

/// A ULID, like the ids of runs. The standard library seeds each of its hashers at random.
pub(super) fn new_id(now_ms: u64) -> String {
    let half = || u128::from(RandomState::new().hash_one(now_ms));
    RunId::new(now_ms, half() << 64 | half()).as_str().to_owned()
}
