//! Values of the command line, and numbers and texts as they are printed.

use crate::args::{OptionValue, option_values};
use perftest_core::words::{markdown_text, one_line, plain_quantity, quantity, quoted, rare};

/// More characters of a number nobody reads.
const LONGEST_QUANTITY: usize = 40;

/// A value is only taken within its range. What is printed is one line, and short where it is a number.
pub(super) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.lines() {
        for value in option_values(line) {
            assert!(is_in_range(&value), "{line:?} is read as {value:?}");
        }
        if let Ok(number) = line.parse() {
            is_short(number);
        }
    }
    if let Some(bytes) = data.first_chunk() {
        is_short(f64::from_le_bytes(*bytes));
    }
    let shown = one_line(&text);
    assert!(!shown.contains(char::is_control), "{shown:?}");
    assert_eq!(one_line(&shown), shown);
    let _ = (quoted(&text), markdown_text(&text));
}

fn is_in_range(value: &OptionValue) -> bool {
    match value {
        OptionValue::Count(count) => *count > 0,
        OptionValue::Factor(factor) | OptionValue::Positive(factor) => {
            *factor > 0.0 && factor.is_finite()
        }
        OptionValue::Probability(probability) => (0.0..=1.0).contains(probability),
        OptionValue::Ratio(ratio) => *ratio > 1.0 && ratio.is_finite(),
        OptionValue::Reason(reason) => !reason.is_empty() && !reason.contains(char::is_control),
        OptionValue::Seconds(seconds) => *seconds > 0.0,
        OptionValue::Shard(number, count) => (1..=*count).contains(number),
        OptionValue::Threshold(share) => (0.0..=9.0).contains(share),
        OptionValue::Tolerance(share) => *share > 0.0 && *share <= 9.0,
    }
}

fn is_short(number: f64) {
    let shown = [quantity(number, "ns"), quantity(number, ""), rare(number.fract().abs())];
    assert!(shown.iter().all(|it| it.len() <= LONGEST_QUANTITY), "{shown:?}");
    let _ = plain_quantity(number, "ns");
}
