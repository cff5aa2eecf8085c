//! Measurements of a trial by their conditions.

use crate::judge::Condition;

/// So many measurements were taken.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    pub measurements: u32,
    /// Disturbed ones.
    pub suspects: u32,
    /// Those that were judged on the time they had the processor.
    pub on_processor_time: u32,
}

impl Counts {
    /// Adds measurements of these conditions.
    pub(super) fn add(&mut self, conditions: &[Condition]) {
        let times = |is: fn(&Condition) -> bool| conditions.iter().filter(|it| is(it)).count();
        self.measurements += conditions.len() as u32;
        self.suspects += times(|condition| !condition.is_usable()) as u32;
        self.on_processor_time += times(|it| *it == Condition::OnProcessorTime) as u32;
    }
}
