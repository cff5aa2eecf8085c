//! Colours that people with any colour vision tell apart.
//!
//! Source: Okabe and Ito (2008), "Color Universal Design".

use perftest_analysis::profile::crate_name;

/// Sky blue, bluish green, yellow, orange, reddish purple, and lighter shades of the two darkest ones.
const PALETTE: [&str; 7] =
    ["#56b4e9", "#009e73", "#f0e442", "#e69f00", "#cc79a7", "#7fb8d8", "#eaa97f"];
/// Functions of no crate.
const OTHER: &str = "#bbbbbb";
const NEUTRAL: [f64; 3] = [238.0, 238.0, 238.0];
const MORE: [f64; 3] = [213.0, 94.0, 0.0];
const LESS: [f64; 3] = [0.0, 114.0, 178.0];

/// The colour of a function by its crate.
pub(super) fn crate_colour(name: &str) -> &'static str {
    crate_name(name).map_or(OTHER, |name| {
        let sum = name
            .bytes()
            .fold(7_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
        PALETTE[sum % PALETTE.len()]
    })
}

/// Vermilion for more and blue for less; -1 and 1 are the strongest.
pub(super) fn change_colour(strength: f64) -> String {
    let end = if strength > 0.0 { MORE } else { LESS };
    let part = strength.abs().min(1.0);
    let [red, green, blue] =
        [0, 1, 2].map(|it: usize| (NEUTRAL[it] + part * (end[it] - NEUTRAL[it])).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_vermilion_and_less_is_blue() {
        let colours = [0.0, 1.0, -1.0, 9.0].map(change_colour);
        assert_eq!(colours, ["#eeeeee", "#d55e00", "#0072b2", "#d55e00"]);
    }

    #[test]
    fn functions_of_one_crate_have_one_colour() {
        assert_eq!(crate_colour("a::b"), crate_colour("<a::c as d::E>::f"));
        assert_eq!(crate_colour("malloc"), OTHER);
    }
}
