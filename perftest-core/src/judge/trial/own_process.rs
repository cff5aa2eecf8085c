//! What this process has shown to a trial.

use crate::judge::round::Round;
use crate::judge::{Condition, Inspector};
use crate::model::Measurement;
use std::time::Duration;

/// The process that asks for the verdict.
#[derive(Debug, Clone)]
pub(super) struct OwnProcess {
    inspector: Inspector,
    /// Rounds, oldest first; never empty.
    pub rounds: Vec<Round>,
    /// Measurements of the present round.
    pub round: u32,
    /// Measurements that the budget has room for, where each is a single iteration.
    pub room: Option<u32>,
    /// Time at the newest measurement.
    pub elapsed: Duration,
    /// Other threads of the body did some of its work.
    pub works_in_threads: bool,
    /// It was slow enough to ask fresh processes.
    pub suspected: bool,
}

impl OwnProcess {
    /// A process without measurements, whose first round has so many.
    pub(super) fn new(inspector: Inspector, round: u32) -> Self {
        Self {
            inspector,
            rounds: vec![Round::default()],
            round,
            room: None,
            elapsed: Duration::ZERO,
            works_in_threads: false,
            suspected: false,
        }
    }

    /// Adds a measurement to the newest round, and gives its condition.
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

    /// The rounds that are judged, where a round usually has so many measurements. Of wide noise only the
    /// longer one can tell: the fastest of several short ones would be the luckiest.
    pub(super) fn judged_rounds(&self, usual: u32) -> &[Round] {
        let first = if self.round > usual { self.rounds.len() - 1 } else { 0 };
        &self.rounds[first..]
    }
}
