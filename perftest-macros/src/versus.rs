//! `versus`: the function that the test is compared with.

use crate::args::AttributeArgs;
use syn::parse::ParseStream;
use syn::{Error, ExprPath, Result};

pub(crate) const VERSUS: &str = "`versus` takes the path of the function to compare with, which has the same \
                      parameters: versus = other_function";

/// Only a path: its name is told with the answer.
pub(crate) fn parse(input: ParseStream) -> Result<ExprPath> {
    input.parse().map_err(|error| Error::new(error.span(), VERSUS))
}

/// # Errors
/// A key of a trial against a history.
pub(crate) fn check(args: &AttributeArgs) -> Result<()> {
    let of_trials = [
        ("curve", args.curve.is_some()),
        ("metrics", args.metrics.is_some()),
        ("ratchet", args.ratchet.is_some()),
        ("disk_probe", args.disk_probe.is_some()),
        ("limit", args.settings.has_limit()),
        ("max_measurements", args.settings.most_measurements().is_some()),
        ("formerly", args.formerly.is_some()),
    ];
    let given = of_trials.into_iter().find(|(_, is_given)| *is_given);
    match (&args.versus, given) {
        (Some(versus), Some((key, _))) => Err(Error::new_spanned(
            versus,
            format!(
                "`{key}` has no meaning beside `versus`, which compares with a function by turns and \
                 not with a history; remove one of them"
            ),
        )),
        _ => Ok(()),
    }
}
