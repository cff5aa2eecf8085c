//! Noise from one measurement to the next, inside a process.

use crate::Random;
use std::fmt;

/// Each mode of a test is itself as wide as this.
const MODE_DEVIATION: f64 = 0.01;
/// Noise makes nothing faster than this share of its usual time.
const FASTEST: f64 = 0.5;

/// A family of noise, and how strong it is. A drawn factor is 1 where nothing disturbs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Family {
    /// Normal with this deviation.
    Normal(f64),
    /// Lognormal with this deviation of the logarithm.
    Lognormal(f64),
    /// Never below 1, with an exponential tail of this mean.
    ExponentialTail(f64),
    /// Normal with a deviation of 1%, and a Pareto factor now and then.
    ParetoTail {
        /// Share of the measurements that have one.
        share: f64,
        /// Exponent of the tail: below 2 it has no variance.
        exponent: f64,
    },
    /// Normal with a deviation of 1%, and now and then this many times slower.
    Spikes {
        /// Share of the measurements.
        share: f64,
        /// How many times slower.
        factor: f64,
    },
    /// One of several speeds, each with its share and factor.
    Modes(&'static [(f64, f64)]),
    /// Each measurement resembles the one before it.
    Autocorrelated {
        /// Correlation of neighbours.
        correlation: f64,
        /// Deviation over a long time.
        deviation: f64,
    },
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{}%", (1e4 * share).round() / 100.0);
        match self {
            Self::Normal(deviation) => write!(f, "normal {}", percent(*deviation)),
            Self::Lognormal(deviation) => write!(f, "lognormal {deviation}"),
            Self::ExponentialTail(mean) => write!(f, "exponential tail of {}", percent(*mean)),
            Self::ParetoTail { share, exponent } => {
                write!(f, "{} with a Pareto factor of exponent {exponent}", percent(*share))
            }
            Self::Spikes { share, factor } => write!(f, "{} x{factor}", percent(*share)),
            Self::Modes(modes) => {
                let each = |(share, factor): &(f64, f64)| format!("{} x{factor}", percent(*share));
                f.write_str(&modes.iter().map(each).collect::<Vec<_>>().join(", "))
            }
            Self::Autocorrelated { correlation, deviation } => {
                write!(f, "AR(1) {correlation}, {}", percent(*deviation))
            }
        }
    }
}

/// The noise of one process.
#[derive(Debug, Clone)]
pub(crate) struct Noise {
    family: Family,
    /// What the last measurement leaves to the next, in deviations.
    memory: f64,
}

impl Noise {
    pub(crate) fn new(family: Family, random: &mut Random) -> Self {
        Self { family, memory: random.normal() }
    }

    /// The factor of the next measurement.
    pub(crate) fn next(&mut self, random: &mut Random) -> f64 {
        let factor = match self.family {
            Family::Normal(deviation) => 1.0 + deviation * random.normal(),
            Family::Lognormal(deviation) => (deviation * random.normal()).exp(),
            Family::ExponentialTail(mean) => 1.0 + mean * random.exponential(),
            Family::ParetoTail { share, exponent } => {
                let tail = if random.chance(share) { random.pareto(exponent) } else { 1.0 };
                tail * mode(random)
            }
            Family::Spikes { share, factor } => {
                mode(random) * if random.chance(share) { factor } else { 1.0 }
            }
            Family::Modes(modes) => mode(random) * chosen(modes, random.uniform()),
            Family::Autocorrelated { correlation, deviation } => {
                let fresh = (1.0 - correlation * correlation).sqrt();
                self.memory = correlation * self.memory + fresh * random.normal();
                1.0 + deviation * self.memory
            }
        };
        factor.max(FASTEST)
    }
}

fn mode(random: &mut Random) -> f64 {
    1.0 + MODE_DEVIATION * random.normal()
}

/// The factor of the mode in whose share `place` lies.
fn chosen(modes: &[(f64, f64)], place: f64) -> f64 {
    let mut passed = 0.0;
    let in_share = |(share, _): &&(f64, f64)| {
        passed += share;
        place < passed
    };
    modes.iter().find(in_share).or(modes.last()).map_or(1.0, |(_, factor)| *factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(family: Family) -> Vec<f64> {
        let mut random = Random::of(&[11]);
        let mut noise = Noise::new(family, &mut random);
        (0..20_000).map(|_| noise.next(&mut random)).collect()
    }

    fn share(factors: &[f64], is_such: impl Fn(f64) -> bool) -> f64 {
        factors.iter().filter(|factor| is_such(**factor)).count() as f64 / factors.len() as f64
    }

    fn deviation(factors: &[f64]) -> f64 {
        let mean = factors.iter().sum::<f64>() / factors.len() as f64;
        let squares: f64 = factors.iter().map(|factor| (factor - mean).powi(2)).sum();
        (squares / factors.len() as f64).sqrt()
    }

    #[test]
    fn normal_noise_is_as_wide_as_asked() {
        assert!((deviation(&drawn(Family::Normal(0.02))) - 0.02).abs() < 0.001);
    }

    #[test]
    fn an_exponential_tail_makes_nothing_faster() {
        let factors = drawn(Family::ExponentialTail(0.05));
        assert_eq!(share(&factors, |factor| factor < 1.0), 0.0);
        assert!((share(&factors, |factor| factor > 1.05) - (-1.0_f64).exp()).abs() < 0.02);
    }

    #[test]
    fn lognormal_noise_lies_evenly_around_one_and_reaches_further_up() {
        let factors = drawn(Family::Lognormal(0.3));
        assert!((share(&factors, |factor| factor < 1.0) - 0.5).abs() < 0.02);
        assert!(factors.iter().sum::<f64>() > 1.03 * factors.len() as f64);
    }

    #[test]
    fn spikes_and_a_pareto_tail_are_as_rare_as_asked() {
        let spikes = drawn(Family::Spikes { share: 0.02, factor: 10.0 });
        assert!((share(&spikes, |factor| factor > 5.0) - 0.02).abs() < 0.005);
        let tail = drawn(Family::ParetoTail { share: 0.05, exponent: 1.5 });
        let expected = 0.05 * 2.0_f64.powf(-1.5);
        assert!((share(&tail, |factor| factor > 2.0) - expected).abs() < 0.005);
    }

    #[test]
    fn modes_have_their_shares() {
        let factors = drawn(Family::Modes(&[(0.6, 1.0), (0.25, 1.15), (0.15, 1.4)]));
        assert!((share(&factors, |factor| factor < 1.07) - 0.6).abs() < 0.02);
        assert!((share(&factors, |factor| factor > 1.25) - 0.15).abs() < 0.02);
    }

    #[test]
    fn autocorrelated_noise_resembles_itself() {
        let factors = drawn(Family::Autocorrelated { correlation: 0.8, deviation: 0.05 });
        assert!((deviation(&factors) - 0.05).abs() < 0.003);
        let steps: Vec<f64> = factors.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // Neighbours that had nothing in common would differ by 1.41 deviations.
        assert!(deviation(&steps) < 0.7 * deviation(&factors));
    }
}
