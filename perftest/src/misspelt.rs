//! Environment variables with almost one of our names, and the distance of two names.

use perftest_core::list::IntoList;
use perftest_core::order::sort;

/// Largest number of letters that may be wrong, missing or superfluous.
pub(crate) const MOST_WRONG: usize = 2;
/// The beginning of our variables.
const PREFIX: &str = "PERFTEST_";

/// Returns the names among `given` that are not in `known` and almost equal one of them, each with
/// that one: a misspelt setting has no effect. A project may have its own variables.
pub(crate) fn misspelt(
    given: impl Iterator<Item = String>,
    known: &[String],
) -> Vec<(String, &str)> {
    let is_unknown = |name: &String| name.starts_with(PREFIX) && !known.contains(name);
    let almost = |name: String| {
        let distances = known.iter().map(|known| (distance(&name, known), known.as_str()));
        let nearest = distances.filter(|(distance, _)| *distance <= MOST_WRONG).min();
        nearest.map(|(_, known)| (name, known))
    };
    let mut unknown: Vec<String> = given.filter(is_unknown).into_list();
    sort(&mut unknown);
    unknown.into_iter().filter_map(almost).into_list()
}

/// Counts the letters to change, remove or insert between two words (Levenshtein).
pub(crate) fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).into_list();
    for (above, letter) in one.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (column, other) in other.bytes().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str]) -> Vec<String> {
        let known = ["PERFTEST_TOLERANCE", "PERFTEST_MODE", "PERFTEST_STORE"].map(str::to_owned);
        let given = names.iter().map(|name| (*name).to_owned());
        misspelt(given, &known).into_iter().map(|(name, near)| format!("{name} {near}")).collect()
    }

    #[test]
    fn a_misspelt_variable_is_found_with_the_one_that_was_meant() {
        assert_eq!(found(&["PERFTEST_TOLERENCE"]), ["PERFTEST_TOLERENCE PERFTEST_TOLERANCE"]);
        assert_eq!(found(&["PERFTEST_MODES", "PERFTEST_STOR"]).len(), 2);
    }

    #[test]
    fn variables_of_ours_and_of_others_are_left_alone() {
        assert_eq!(found(&["PERFTEST_MODE", "PERFTEST_FIXTURES", "PERFTOST_MODE", ""]).len(), 0);
    }
}
