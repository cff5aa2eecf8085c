//! Measurements of this process.

use crate::judge::round::Round;
use crate::judge::{Condition, Inspector};
use crate::model::Measurement;
use std::time::Duration;

/// The process of the test.
#[derive(Debug, Clone)]
pub(super) struct OwnProcess {
    inspector: Inspector,
    /// Rounds, oldest first; never empty.
    pub rounds: Vec<Round>,
    /// Number of measurements in the present round.
    pub round: u32,
    /// Measurements that the budget has room for, if each is a single iteration.
    pub room: Option<u32>,
    /// Time of a whole measurement; 0 while it is unknown.
    pub measurement_ns: f64,
    /// Time of the newest measurement.
    pub elapsed: Duration,
    /// Whether other threads of the body did some of its work.
    pub works_in_threads: bool,
    /// Whether the process was slow enough to start fresh ones.
    pub suspected: bool,
}

impl OwnProcess {
    /// Creates a process without measurements, whose first round has this many.
    pub(super) fn new(inspector: Inspector, round: u32) -> Self {
        Self {
            inspector,
            rounds: vec![Round::default()],
            round,
            room: None,
            measurement_ns: 0.0,
            elapsed: Duration::ZERO,
            works_in_threads: false,
            suspected: false,
        }
    }

    /// Adds a measurement to the newest round, and returns its condition.
    pub(super) fn take(&mut self, measurement: &Measurement) -> Condition {
        let condition = self.inspector.inspect(measurement);
        self.works_in_threads |= measurement.works_in_threads();
        let round = self.rounds.last_mut().expect("a trial has a round from the start");
        round.push(measurement, condition);
        condition
    }

    /// The newest round.
    pub(super) fn newest(&self) -> &Round {
        self.rounds.last().expect("a trial has a round from the start")
    }

    /// Returns the rounds for the verdict; `usual` is the usual size of a round. With wide noise
    /// only the longer round counts: the fastest of several short ones would be the luckiest.
    pub(super) fn judged_rounds(&self, usual: u32) -> &[Round] {
        let first = if self.round > usual { self.rounds.len() - 1 } else { 0 };
        &self.rounds[first..]
    }
}
