//! The two sides of a comparison.

/// One of the two compared executables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The old one, which is the reference.
    Base,
    /// The new one, which gets the verdict.
    Head,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::Base, Self::Head];

    /// Returns the other side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Base => Self::Head,
            Self::Head => Self::Base,
        }
    }
}
