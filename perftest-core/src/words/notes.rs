//! Formats notes as sentences.

use super::drifted;
use crate::list::IntoList;
use crate::model::{Covariate, ModesOf, NotCounted, Note, Tag};

/// Joins all notes of a verdict in one line, in their order; `None` without a note.
///
/// ```
/// use perftest_core::model::Note;
/// use perftest_core::words::notes;
/// let all = [Note::ContinuesAttempt { attempt: 1 }, Note::MostWithinTolerance];
/// assert_eq!(
///     notes(&all).unwrap(),
///     "continues attempt 1; most processes of all attempts are within its tolerance"
/// );
/// assert_eq!(notes(&[]), None);
/// ```
pub fn notes(notes: &[Note]) -> Option<String> {
    // Why the last good build cannot run says more.
    let cannot_run = |it: &Note| matches!(it, Note::LastGoodBuildCannotRun { .. });
    let is_known = notes.iter().any(cannot_run);
    let says_more = |it: &&Note| !(is_known && matches!(it, Note::NoLastGoodBuild { .. }));
    let all: Vec<String> = notes.iter().filter(says_more).map(describe_note).into_list();
    (!all.is_empty()).then(|| all.iter().joined("; "))
}

/// Puts every note into words: a sentence, or a text of its data.
macro_rules! words_of_notes {
    ($($note:ident $({ $($data:tt)* })? => $words:expr,)*) => {
        /// Formats one note.
        pub fn describe_note(note: &Note) -> String {
            match note {
                $(Note::$note $({ $($data)* })? => $words.into(),)*
            }
        }
    };
}

words_of_notes! {
    BudgetTooSmall => "its budget has room for too few of its long measurements: give it a larger `budget`",
    EndedBeforeCurve => "it ended before the last point of its curve",
    OnProcessorTime => "the machine is busy: judged on the time it had the processor",
    LearnedOnProcessorTime => "the machine is busy: the value is the time it had the processor",
    ThreadsOnProcessorTime =>
        "judged on processor time, because other work took the processors its threads needed; how well they share \
         the work was not judged",
    SlowOnlyAtFirst => "beyond its tolerance at first, but not in a fresh process",
    SlowByTooLittle => "beyond its tolerance in fresh processes too, but by less than a red needs",
    SlowWithoutProcessors => "beyond its tolerance, but other work took the processors its threads needed",
    SlowInSomeProcesses => "beyond its tolerance, but not in every fresh process",
    SlowInSomeOutOfTime => "beyond its tolerance, but not in every fresh process, and its time is over",
    SlowAgainstOneRun =>
        "beyond its tolerance in fresh processes too, but its baseline is of a single run, and no last good build \
         can be compared with",
    DisturbedOnlyAtFirst => "disturbed from start to end at first, but not in a fresh process",
    DisturbedThroughout => "disturbed from start to end, in fresh processes too",
    MostWithinTolerance => "most processes of all attempts are within its tolerance",
    MachineFaster { share } => format!(
        "the machine is {:.1}% faster than in any run of the baseline, which hides a slowdown of as much",
        100.0 * share
    ),
    OtherParallelism =>
        "its threads worked on another number of processors than in its baseline, which can hide a slowdown",
    SlowByLessThanCurve => "slower than the last good build, but by less than its curve asks for",
    SlowByLessThanShift => "slower, but by less than a red needs: its place in memory alone can cost as much",
    NoLastGoodBuild { .. } => "no good build to compare with is kept here",
    NotPairedAlone => "not compared with its last good build, because it was not alone",
    LastGoodBuildGone => "the last good build, beside which it was slower, can no longer run",
    OverLimitOnlyAtFirst => "over its limit at first, but not in a fresh process",
    MostWithinLimit => "at least as many processes of all attempts are within its limit as over it",
    OverLimitNotAlone => "over its limit, but other tests ran at the same time",
    OverLimitWithoutProcessors => "over its limit, but other work took the processors it needed",
    OverLimitDisturbed => "over its limit at first, and fresh processes were too disturbed to confirm it",
    NoPair => "no pair of processes was measured",
    SlowOnlyInThisProcess => "slower in this process, but not in fresh ones",
    SlowInThisProcessUnproven => "slower in this process, and fresh ones do not prove it",
    NotCountedDisturbed => "not counted for the baseline: nearly all of it was disturbed",
    CountedByRatio => "only its ratio counts for the baseline: nearly all of it was disturbed",
    NothingRecorded => "nothing is recorded, because of PERFTEST_STORE",
    UnclearFails => "fails because on_unclear is \"fail\"",
    FunctionsNotAligned => "functions are not aligned: placement alone can slow it as much",
    NotConfirmed { why } => format!("no fresh process confirmed it: {why}"),
    NotMeasuredAfresh { why } => format!("no fresh process could be measured: {why}"),
    ContinuesAttempt { attempt } => format!("continues attempt {attempt}"),
    SameMachineCode { commit } => {
        let of = commit.get(..7).map_or("its baseline".to_owned(), |it| format!("commit {it}"));
        format!("same machine code as {of}")
    },
    LastGoodBuildSlower { ratio } => format!(
        "the last good build is {ratio:.2}x its level now too: the machine or its input"
    ),
    LastGoodBuildCannotRun { why } => format!("the last good build cannot run: {why}"),
    InstructionsNotCounted { why } => format!("the instructions were not counted: {why}"),
    OverLimitNotConfirmed { why } => format!("over its limit, and not confirmed: {why}"),
    Modes { of, shares, ratios } => modes(*of, shares, ratios),
    PairsSetAside { pairs: 1 } => "1 pair was set aside: one of its sides was slow throughout",
    PairsSetAside { pairs } => format!("{pairs} pairs were set aside: one of their sides was slow throughout"),
    PairsDisturbed { disturbed, pairs } => format!("{disturbed} of {pairs} pairs were disturbed by other work"),
    FewPairsUndisturbed { pairs, measured } => format!("only {pairs} of {measured} pairs were undisturbed"),
    FewPairsInOneRegime { pairs, measured } => format!("only {pairs} of {measured} pairs were in the same regime"),
    Regimes { apart, base_share, head_share } => format!(
        "its times have regimes up to {apart:.0}x apart, and each is compared with its own: {:.0}% of the base's and \
         {:.0}% of the head's are not in the fastest",
        100.0 * base_share,
        100.0 * head_share
    ),
    PairsOutOfTime { pairs, most } => format!("its time ended after {pairs} of {most} pairs"),
    PairsNeedBudget { pairs, most, fewest, budget_s } => format!(
        "its time ended after {pairs} of {most} pairs: {fewest} need a budget of some {budget_s} s"
    ),
    Distrusted { tags } => tags.iter().map(|tag| Tag::name(*tag)).joined(", "),
    NotCounted { because } => format!("not counted for the baseline: {}", not_counted(*because)),
    NotCountedEvent { event } => format!(
        "not counted for the baseline: in CI only jobs started by a push, a schedule or by hand count; this one was \
         started by `{event}`"
    ),
    MeasuredForBaseline { processes } => format!(
        "measured in {processes} fresh processes too: the next run has a verdict"
    ),
    TooFewProcessors { threads, processors } => {
        let plural = if *processors == 1.0 { "processor" } else { "processors" };
        format!("its {threads} threads took turns on {processors} {plural}")
    },
    Drifted { ratio, since_commit } => drifted(*ratio, since_commit),
    Hindered { obstacle } => obstacle.to_string(),
}

