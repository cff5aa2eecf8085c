//! Table and JSON of ranked tests.

use super::{RankValue, UnrankedReason};
use crate::args::reading::{RankArgs as Args, RankBy};
use crate::args::value_name;
use crate::grouped::grouped;
use crate::reading::notes::{notes, some_of, write_notes};
use crate::reading::{Stretch, StretchFacts};
use crate::report::{LISTED, Table, counted, extend, write_line};
use crate::series::name_of;
use perftest_core::model::Run;
use serde_json::{Value, json};
use std::io::{self, Write};

/// One test with its value by the measure.
#[derive(Debug)]
pub(crate) struct RankedTest {
    facts: StretchFacts,
    runs: usize,
    measured: Result<RankValue, UnrankedReason>,
}

impl RankedTest {
    pub(crate) fn of(stretch: Stretch<'_>, by: RankBy) -> Self {
        let runs = Run::count(stretch.runs.iter().copied());
        Self { runs, measured: by.measure(&stretch), facts: stretch.facts }
    }

    fn is_listed(&self, args: &Args) -> bool {
        let effect = self.measured.as_ref().ok().and_then(|measured| measured.effect);
        effect.is_none_or(|effect| args.effects.has(effect))
    }

    fn as_json(&self, by: RankBy, mut fields: Value) -> Value {
        let of_runs = json!({
            "by": value_name(by),
            "branch": self.facts.branch,
            "runs": self.runs,
            "left_out": self.facts.left_out.as_json(),
            "season": self.facts.removed_season.json,
        });
        extend(&mut fields, of_runs);
        self.facts.event("rank", fields)
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
        Table::of((1_usize..).zip(ranks.iter().take(listed)))
            .column(" ", |(place, _)| *place)
            .column("test", |(_, (ranked, _))| ranked.facts.series.benchmark.clone())
            .column("testbed", |(_, (ranked, _))| ranked.facts.series.testbed.clone())
            .column("metric", |(_, (ranked, _))| ranked.facts.series.metric.name.clone())
            .column(value_heading(args.by), |(_, (_, measured))| measured.value.clone())
            .column("of what", |(_, (_, measured))| measured.detail.clone())
            .narrowed(&["test", "of what"], &["metric", "testbed", "of what"])
            .write(out)?;
        writeln!(out)?;
        if ranks.len() > listed {
            writeln!(out, "and {} more: --all lists them", ranks.len() - listed)?;
        }
        writeln!(out, "{}: {}", value_name(args.by), args.by.legend())?;
    }
    write_unranked(&unranked, out)?;
    let others = ranking.len() - ranks.len() - unranked.len();
    if others > 0 {
        writeln!(out, "left out: {} of the other kind", counted(others, "test"))?;
    }
    let all: Vec<&StretchFacts> = ranking.iter().map(|it| &it.facts).collect();
    write_notes(&notes(&all, ranks.iter().map(|(ranked, _)| &ranked.facts)), out)
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
    let with_reason = |(ranked, why): &(&RankedTest, &UnrankedReason)| {
        let name = name_of(&ranked.facts.series);
        match why {
            UnrankedReason::TooFew { have, needed, of } => {
                ("too few values to judge", format!("{name} ({have} of {needed} {of})"))
            }
            UnrankedReason::Nothing(why) => (*why, name),
        }
    };
    for (reason, names) in grouped(unranked.iter().map(with_reason)) {
        write_line(out, &format_args!("{reason}: {}", some_of(names).join(", ")))?;
    }
    Ok(())
}

/// One object for each test; tests without a rank come last.
pub(crate) fn ranking_as_json(ranking: &[RankedTest], args: &Args) -> Vec<Value> {
    let Ranking { ranks, unranked } = Ranking::of(ranking, args);
    let listed = args.top.unwrap_or(usize::MAX);
    let ranks = (1_usize..).zip(ranks).take(listed).map(|(place, (ranked, measured))| {
        let effect = measured.effect.map(|effect| effect.name());
        let mut fields = json!({ "place": place, "effect": effect, "why": null });
        extend(&mut fields, measured.json.clone());
        ranked.as_json(args.by, fields)
    });
    let unranked = unranked.into_iter().map(|(ranked, why)| {
        let fields = json!({ "place": null, "effect": null, "why": why.in_words() });
        ranked.as_json(args.by, fields)
    });
    ranks.chain(unranked).collect()
}
