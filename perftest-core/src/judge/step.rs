//! The steps that a trial requests, and their answers.

use super::{PairPlan, ProcessPair};
use crate::model::{Evidence, Measurement};
use std::time::Duration;

/// The next step of a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Take one measurement.
    Measure,
    /// Let this much time pass, so that a burst of interference can end.
    Wait(Duration),
    /// Measure the same test in a fresh process.
    Confirm {
        /// Number of the fresh process, from 1.
        process: u32,
        /// Measurements to take there.
        measurements: u32,
    },
    /// Measure a fresh process of the present executable and one of the last good build in turns.
    Pair(PairPlan),
    /// The trial is over, with this verdict and its evidence.
    Done(Box<Evidence>),
}

/// The result of a fresh process.
#[derive(Debug, Clone, PartialEq)]
pub enum Confirmation {
    /// It was measured.
    Measured {
        /// Its measurements.
        measurements: Vec<Measurement>,
        /// Processors that others used meanwhile, where that is known.
        others_cpus: Option<f64>,
        /// Time from its start to its end.
        elapsed: Duration,
    },
    /// Other tests kept running beside it, so its numbers prove nothing against the code.
    NotAlone,
    /// It could not be measured, with the reason.
    Unavailable(String),
}

/// The result of a pair of fresh processes.
#[derive(Debug, Clone, PartialEq)]
pub enum Pairing {
    /// Both were measured.
    Measured {
        /// The base is the last good build, the head the present one.
        pair: ProcessPair,
        /// Time from the start of the first process to the end of both.
        elapsed: Duration,
    },
    /// No last good build can run.
    NoBase,
    /// Other tests kept running beside it.
    NotAlone,
    /// The present executable could not be measured, with the reason.
    Unavailable(String),
}

/// The answer to a [`Step`].
#[derive(Debug, Clone, PartialEq)]
pub enum StepAnswer {
    /// The answer to [`Step::Measure`].
    Measured(Measurement),
    /// The answer to [`Step::Wait`].
    Waited,
    /// The answer to [`Step::Confirm`].
    Confirmed(Confirmation),
    /// The answer to [`Step::Pair`].
    Paired(Pairing),
}
