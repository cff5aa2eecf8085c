//! Finds the range of commits in which a test became slower, by its history.

use crate::args::reading::Runs;
use crate::args::series::{ChangeDetector, Detection};
use crate::command_context::CommandContext;
use crate::exit::{CommandError, Result};
use crate::reading::{HistoryReader, LastingChange, StretchChanges};
use perftest_analysis::detect::Effect;
use perftest_core::model::Metric;
use perftest_core::words::quoted;

/// Number of newest runs.
const LIMIT: usize = 1_000;

/// Returns the suspects of the newest lasting change of wall time for the worse: the last commit before it, and
/// the last that may have caused it.
pub(crate) fn suspected(test: &str, context: &CommandContext<'_>) -> Result<[String; 2]> {
    let runs = Runs::of_test(test);
    let reader = HistoryReader::new(&runs, LIMIT, context)?.with_centers_only();
    let detection = Detection { detector: ChangeDetector::Settled, settings: Vec::new() };
    let mut all = reader.series(context)?;
    // Commits are compared by wall time, and a source without trust decides nothing.
    all.retain(|series| series.metric == Metric::wall() && !series.is_show_only());
    let of_history = context.map_histories(&all, |series, records| {
        let history = reader.history(series, records)?;
        let present = reader.present_stretch(&history, series);
        present.map(|stretch| StretchChanges::of(stretch, &detection)).transpose()
    })?;
    context.read_failures.refuse()?;
    let found = of_history.into_iter().flatten().flat_map(|changes| changes.lasting);
    let is_worse = |it: &LastingChange| it.effect == Effect::Degradation;
    let newest = found.filter(is_worse).max_by_key(|it| it.at_ms);
    let ends = newest.and_then(|it| Some([it.suspects.after?.commit, it.suspects.upto.commit]));
    ends.filter(|[good, bad]| !good.is_empty() && !bad.is_empty() && good != bad).ok_or_else(|| {
        CommandError::Usage(format!(
            "the wall time of `{test}` has no lasting change for the worse between two commits: name a commit at \
             which it is fast, as in `cargo perftest bisect {} HEAD~20`",
            quoted(test)
        ))
    })
}
