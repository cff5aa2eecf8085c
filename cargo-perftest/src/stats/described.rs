//! What a sample consists of: modes, their values and outliers.

use super::ticks;
use super::unit::{Unit, counted, percent};
use crate::report::Histogram;
use perftest_core::model::Sample;
use perftest_core::stats::{FallingTrend, Lowland, Mode, ModeValues, mode_values, modes_at};
use serde_json::{Value, json};
use std::fmt::Write;

/// Below so many values a single mode means only that no more were seen.
pub(crate) const FEW: usize = 30;
/// Outliers that are named one by one.
const NAMED: usize = 8;

/// A sample in its parts.
pub(crate) struct Described<'a> {
    pub(super) sample: &'a Sample,
    /// The same with ties spread.
    spread: Sample,
    pub(crate) parts: Vec<ModeValues<'a>>,
    /// What ties were spread over, where they were.
    pub(super) resolution: Option<f64>,
}

impl<'a> Described<'a> {
    /// The parts of a sample, whose clock has the resolution that was asked for or that it shows.
    pub(crate) fn of(sample: &'a Sample, resolution: Option<f64>, lowland: Lowland) -> Self {
        let (spread, resolution) = ticks::spread(sample, resolution);
        let parts = mode_values(sample, &modes_at(&spread, lowland));
        Self { sample, spread, parts, resolution }
    }

    /// Both ends of what is no outlier.
    pub(super) fn bulk(&self) -> (f64, f64) {
        let inside = || self.parts.iter().flat_map(|part| part.inside);
        let sorted = self.sample.sorted();
        let lower = inside().next().copied().unwrap_or(sorted[0]);
        (lower, inside().last().copied().unwrap_or(sorted[sorted.len() - 1]))
    }

    /// Outliers in ascending order.
    pub(super) fn outliers(&self) -> Vec<f64> {
        self.parts.iter().flat_map(|part| [part.below, part.above].concat()).collect()
    }

    /// Values that are no outliers.
    pub(super) fn bulk_count(&self) -> usize {
        self.parts.iter().map(|part| part.inside.len()).sum()
    }

    /// The values as they are drawn, in ascending order.
    pub(super) fn drawn(&self) -> &[f64] {
        self.spread.sorted()
    }

    /// Where the values are: a picture of the bulk.
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
        if self.is_told() {
            let locations = self.parts.iter().map(|part| part.mode.location);
            let _ = writeln!(text, "  {}", picture.marks(locations));
        }
        let _ = writeln!(text, "  {}\n", picture.ends(&unit.told(from), &unit.told(to)));
        text
    }

    /// Whether there are enough values to say where they are densest.
    fn is_told(&self) -> bool {
        self.sample.size() >= FEW || self.parts.len() > 1
    }

    /// A row for each mode.
    pub(crate) fn modes_told(&self, unit: &Unit<'_>) -> Vec<String> {
        let told = |part: &ModeValues<'_>| {
            let Mode { location, .. } = part.mode;
            let (lower, upper) = ends(part);
            let count = count(part);
            let share = percent(count as f64 / self.sample.size() as f64);
            let rest = format!("{}, {}, {share}", unit.ends(lower, upper), counted(count, "value"));
            match self.is_told() {
                true => format!("{} {rest}", unit.told(location)),
                false => rest,
            }
        };
        self.parts.iter().map(told).collect()
    }

    /// The outliers, or how many there are and between which ends.
    pub(super) fn outliers_told(&self, unit: &Unit<'_>) -> String {
        let outliers = self.outliers();
        match outliers.as_slice() {
            [] => "none".into(),
            few if few.len() <= NAMED => {
                few.iter().map(|it| unit.told(*it)).collect::<Vec<_>>().join(", ")
            }
            many => format!(
                "{} ({}), between {} and {}",
                counted(many.len(), "value"),
                percent(many.len() as f64 / self.sample.size() as f64),
                unit.told(many[0]),
                unit.told(many[many.len() - 1])
            ),
        }
    }

    pub(crate) fn modes_as_json(&self) -> Value {
        let mode = |part: &ModeValues<'_>| {
            let (lower, upper) = ends(part);
            json!({
                "location": part.mode.location,
                "lower": lower,
                "upper": upper,
                "from": part.mode.lower,
                "to": part.mode.upper,
                "count": count(part),
                "share": count(part) as f64 / self.sample.size() as f64,
            })
        };
        self.parts.iter().map(mode).collect()
    }

    /// What has to be known beside the figures; nothing where all is well.
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
                "no single number stands for these values: compare mode by mode, and the shares"
                    .into(),
            );
        }
        if let Some(resolution) = self.resolution {
            notes.push(format!(
                "values come in ticks: ties were spread over {} before modes were looked for",
                unit.told(resolution)
            ));
        }
        if let Some(FallingTrend { early, late }) = FallingTrend::of(self.sample.values()) {
            notes.push(format!(
                "values fall from {} to {} in their order: the first ones may be a warm-up",
                unit.told(early),
                unit.told(late)
            ));
        }
        notes
    }
}

/// Both ends of a mode without its outliers.
fn ends(part: &ModeValues<'_>) -> (f64, f64) {
    let last = part.inside.len() - 1;
    (part.inside[0], part.inside[last])
}

/// Values of a mode, its outliers among them.
fn count(part: &ModeValues<'_>) -> usize {
    part.below.len() + part.inside.len() + part.above.len()
}
