//! `threads`: the routine on several threads at once, one test for each number of them.

use crate::cases::{FunctionInstance, list};
use crate::item::is_bencher_named;
use crate::unparsed::{Expr, Type};
use syn::parse::ParseStream;
use syn::{Error, LitInt, Result};

pub(crate) const THREADS: &str = "`threads` takes a list of numbers from 1 to 1024, one test for \
                                  each: threads = [1, 4]";
const MOST: u16 = 1024;
const ASYNC: &str =
    "an async body is one task on one thread; spawn tasks in it, or remove `threads`";
const OTHER_BENCHER: &str = "with `threads` the parameter is `&mut ThreadBencher`, which runs the \
                             routine on all of them";
const NO_THREADS: &str = "`ThreadBencher` runs the routine on the number of threads in `threads`: \
                          #[perf_test(threads = [1, 4])]";

/// # Errors
/// Anything but a list of literals, an empty list, one number twice, and a number that is too small
/// or too large.
pub(crate) fn parse(input: ParseStream) -> Result<Vec<u16>> {
    let number = |literal: LitInt| {
        let number = literal.base10_parse().ok().filter(|it| (1..=MOST).contains(it));
        number.ok_or_else(|| Error::new(literal.span(), THREADS))
    };
    list(input, THREADS)?.into_iter().map(number).collect()
}

/// # Errors
/// An async body, and a bencher that does not fit.
pub(crate) fn check(
    threads: Option<&[u16]>,
    runtime: Option<&Expr>,
    bencher: Option<&Type>,
) -> Result<()> {
    // A type of another name may be an alias of theirs: the compiler checks it.
    let is_named = |name| bencher.filter(|bencher| is_bencher_named(bencher, name));
    match (threads, runtime) {
        (Some(_), Some(runtime)) => Err(Error::new_spanned(runtime, ASYNC)),
        (Some(_), None) => refuse(is_named("Bencher"), OTHER_BENCHER),
        (None, _) => refuse(is_named("ThreadBencher"), NO_THREADS),
    }
}

fn refuse(bencher: Option<&Type>, why: &str) -> Result<()> {
    bencher.map_or(Ok(()), |bencher| Err(Error::new_spanned(bencher, why)))
}

/// Each of the instances on each of the numbers of threads.
pub(crate) fn on_threads(
    instances: Vec<FunctionInstance>,
    threads: Option<&[u16]>,
) -> Vec<FunctionInstance> {
    match threads {
        None => instances,
        Some(numbers) => instances
            .iter()
            .flat_map(|instance| numbers.iter().map(|number| instance.on_threads(*number)))
            .collect(),
    }
}
