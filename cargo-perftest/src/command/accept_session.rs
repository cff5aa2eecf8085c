//! `cargo perftest accept --session last`: every red of the newest session at once.

use super::accept::{new_entry, tell_kept};
use crate::args::Accept as Args;
use crate::desk::Desk;
use crate::exit::Failure;
use crate::report::{Table, local_minute, ratio};
use crate::series::in_words;
use crate::unread::Unread;
use perftest_core::model::{BenchmarkId, BenchmarkPattern, Evidence, Reason, Run};
use std::collections::{BTreeMap, BTreeSet};

/// Runs to look through for the newest session, per test.
const LOOK_BACK: usize = 50;

pub(crate) fn run(args: &Args, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let (session, mut unread) = newest_session(args.testbed.as_deref(), desk)?;
    let reds: Vec<Red> = session.iter().filter_map(Red::of).collect();
    let when = session.iter().map(|run| run.started_ms).min().map_or("-".into(), local_minute);
    if reds.is_empty() {
        let tests: BTreeSet<&str> = session.iter().map(|run| run.benchmark.whole()).collect();
        let tests = tests.len();
        writeln!(
            desk.out,
            "nothing to accept: no test of {tests} was red in the session of {when}"
        )?;
        return unread.into_result();
    }
    table(&reds).write(desk.out)?;
    let bounds = unread.or_told(bounds(&reds))?;
    let Some(reason) = args.reason.as_ref().filter(|_| !args.dry_run) else {
        writeln!(desk.out, "nothing was changed (--dry-run)")?;
        return unread.into_result();
    };
    for (benchmark, max_ratio) in bounds {
        let pattern = BenchmarkPattern::from(benchmark);
        let entry = unread.or_told(new_entry(args, pattern, max_ratio, reason, desk))?;
        unread.or_told(desk.keep(&entry))?;
        tell_kept(&entry, desk)?;
    }
    unread.into_result()
}

/// The newest judged run of each series in the session of the newest run of all, as far as they can be read.
fn newest_session(testbed: Option<&str>, desk: &Desk<'_>) -> Result<(Vec<Run>, Unread), Failure> {
    let (all, mut unread) = desk.series_of(None)?;
    let mut judged = Vec::new();
    for series in all {
        if testbed.is_none_or(|testbed| series.testbed == testbed) {
            let runs = unread.or_added(desk.history(&series, LOOK_BACK))?.unwrap_or_default().runs;
            judged.push(runs.into_iter().filter(|run| run.evidence.is_some()).collect::<Vec<_>>());
        }
    }
    let newest = judged.iter().flatten().max_by_key(|run| run.started_ms);
    let Some(session) = newest.map(|run| run.session.clone()) else {
        let nothing = "no test has a verdict here yet; run them with `cargo test`, then ask again";
        return unread.or_told(Err(Failure::Usage(nothing.into())));
    };
    let last = |runs: Vec<Run>| runs.into_iter().rev().find(|run| run.session == session);
    Ok((judged.into_iter().filter_map(last).collect(), unread))
}

/// A red and the bound it asks for.
struct Red<'a> {
    run: &'a Run,
    ratio: f64,
    /// Its own upper bound, rounded up to whole percents; `None` where it has none.
    max_ratio: Option<f64>,
}

impl<'a> Red<'a> {
    fn of(run: &'a Run) -> Option<Self> {
        let is_red = |evidence: &&Evidence| evidence.reason == Reason::Red;
        let seen = run.evidence.as_ref().filter(is_red)?.degradation?;
        let bound = (100.0 * seen.upper).ceil() / 100.0;
        let max_ratio = Some(bound).filter(|bound| bound.is_finite() && *bound > 1.0);
        Some(Self { run, ratio: seen.estimate, max_ratio })
    }
}

fn table(reds: &[Red<'_>]) -> Table {
    let mut table = Table::new(&["test", "testbed", " slower", " accepted up to"]);
    for Red { run, ratio: slower, max_ratio } in reds {
        table.push([
            in_words(&run.benchmark, &run.metric),
            run.testbed.clone(),
            ratio(*slower),
            max_ratio.map_or("no upper bound".into(), ratio),
        ]);
    }
    table
}

/// The bound of each test: the widest, where it was red in more than one history.
fn bounds<'a>(reds: &[Red<'a>]) -> Result<BTreeMap<&'a BenchmarkId, f64>, Failure> {
    let mut bounds = BTreeMap::new();
    for Red { run, max_ratio, .. } in reds {
        let Some(max_ratio) = *max_ratio else {
            let test = &run.benchmark;
            return Err(Failure::Usage(format!(
                "{test} has no upper bound, so nothing was accepted; give it one, then accept the \
                 others: cargo perftest accept {test} --max-ratio RATIO --reason TEXT"
            )));
        };
        let bound: &mut f64 = bounds.entry(&run.benchmark).or_insert(max_ratio);
        *bound = bound.max(max_ratio);
    }
    Ok(bounds)
}
