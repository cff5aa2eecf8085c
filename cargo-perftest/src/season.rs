//! Removes a daily or weekly pattern from a history before changes are searched.

use crate::args::series::SeasonChoice;
use crate::args::value_name;
use perftest_analysis::detect::{Pattern, Period, Season, SeasonError};
use perftest_analysis::words;
use perftest_core::model::Sample;
use serde_json::{Value, json};

/// The removed pattern, and the remaining values.
pub(crate) struct DeseasonedHistory {
    choice: SeasonChoice,
    season: Option<Season>,
    /// Why no pattern was searched.
    refused: Vec<String>,
    /// The values without the patterns.
    pub(crate) rest: Sample,
}

impl DeseasonedHistory {
    /// Keeps a history unchanged.
    pub(crate) fn off(values: &Sample) -> Self {
        let rest = values.clone();
        Self { choice: SeasonChoice::Off, season: None, refused: Vec::new(), rest }
    }

    /// Removes the chosen patterns from a history.
    ///
    /// # Errors
    ///
    /// The times do not match these values in their order, or the values do not show the requested
    /// pattern.
    pub(crate) fn new(
        choice: SeasonChoice,
        times_ms: &[u64],
        values: &Sample,
    ) -> Result<Self, SeasonError> {
        let mut it = Self::off(values);
        it.choice = choice;
        it.season = match choice {
            SeasonChoice::Off => return Ok(it),
            SeasonChoice::Daily => Some(Season::of(Period::Day, times_ms, values)?),
            SeasonChoice::Weekly => Some(Season::of(Period::Week, times_ms, values)?),
            SeasonChoice::Auto => {
                it.refused = refused(times_ms, values)?;
                Season::recognised(times_ms, values).unwrap_or(None)
            }
        };
        if let Some(season) = &it.season {
            it.rest = season.removed_from(times_ms, values);
        }
        Ok(it)
    }

    /// Describes the removed pattern.
    pub(crate) fn describe(&self) -> Option<String> {
        let season = self.season.as_ref()?;
        let were = if season.patterns().len() == 1 { "was" } else { "were" };
        Some(format!("{} {were} removed first", words::season(season)))
    }

    /// Notes on the removed pattern.
    pub(crate) fn notes(&self) -> Vec<String> {
        let patterns = self.season.iter().flat_map(Season::patterns);
        let by_chance = patterns.filter(|pattern| !pattern.is_significant()).map(|pattern| {
            let name = pattern.period().name();
            format!("the {name} pattern was removed on request: it may be chance")
        });
        by_chance.chain(self.refused.iter().cloned()).collect()
    }

    /// Returns the JSON; null if no pattern was searched.
    pub(crate) fn as_json(&self) -> Value {
        if self.choice == SeasonChoice::Off {
            return Value::Null;
        }
        let patterns = self.season.iter().flat_map(Season::patterns).map(pattern_as_json);
        json!({ "asked": value_name(self.choice), "removed": patterns.collect::<Vec<_>>() })
    }
}

/// Returns why patterns cannot be searched, if only others can, or none.
///
/// # Errors
///
/// The times do not match these values.
fn refused(times_ms: &[u64], values: &Sample) -> Result<Vec<String>, SeasonError> {
    let mut notes: Vec<String> = Vec::new();
    for period in Period::ALL {
        match period.can_be_seen_in(times_ms, values) {
            Err(error @ (SeasonError::Unsorted { .. } | SeasonError::Unpaired { .. })) => {
                return Err(error);
            }
            Err(error @ (SeasonError::TooShort { .. } | SeasonError::Hidden { .. })) => {
                notes.push(format!("no {} pattern was looked for: {error}", period.name()));
            }
            Err(error) => notes.push(format!("no pattern was looked for: {error}")),
            Ok(()) => {}
        }
    }
    notes.dedup();
    Ok(notes)
}

fn pattern_as_json(pattern: &Pattern) -> Value {
    let peak = pattern.peak();
    let hours = peak.hours.iter().map(|range| json!({ "from": range.start, "to": range.end }));
    let slots = pattern.slots().map(
        |slot| json!({ "from": slot.hours.start, "to": slot.hours.end, "factor": slot.factor }),
    );
    json!({
        "period": pattern.period().name(),
        "change": peak.change,
        "peak_hours": hours.collect::<Vec<_>>(),
        "slots": slots.collect::<Vec<_>>(),
        "p": pattern.probability(),
        "significant": pattern.is_significant(),
    })
}
