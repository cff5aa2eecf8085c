//! `cargo perftest accept --session last`: every red of the newest session at once.

use super::accept_entry::AcceptanceWriter;
use crate::args::AcceptArgs as Args;
use crate::command_context::CommandContext;
use crate::exit::{Result, refuse};
use crate::reading::SessionView;
use crate::report::{Table, local_minute, ratio, write_line};
use crate::series::in_words;
use perftest_core::model::{
    Acceptance, BenchmarkId, BenchmarkPattern, Evidence, Interval, Reason, Run,
};
use perftest_core::words::{quoted, worse};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let session = newest_session(args.testbed.as_deref(), context)?;
    print_over_limit(&session, context)?;
    let reds: Vec<RedTest> = session.iter().filter_map(RedTest::of).collect();
    let when = session.iter().map(|run| run.started_ms).min().map_or("-".into(), local_minute);
    if reds.is_empty() {
        let tests: BTreeSet<&str> = session.iter().map(|run| run.benchmark.whole()).collect();
        let tests = tests.len();
        return Ok(writeln!(
            context.out,
            "nothing to accept: no test of {tests} was red in the session of {when}"
        )?);
    }
    table(&reds).write(context.out)?;
    let bounds = bounds(&reds)?;
    let Some(reason) = args.reason.as_ref().filter(|_| !args.dry_run) else {
        return Ok(writeln!(context.out, "nothing was changed (--dry-run)")?);
    };
    let mut writer = AcceptanceWriter::new(args, context)?;
    for (benchmark, max_ratio) in bounds {
        let pattern = BenchmarkPattern::from(benchmark);
        let entry = writer.entry(pattern, max_ratio, reason, context)?;
        let of_test = reds.iter().filter(|red| &red.run.benchmark == benchmark);
        let tests = of_test.map(|red| (&red.run.benchmark, red.run.testbed.as_str()));
        writer.print_replaced(&entry, tests, context)?;
        writer.keep(entry, context)?;
    }
    Ok(())
}

/// The newest judged run of each series in the session of the newest run of all, as far as they can be read.
pub(super) fn newest_session(
    testbed: Option<&str>,
    context: &CommandContext<'_>,
) -> Result<Vec<Run>> {
    let mut all = context.series_of(None)?;
    all.retain(|series| {
        testbed.is_none_or(|name| Acceptance::names_testbed(name, &series.testbed))
    });
    let session = SessionView::read(None, &all, context)?;
    if session.runs.is_empty() {
        return refuse(
            "no test has a verdict here yet; run them with `cargo test --release`, then ask again",
        );
    }
    Ok(session.runs.into_iter().map(|it| it.run).collect())
}

/// Names the tests over their limit, about which nothing can be accepted.
pub(super) fn print_over_limit(session: &[Run], context: &mut CommandContext<'_>) -> Result<()> {
    let is_over = |it: &Evidence| it.reason == Reason::OverLimit;
    let over = session.iter().filter(|run| run.evidence.as_ref().is_some_and(is_over));
    let names: BTreeSet<String> = over.map(|run| in_words(&run.benchmark, &run.metric)).collect();
    if names.is_empty() {
        return Ok(());
    }
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    let line = format_args!("over the limit, which no acceptance lifts: {names}");
    Ok(write_line(context.out, &line)?)
}

/// A red and the bound it asks for.
pub(super) struct RedTest<'a> {
    pub(super) run: &'a Run,
    seen: Interval,
    /// The bound of its acceptance; `None` where it has no upper bound.
    pub(super) max_ratio: Option<f64>,
}

impl<'a> RedTest<'a> {
    pub(super) fn of(run: &'a Run) -> Option<Self> {
        let is_red = |evidence: &&Evidence| evidence.reason == Reason::Red;
        let evidence = run.evidence.as_ref().filter(is_red)?;
        let max_ratio = evidence.suggested_max_ratio().filter(|bound| *bound > 1.0);
        Some(Self { run, seen: evidence.degradation?, max_ratio })
    }

    /// `1.25x slower, at most 1.27x`
    pub(super) fn in_words(&self) -> String {
        let worse = worse(&self.run.metric);
        let Interval { estimate, upper, .. } = self.seen;
        let bound = match upper.is_finite() {
            true => format!("at most {}", ratio(upper)),
            false => "and it has no upper bound".to_owned(),
        };
        format!("{} {worse}, {bound}", ratio(estimate))
    }
}

fn table(reds: &[RedTest<'_>]) -> Table {
    Table::of(reds)
        .column("test", |red| in_words(&red.run.benchmark, &red.run.metric))
        .column("testbed", |red| red.run.testbed.clone())
        .column(" slower", |red| ratio(red.seen.estimate))
        .column(" accepted up to", |red| red.max_ratio.map_or("no upper bound".into(), ratio))
        .narrowed(&["test"], &["testbed"])
}

/// The bound of each test: the widest, where it was red in more than one history.
fn bounds<'a>(reds: &[RedTest<'a>]) -> Result<BTreeMap<&'a BenchmarkId, f64>> {
    let mut bounds = BTreeMap::new();
    for RedTest { run, max_ratio, .. } in reds {
        let Some(max_ratio) = *max_ratio else {
            let test = &run.benchmark;
            return refuse(format!(
                "{test} has no upper bound, so nothing was accepted; give it one, then accept the \
                 others: cargo perftest accept {} --max-ratio RATIO --reason TEXT",
                quoted(test.as_str())
            ));
        };
        let bound: &mut f64 = bounds.entry(&run.benchmark).or_insert(max_ratio);
        *bound = bound.max(max_ratio);
    }
    Ok(bounds)
}
