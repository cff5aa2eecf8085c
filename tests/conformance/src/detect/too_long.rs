//! A series that is too long for a detector.

use std::fmt;

/// The detector's time grows faster than the series, and this one would take too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLong {
    /// There are more points than the detector takes.
    Points {
        /// Whose time.
        detector: &'static str,
        /// How many points there are.
        points: usize,
        /// How many there may be.
        most: usize,
    },
    /// With these settings the search has no end in sight.
    Search {
        /// Whose time.
        detector: &'static str,
        /// How many points there are.
        points: usize,
    },
}

impl TooLong {
    /// Nothing where `points` are at most `most`.
    ///
    /// # Errors
    ///
    /// There are more.
    pub(super) fn check(detector: &'static str, points: usize, most: usize) -> Result<(), Self> {
        let it = Self::Points { detector, points, most };
        if points > most { Err(it) } else { Ok(()) }
    }
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Points { detector, points, most } => {
                write!(f, "{detector} takes at most {most} points here, and there are {points}: ")?;
                f.write_str(
                    "give it the newest of them, or a detector whose time grows with the series",
                )
            }
            Self::Search { detector, points } => {
                write!(
                    f,
                    "{detector} would take too long over {points} points with these settings: "
                )?;
                f.write_str(
                    "give it fewer points, a smaller window, fewer permutations or a smaller p",
                )
            }
        }
    }
}

impl std::error::Error for TooLong {}

/// What a search may still cost.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    left: usize,
    refusal: TooLong,
}

impl Budget {
    /// So much, for a series of so many points.
    pub(super) fn new(detector: &'static str, points: usize, most: usize) -> Self {
        Self { left: most, refusal: TooLong::Search { detector, points } }
    }

    /// Takes a cost out of it.
    ///
    /// # Errors
    ///
    /// There is not so much left.
    pub(super) fn spend(&mut self, cost: usize) -> Result<(), TooLong> {
        self.left = self.left.checked_sub(cost).ok_or(self.refusal)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_with_a_sentence_and_not_before() {
        let mut budget = Budget::new("It", 9, 10);
        assert_eq!((budget.spend(4), budget.spend(6)), (Ok(()), Ok(())));
        let refused = budget.spend(1).unwrap_err();
        assert!(refused.to_string().starts_with("It would take too long over 9 points"));
        assert_eq!(TooLong::check("It", 9, 9), Ok(()));
        assert!(TooLong::check("It", 9, 8).unwrap_err().to_string().contains("at most 8 points"));
    }
}
