//! `cargo perftest drift`: tests that drifted from their anchor.

use crate::args::{DriftArgs as Args, OutputFormat};
use crate::command_context::CommandContext;
use crate::exit::{CommandEnd, Result};
use crate::record_reader::RecordReader;
use crate::report::{
    LISTED, Table, local_minute, ratio, series_event, short_commit, write_json_lines,
};
use crate::series::name_of;
use perftest_core::judge::{Drift, Policy};
use perftest_core::model::{Acceptance, Anchor, BaselineRule, Lineage, Reason, Run};
use perftest_core::words::quantity;
use perftest_store::{PlannedRead, Query, Series, Which, load_anchor};
use serde_json::{Value, json};
use std::cmp::Ordering::Equal;
use std::io::{self, Write};

/// Number of newest baseline runs: as many as a test run loads.
const LOOK_BACK: usize = BaselineRule::LOADED_RUNS;

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<CommandEnd> {
    let accepted: Vec<Acceptance> =
        context.acceptances()?.into_iter().map(|entry| entry.acceptance).collect();
    let all = context.chosen(args.test.as_deref())?;
    let (shown, chosen): (Vec<_>, Vec<_>) = all.into_iter().partition(Series::is_show_only);
    let now_ms = context.now_ms();
    let reads = |it: &Series| [counted(it), it.query(1), anchor_of_all(it)].map(PlannedRead::Runs);
    context.announce(chosen.iter().flat_map(reads));
    let mut answers = context.map_histories(&chosen, |series, records| {
        DriftAnswer::of(series, &accepted, now_ms, records)
    })?;
    let most = if args.all { usize::MAX } else { LISTED };
    match args.answer.format() {
        OutputFormat::Json => {
            write_json_lines(context.out, answers.iter().map(DriftAnswer::as_json))?;
        }
        OutputFormat::Table if answers.is_empty() => context.print_nothing_to_judge(&shown)?,
        OutputFormat::Table => write_table(&mut answers, most, context.out)?,
    }
    let has_drifted = answers.iter().any(DriftAnswer::has_drifted);
    Ok(if has_drifted { CommandEnd::No } else { CommandEnd::Done })
}

/// Returns whether a history has drifted if these are its acceptances.
pub(super) fn has_drifted(
    series: &Series,
    accepted: &[Acceptance],
    context: &CommandContext<'_>,
) -> Result<bool> {
    let records = RecordReader::new(context.store.as_ref());
    let answer = DriftAnswer::of(series, accepted, context.now_ms(), &records)?;
    Ok(answer.has_drifted())
}

/// Selects the newest baseline runs.
fn counted(series: &Series) -> Query {
    Query { which: Which::CountedForBaseline, ..series.query(LOOK_BACK) }
}

/// Selects the anchor of a history without acceptances.
fn anchor_of_all(series: &Series) -> Query {
    Query { which: Which::FirstCountedForBaseline, ..series.query(Anchor::RUNS) }
}

/// The answer about one history.
struct DriftAnswer {
    series: Series,
    /// `None` while there are too few runs.
    drift: Option<Drift>,
    /// Number of baseline runs, counted up to what a drift needs.
    runs: usize,
    /// Whether the newest run is red and not accepted since: a drift leaves reds out.
    is_red_now: bool,
}

impl DriftAnswer {
    /// Runs that a drift needs.
    const NEEDED: usize = Anchor::RUNS + Drift::NEWEST_RUNS;

    fn of(
        series: &Series,
        accepted: &[Acceptance],
        now_ms: u64,
        records: &RecordReader<'_>,
    ) -> Result<Self> {
        let query_counted = counted(series);
        let mut history = records.readable(records.store.load(&query_counted)?);
        let series = series.clone();
        let Some(config) = history.newest().map(|run| run.config.clone()) else {
            return Ok(Self { series, drift: None, runs: 0, is_red_now: false });
        };
        history.runs.retain(|run| run.config == config);
        let query = Query { config: Some(config), ..query_counted };
        let covers = |entry: &Acceptance| series.is_covered_by(entry, now_ms);
        let covering: Vec<Acceptance> = accepted.iter().filter(|it| covers(it)).cloned().collect();
        // Damage was reported with the newest runs.
        let anchor = load_anchor(records.store, &query, &covering)?.value;
        let policy = history.newest_judged();
        let policy = policy.map_or_else(|| Policy::of(&series.metric), Policy::recorded);
        let drift = Drift::between(
            &anchor,
            &history,
            &Lineage::default(),
            series.metric.direction,
            &policy,
        );
        let runs = Run::count(&history.runs).min(Self::NEEDED);
        let is_accepted = |run: &Run| covering.iter().any(|it| it.given_ms >= run.started_ms);
        let newest = records.store.load(&series.query(1))?.value.runs.pop();
        let is_red = |run: &Run| run.evidence.as_ref().is_some_and(|it| it.reason == Reason::Red);
        let is_red_now = newest.is_some_and(|run| is_red(&run) && !is_accepted(&run));
        Ok(Self { series, drift, runs, is_red_now })
    }

