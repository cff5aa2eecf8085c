//! The names behind `metrics`, each perhaps with a tolerance of its own.

use crate::settings::Share;
use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::{Error, Result, Token, bracketed, token};

pub(crate) const TAKES: &str = "`metrics` takes a list that begins with wall, for example \
                                metrics = [wall, cpu, allocs = \"1%\"]";
const TOLERANCE: &str = "the tolerance of a metric is a percentage above 0 and at most 900, for example \
                         allocs = \"1%\", or a constant share or ratio such as 0.01 or 1.01";
const OF_WALL: &str =
    "the tolerance of wall time is that of the test: metrics = [wall, ..], tolerance = \"5%\"";
const WALL: &str = "wall";
/// As `perftest_core::model::SeriesKind::built_in` knows them.
const FURTHER: [&str; 14] = [
    "cpu",
    "thread_cpu",
    "faults",
    "switches",
    "allocs",
    "alloc_bytes",
    "alloc_peak",
    "user",
    "system",
    "peak_rss",
    "instructions",
    "cycles",
    "branch_misses",
    "cache_misses",
];

/// The metrics of several threads at once: for the others it is unknown what the threads share.
const ON_THREADS: [&str; 4] = ["cpu", "thread_cpu", "faults", "switches"];

/// A metric that judges besides wall time.
pub(crate) struct JudgedMetric {
    pub(crate) name: Ident,
    /// In the place of the test's.
    pub(crate) tolerance: Option<Share>,
}

/// The metrics in a list, without wall time.
///
/// # Errors
/// Another value, an unknown or repeated name, a tolerance that cannot be, and a list without wall
/// time.
pub(crate) fn further(input: ParseStream) -> Result<Vec<JudgedMetric>> {
    if !input.peek(token::Bracket) {
        return Err(input.error(TAKES));
    }
    let list;
    let bracket = bracketed!(list in input);
    let mut metrics: Vec<JudgedMetric> = Vec::new();
    while !list.is_empty() {
        let metric = metric(&list)?;
        if metrics.iter().any(|it| it.name == metric.name) {
            let message = format!("`{}` is given twice; keep one", metric.name);
            return Err(Error::new(metric.name.span(), message));
        }
        metrics.push(metric);
        if !list.is_empty() {
            list.parse::<Token![,]>().map_err(|error| Error::new(error.span(), TAKES))?;
        }
    }
    if metrics.first().is_none_or(|first| first.name != WALL) {
        let message = "wall time is always judged and stands first: metrics = [wall, ..]";
        return Err(Error::new(bracket.span.join(), message));
    }
    Ok(metrics.split_off(1))
}

/// `cpu` or `allocs = "1%"`
fn metric(input: ParseStream) -> Result<JudgedMetric> {
    let name: Ident = input.parse().map_err(|error| Error::new(error.span(), TAKES))?;
    if name != WALL && !FURTHER.iter().any(|known| name == known) {
        let known = FURTHER.join(", ");
        let message = format!("unknown metric `{name}`; the metrics are {WALL}, {known}");
        return Err(Error::new(name.span(), message));
    }
    let has_tolerance = input.peek(Token![=]);
    if has_tolerance && name == WALL {
        return Err(Error::new(name.span(), OF_WALL));
    }
    let tolerance = has_tolerance.then(|| Share::parse(&name, input, TOLERANCE)).transpose()?;
    Ok(JudgedMetric { name, tolerance })
}

/// # Errors
/// A metric that is not known of a routine on several threads at once.
pub(crate) fn check_on_threads(metrics: &[JudgedMetric]) -> Result<()> {
    let unknown = metrics.iter().find(|it| !ON_THREADS.iter().any(|known| it.name == known));
    unknown.map_or(Ok(()), |JudgedMetric { name, .. }| {
        let message = format!(
            "`{name}` is not known of a routine on several `threads`; what is known there is {WALL}, {}",
            ON_THREADS.join(", ")
        );
        Err(Error::new(name.span(), message))
    })
}
