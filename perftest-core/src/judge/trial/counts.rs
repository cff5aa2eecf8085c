//! Measurements of a trial by their conditions.

use crate::judge::Condition;
use crate::list::IntoList;

/// Numbers of measurements.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    pub measurements: u32,
    /// Disturbed measurements.
    pub suspects: u32,
    /// Measurements that were compared by their processor time.
    pub on_processor_time: u32,
}

impl Counts {
    /// Adds measurements with these conditions.
    pub(super) fn add(&mut self, conditions: &[Condition]) {
        let times = |is: fn(&Condition) -> bool| conditions.iter().count_where(|it| is(it));
        self.measurements += conditions.len() as u32;
        self.suspects += times(|condition| !condition.is_usable()) as u32;
        self.on_processor_time += times(|it| *it == Condition::OnProcessorTime) as u32;
    }
}