/// Names the covariate of a normalisation.
///
/// ```
/// use perftest_core::{model::Covariate, words};
/// assert_eq!(words::covariate(Covariate::Clock), "the processor's clock");
/// ```
pub fn covariate(covariate: Covariate) -> &'static str {
    match covariate {
        Covariate::Reference => "the reference kernel",
        Covariate::Clock => "the processor's clock",
        Covariate::Disk => "the disk probe",
        Covariate::Others => "the load of others",
    }
}

fn modes(of: ModesOf, shares: &[f64], ratios: &[f64]) -> String {
    let noun = of.name();
    let mode = |(share, ratio): (&f64, &f64)| {
        format!("{:.0}% of its {noun} at {ratio:.2}x", 100.0 * share)
    };
    let all: Vec<String> = shares.iter().zip(ratios).map(mode).into_list();
    match &all[..] {
        [_, slow] => format!("bimodal history: {slow} of the others"),
        all => format!("history of {} modes: {}", all.len(), all.iter().joined(", ")),
    }
}

fn not_counted(because: NotCounted) -> &'static str {
    match because {
        NotCounted::Retry => "this is a retry",
        NotCounted::OtherBranch => "in CI only runs of commits on the default branch count",
        NotCounted::EnoughOfThisCode => {
            "enough runs of this code are recorded; runs of other commits count"
        }
        NotCounted::Neighbours => {
            "other tests worked in its process; cargo nextest run gives each test its own"
        }
        NotCounted::OtherProcess => "another process held the measuring lock",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_another_event_names_the_events_that_count_and_its_own() {
        let event = "parent_pipeline".to_owned();
        assert_eq!(
            describe_note(&Note::NotCountedEvent { event }),
            "not counted for the baseline: in CI only jobs started by a push, a schedule or by hand count; this one was \
             started by `parent_pipeline`"
        );
    }
}
