//! The reading of a sensor.

use std::borrow::Cow;

/// The reading of a sensor: a value, or the reason why there is none.
///
/// An absent sensor is listed with its reason; its value is never guessed.
#[derive(Debug, PartialEq)]
pub enum Reading<T> {
    /// The value.
    Value(T),
    /// Why there is no value, in a few words.
    Absent(Cow<'static, str>),
}

impl<T> Reading<T> {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent(_) => None,
        }
    }

    /// An absent reading with its reason.
    pub fn absent(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Absent(reason.into())
    }
}

impl<T: Copy> Reading<T> {
    /// The value by copy, if there is one.
    pub fn get(&self) -> Option<T> {
        self.value().copied()
    }
}

impl<T: Clone> Clone for Reading<T> {
    // A look at the machine has fifty readings: a clone of each inside of its own is 13 KB of code, in
    // every crate that clones one.
    #[inline(never)]
    fn clone(&self) -> Self {
        match self {
            Self::Value(value) => Self::Value(value.clone()),
            Self::Absent(reason) => Self::Absent(reason.clone()),
        }
    }
}

impl<T> Default for Reading<T> {
    fn default() -> Self {
        Self::Absent("not read".into())
    }
}
