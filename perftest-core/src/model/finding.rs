//! What a rule says of a value, and how what several say is put together.

use super::{Side, Tolerance};

/// What a rule says.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// The value is out of line.
    Alarm {
        /// Which way.
        side: Side,
        /// The value judged.
        value: f64,
        /// What it is compared with.
        baseline: f64,
        /// The criteria that say so, each with its settings.
        by: Vec<String>,
    },
    /// It is not.
    Quiet,
    /// Nothing can be said, and why.
    Unjudged(String),
}

impl Finding {
    /// Quiet where the change is smaller than the minimum effect.
    pub fn with_minimum(self, minimum_effect: Option<Tolerance>) -> Self {
        let Self::Alarm { value, baseline, .. } = self else {
            return self;
        };
        let least = minimum_effect.map_or(0.0, |tolerance| tolerance.share());
        match (value - baseline).abs() >= least * baseline.abs() {
            true => self,
            false => Self::Quiet,
        }
    }

    /// The first alarm, with what speaks for the same side; else quiet if a rule could judge.
    pub fn any(findings: impl Iterator<Item = Self>) -> Self {
        let joined = findings.reduce(|one, other| match (one, other) {
            (
                Self::Alarm { side, value, baseline, by },
                Self::Alarm { side: too, by: more, .. },
            ) => {
                let by = if side == too { [by, more].concat() } else { by };
                Self::Alarm { side, value, baseline, by }
            }
            (alarm @ Self::Alarm { .. }, _) | (_, alarm @ Self::Alarm { .. }) => alarm,
            (Self::Unjudged(why), Self::Unjudged(too)) => Self::Unjudged(why + "; " + &too),
            _ => Self::Quiet,
        });
        joined.unwrap_or_else(Self::of_no_rule)
    }

    /// An alarm where all alarm on the same side; quiet if one is, and else unjudged if one is.
    pub fn all(findings: impl Iterator<Item = Self>) -> Self {
        let joined = findings.reduce(|one, other| match (one, other) {
            (
                Self::Alarm { side, value, baseline, by },
                Self::Alarm { side: too, by: more, .. },
            ) if side == too => Self::Alarm { side, value, baseline, by: [by, more].concat() },
            (Self::Quiet, _) | (_, Self::Quiet) => Self::Quiet,
            (Self::Unjudged(why), Self::Unjudged(too)) => Self::Unjudged(why + "; " + &too),
            (unjudged @ Self::Unjudged(_), _) | (_, unjudged @ Self::Unjudged(_)) => unjudged,
            (Self::Alarm { .. }, Self::Alarm { .. }) => Self::Quiet,
        });
        joined.unwrap_or_else(Self::of_no_rule)
    }

    fn of_no_rule() -> Self {
        Self::Unjudged("there is no rule".into())
    }
}
