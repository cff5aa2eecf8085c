//! Whether answers are coloured.

use anstream::ColorChoice;
use std::env;

/// Lets `CARGO_TERM_COLOR` decide, as for cargo itself. Else `NO_COLOR`, `CLICOLOR_FORCE`, `TERM` and the
/// terminal do.
pub(crate) fn follow_cargo() {
    if let Some(choice) = choice(env::var("CARGO_TERM_COLOR").ok().as_deref()) {
        choice.write_global();
    }
}

fn choice(variable: Option<&str>) -> Option<ColorChoice> {
    match variable? {
        "always" => Some(ColorChoice::Always),
        "never" => Some(ColorChoice::Never),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_word_decides() {
        assert_eq!(choice(Some("always")), Some(ColorChoice::Always));
        assert_eq!(choice(Some("never")), Some(ColorChoice::Never));
        for other in [None, Some("auto"), Some(""), Some("blue")] {
            assert_eq!(choice(other), None, "{other:?}");
        }
    }
}
