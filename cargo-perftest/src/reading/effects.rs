//! Which effects are asked for.

use crate::args::reading::Effects;
use perftest_analysis::detect::Effect;

impl Effects {
    /// Whether this effect is selected.
    pub(crate) fn has(&self, effect: Effect) -> bool {
        match (self.degradations, self.improvements) {
            (true, _) => effect == Effect::Degradation,
            (_, true) => effect == Effect::Improvement,
            (false, false) => true,
        }
    }

    /// Selects lasting changes.
    pub(crate) fn of_changes(&self) -> &'static str {
        match (self.degradations, self.improvements) {
            (true, _) => "lasting degradation",
            (_, true) => "lasting improvement",
            (false, false) => "lasting change",
        }
    }

    /// Whether some are not.
    pub(crate) fn are_chosen(&self) -> bool {
        self.degradations || self.improvements
    }
}
