//! What waves of given frequencies explain of values at uneven times.
//!
//! Definition: least squares of `c + sum over k of (a_k cos(2 pi f_k t) + b_k sin(2 pi f_k t))`. The
//! power is the share of the squared distances from the mean that the waves take off, from 0 to 1. One
//! frequency gives the generalised Lomb-Scargle periodogram, a frequency and its multiples the
//! multiharmonic one, which detects any shape that repeats.
//!
//! [`WavePower::among`] is the probability of a power at least as large by chance. It takes the noise from
//! other frequencies near by, whatever its colour, and is the F distribution of the two powers. Waves have
//! two directions each, fewer if the times cannot distinguish some of them.
//!
//! Source: Lomb 1976 and Scargle 1982; with a mean that is fitted too,
//! Zechmeister and Kürster 2009 (Astronomy and Astrophysics 496, 577); several harmonics:
//! Schwarzenberg-Czerny 1996.
//!
//! Behaviour: a sum of squares, so one far value hides a wave or makes one: fence the values first. A
//! drift has power at every low frequency. Cost: O(n k^2).

use perftest_core::stats::incomplete_beta;
use std::f64::consts::TAU;

/// A direction with less of its length left, as a share, is the same as those before it.
const SAME_DIRECTION: f64 = 1e-9;

/// Values at their times.
#[derive(Debug, Clone)]
pub struct Periodogram<'a> {
    times: &'a [f64],
    /// Distances from the mean.
    distances: Vec<f64>,
    /// Sum of their squares.
    total: f64,
}

/// What waves explain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WavePower {
    /// The share of the squared distances from the mean, from 0 to 1.
    pub share: f64,
    /// In how many independent directions the waves can go.
    pub directions: usize,
}

impl<'a> Periodogram<'a> {
    /// Of values and their times, in any order and unit; what has no counterpart is left out. Times and
    /// values have to be finite.
    pub fn new(times: &'a [f64], values: &[f64]) -> Self {
        let size = times.len().min(values.len());
        let (times, values) = (&times[..size], &values[..size]);
        let mean = values.iter().sum::<f64>() / size as f64;
        let distances: Vec<f64> = values.iter().map(|value| value - mean).collect();
        let total = distances.iter().map(|distance| distance * distance).sum();
        Self { times, distances, total }
    }

    /// What waves of these frequencies, in cycles a unit of time, explain together.
    ///
    /// ```
    /// use perftest_analysis::stats::Periodogram;
    /// let times: Vec<f64> = (0..40).map(|i| f64::from(i) + 0.3 * f64::from(i * 7 % 5)).collect();
    /// let values: Vec<f64> = times.iter().map(|time| 5.0 + (0.9 * time).sin()).collect();
    /// let periodogram = Periodogram::new(&times, &values);
    /// let power = periodogram.power(&[0.9 / std::f64::consts::TAU]);
    /// assert!(power.share > 0.999_999);
    /// assert!(periodogram.power(&[0.05]).share < 0.2);
    /// ```
    pub fn power(&self, frequencies: &[f64]) -> WavePower {
        let mut squares = NormalEquations::new(2 * frequencies.len());
        let mut row = vec![0.0; 2 * frequencies.len()];
        for (time, distance) in self.times.iter().zip(&self.distances) {
            for (pair, frequency) in row.chunks_exact_mut(2).zip(frequencies) {
                // Whole cycles change nothing, and without them late times lose fewer digits.
                let (sin, cos) = (TAU * (time * frequency).fract()).sin_cos();
                pair.copy_from_slice(&[cos, sin]);
            }
            squares.add(&row, *distance);
        }
        let (explained, directions) = squares.explained(self.times.len() as f64);
        // Where nothing is to be explained the share is no number.
        let share = explained / self.total;
        let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
        WavePower { share, directions }
    }
}

impl WavePower {
    /// Returns the probability of as much power by chance, given the power of `others` at
    /// frequencies that have only noise.
    ///
    /// ```
    /// use perftest_analysis::stats::WavePower;
    /// let of = |share| WavePower { share, directions: 2 };
    /// assert!((of(0.1).among(&[of(0.1), of(0.1)]) - 4.0 / 9.0).abs() < 1e-12);
    /// assert!(of(0.6).among(&[of(0.01); 6]) < 1e-6);
    /// ```
    pub fn among(&self, others: &[Self]) -> f64 {
        self.among_at_least(others, 0)
    }

    /// Returns the least probability that is left when others with so many further directions are added.
    pub fn among_at_least(&self, others: &[Self], further_directions: usize) -> f64 {
        let noise: f64 = others.iter().map(|other| other.share).sum();
        let directions = others.iter().map(|other| other.directions).sum::<usize>();
        let directions = (directions + further_directions) as f64;
        if self.share <= 0.0 || directions == 0.0 {
            return 1.0;
        }
        incomplete_beta(
            directions / 2.0,
            self.directions as f64 / 2.0,
            noise / (noise + self.share),
        )
    }
}

