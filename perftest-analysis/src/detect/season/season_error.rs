//! Why no pattern can be searched.

use super::Period;
use std::fmt;

/// Why a history cannot be searched for a pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeasonError {
    /// There are not as many times as values.
    Unpaired {
        /// Number of times.
        times: usize,
        /// Number of values.
        values: usize,
    },
    /// A value is older than the one before it.
    Unsorted {
        /// Index of the first such value.
        index: usize,
    },
    /// A pattern is a factor, and a value is not above 0.
    NotPositive {
        /// Index of the first such value.
        index: usize,
        /// The value.
        value: f64,
    },
    /// There are too few values for any pattern.
    TooFew {
        /// Number of values.
        values: usize,
        /// Fewest values.
        needed: usize,
    },
    /// The history is shorter than three periods.
    TooShort {
        /// The period of the pattern.
        period: Period,
        /// Hours with values; a pause is as long as a period at most.
        hours: f64,
    },
    /// All values are from the same part of a period, or those from others are too few.
    Hidden {
        /// The period of the pattern.
        period: Period,
    },
}

impl fmt::Display for SeasonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unpaired { times, values } => {
                write!(f, "there are {times} times and {values} values: each value needs its time")
            }
            Self::Unsorted { index } => write!(
                f,
                "value {} is older than the one before it: sort the values by their times, oldest \
                 first",
                index + 1
            ),
            Self::NotPositive { index, value } => write!(
                f,
                "value {} is {value}: a daily or weekly pattern is a factor and needs values above 0",
                index + 1
            ),
            Self::TooFew { values, needed } => write!(
                f,
                "{values} values are too few for a daily or weekly pattern: {needed} are needed"
            ),
            Self::TooShort { period, hours } => write!(
                f,
                "the values cover {:.1} days, and a {} pattern needs three {}",
                hours / f64::from(Period::Day.hours()),
                period.name(),
                match period {
                    Period::Day => "days",
                    Period::Week => "weeks",
                }
            ),
            Self::Hidden { period } => write!(
                f,
                "a {} pattern needs values from two {} at least, three each",
                period.name(),
                match period {
                    Period::Day => "times of the day",
                    Period::Week => "days of the week",
                }
            ),
        }
    }
}

impl std::error::Error for SeasonError {}
