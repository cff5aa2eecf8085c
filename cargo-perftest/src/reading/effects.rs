//! The effects that the user selects.

use crate::args::reading::Effects;
use perftest_analysis::detect::Effect;

impl Effects {
    /// Returns whether this effect is selected.
    pub(crate) fn has(&self, effect: Effect) -> bool {
        match (self.degradations, self.improvements) {
            (true, _) => effect == Effect::Degradation,
            (_, true) => effect == Effect::Improvement,
            (false, false) => true,
        }
    }

    /// Describes the selected lasting changes.
    pub(crate) fn of_changes(&self) -> &'static str {
        match (self.degradations, self.improvements) {
            (true, _) => "lasting degradation",
            (_, true) => "lasting improvement",
            (false, false) => "lasting change",
        }
    }

    /// Returns whether only some are selected.
    pub(crate) fn are_chosen(&self) -> bool {
        self.degradations || self.improvements
    }
}
