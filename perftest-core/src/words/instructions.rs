//! Formats instruction counts of two executables, and whether they explain a slowdown.

use super::ratio::change;
use crate::model::Instructions;

/// Counts that differ by less than this share are reported as equal: alignment and code around an
/// iteration cause such differences.
const AS_MANY: f64 = 0.01;
/// More work explains a slowdown if it explains at least this share.
const EXPLAINS: f64 = 0.5;

/// Formats the counts. With a slowdown, a ratio above 1, adds whether they explain it.
///
/// ```
/// use perftest_core::model::{InstructionCounter, Instructions};
/// use perftest_core::words::instructions;
/// let counted = Instructions::of([1204.0; 2], [1502.0; 2], InstructionCounter::Valgrind);
/// assert_eq!(
///     instructions(&counted, Some(1.25)),
///     "instructions 1,204 -> 1,502 per iteration (+24.8%, valgrind): the code does more work"
/// );
/// ```
pub fn instructions(counted: &Instructions, slowdown: Option<f64>) -> String {
    let agreement = slowdown
        .filter(|slowdown| *slowdown > 1.0)
        .map_or_else(String::new, |slowdown| format!(": {}", agreement(counted, slowdown)));
    format!(
        "instructions {} -> {} per iteration ({}, {}){agreement}{}",
        grouped(counted.before),
        grouped(counted.now),
        change(counted.ratio(), 1),
        counted.counter.name(),
        repeats(counted)
    )
}

fn agreement(counted: &Instructions, slowdown: f64) -> &'static str {
    let (work, time) = (counted.ratio().ln(), slowdown.ln());
    if work.abs() <= AS_MANY.max(counted.variation) {
        "as many instructions: look at memory, branches, layout"
    } else if work < 0.0 {
        "fewer instructions: look at memory, branches, layout"
    } else if work >= EXPLAINS * time {
        "the code does more work"
    } else {
        "the code does more work, which explains a part: look at memory, branches, layout too"
    }
}

fn repeats(counted: &Instructions) -> String {
    if counted.are_repeatable() {
        return String::new();
    }
    let percent = 100.0 * counted.variation;
    format!("; not deterministic, two counts differ by {percent:.1}%")
}

/// Formats whole instructions, with a comma after each third digit; with one decimal below 100.
fn grouped(count: f64) -> String {
    if count < 100.0 {
        return format!("{count:.1}");
    }
    let digits = format!("{count:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::InstructionCounter;

    fn text(now: f64, slowdown: Option<f64>) -> String {
        let counted = Instructions::of([1000.0; 2], [now; 2], InstructionCounter::Processor);
        instructions(&counted, slowdown)
    }

    #[test]
    fn beside_a_slowdown_they_agree_or_disagree() {
        assert!(text(1200.0, Some(1.25)).ends_with(": the code does more work"));
        assert!(text(1100.0, Some(1.5)).contains("explains a part"));
        assert!(text(1004.0, Some(1.25)).contains(": as many instructions: look at memory"));
        assert!(text(900.0, Some(1.25)).contains("fewer instructions: look at"));
    }

    #[test]
    fn without_a_slowdown_only_their_number_is_printed() {
        let expected = "instructions 1,000 -> 900 per iteration (-10.0%, processor)";
        assert_eq!(text(900.0, None), expected);
        assert_eq!(text(900.0, Some(0.9)), expected);
    }

    #[test]
    fn counts_that_do_not_repeat_are_reported_and_trusted_less() {
        let varying = [1020.0, 1050.0];
        let counted = Instructions::of([1000.0; 2], varying, InstructionCounter::Valgrind);
        let text = instructions(&counted, Some(1.2));
        assert!(text.contains("the code does more work"), "{text}");
        assert!(text.ends_with("; not deterministic, two counts differ by 2.9%"), "{text}");
        let close = Instructions { now: 1010.0, before: 990.0, ..counted };
        assert!(instructions(&close, Some(1.2)).contains("as many instructions"));
    }

    #[test]
    fn digits_are_grouped_by_three() {
        let counts = [0.0, 7.04, 99.9, 100.0, 999.6, 12_345.0, 461_207_007.0];
        let expected = ["0.0", "7.0", "99.9", "100", "1,000", "12,345", "461,207,007"];
        assert_eq!(counts.map(grouped), expected);
    }
}
