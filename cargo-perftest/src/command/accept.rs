//! `cargo perftest accept`: a bounded permission to be slower.

use crate::args::Accept as Args;
use crate::desk::{Desk, told_of_damage};
use crate::exit::Failure;
use crate::report::{Table, deadline, local_minute};
use crate::series::of_test;
use perftest_core::model::{Acceptance, Reason, RunId};
use perftest_store::{Series, Store};
use std::hash::{BuildHasher, RandomState};

pub(crate) fn run(args: &Args, desk: &mut Desk<'_>) -> Result<(), Failure> {
    match &args.revoke {
        _ if args.list => list(desk),
        Some(id) => revoke(id, args.dry_run, desk),
        None => accept(args, desk),
    }
}

fn accept(args: &Args, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let (Some(test), Some(max_ratio), Some(reason)) = (&args.test, args.max_ratio, &args.reason)
    else {
        let missing = "name the test, --max-ratio and --reason; `--help` has examples";
        return Err(Failure::Usage(missing.into()));
    };
    let found = of_test(desk.series()?, test)?;
    let covered = on_testbed(&found, args.testbed.as_deref())?;
    let until = args.until.as_deref().map(|text| deadline(text, desk.now)).transpose();
    let acceptance = Acceptance {
        id: new_id(desk.now_ms()),
        benchmark: found[0].benchmark.clone(),
        testbed: args.testbed.clone().unwrap_or_default(),
        max_ratio,
        reason: reason.clone(),
        given_ms: desk.now_ms(),
        until_ms: until.map_err(Failure::Usage)?,
    };
    writeln!(desk.out, "{}", sentence(&acceptance))?;
    for series in covered {
        tell_last_verdict(series, max_ratio, desk)?;
    }
    if args.dry_run {
        writeln!(desk.out, "nothing was changed (--dry-run)")?;
        return Ok(());
    }
    refuse_read_only(desk)?;
    desk.store.accept(&acceptance)?;
    let id = &acceptance.id;
    writeln!(desk.out, "accepted as {id}; take it back with: cargo perftest accept --revoke {id}")?;
    Ok(())
}

fn on_testbed<'a>(found: &'a [Series], testbed: Option<&str>) -> Result<Vec<&'a Series>, Failure> {
    let wanted = |series: &&Series| testbed.is_none_or(|testbed| series.testbed == testbed);
    let covered: Vec<&Series> = found.iter().filter(wanted).collect();
    match testbed {
        Some(testbed) if covered.is_empty() => {
            let mut known: Vec<&str> = found.iter().map(|series| series.testbed.as_str()).collect();
            known.dedup();
            let known = known.join(", ");
            Err(Failure::Usage(format!("it never ran on testbed `{testbed}`, only on {known}")))
        }
        _ => Ok(covered),
    }
}

fn sentence(acceptance: &Acceptance) -> String {
    let Acceptance { benchmark, testbed, max_ratio, reason, until_ms, .. } = acceptance;
    let place = if testbed.is_empty() { "every testbed" } else { testbed };
    let until =
        until_ms.map_or("while it stands".into(), |ms| format!("until {}", local_minute(ms)));
    format!("{benchmark} on {place} may be up to {max_ratio}x its level before, {until}: {reason}")
}

/// Whether the bound is wide enough for what was seen last.
fn tell_last_verdict(series: &Series, max_ratio: f64, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let history = desk.history(series, 50)?;
    let evidence = history.newest_judged().and_then(|run| run.evidence.as_ref());
    let Some(evidence) = evidence.filter(|evidence| evidence.reason == Reason::Red) else {
        return Ok(());
    };
    let Some(seen) = evidence.degradation else {
        return Ok(());
    };
    let enough = if seen.estimate <= max_ratio { "covered" } else { "NOT covered by this bound" };
    writeln!(
        desk.out,
        "  last verdict on {}: red, {:.2}x: {enough}",
        series.testbed, seen.estimate
    )?;
    Ok(())
}

fn list(desk: &mut Desk<'_>) -> Result<(), Failure> {
    let entries = told_of_damage(desk.store.acceptances()?);
    if entries.is_empty() {
        writeln!(desk.out, "nothing is accepted in {}", desk.project.name)?;
        return Ok(());
    }
    let mut table = Table::new(&["id", "test", "testbed", " up to", "given", "until", "reason"]);
    for entry in entries {
        let over = entry.until_ms.is_some_and(|until_ms| until_ms <= desk.now_ms());
        let until = entry.until_ms.map_or("-".into(), local_minute);
        table.push([
            entry.id,
            entry.benchmark.to_string(),
            if entry.testbed.is_empty() { "all".into() } else { entry.testbed },
            format!("{}x", entry.max_ratio),
            local_minute(entry.given_ms),
            if over { format!("{until} (over)") } else { until },
            entry.reason,
        ]);
    }
    Ok(table.write(desk.out)?)
}

fn revoke(id: &str, dry_run: bool, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let entries = told_of_damage(desk.store.acceptances()?);
    let Some(entry) = entries.into_iter().find(|entry| entry.id == id) else {
        let unknown = "no acceptance has this id; `cargo perftest accept --list` shows them";
        return Err(Failure::Usage(unknown.into()));
    };
    if dry_run {
        writeln!(desk.out, "would no longer hold: {}", sentence(&entry))?;
        return Ok(());
    }
    refuse_read_only(desk)?;
    desk.store.revoke(id, desk.now_ms())?;
    writeln!(desk.out, "no longer holds: {}", sentence(&entry))?;
    Ok(())
}

fn refuse_read_only(desk: &Desk<'_>) -> Result<(), Failure> {
    if desk.read_only {
        let why = "PERFTEST_STORE is `read-only`, so nothing is written; unset it to accept";
        return Err(Failure::Usage(why.into()));
    }
    Ok(())
}

/// A ULID, like the ids of runs. The standard library seeds each of its hashers at random.
fn new_id(now_ms: u64) -> String {
    let half = || u128::from(RandomState::new().hash_one(now_ms));
    RunId::new(now_ms, half() << 64 | half()).as_str().to_owned()
}
