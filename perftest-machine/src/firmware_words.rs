//! Names for the bits of the throttle word of a Raspberry Pi's firmware.

use perftest_core::list::IntoList;

/// The meaning of bits 0 to 3, lowest first.
const WORDS: [&str; 4] =
    ["under-voltage", "frequency capped", "throttled", "soft temperature limit"];

/// Names the present conditions in the firmware's throttle word. For the conditions since boot,
/// shift the word right by 16.
///
/// # Example
///
/// ```
/// use perftest_machine::firmware_words;
///
/// let bits = 0x5_0001;
/// assert_eq!(firmware_words(bits), ["under-voltage"]);
/// assert_eq!(firmware_words(bits >> 16), ["under-voltage", "throttled"]);
/// ```
pub fn firmware_words(bits: u64) -> Vec<&'static str> {
    let is_set = |bit: usize| bits >> bit & 1 == 1;
    WORDS.into_iter().enumerate().filter(|(bit, _)| is_set(*bit)).map(|(_, word)| word).into_list()
}
