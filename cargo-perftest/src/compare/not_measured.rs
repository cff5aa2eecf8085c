//! Why a test could not be compared.

use super::CompareStatus;
use perftest_core::judge::Side;
use perftest_process::SideFailure;

/// A failure of one side, or of neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotMeasured {
    is_of_base: bool,
    /// Begins with the side that failed.
    pub(crate) why: String,
}

impl NotMeasured {
    /// A failure of the head, or one before a side was measured.
    pub(super) fn other(why: String) -> Self {
        Self { is_of_base: false, why }
    }

    /// A failure of the base: what is wrong there is not the head's fault.
    pub(super) fn of_base(why: &str) -> Self {
        Self { is_of_base: true, why: format!("base: {why}") }
    }

    /// Returns the status of a test that ended so.
    pub(super) fn status(self) -> CompareStatus {
        match self.is_of_base {
            true => CompareStatus::BaseFailed(self.why),
            false => CompareStatus::Failed(self.why),
        }
    }
}

impl From<SideFailure> for NotMeasured {
    fn from(failure: SideFailure) -> Self {
        match failure.side {
            Side::Base => Self::of_base(&failure.why),
            Side::Head => Self::other(format!("head: {}", failure.why)),
        }
    }
}
