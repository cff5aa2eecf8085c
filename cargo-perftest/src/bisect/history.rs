//! Finds the range of commits in which a test became slower, by its history.

use crate::args::reading::{Runs, SEARCHED_RUNS};
use crate::args::series::{ChangeDetector, Detection};
use crate::command_context::CommandContext;
use crate::exit::{CommandError, Result};
use crate::git_checkout::GitCheckout;
use crate::reading::{HistoryReader, LastingChange, Stretch, StretchChanges};
use crate::report::{print_progress, short_commit};
use perftest_analysis::detect::Effect;
use perftest_analysis::verdicts::RunCode;
use perftest_core::model::Metric;
use perftest_core::words::quoted;

/// A lasting change of wall time for the worse, with the commits that can be its ends.
struct Slowdown {
    at_ms: u64,
    /// Commits of the level before, the newest first. The first one is the last before the suspects.
    good: Vec<String>,
    /// Commits of the level behind, the oldest first. The first one is the last suspect.
    bad: Vec<String>,
}

/// Returns a good and a bad commit of this clone around the newest lasting change of wall time for the worse: the
/// last commit before it, and the last that may have caused it. Histories also have commits of other clones.
pub(crate) fn suspected(
    test: &str,
    repository: &GitCheckout,
    context: &CommandContext<'_>,
) -> Result<[String; 2]> {
    let runs = Runs::of_test(test);
    let reader = HistoryReader::new(&runs, SEARCHED_RUNS, context)?.with_centers_only();
    let detection = Detection { detector: ChangeDetector::Settled, settings: Vec::new() };
    let mut all = reader.series(context)?;
    // Commits are compared by wall time, and a source without trust decides nothing.
    all.retain(|series| series.metric == Metric::wall() && !series.is_show_only());
    let of_history = context.map_histories(&all, |series, records| {
        let history = reader.history(series, records)?;
        let present = reader.present_stretch(&history, series);
        present.map_or(Ok(None), |stretch| Slowdown::newest_of(stretch, &detection))
    })?;
    context.read_failures.refuse()?;
    let newest = of_history.into_iter().flatten().max_by_key(|slowdown| slowdown.at_ms);
    let two_commits = newest.filter(|it| {
        let ends = it.good.first().zip(it.bad.first());
        ends.is_some_and(|(good, bad)| good != bad)
    });
    let name_one = format!(
        "name a commit at which it is fast, as in `cargo perftest bisect {} HEAD~20`",
        quoted(test)
    );
    let slowdown = two_commits.ok_or_else(|| {
        CommandError::Usage(format!(
            "the wall time of `{test}` has no lasting change for the worse between two commits: {name_one}"
        ))
    })?;
    slowdown.ends_in(repository).map_err(|why| {
        CommandError::Usage(format!(
            "`{test}` became slower between {} and {}, and this clone has no commit {why}: `git fetch` what was \
             pushed meanwhile (a clone of the newest commits only: `git fetch --unshallow`), or {name_one}",
            short_commit(&slowdown.good[0]),
            short_commit(&slowdown.bad[0]),
        ))
    })
}

impl Slowdown {
    /// Returns the newest slowdown of a stretch that began behind a commit that is known.
    fn newest_of(stretch: Stretch<'_>, detection: &Detection) -> Result<Option<Self>> {
        let history: Vec<RunCode> = stretch.runs.iter().map(|run| RunCode::of(run)).collect();
        let changes = StretchChanges::of(stretch, detection)?.lasting;
        let is_worse = |it: &&LastingChange| it.effect == Effect::Degradation;
        let newest = changes.iter().filter(is_worse).max_by_key(|it| it.at_ms);
        Ok(newest.and_then(|newest| Self::at(newest, &changes, &history)))
    }

    fn at(change: &LastingChange, all: &[LastingChange], history: &[RunCode]) -> Option<Self> {
        let place_of = |code: &RunCode| history.iter().position(|it| it == code);
        let after = place_of(change.suspects.after.as_ref()?)?;
        let upto = place_of(&change.suspects.upto)?;
        // Beyond the changes beside it there are other levels.
        let index = change.ranked.change.index;
        let place = |it: &LastingChange| it.ranked.place.clone();
        let earlier = all.iter().filter(|it| it.ranked.change.index < index);
        let from = earlier.map(|it| *place(it).end()).max().unwrap_or_default().min(after);
        let later = all.iter().filter(|it| it.ranked.change.index > index);
        let end = later.map(|it| *place(it).start()).min().unwrap_or(history.len()).max(upto + 1);
        let mut good = commits(history[from..=after].iter().rev());
        // The commit of a run with other files may lack what was measured: one without them counts before it.
        good.sort_by_key(|it| it.is_dirty);
        let mut bad = commits(&history[upto..end]);
        bad.sort_by_key(|it| it.is_dirty);
        let names = |codes: Vec<&RunCode>| codes.into_iter().map(|it| it.commit.clone()).collect();
        Some(Self { at_ms: change.at_ms, good: names(good), bad: names(bad) })
    }

    /// Returns the newest good commit of this clone that is an ancestor of the oldest bad one there.
    ///
    /// # Errors
    /// Which commit this clone lacks.
    fn ends_in(&self, repository: &GitCheckout) -> Result<[String; 2], &'static str> {
        let is_here = |commit: &&String| repository.has_commit(commit);
        let bad = self.bad.iter().find(is_here).ok_or("of the level behind")?;
        let leads_to_bad = |good: &&String| *good != bad && repository.is_ancestor(good, bad);
        let good = self.good.iter().find(leads_to_bad);
        let good = good.ok_or("of the level before that is an ancestor of the slow one")?;
        for (chosen, newest) in [(good, &self.good[0]), (bad, &self.bad[0])] {
            if chosen != newest {
                let [chosen, newest] = [chosen, newest].map(|it| short_commit(it));
                print_progress(&format_args!(
                    "note: {newest} of the history is not on the way to the slow commit in this clone: \
                     {chosen} takes its place"
                ));
            }
        }
        Ok([good.clone(), bad.clone()])
    }
}

/// Returns the codes with another commit than the one before, if it is known. Records of others may hold anything.
fn commits<'a>(codes: impl IntoIterator<Item = &'a RunCode>) -> Vec<&'a RunCode> {
    let is_hash =
        |commit: &str| !commit.is_empty() && commit.bytes().all(|it| it.is_ascii_hexdigit());
    let mut known: Vec<&RunCode> = codes.into_iter().filter(|code| is_hash(&code.commit)).collect();
    known.dedup_by(|one, other| (&one.commit, one.is_dirty) == (&other.commit, other.is_dirty));
    known
}
