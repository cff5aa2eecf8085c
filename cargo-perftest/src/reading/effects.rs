//! Which effects are asked for.

use crate::args::reading::Effects;
use perftest_core::detect::Effect;

impl Effects {
    /// Whether this one is told.
    pub(crate) fn has(&self, effect: Effect) -> bool {
        match (self.degradations, self.improvements) {
            (true, _) => effect == Effect::Degradation,
            (_, true) => effect == Effect::Improvement,
            (false, false) => true,
        }
    }

    /// Whether some are not.
    pub(crate) fn are_chosen(&self) -> bool {
        self.degradations || self.improvements
    }
}
