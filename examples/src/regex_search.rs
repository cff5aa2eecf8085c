//! Searching a novel with a regular expression: who speaks?

use crate::data::{ALICE, pages};
use crate::slowdown::stretch;
use regex::Regex;

/// Direct speech, a verb of speech, the speaker: "\`Off with her head!' cried the Queen".
const SPEECH: &str =
    "`[^`]*'[ \n](?:said|thought|cried|replied|remarked)[ \n](?:the[ \n])?([A-Z][a-z]+)";

/// The pattern [`speeches`] searches for. Compiling costs far more than one page of searching:
/// do it once.
///
/// # Errors
/// None with the pattern as it stands; the type is that of [`Regex::new`].
pub fn pattern() -> Result<Regex, regex::Error> {
    Regex::new(SPEECH)
}

/// The pages of the novel, `factor` times as many as it has.
#[must_use]
pub fn input(factor: f64) -> Vec<&'static str> {
    stretch(&pages(ALICE), factor)
}

/// How often `pattern` is found on the pages.
#[must_use]
pub fn speeches(pattern: &Regex, pages: &[&str]) -> usize {
    pages.iter().map(|page| pattern.find_iter(page).count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_speech_of_the_novel_is_found_and_149_are_alices() {
        let pattern = pattern().unwrap();
        let by_alice = pattern.captures_iter(ALICE).filter(|found| &found[1] == "Alice").count();
        assert_eq!((speeches(&pattern, &[ALICE]), by_alice), (356, 149));
    }

    #[test]
    fn a_speech_may_run_over_the_end_of_a_line() {
        let found = speeches(
            &pattern().unwrap(),
            &["`Ah!' replied\nthe Gryphon.  `Oh!' said Alice.  Alice said nothing."],
        );
        assert_eq!(found, 2);
    }

    #[test]
    fn a_slowdown_adds_pages() {
        assert_eq!(speeches(&pattern().unwrap(), &input(1.0)), 356);
        assert_eq!(speeches(&pattern().unwrap(), &input(2.0)), 2 * 356);
    }
}
