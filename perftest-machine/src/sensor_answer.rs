//! What a sensor answers.

use perftest_core::model::Reading;

/// The value of a sensor, or the reason why it has none, in a few words.
pub(crate) type SensorAnswer<T> = Result<T, String>;

/// Converts a sensor's answer to a [`Reading`].
#[inline(never)]
pub(crate) fn reading<T>(answer: SensorAnswer<T>) -> Reading<T> {
    answer.map_or_else(Reading::absent, Reading::Value)
}

/// Converts a part of a sensor's answer to a [`Reading`].
#[cfg(any(target_os = "linux", all(test, unix)))]
#[inline(never)]
pub(crate) fn part<T, U>(answer: &SensorAnswer<T>, part: impl FnOnce(&T) -> U) -> Reading<U> {
    reading(answer.as_ref().map(part).map_err(String::clone))
}
