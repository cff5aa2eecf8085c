//! What tests are put in order by, one measure a file.

mod change;
mod dispersion;
mod extreme;
mod modality;
mod tail;
mod trend;

use crate::args::reading::RankBy;
use crate::reading::Stretch;
use perftest_analysis::detect::Effect;
use serde_json::Value;

/// What one test is by a measure.
#[derive(Debug)]
pub(crate) struct RankValue {
    /// The larger, the earlier in the list; among equal first ones the second counts.
    pub(crate) key: (f64, f64),
    /// What it became, by a measure that has a direction.
    pub(crate) effect: Option<Effect>,
    /// What the test is ranked by, in words.
    pub(crate) value: String,
    /// What that consists of, in words.
    pub(crate) detail: String,
    pub(crate) json: Value,
}

/// Why a test has no rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UnrankedReason {
    /// There are fewer values than can be judged.
    TooFew {
        have: usize,
        needed: usize,
        /// What is counted.
        of: &'static str,
    },
    /// There is nothing to rank.
    Nothing(&'static str),
    /// The values have no such measure.
    Undefined(&'static str),
}

impl UnrankedReason {
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::TooFew { have, needed, of } => {
                format!("too few values to judge: {have} of {needed} {of}")
            }
            Self::Nothing(why) | Self::Undefined(why) => (*why).to_owned(),
        }
    }
}

impl RankBy {
    /// What a test is by this measure.
    pub(crate) fn measure(self, stretch: &Stretch) -> Result<RankValue, UnrankedReason> {
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

    /// Whether something became better or worse by it.
    pub(crate) fn has_direction(self) -> bool {
        matches!(self, Self::Change | Self::Trend)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Dispersion => "dispersion",
            Self::Modality => "modality",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::Extremes => "extremes",
            Self::Trend => "trend",
        }
    }

    /// What the numbers are.
    pub(crate) fn legend(self) -> &'static str {
        match self {
            Self::Change => {
                "the most significant lasting change; ratio: over the quantiles of both levels"
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
