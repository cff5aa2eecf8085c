//! The code or the machine? Processes of the judged executable beside such of the last good one.
//!
//! History alone cannot tell a slower commit from a slower machine, nor from a larger input. An
//! executable that was good can: it runs now, on the same machine and the same input. Both are
//! measured in alternation, so what slows the machine slows both, and the ratio of a pair is the
//! code's.
//!
//! The rule. A pair's ratio is that of the middles of its two fastest rounds.
//!
//! * *The machine*: the middle ratio with the margin of as many processes on each side is within
//!   the limit; or most pairs are, and the old executable itself is beyond its tolerance.
//! * *The code*: the middle ratio is beyond the limit.
//! * Else more pairs have to tell.

use super::level::Level;
use super::round::Round;
use crate::model::{Sample, Witness};

/// Logarithms of one pair.
#[derive(Debug, Clone, Copy)]
struct Pair {
    /// How much slower the judged executable is.
    ratio: f64,
    /// How much slower the old one is than its own history.
    old_rise: f64,
    /// What the old one measured, in the metric's unit.
    old_value: f64,
}

/// All pairs so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Testimony {
    pairs: Vec<Pair>,
}

/// Who is slower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    /// The code, as far as there are witnesses at all.
    Code,
    /// The machine, or what it works on.
    Machine,
    /// Not told yet.
    Open,
}

impl Testimony {
    /// Hears the fastest round of a process of each executable.
    pub(super) fn hear(&mut self, level: &Level, judged: &Round, old: &Round) {
        let rises = level.rise_of(judged).zip(level.rise_of(old));
        let measured = old.fair().iter().map(|it| it.value).collect();
        let old_value = Sample::new(measured).ok().map(|sample| sample.median());
        let pair = rises.zip(old_value).map(|((judged, old_rise), old_value)| Pair {
            ratio: judged - old_rise,
            old_rise,
            old_value,
        });
        self.pairs.extend(pair);
    }

    /// Number of pairs.
    pub(super) fn pairs(&self) -> u32 {
        self.pairs.len() as u32
    }

    /// Who is slower, by all pairs.
    pub(super) fn finding(&self, level: &Level) -> Finding {
        let Some((ratio, old_rise)) = self.middle() else {
            return Finding::Code;
        };
        let within = self.pairs.iter().filter(|pair| pair.ratio < level.limit()).count();
        let most_within = 2 * within > self.pairs.len();
        let old_is_slow = old_rise > level.tolerance();
        if ratio + level.margin_of_pairs(self.pairs()) < level.limit() || most_within && old_is_slow
        {
            Finding::Machine
        } else if ratio > level.limit() {
            Finding::Code
        } else {
            Finding::Open
        }
    }

    /// The note that acquits the code; `None` without a pair.
    pub(super) fn acquittal(&self, level: &Level) -> Option<String> {
        let machine_ratio = self.told(level)?.machine_ratio;
        Some(format!(
            "an executable that was good is {machine_ratio:.2}x its level now too: the machine or its \
             input"
        ))
    }

    /// What is told of it; `None` without a pair.
    pub(super) fn told(&self, level: &Level) -> Option<Witness> {
        let (ratio, old_rise) = self.middle()?;
        let value = level.value_at(old_rise);
        Some(Witness {
            commit: String::new(),
            // The floor is nothing that anybody measured.
            now: if level.is_at_floor(value) { self.median(|it| it.old_value)? } else { value },
            ratio: ratio.exp(),
            machine_ratio: old_rise.exp(),
            pairs: self.pairs(),
            instructions: None,
        })
    }

    /// Middle ratio and middle rise of the old executable.
    fn middle(&self) -> Option<(f64, f64)> {
        self.median(|pair| pair.ratio).zip(self.median(|pair| pair.old_rise))
    }

    fn median(&self, of: fn(&Pair) -> f64) -> Option<f64> {
        Sample::new(self.pairs.iter().map(of).collect()).ok().map(|sample| sample.median())
    }
}
