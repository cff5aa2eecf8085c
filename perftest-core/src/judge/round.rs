//! Measurements close in time, judged together.

use super::is_interrupted;
use crate::model::{Measurement, Sample};

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
    pub(super) fn clean(&self) -> Option<Sample> {
        let kept = self.values.iter().zip(&self.clean).filter(|(_, clean)| **clean);
        Sample::new(kept.map(|(value, _)| *value).collect()).ok()
    }

    /// What may speak for the code. Interference only makes code slower, so where too little is
    /// undisturbed, disturbed values that are fast are proof as well.
    pub(super) fn fair(&self) -> Option<Sample> {
        if self.clean_size() >= 3 { self.clean() } else { Sample::new(self.values.clone()).ok() }
    }
}