    fn has_drifted(&self) -> bool {
        self.drift.as_ref().is_some_and(Drift::is_beyond_limit)
    }

    /// Orders drifted tests before others, and both by their distance from the anchor; tests
    /// without an answer come last.
    fn urgency(&self) -> (bool, f64) {
        let away = self.drift.as_ref().map_or(0.0, |drift| drift.degradation.estimate);
        (self.has_drifted(), away)
    }

    fn in_words(&self) -> String {
        match &self.drift {
            Some(drift) if drift.is_beyond_limit() => "drifted".into(),
            Some(_) if self.is_red_now => "red now".into(),
            Some(drift) if drift.degradation.estimate > drift.limit => "not proven".into(),
            Some(_) => "stands".into(),
            None if self.runs < Self::NEEDED => {
                format!("{} of {} comparable runs", self.runs, Self::NEEDED)
            }
            None => "too few runs since its anchor".into(),
        }
    }

    fn cell(&self, text: fn(&Drift, &str) -> String) -> String {
        self.drift.as_ref().map_or("-".into(), |drift| text(drift, &self.series.metric.unit))
    }

    fn as_json(&self) -> Value {
        let drift = self.drift.as_ref();
        let fields = json!({
            "unit": self.series.metric.unit,
            "anchor": drift.map(|it| it.before),
            "since_commit": drift.map(|it| &it.since_commit),
            "since_ms": drift.map(|it| it.since_ms),
            "value": drift.map(|it| it.now),
            "ratio": drift.map(|it| it.degradation.estimate),
            "ratio_lower": drift.map(|it| it.degradation.lower),
            "ratio_upper": drift.map(|it| it.degradation.upper),
            "limit": drift.map(|it| it.limit),
            "drifted": drift.map(Drift::is_beyond_limit),
            "red_now": self.is_red_now,
        });
        series_event("drift", &self.series, fields)
    }
}

/// Writes drifted tests, the farthest first, then others up to `most` rows, and the number of the
/// rest.
fn write_table(answers: &mut [DriftAnswer], most: usize, out: &mut dyn Write) -> io::Result<()> {
    answers.sort_by(|one, other| other.urgency().partial_cmp(&one.urgency()).unwrap_or(Equal));
    let drifted = answers.iter().filter(|answer| answer.has_drifted()).count();
    let listed = answers.len().min(drifted.max(most));
    let table = Table::of(&answers[..listed])
        .column("test", |it| name_of(&it.series))
        .column("testbed", |it| it.series.testbed.clone())
        .column(" anchor", |it| it.cell(|drift, unit| quantity(drift.before, unit)))
        .column("since", |it| {
            it.cell(|Drift { since_commit, since_ms, .. }, _| {
                format!("{} {}", short_commit(since_commit), local_minute(*since_ms))
            })
        })
        .column(" now", |it| it.cell(|drift, unit| quantity(drift.now, unit)))
        .column(" ratio", |it| {
            it.cell(|Drift { degradation: it, .. }, _| {
                format!("{:.2}x [{:.2}, {:.2}]", it.estimate, it.lower, it.upper)
            })
        })
        .column(" limit", |it| it.cell(|drift, _| ratio(drift.limit)))
        .column("answer", |it| it.in_words())
        .narrowed(&["test"], &["testbed", "since", "anchor", "now", "limit"]);
    table.write(out)?;
    match answers.len() - listed {
        0 => Ok(()),
        more => writeln!(out, "and {more} more, none of which drifted: --all lists them"),
    }
}