/// Sums of products of columns, and of columns with a target.
struct NormalEquations {
    count: f64,
    sums: Vec<f64>,
    products: Vec<Vec<f64>>,
    with_target: Vec<f64>,
}

impl NormalEquations {
    fn new(columns: usize) -> Self {
        Self {
            count: 0.0,
            sums: vec![0.0; columns],
            products: vec![vec![0.0; columns]; columns],
            with_target: vec![0.0; columns],
        }
    }

    /// A row of columns, and a target whose sum over all rows is 0.
    fn add(&mut self, row: &[f64], target: f64) {
        self.count += 1.0;
        for (index, cell) in row.iter().enumerate() {
            self.sums[index] += cell;
            self.with_target[index] += cell * target;
            for (product, other) in self.products[index][index..].iter_mut().zip(&row[index..]) {
                *product += cell * other;
            }
        }
    }

    /// What the columns beside a constant explain of the squared target, and how many directions they
    /// have; `length` is the square of a column's usual length.
    fn explained(mut self, length: f64) -> (f64, usize) {
        let columns = self.sums.len();
        for row in 0..columns {
            for column in row..columns {
                self.products[row][column] -= self.sums[row] * self.sums[column] / self.count;
            }
        }
        let (mut explained, mut directions) = (0.0, 0);
        for row in 0..columns {
            let pivot = self.products[row][row];
            // Of no values the sums are no numbers.
            if pivot.is_nan() || pivot <= SAME_DIRECTION * length {
                continue;
            }
            explained += self.with_target[row] * self.with_target[row] / pivot;
            directions += 1;
            for below in row + 1..columns {
                let factor = self.products[row][below] / pivot;
                self.with_target[below] -= factor * self.with_target[row];
                for column in below..columns {
                    self.products[below][column] -= factor * self.products[row][column];
                }
            }
        }
        (explained, directions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::normal;
    use perftest_core::stats::Random;

    #[test]
    fn one_wave_at_even_times_is_the_classical_periodogram() {
        // At whole cycles: 2 |sum of x e^(i w t)|^2 / (n sum of x^2), here of 44 and 8 values.
        let values = [3.0, 1.0, -2.0, -1.0, 4.0, 0.0, -3.0, -2.0];
        let times: Vec<f64> = (0..8).map(f64::from).collect();
        let periodogram = Periodogram::new(&times, &values);
        let root = 2.0_f64.sqrt();
        for (cycles, expected) in
            [(1.0, (2.0 + root) / 88.0), (2.0, 10.0 / 11.0), (3.0, (2.0 - root) / 88.0)]
        {
            let power = periodogram.power(&[cycles / 8.0]);
            assert!((power.share - expected).abs() < 1e-12, "{power:?} {expected}");
            assert_eq!(power.directions, 2);
        }
    }

    #[test]
    fn a_constant_does_not_hide_a_wave() {
        let times: Vec<f64> = (0..30).map(|i| f64::from(i * i % 47)).collect();
        let wave: Vec<f64> = times.iter().map(|time| (0.4 * time).cos()).collect();
        let high: Vec<f64> = wave.iter().map(|value| value + 1e3).collect();
        let share = |values| Periodogram::new(&times, values).power(&[0.4 / TAU]).share;
        assert!((share(&wave) - 1.0).abs() < 1e-9);
        assert!((share(&high) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn waves_that_the_times_cannot_tell_apart_count_once() {
        let times: Vec<f64> = (0..40).map(|i| f64::from(i) / 4.0).collect();
        let values: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 11)).collect();
        let directions =
            |frequencies| Periodogram::new(&times, &values).power(frequencies).directions;
        // A wave at the limit of the sampling has no sine, three times one is its mirror, and four times
        // it is a constant.
        assert_eq!(directions(&[1.0]), 2);
        assert_eq!(directions(&[2.0]), 1);
        assert_eq!(directions(&[1.0, 2.0, 3.0]), 3);
        assert_eq!(directions(&[4.0]), 0);
    }

    #[test]
    fn independent_noise_reaches_a_false_alarm_probability_as_often_as_it_says() {
        let mut random = Random::new(11);
        let trials = 2_000;
        let mut alarms = 0;
        for _ in 0..trials {
            let times: Vec<f64> = (0..40).map(|_| random.between(0.0, 30.0)).collect();
            let values: Vec<f64> = times.iter().map(|_| normal(&mut random)).collect();
            let periodogram = Periodogram::new(&times, &values);
            let power = periodogram.power(&[0.2, 0.4]);
            let others = [0.27, 0.13].map(|at| periodogram.power(&[at, at + 0.2]));
            alarms += usize::from(power.among(&others) < 0.1);
        }
        assert!((150..260).contains(&alarms), "{alarms}");
    }

    #[test]
    fn values_that_agree_and_no_values_have_no_power() {
        let times = [1.0, 2.0, 4.0, 5.0];
        for (times, values) in [(&times[..], &[7.0; 4][..]), (&[], &[])] {
            let power = Periodogram::new(times, values).power(&[0.3]);
            assert_eq!((power.share, power.among(&[power])), (0.0, 1.0));
        }
    }
}
