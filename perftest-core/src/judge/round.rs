//! Measurements close in time, judged together.

use super::{is_interrupted, level::Level};
use crate::model::{Interval, Measurement, Sample};

/// Measurements taken in one go, without a gap.
#[derive(Debug, Clone, Default)]
pub(super) struct Round {
    values: Vec<f64>,
    clean: Vec<bool>,
}

impl Round {
    pub(super) fn of(measurements: &[Measurement]) -> Self {
        let mut round = Self::default();
        measurements.iter().for_each(|measurement| round.push(measurement));
        round
    }

    pub(super) fn push(&mut self, measurement: &Measurement) {
        self.values.push(measurement.value_ns);
        self.clean.push(!is_interrupted(measurement));
    }

    pub(super) fn size(&self) -> u32 {
        self.values.len() as u32
    }

    pub(super) fn clean_size(&self) -> u32 {
        self.clean.iter().filter(|clean| **clean).count() as u32
    }

    pub(super) fn ends_clean(&self) -> bool {
        self.clean.last() == Some(&true)
    }

    /// What may be held against the code: undisturbed values only.
    fn clean(&self) -> Option<Sample> {
        let kept = self.values.iter().zip(&self.clean).filter(|(_, clean)| **clean);
        Sample::new(kept.map(|(value, _)| *value).collect()).ok()
    }

    /// What may speak for the code. Interference only makes code slower, so where too little is
    /// undisturbed, disturbed values that are fast are proof as well.
    pub(super) fn fair(&self) -> Option<Sample> {
        if self.clean_size() >= 3 { self.clean() } else { Sample::new(self.values.clone()).ok() }
    }

    /// Logarithm of the cost of the middle value.
    pub(super) fn log_center(&self, level: &Level) -> Option<f64> {
        self.fair().map(|sample| level.log_cost(sample.median()))
    }

    /// Upper bound of the logarithm of the degradation.
    pub(super) fn at_most(&self, level: &Level, misrate: f64) -> Option<f64> {
        Some(level.bounds(&self.fair()?, misrate)?.upper)
    }

    /// Lower bound of the logarithm of the degradation.
    pub(super) fn at_least(&self, level: &Level, misrate: f64) -> Option<f64> {
        Some(level.bounds(&self.clean()?, misrate)?.lower)
    }

    /// Estimate and bounds as they are shown, at 1 % on each side where the size allows, else
    /// wider.
    pub(super) fn shown(&self, level: &Level) -> Option<Interval> {
        let sample = self.fair()?;
        [0.01, 0.05, 0.5].into_iter().find_map(|misrate| level.bounds(&sample, misrate))
    }
}
