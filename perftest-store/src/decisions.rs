//! What is decided about the runs of a project.

use crate::Testbeds;
use crate::format::EventLine;
use perftest_core::model::Acceptance;
use std::sync::Arc;

/// What is decided and not revoked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decisions {
    /// Acceptances, oldest first. Expired ones are included: only the caller knows the time. Each has the name by which
    /// its testbed is read.
    pub acceptances: Vec<Acceptance>,
    /// How testbeds are read: the names in every answer of the store.
    pub testbeds: Arc<Testbeds>,
}

impl Decisions {
    /// Returns what holds after these events.
    pub(crate) fn after(events: &[EventLine]) -> Self {
        let testbeds = Testbeds::of(&EventLine::standing_decisions(events));
        let mut acceptances = EventLine::standing(events);
        testbeds.rename_in(&mut acceptances);
        Self { acceptances, testbeds: Arc::new(testbeds) }
    }
}
