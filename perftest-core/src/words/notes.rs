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

/// Formats one note.
pub fn describe_note(note: &Note) -> String {
    match note {
        Note::BudgetTooSmall => {
            "its budget has room for too few of its long measurements: give it a larger \
             `budget`"
                .into()
        }
        Note::EndedBeforeCurve => "it ended before the last point of its curve".into(),
        Note::OnProcessorTime => "the machine is busy: judged on the time it had the processor".into(),
        Note::LearnedOnProcessorTime => {
            "the machine is busy: the value is the time it had the processor".into()
        }
        Note::ThreadsOnProcessorTime => {
            "judged on processor time, because other work took the processors its threads needed; how \
             well they share the work was not judged"
                .into()
        }
        Note::SlowOnlyAtFirst => "beyond its tolerance at first, but not in a fresh process".into(),
        Note::SlowByTooLittle => {
            "beyond its tolerance in fresh processes too, but by less than a red needs".into()
        }
        Note::SlowWithoutProcessors => {
            "beyond its tolerance, but other work took the processors its threads needed".into()
        }
        Note::SlowInSomeProcesses => "beyond its tolerance, but not in every fresh process".into(),
        Note::SlowInSomeOutOfTime => {
            "beyond its tolerance, but not in every fresh process, and its time is over".into()
        }
        Note::SlowAgainstOneRun => {
            "beyond its tolerance in fresh processes too, but its baseline is of a single run, and no \
             last good build can be compared with"
                .into()
        }
        Note::DisturbedOnlyAtFirst => {
            "disturbed from start to end at first, but not in a fresh process".into()
        }
        Note::DisturbedThroughout => "disturbed from start to end, in fresh processes too".into(),
        Note::MostWithinTolerance => "most processes of all attempts are within its tolerance".into(),
        Note::MachineFaster { share } => format!(
            "the machine is {:.1}% faster than in any run of the baseline, which hides a slowdown of as much",
            100.0 * share
        ),
        Note::OtherParallelism => {
            "its threads worked on another number of processors than in its baseline, which can hide a slowdown".into()
        }
        Note::SlowByLessThanCurve => {
            "slower than the last good build, but by less than its curve asks for".into()
        }
        Note::SlowByLessThanShift => {
            "slower, but by less than a red needs: its place in memory alone can cost as much".into()
        }
        Note::NoLastGoodBuild { .. } => "no good build to compare with is kept here".into(),
        Note::NotPairedAlone => {
            "not compared with its last good build, because it was not alone".into()
        }
        Note::LastGoodBuildGone => {
            "the last good build, beside which it was slower, can no longer run".into()
        }
        Note::OverLimitOnlyAtFirst => "over its limit at first, but not in a fresh process".into(),
        Note::MostWithinLimit => {
            "at least as many processes of all attempts are within its limit as over it".into()
        }
        Note::OverLimitNotAlone => "over its limit, but other tests ran at the same time".into(),
        Note::OverLimitWithoutProcessors => {
            "over its limit, but other work took the processors it needed".into()
        }
        Note::OverLimitDisturbed => {
            "over its limit at first, and fresh processes were too disturbed to confirm it".into()
        }
        Note::NoPair => "no pair of processes was measured".into(),
        Note::SlowOnlyInThisProcess => "slower in this process, but not in fresh ones".into(),
        Note::SlowInThisProcessUnproven => {
            "slower in this process, and fresh ones do not prove it".into()
        }
        Note::NotCountedDisturbed => {
            "not counted for the baseline: nearly all of it was disturbed".into()
        }
        Note::CountedByRatio => {
            "only its ratio counts for the baseline: nearly all of it was disturbed".into()
        }
        Note::NothingRecorded => "nothing is recorded, because of PERFTEST_STORE".into(),
        Note::UnclearFails => "fails because on_unclear is \"fail\"".into(),
        Note::FunctionsNotAligned => {
            "functions are not aligned: placement alone can slow it as much".into()
        }
        Note::NotConfirmed { why } => format!("no fresh process confirmed it: {why}"),
        Note::NotMeasuredAfresh { why } => format!("no fresh process could be measured: {why}"),
        Note::ContinuesAttempt { attempt } => format!("continues attempt {attempt}"),
        Note::SameMachineCode { commit } => {
            let of = commit.get(..7).map_or("its baseline".to_owned(), |it| format!("commit {it}"));
            format!("same machine code as {of}")
        }
        Note::LastGoodBuildSlower { ratio } => format!(
            "the last good build is {ratio:.2}x its level now too: the machine or its input"
        ),
        Note::LastGoodBuildCannotRun { why } => format!("the last good build cannot run: {why}"),
        Note::InstructionsNotCounted { why } => format!("the instructions were not counted: {why}"),
        Note::OverLimitNotConfirmed { why } => format!("over its limit, and not confirmed: {why}"),
        Note::Modes { of, shares, ratios } => modes(*of, shares, ratios),
        Note::PairsSetAside { pairs: 1 } => {
            "1 pair was set aside: one of its sides was slow throughout".into()
        }
        Note::PairsSetAside { pairs } => {
            format!("{pairs} pairs were set aside: one of their sides was slow throughout")
        }
        Note::PairsDisturbed { disturbed, pairs } => {
            format!("{disturbed} of {pairs} pairs were disturbed by other work")
        }
        Note::FewPairsUndisturbed { pairs, measured } => {
            format!("only {pairs} of {measured} pairs were undisturbed")
        }
        Note::FewPairsInOneRegime { pairs, measured } => {
            format!("only {pairs} of {measured} pairs were in the same regime")
        }
        Note::Regimes { apart, base_share, head_share } => format!(
            "its times have regimes up to {apart:.0}x apart, and each is compared with its own: {:.0}% \
             of the base's and {:.0}% of the head's are not in the fastest",
            100.0 * base_share,
            100.0 * head_share
        ),
        Note::PairsOutOfTime { pairs, most } => {
            format!("its time ended after {pairs} of {most} pairs")
        }
        Note::PairsNeedBudget { pairs, most, fewest, budget_s } => format!(
            "its time ended after {pairs} of {most} pairs: {fewest} need a budget of some {budget_s} s"
        ),
        Note::Distrusted { tags } => {
            tags.iter().map(|tag| Tag::name(*tag)).joined(", ")
        }
        Note::NotCounted { because } => {
            format!("not counted for the baseline: {}", not_counted(*because))
        }
        Note::NotCountedEvent { event } => format!(
            "not counted for the baseline: in CI only jobs started by a push, a schedule or by hand count; this one was \
             started by `{event}`"
        ),
        Note::MeasuredForBaseline { processes } => {
            format!("measured in {processes} fresh processes too: the next run has a verdict")
        }
        Note::TooFewProcessors { threads, processors } => {
            let plural = if *processors == 1.0 { "processor" } else { "processors" };
            format!("its {threads} threads took turns on {processors} {plural}")
        }
        Note::Drifted { ratio, since_commit } => drifted(*ratio, since_commit),
        Note::Hindered { obstacle } => obstacle.to_string(),
    }
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
