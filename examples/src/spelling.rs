//! Spelling suggestions. The function worth measuring is private: its performance test stands
//! here, beside its unit tests, and runs under the ordinary test harness.

/// The word of `dictionary` that is nearest to `word`, the first of several; `None` if the
/// dictionary is empty.
///
/// ```
/// use perftest_examples::spelling::suggest;
/// assert_eq!(suggest("gryfon", &["dormouse", "gryphon", "hatter"]), Some("gryphon"));
/// ```
#[must_use]
pub fn suggest<'d>(word: &str, dictionary: &[&'d str]) -> Option<&'d str> {
    dictionary.iter().copied().min_by_key(|known| edit_distance(word, known))
}

/// The smallest number of letters to insert, delete or replace that makes `one` into `other`: the
/// distance of Levenshtein, by the table of Wagner and Fischer, of which one row is kept.
fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    // row[j] is the distance from the letters of `one` read so far to the first j of `other`.
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &other_letter) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other_letter);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_distances_are_met() {
        for (one, other, distance) in [
            ("", "", 0),
            ("", "hare", 4),
            ("hare", "", 4),
            ("hatter", "hatter", 0),
            ("kitten", "sitting", 3),
            ("saturday", "sunday", 3),
            ("caf\u{e9}", "cafe", 1),
        ] {
            assert_eq!(edit_distance(one, other), distance, "{one} {other}");
            assert_eq!(edit_distance(other, one), distance, "{other} {one}");
        }
    }

    #[test]
    fn an_empty_dictionary_has_no_suggestion() {
        assert_eq!(suggest("alice", &[]), None);
    }
}

#[cfg(test)]
mod perf {
    use super::*;
    use crate::data::ALICE;
    use crate::slowdown::{Slowdown, stretch};
    use perftest::{Bencher, black_box, perf_test};

    /// The first words of the novel, each with the word after it.
    fn pairs(factor: f64) -> Vec<(&'static str, &'static str)> {
        let words: Vec<&str> = ALICE.split_ascii_whitespace().take(2_001).collect();
        let pairs: Vec<_> = words.windows(2).map(|pair| (pair[0], pair[1])).collect();
        stretch(&pairs, factor)
    }

    fn distances(pairs: &[(&str, &str)]) -> usize {
        pairs.iter().map(|(one, other)| edit_distance(one, other)).sum()
    }

    #[perf_test]
    fn neighbouring_words(b: &mut Bencher) {
        let pairs = pairs(Slowdown::of("spelling"));
        b.iter(|| distances(black_box(&pairs)));
    }

    #[test]
    fn a_slowdown_adds_pairs() {
        assert_eq!(pairs(1.05).len(), 2_100);
        assert_eq!(distances(&pairs(2.0)), 2 * distances(&pairs(1.0)));
    }
}
