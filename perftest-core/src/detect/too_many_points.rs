//! A series that is too long for a detector.

use std::fmt;

/// The detector's time grows faster than the series, and this one is too long for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyPoints {
    /// Whose time.
    pub detector: &'static str,
    /// How many points there are.
    pub points: usize,
    /// How many there may be.
    pub most: usize,
}

impl TooManyPoints {
    /// Nothing where `points` are at most `most`.
    ///
    /// # Errors
    ///
    /// There are more.
    pub(super) fn check(
        detector: &'static str,
        points: usize,
        most: usize,
    ) -> Result<(), TooManyPoints> {
        let it = Self { detector, points, most };
        if points > most { Err(it) } else { Ok(()) }
    }
}

impl fmt::Display for TooManyPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { detector, points, most } = self;
        write!(f, "{detector} takes at most {most} points here, and there are {points}: ")?;
        f.write_str("give it the newest of them, or a detector whose time grows with the series")
    }
}

impl std::error::Error for TooManyPoints {}
