//! The reports of failed tests, for a body that ends the process: the list of failures at the end of the
//! session is not printed then.

use std::iter::successors;
use std::sync::OnceLock;

/// A place for the next report.
type NextFailure = OnceLock<Box<KeptFailure>>;

struct KeptFailure {
    report: String,
    next: NextFailure,
}

static FIRST: NextFailure = NextFailure::new();

/// Keeps the report of a failed test for the rest of the process.
pub(crate) fn keep_failure(report: String) {
    let slot = kept().last().map_or(&FIRST, |last| &last.next);
    // One thread of the process keeps reports. If another filled the slot first, this report would be lost.
    let _ = slot.set(Box::new(KeptFailure { report, next: NextFailure::new() }));
}

/// Iterates over the kept reports in their order. Allocates nothing and takes no lock, so a signal
/// handler may call it.
pub(super) fn kept_failures<'a>() -> impl Iterator<Item = &'a str> {
    kept().map(|kept| kept.report.as_str())
}

fn kept() -> impl Iterator<Item = &'static KeptFailure> {
    successors(FIRST.get(), |kept| kept.next.get()).map(|kept| &**kept)
}
