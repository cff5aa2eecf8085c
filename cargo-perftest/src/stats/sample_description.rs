//! Describes a sample: modes, their values and outliers.

use super::ticks;
use crate::report::{Histogram, Unit, counted, json_number, percent};
use perftest_analysis::stats::{ModeValues, RareMode, mode_values, rare_modes};
use perftest_core::model::Sample;
use perftest_core::stats::{FallingTrend, Lowland, modes_at};
use serde_json::{Value, json};
use std::fmt::Write;

/// With fewer values, a single mode may only mean that others were not seen.
pub(crate) const FEW: usize = 30;
/// Most outliers that are listed one by one.
const NAMED: usize = 8;

/// A sample in its parts.
pub(crate) struct SampleDescription<'a> {
    pub(super) sample: &'a Sample,
    /// The same sample with spread ties.
    spread: Sample,
    pub(crate) parts: Vec<ModeValues<'a>>,
    /// Slow modes that are too rare to count as modes.
    rare: Vec<RareMode<'a>>,
    /// The resolution over which ties were spread, if there were ties.
    pub(super) resolution: Option<f64>,
}

/// A value outside its mode, and its position from 1.
pub(super) struct Outlier {
    pub(super) place: usize,
    pub(super) value: f64,
    /// `above` or `below`.
    pub(super) side: &'static str,
}

impl<'a> SampleDescription<'a> {
    /// Describes a sample. `resolution` is that of the clock; by default it is derived from the
    /// values.
    pub(crate) fn of(sample: &'a Sample, resolution: Option<f64>, lowland: Lowland) -> Self {
        let (spread, resolution) = ticks::spread(sample, resolution);
        let mut parts = mode_values(sample, &modes_at(&spread, lowland));
        for part in &mut parts {
            // After spreading ties, the densest place may lie outside.
            let (lower, upper) = ends(part.inside);
            part.mode.location = part.mode.location.clamp(lower, upper);
        }
        let rare = rare_modes(sample, &parts);
        Self { sample, spread, parts, rare, resolution }
    }

    /// Slow modes with too few values to count as modes.
    pub(crate) fn rare_modes(&self) -> &[RareMode<'a>] {
        &self.rare
    }

    /// Both ends of the values without outliers.
    pub(super) fn bulk(&self) -> (f64, f64) {
        let inside = || self.parts.iter().flat_map(|part| self.inside(part));
        let sorted = self.sample.sorted();
        let lower = inside().next().copied().unwrap_or(sorted[0]);
        (lower, inside().last().copied().unwrap_or(sorted[sorted.len() - 1]))
    }

