//! A list of names that may be long.

use std::collections::BTreeSet;

/// Names that are listed.
const NAMED: usize = 5;

/// Each of these names once, in the order of the alphabet.
pub(crate) fn each_once<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<BTreeSet<&str>>().into_iter().collect::<Vec<_>>().join(", ")
}

/// The first names, and the number of the others: `a, b, c, d, e and 3 more`.
pub(crate) fn some_names(names: &[&str]) -> String {
    let (first, others) = names.split_at(names.len().min(NAMED));
    match others.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_five_are_counted() {
        assert_eq!(some_names(&["a"; 5]), "a, a, a, a, a");
        assert_eq!(some_names(&["a"; 7]), "a, a, a, a, a and 2 more");
    }
}
