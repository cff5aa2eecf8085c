//! Ranks tests by their most significant lasting change.

use super::{RankValue, UnrankedReason};
use crate::reading::{HistoryReader, Stretch, suspects};
use crate::report::{
    Unit, json_number, local_minute, ratio_range, suspect_range, suspects_in_words,
};
use perftest_analysis::detect::{RankedChange, ranked_changes, settled_change_points};
use perftest_analysis::words::effect;
use serde_json::json;

pub(super) fn of(stretch: &Stretch<'_>) -> Result<RankValue, UnrankedReason> {
    let needed = HistoryReader::FEWEST;
    let have = stretch.values.len();
    let sample = stretch.sample().filter(|_| have >= needed);
    let sample = sample.ok_or(UnrankedReason::TooFew { have, needed, of: "runs" })?;
    let ranked = ranked_changes(&sample, &settled_change_points(&sample));
    let first = ranked.first().ok_or(UnrankedReason::Nothing("no lasting change"))?;
    Ok(measured(stretch, first))
}

fn measured(stretch: &Stretch<'_>, ranked: &RankedChange) -> RankValue {
    let metric = &stretch.facts.series.metric;
    let unit = Unit(&metric.unit);
    let became = ranked.effect(metric.direction);
    let at_ms = stretch.runs[ranked.change.index].started_ms;
    let suspects = suspects(&stretch.runs, ranked);
    let ratio = ranked.ratio.as_ref();
    RankValue {
        key: (ranked.key(), 0.0),
        effect: Some(became),
        value: ratio_range(ratio),
        detail: format!(
            "{}, {} to {}, since {}, {}",
            effect(became, metric),
            unit.format(ranked.change.before),
            unit.format(ranked.change.after),
            local_minute(at_ms),
            suspects_in_words(&suspects)
        ),
        json: json!({
            "key": json_number(ranked.key()),
            "ratio_lower": ratio.map(|it| json_number(*it.start())),
            "ratio_upper": ratio.map(|it| json_number(*it.end())),
            "before": json_number(ranked.change.before),
            "after": json_number(ranked.change.after),
            "at_ms": at_ms,
            "suspects": suspect_range(&suspects),
        }),
    }
}
