//! The real input: two public-domain texts and one catalogue. Where each file comes from and on
//! what terms is in `data/README.md`.

/// *Alice's Adventures in Wonderland* by Lewis Carroll: prose in ASCII, 26,457 words.
pub const ALICE: &str = include_str!("../data/alice29.txt");

/// *Paradise Lost* by John Milton: blank verse in ASCII, three times as long as [`ALICE`].
pub const PARADISE_LOST: &str = include_str!("../data/paradise_lost.txt");

/// A catalogue of media types in JSON: one object with an entry for each type.
pub const MEDIA_TYPES: &str = include_str!("../data/mime_db.json");

/// How many lines [`pages`] puts on a page.
pub const LINES_PER_PAGE: usize = 40;

/// Cuts a text into pages of [`LINES_PER_PAGE`] lines; the last may be shorter. The pages joined
/// are the text.
///
/// ```
/// use perftest_examples::data::pages;
/// let text = "a line\n".repeat(50);
/// assert_eq!(pages(&text).concat(), text);
/// assert_eq!(pages(&text).len(), 2);
/// ```
#[must_use]
pub fn pages(text: &str) -> Vec<&str> {
    let mut pages = Vec::new();
    let mut rest = text;
    while let Some((line_feed, _)) = rest.match_indices('\n').nth(LINES_PER_PAGE - 1) {
        let (page, after) = rest.split_at(line_feed + 1);
        pages.push(page);
        rest = after;
    }
    if !rest.is_empty() {
        pages.push(rest);
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_the_ones_the_readme_describes() {
        for (text, lines, bytes) in [
            (ALICE, 3_608, 148_480),
            (PARADISE_LOST, 10_637, 468_201),
            (MEDIA_TYPES, 9_342, 203_840),
        ] {
            assert!(text.is_ascii());
            assert!(!text.contains('\r'));
            assert_eq!((text.lines().count(), text.len()), (lines, bytes));
        }
    }

    #[test]
    fn a_text_without_a_last_line_feed_keeps_its_last_line() {
        assert_eq!(pages("one\ntwo"), ["one\ntwo"]);
        assert_eq!(pages(""), [""; 0]);
    }

    #[test]
    fn a_text_of_exactly_one_page_is_one_page() {
        let text = "line\n".repeat(LINES_PER_PAGE);
        assert_eq!(pages(&text), [text.as_str()]);
    }
}
