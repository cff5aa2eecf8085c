//! The two sides of a comparison.

/// One of the two that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The one compared with.
    Base,
    /// The one that is judged.
    Head,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::Base, Self::Head];

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Base => Self::Head,
            Self::Head => Self::Base,
        }
    }
}
