//! Whether a pattern is more than noise.
//!
//! Definition: the period and its harmonics explain, of values about their [level](super::level), more
//! than the same number of waves at frequencies near by. All are shifted by the same one to six parts of
//! the whole history up and down, and never half-way to the next harmonic. Between whole parts an
//! even history has no leakage. The probability is that of
//! [`WavePower::among`](crate::stats::WavePower::among).
//!
//! Source: the comparison with neighbouring frequencies is the usual test for a line in a coloured
//! spectrum; our own is that it is done for all harmonics at once.
//!
//! Behaviour: values that depend on each other, drifts and steps have power at all frequencies, at
//! neighbours as much as at the period, and so are no pattern. What repeats after 6 or 8 days is no week
//! either. A pattern with a pause of many periods in the middle may be missed.

use super::period::Period;
use super::timed_values::TimedValues;
use crate::detect::stretch_sums::fences;
use crate::stats::Periodogram;

/// The probability that the test alone takes noise for a pattern.
pub(super) const MISRATE: f64 = 1e-4;
/// Waves of a pattern: 1, 2 and 3 a period. Load on two of seven days has 93% of its power there.
const HARMONICS: u32 = 3;
/// Largest number of shifts to each side.
const SHIFTS: f64 = 6.0;
/// Tukey's outer fences: what is far beyond the others counts as if it were on them.
pub(super) const FENCES: f64 = 3.0;

/// The strength of a pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Significance {
    /// The share of the squared distances from the level that it explains.
    pub(super) share: f64,
    /// The probability of as much by chance.
    pub(super) probability: f64,
}

impl Significance {
    /// The significance of this period in logarithms at these times.
    pub(super) fn of(period: Period, timed: &TimedValues<'_>, logs: &[f64]) -> Self {
        // No probability is above 1.
        Self::up_to(1.0, period, timed, logs).unwrap_or(Self { share: 0.0, probability: 1.0 })
    }

    /// The same, or `None` where the probability is above this. That is mostly clear after few of the frequencies
    /// near by.
    pub(super) fn up_to(
        most_probability: f64,
        period: Period,
        timed: &TimedValues<'_>,
        logs: &[f64],
    ) -> Option<Self> {
        let hours = f64::from(period.hours());
        let distances = timed.distances(period, logs, logs, &[0, timed.size()]);
        let [low, high] = fences(&distances, FENCES);
        let within: Vec<f64> = distances.iter().map(|it| it.clamp(low, high)).collect();
        let periodogram = Periodogram::new(&timed.hours, &within);
        let power = |shift: f64| {
            let frequency = |harmonic| f64::from(harmonic) / hours + shift;
            periodogram.power(&(1..=HARMONICS).map(frequency).collect::<Vec<_>>())
        };
        let covered = timed.covered(period);
        let most = ((covered / hours - 1.0) / 2.0).floor().clamp(1.0, SHIFTS) as i32;
        let own = power(0.0);
        let shifts = (1..=most).flat_map(|shift| [shift, -shift]);
        let mut others = Vec::new();
        for (shift, asked) in shifts.zip(1..) {
            others.push(power(f64::from(shift) / covered));
            let further = (2 * most - asked) * 2 * HARMONICS as i32;
            if own.among_at_least(&others, further as usize) > most_probability {
                return None;
            }
        }
        Some(Self { share: own.share, probability: own.among(&others) })
    }
}
