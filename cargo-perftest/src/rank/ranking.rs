//! Table and JSON of ranked tests.

use super::{RankValue, UnrankedReason};
use crate::args::reading::{RankArgs as Args, RankBy};
use crate::reading::notes::{lacking, other_units, removed_season, some_of};
use crate::reading::{ExcludedRuns, RemovedSeason, Stretch};
use crate::report::{LISTED, Table, counted, extend, write_line};
use crate::series::in_words;
use perftest_core::model::Run;
use perftest_store::Series;
use serde_json::{Value, json};
use std::io::{self, Write};

/// One test with its value by the measure.
#[derive(Debug)]
pub(crate) struct RankedTest {
    series: Series,
    branch: Option<String>,
    /// The default branch, if it has too few runs and the runs of all branches were used.
    lacking: Option<String>,
    runs: usize,
    left_out: ExcludedRuns,
    removed_season: RemovedSeason,
    measured: Result<RankValue, UnrankedReason>,
}

impl RankedTest {
    pub(crate) fn of(stretch: &Stretch<'_>, by: RankBy) -> Self {
        Self {
            series: stretch.series.clone(),
            branch: stretch.branch.clone(),
            lacking: stretch.lacking.clone(),
            runs: Run::count(stretch.runs.iter().copied()),
            left_out: stretch.left_out.clone(),
            removed_season: stretch.removed_season.clone(),
            measured: by.measure(stretch),
        }
    }

    fn is_listed(&self, args: &Args) -> bool {
        let effect = self.measured.as_ref().ok().and_then(|measured| measured.effect);
        effect.is_none_or(|effect| args.effects.has(effect))
    }
}

/// All listed tests.
struct Ranking<'a> {
    /// The tests in their order.
    ranks: Vec<(&'a RankedTest, &'a RankValue)>,
    unranked: Vec<(&'a RankedTest, &'a UnrankedReason)>,
}

impl<'a> Ranking<'a> {
    fn of(ranking: &'a [RankedTest], args: &Args) -> Self {
        let mut it = Self { ranks: Vec::new(), unranked: Vec::new() };
        for ranked in ranking.iter().filter(|ranked| ranked.is_listed(args)) {
            match &ranked.measured {
                Ok(measured) => it.ranks.push((ranked, measured)),
                Err(why) => it.unranked.push((ranked, why)),
            }
        }
        it.ranks.sort_by(|(_, one), (_, other)| {
            let firsts = other.key.0.total_cmp(&one.key.0);
            firsts.then_with(|| other.key.1.total_cmp(&one.key.1))
        });
        it
    }
}

/// Writes a row for each test in order.
pub(crate) fn write_ranking(
    ranking: &[RankedTest],
    args: &Args,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Ranking { ranks, unranked } = Ranking::of(ranking, args);
    let listed = args.top.unwrap_or(if args.all { usize::MAX } else { LISTED });
    if !ranks.is_empty() {
        let table =
            Table::new(&[" ", "test", "testbed", "metric", value_heading(args.by), "of what"]);
        let mut table = table.narrowed(&["test", "of what"], &["metric", "testbed", "of what"]);
        for (place, (ranked, measured)) in (1_usize..).zip(ranks.iter().take(listed)) {
            let series = &ranked.series;
            table.push([
                place.to_string(),
                series.benchmark.to_string(),
                series.testbed.clone(),
                series.metric.name.clone(),
                measured.value.clone(),
                measured.detail.clone(),
            ]);
        }
        table.write(out)?;
        writeln!(out)?;
        if ranks.len() > listed {
            writeln!(out, "and {} more: --all lists them", ranks.len() - listed)?;
        }
        writeln!(out, "{}: {}", args.by.name(), args.by.legend())?;
    }
    write_unranked(&unranked, out)?;
    let others = ranking.len() - ranks.len() - unranked.len();
    if others > 0 {
        writeln!(out, "left out: {} of the other kind", counted(others, "test"))?;
    }
    let ranked = ranks.iter().map(|(ranked, _)| ranked.lacking.as_deref());
    let mut notes: Vec<String> = lacking(ranked).into_iter().collect();
    notes.extend(removed_season(ranking.iter().map(|it| (&it.series, &it.removed_season))));
    if let [only] = ranking {
        notes.extend(only.left_out.in_words());
    }
    notes.extend(other_units(ranking.iter().map(|it| (&it.series, &it.left_out))));
    notes.iter().try_for_each(|note| write_line(out, &format_args!("note: {note}")))
}

fn value_heading(by: RankBy) -> &'static str {
    match by {
        RankBy::Change => " ratio",
        RankBy::Dispersion => " dispersion",
        RankBy::Modality => " modality",
        RankBy::P95 => " p95",
        RankBy::P99 => " p99",
        RankBy::Extremes => " worst",
        RankBy::Trend => " trend",
    }
}

/// Lists tests without a rank, by reason.
fn write_unranked(
    unranked: &[(&RankedTest, &UnrankedReason)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = |ranked: &RankedTest| in_words(&ranked.series.benchmark, &ranked.series.metric);
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for (ranked, why) in unranked {
        let (reason, name) = match why {
            UnrankedReason::TooFew { have, needed, of } => {
                ("too few values to judge", format!("{} ({have} of {needed} {of})", name(ranked)))
            }
            UnrankedReason::Nothing(why) | UnrankedReason::Undefined(why) => (*why, name(ranked)),
        };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    for (reason, names) in reasons {
        write_line(out, &format_args!("{reason}: {}", some_of(names).join(", ")))?;
    }
    Ok(())
}

/// One object for each test; tests without a rank come last.
pub(crate) fn ranking_as_json(ranking: &[RankedTest], args: &Args) -> Vec<Value> {
    let Ranking { ranks, unranked } = Ranking::of(ranking, args);
    let listed = args.top.unwrap_or(usize::MAX);
    let ranks = (1_usize..).zip(ranks).take(listed).map(|(place, (ranked, measured))| {
        let mut value = ranked_as_json(ranked, args.by);
        let effect = measured.effect.map(|effect| effect.name());
        extend(&mut value, json!({ "place": place, "effect": effect, "why": null }));
        extend(&mut value, measured.json.clone());
        value
    });
    let unranked = unranked.into_iter().map(|(ranked, why)| {
        let mut value = ranked_as_json(ranked, args.by);
        extend(&mut value, json!({ "place": null, "effect": null, "why": why.in_words() }));
        value
    });
    ranks.chain(unranked).collect()
}

fn ranked_as_json(ranked: &RankedTest, by: RankBy) -> Value {
    let metric = &ranked.series.metric;
    json!({
        "event": "rank",
        "v": 1,
        "by": by.name(),
        "benchmark": ranked.series.benchmark.as_str(),
        "testbed": ranked.series.testbed,
        "metric": metric.name,
        "unit": metric.unit,
        "better": metric.direction.name(),
        "branch": ranked.branch,
        "runs": ranked.runs,
        "left_out": ranked.left_out.as_json(),
        "season": ranked.removed_season.json,
    })
}
