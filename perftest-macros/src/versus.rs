//! `versus`: the function that the test is compared with.

use crate::unparsed::Path;
use syn::parse::ParseStream;
use syn::{Error, Result};

pub(crate) const VERSUS: &str = "`versus` takes the path of the function to compare with, which has the same \
                      parameters: versus = other_function";

/// Only a path: the result line prints its name.
pub(crate) fn parse(input: ParseStream) -> Result<Path> {
    input.parse().map_err(|error| Error::new(error.span(), VERSUS))
}

/// # Errors
/// A key that concerns the history. `of_a_history` are those keys, and whether they are given.
pub(crate) fn check(versus: &Path, of_a_history: &[(&str, bool)]) -> Result<()> {
    match of_a_history.iter().find(|(_, is_given)| *is_given) {
        Some((key, _)) => Err(Error::new_spanned(
            versus,
            format!(
                "`{key}` has no meaning beside `versus`, which compares with a function by turns and \
                 not with a history; remove one of them"
            ),
        )),
        None => Ok(()),
    }
}
