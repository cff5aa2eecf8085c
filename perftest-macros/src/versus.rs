//! `versus`: the function that the test is compared with.

use crate::args::Args;
use syn::parse::ParseStream;
use syn::{Error, ExprPath, Result};

pub(crate) const VERSUS: &str = "`versus` takes the path of the function to compare with, which has the same \
                      parameters: versus = other_function";

/// Only a path: its name is told with the answer.
pub(crate) fn parse(input: ParseStream) -> Result<ExprPath> {
    input.parse().map_err(|error| Error::new(error.span(), VERSUS))
}

/// # Errors
/// A key that speaks of a history.
pub(crate) fn check(args: &Args) -> Result<()> {
    let of_history = [
        ("curve", args.curve.is_some()),
        ("ratchet", args.ratchet.is_some()),
        ("disk_probe", args.disk_probe.is_some()),
    ];
    let given = of_history.into_iter().find(|(_, is_given)| *is_given);
    match (&args.versus, given) {
        (Some(versus), Some((key, _))) => Err(Error::new_spanned(
            versus,
            format!(
                "`{key}` is for tests that are compared with their history, and `versus` compares \
                 with a function; remove one of them"
            ),
        )),
        _ => Ok(()),
    }
}
