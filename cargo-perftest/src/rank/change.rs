//! By the most significant lasting change.

use super::{Measured, Unranked};
use crate::reading::{Reader, Stretch, suspects};
use crate::report::{local_minute, ratio_range, suspect_range, suspects_in_words};
use crate::stats::{Unit, told};
use perftest_analysis::detect::{RankedChange, ranked_changes, settled_change_points};
use perftest_analysis::words::effect;
use serde_json::json;

pub(super) fn of(stretch: &Stretch) -> Result<Measured, Unranked> {
    let needed = Reader::FEWEST;
    let have = stretch.values.len();
    let sample = stretch.sample().filter(|_| have >= needed);
    let sample = sample.ok_or(Unranked::TooFew { have, needed, of: "runs" })?;
    let ranked = ranked_changes(&sample, &settled_change_points(&sample));
    let first = ranked.first().ok_or(Unranked::Nothing("no lasting change"))?;
    Ok(measured(stretch, first))
}

fn measured(stretch: &Stretch, ranked: &RankedChange) -> Measured {
    let metric = &stretch.series.metric;
    let unit = Unit(&metric.unit);
    let became = ranked.effect(metric.direction);
    let at_ms = stretch.runs[ranked.change.index].started_ms;
    let suspects = suspects(&stretch.runs, ranked);
    let ratio = ranked.ratio.as_ref();
    Measured {
        key: (ranked.key(), 0.0),
        effect: Some(became),
        value: ratio_range(ratio),
        detail: format!(
            "{}, {} to {}, since {}, {}",
            effect(became, metric),
            unit.told(ranked.change.before),
            unit.told(ranked.change.after),
            local_minute(at_ms),
            suspects_in_words(&suspects)
        ),
        json: json!({
            "key": told(ranked.key()),
            "ratio_lower": ratio.map(|it| told(*it.start())),
            "ratio_upper": ratio.map(|it| told(*it.end())),
            "before": told(ranked.change.before),
            "after": told(ranked.change.after),
            "at_ms": at_ms,
            "suspects": suspect_range(&suspects),
        }),
    }
}
