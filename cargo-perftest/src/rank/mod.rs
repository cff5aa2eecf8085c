//! Ranks tests by a measure, one measure a file.

mod change;
mod dispersion;
mod extreme;
mod modality;
mod ranking;
mod tail;
mod trend;

use crate::args::reading::{RankBy, SEARCHED_RUNS};
use crate::reading::Stretch;
use perftest_analysis::detect::Effect;
pub(crate) use ranking::{RankedTest, ranking_as_json, write_ranking};
use serde_json::Value;

/// The value of one test by a measure.
#[derive(Debug)]
pub(crate) struct RankValue {
    /// The sort key, largest first; the second part decides between equal first ones.
    pub(crate) key: (f64, f64),
    /// The effect, for a measure with a direction.
    pub(crate) effect: Option<Effect>,
    /// The measured value, in words.
    pub(crate) value: String,
    /// The parts of the value, in words.
    pub(crate) detail: String,
    pub(crate) json: Value,
}

/// Why a test has no rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UnrankedReason {
    /// There are too few values.
    TooFew {
        have: usize,
        needed: usize,
        /// The kind of values that are too few.
        of: &'static str,
    },
    /// There is nothing to rank, or the values have no such measure.
    Nothing(&'static str),
}

impl UnrankedReason {
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::TooFew { have, needed, of } => {
                format!("too few values to judge: {have} of {needed} {of}")
            }
            Self::Nothing(why) => (*why).to_owned(),
        }
    }
}

impl RankBy {
    /// Returns the value of a test by this measure.
    pub(crate) fn measure(self, stretch: &Stretch<'_>) -> Result<RankValue, UnrankedReason> {
        match self {
            Self::Change => change::of(stretch),
            Self::Dispersion => dispersion::of(stretch),
            Self::Modality => modality::of(stretch),
            Self::P95 => tail::quantile(stretch, 0.95),
            Self::P99 => tail::quantile(stretch, 0.99),
            Self::Extremes => extreme::of(stretch),
            Self::Trend => trend::of(stretch),
        }
    }

    /// Returns whether this measure is about single measurements, and not about medians of runs.
    pub(crate) fn needs_measurements(self) -> bool {
        matches!(self, Self::P95 | Self::P99 | Self::Extremes)
    }

    /// Returns the number of newest runs where none is given. For changes it is that of `changepoints`, so that both
    /// have the same answer.
    pub(crate) fn usual_limit(self) -> usize {
        match self {
            Self::Change => SEARCHED_RUNS,
            _ => 200,
        }
    }

    /// Returns whether this measure has better and worse values.
    pub(crate) fn has_direction(self) -> bool {
        matches!(self, Self::Change | Self::Trend)
    }

    /// Explains the numbers.
    pub(crate) fn legend(self) -> &'static str {
        match self {
            Self::Change => {
                "the most significant lasting change; ratio: from quartile to quartile of both levels"
            }
            Self::Dispersion => {
                "spread of the runs' medians since the last change, as a share of their center"
            }
            Self::Modality => "modes of the runs' medians since the last change",
            Self::P95 | Self::P99 => {
                "quantile of the measurements, each as a ratio to the median of its run"
            }
            Self::Extremes => {
                "the worst run beside its level, or the worst measurement beside the median of its run"
            }
            Self::Trend => {
                "the course of the runs since the last change, from the first to the last, with 99.9% bounds"
            }
        }
    }
}