    /// Returns the middles of the gaps between neighbouring modes.
    pub(super) fn gaps(&self) -> Vec<f64> {
        let gap =
            |pair: &[ModeValues<'_>]| f64::midpoint(ends(pair[0].inside).1, ends(pair[1].inside).0);
        self.parts.windows(2).map(gap).collect()
    }

    /// Of these ascending values, returns those below all rare modes.
    fn usual<'v>(&self, values: &'v [f64]) -> &'v [f64] {
        let first = self.rare.first().map_or(f64::INFINITY, |rare| rare.values[0]);
        &values[..values.partition_point(|value| *value < first)]
    }

    /// Returns the values of a mode without outliers and rare modes; never empty.
    fn inside<'v>(&self, part: &ModeValues<'v>) -> &'v [f64] {
        match self.usual(part.inside) {
            [] => part.inside,
            usual => usual,
        }
    }

    /// Returns the outliers outside rare modes with their positions, in the order of the values.
    pub(super) fn placed_outliers(&self) -> Vec<Outlier> {
        let is_in = |values: &[f64], value: f64| match values {
            [] => false,
            values => (values[0]..=values[values.len() - 1]).contains(&value),
        };
        let is_rare = |value: f64| self.rare.iter().any(|rare| is_in(rare.values, value));
        let outlier = |(place, value): (usize, &f64)| {
            let is_above = self.parts.iter().any(|part| is_in(part.above, *value));
            let is_outlier = is_above || self.parts.iter().any(|part| is_in(part.below, *value));
            let side = if is_above { "above" } else { "below" };
            let outlier = Outlier { place, value: *value, side };
            (is_outlier && !is_rare(*value)).then_some(outlier)
        };
        (1..).zip(self.sample.values()).filter_map(outlier).collect()
    }

    /// Number of values without outliers.
    pub(super) fn bulk_count(&self) -> usize {
        self.parts.iter().map(|part| self.inside(part).len()).sum()
    }

    /// The plotted values, in ascending order.
    pub(super) fn drawn(&self) -> &[f64] {
        self.spread.sorted()
    }

    /// Plots the values without outliers.
    pub(super) fn picture(&self, unit: &Unit<'_>, ascii: bool) -> String {
        let (from, to) = self.bulk();
        let picture = Histogram { from, to, ascii };
        let mut text = String::new();
        let rows = picture.rows(self.drawn());
        if rows.is_empty() {
            return text;
        }
        for row in rows {
            let _ = writeln!(text, "  {row}");
        }
        if self.has_enough_values() {
            let locations = self.parts.iter().map(|part| part.mode.location);
            let _ = writeln!(text, "  {}", picture.marks(locations));
        }
        let _ = writeln!(text, "  {}\n", picture.ends(&unit.format(from), &unit.format(to)));
        text
    }

    /// Returns whether there are enough values to find the densest place.
    fn has_enough_values(&self) -> bool {
        self.sample.size() >= FEW || self.parts.len() > 1
    }

    /// Formats a row for each mode.
    pub(crate) fn format_modes(&self, unit: &Unit<'_>) -> Vec<String> {
        let row = |part: &ModeValues<'_>| {
            let rest = self.format_share(unit, self.inside(part), self.count(part));
            match self.has_enough_values() {
                true => format!("{} {rest}", unit.format(part.mode.location)),
                false => rest,
            }
        };
        self.parts.iter().map(row).collect()
    }

    /// Formats a row for each rare mode.
    pub(crate) fn format_rare_modes(&self, unit: &Unit<'_>) -> Vec<String> {
        let row = |rare: &RareMode<'_>| {
            let share = self.format_share(unit, rare.values, rare.values.len());
            format!("{share}, {:.1}x the usual", rare.times)
        };
        self.rare.iter().map(row).collect()
    }

    /// Formats the ends of ascending values, and the share of `count` values.
    fn format_share(&self, unit: &Unit<'_>, values: &[f64], count: usize) -> String {
        let share = percent(count as f64 / self.sample.size() as f64);
        let (lower, upper) = ends(values);
        format!("{}, {}, {share}", unit.ends(lower, upper), counted(count, "value"))
    }

    /// Number of values in a mode, with its outliers and without rare modes.
    pub(super) fn count(&self, part: &ModeValues<'_>) -> usize {
        [part.below, part.inside, part.above].map(|it| self.usual(it).len()).iter().sum()
    }

    /// Formats the outliers, or their number and ends.
    pub(super) fn format_outliers(&self, unit: &Unit<'_>) -> String {
        let mut outliers: Vec<f64> = self.placed_outliers().iter().map(|it| it.value).collect();
        outliers.sort_by(f64::total_cmp);
        match outliers.as_slice() {
            [] => "none".into(),
            few if few.len() <= NAMED => {
                few.iter().map(|it| unit.format(*it)).collect::<Vec<_>>().join(", ")
            }
            many => format!(
                "{} ({}), between {} and {}",
                counted(many.len(), "value"),
                percent(many.len() as f64 / self.sample.size() as f64),
                unit.format(many[0]),
                unit.format(many[many.len() - 1])
            ),
        }
    }

    pub(crate) fn modes_as_json(&self) -> Value {
        let mode = |part: &ModeValues<'_>| {
            let (lower, upper) = ends(self.inside(part));
            json!({
                "location": part.mode.location,
                "lower": lower,
                "upper": upper,
                "from": part.mode.lower,
                "to": part.mode.upper,
                "count": self.count(part),
                "share": self.count(part) as f64 / self.sample.size() as f64,
            })
        };
        self.parts.iter().map(mode).collect()
    }

    pub(crate) fn rare_modes_as_json(&self) -> Value {
        let mode = |rare: &RareMode<'_>| {
            let (lower, upper) = ends(rare.values);
            json!({
                "lower": lower,
                "upper": upper,
                "count": rare.values.len(),
                "share": rare.share,
                "times": json_number(rare.times),
            })
        };
        self.rare.iter().map(mode).collect()
    }

    fn describe_rare_modes(&self) -> String {
        let part = |rare: &RareMode<'_>| {
            format!("{} of the values are {:.1} times", percent(rare.share), rare.times)
        };
        let parts: Vec<String> = self.rare.iter().map(part).collect();
        let what = if parts.len() == 1 { "a rare slow mode" } else { "rare slow modes" };
        format!(
            "{what}: {} as large as the usual ones, and no median shows that",
            parts.join(" and ")
        )
    }

    /// Notes beside the figures; none if there is nothing to note.
    pub(super) fn notes(&self, unit: &Unit<'_>) -> Vec<String> {
        let (sorted, size) = (self.sample.sorted(), self.sample.size());
        let mut notes = Vec::new();
        if size > 1 && sorted[0] == sorted[size - 1] {
            notes.push("all values agree: is the clock fine enough for what was measured?".into());
            return notes;
        }
        if size < FEW && self.parts.len() == 1 {
            notes.push(format!(
                "too few values to judge modes: one was seen, and {FEW} values are needed to see more"
            ));
        }
        if self.parts.len() > 1 {
            notes.push(
                "no single number stands for these values: `stats compare` compares mode by mode"
                    .into(),
            );
        }
        if !self.rare.is_empty() {
            notes.push(self.describe_rare_modes());
        }
        if let Some(resolution) = self.resolution {
            notes.push(format!(
                "values come in ticks: ties were spread over {} before modes were looked for",
                unit.format(resolution)
            ));
        }
        if let Some(FallingTrend { early, late }) = FallingTrend::of(self.sample.values()) {
            notes.push(format!(
                "values fall from {} to {} in their order: the first ones may be a warm-up",
                unit.format(early),
                unit.format(late)
            ));
        }
        notes
    }
}

/// Returns both ends of ascending values.
fn ends(values: &[f64]) -> (f64, f64) {
    (values[0], values[values.len() - 1])
}
