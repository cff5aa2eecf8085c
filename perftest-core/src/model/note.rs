//! What limited a verdict or its use, one fact a note.
//!
//! A note contains no sentence: [`words`](crate::words::notes) formats it for printing. A record
//! stores its code and its data.

use super::note_datum::NoteField;
use super::{NoteDatum, Obstacle, Tag};
use crate::list::IntoList;
use crate::named;

/// Defines the notes with their codes and the order of their data.
macro_rules! notes {
    ($($(#[$doc:meta])* $name:ident $({ $($(#[$field_doc:meta])* $field:ident: $type:ty),* })? = $code:literal,)*) => {
        /// One fact that limited a verdict or its use.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Note {
            $($(#[$doc])* $name $({ $($(#[$field_doc])* $field: $type),* })?,)*
        }

        impl Note {
            /// The stable name used in records and in JSON.
            pub fn code(&self) -> &'static str {
                match self {
                    $(Self::$name { .. } => $code,)*
                }
            }

            /// Returns its data, in the order of its fields.
            pub fn data(&self) -> Vec<NoteDatum> {
                match self {
                    $(Self::$name $({ $($field),* })? => {
                        #[allow(unused_mut)]
                        let mut data = Vec::new();
                        $($($field.put(&mut data);)*)?
                        data
                    })*
                }
            }

            /// Returns the note with this code and these data; `None` for a code that this version
            /// does not know, or for data of another form.
            pub fn from_recorded(code: &str, data: Vec<NoteDatum>) -> Option<Self> {
                let mut data = data.into_iter();
                let note = match code {
                    $($code => Self::$name $({ $($field: NoteField::take(&mut data)?),* })?,)*
                    _ => return None,
                };
                data.next().is_none().then_some(note)
            }
        }
    };
}

notes! {
    /// The budget has room for too few of the long measurements of the test.
    BudgetTooSmall = "budget_too_small",
    /// The measurements ended before the last point of the author's curve.
    EndedBeforeCurve = "ended_before_curve",
    /// The machine was busy, so processor time was compared.
    OnProcessorTime = "on_processor_time",
    /// The machine was busy, so the value of a run without a baseline is processor time.
    LearnedOnProcessorTime = "learned_on_processor_time",
    /// Other work took the processors that the threads of the test needed, so processor time was
    /// compared.
    ThreadsOnProcessorTime = "threads_on_processor_time",
    /// Beyond the tolerance at first, but not in a fresh process.
    SlowOnlyAtFirst = "slow_only_at_first",
    /// Beyond the tolerance in fresh processes too, but by less than a red needs.
    SlowByTooLittle = "slow_by_too_little",
    /// Beyond the tolerance, but other work took the processors that the threads needed.
    SlowWithoutProcessors = "slow_without_processors",
    /// Beyond the tolerance, but not in every fresh process.
    SlowInSomeProcesses = "slow_in_some_processes",
    /// Beyond the tolerance, but not in every fresh process, and the time of the test is over.
    SlowInSomeOutOfTime = "slow_in_some_out_of_time",
    /// Beyond the tolerance, but the baseline is of a single run and there is no last good build.
    SlowAgainstOneRun = "slow_against_one_run",
    /// Disturbed from start to end at first, but not in a fresh process.
    DisturbedOnlyAtFirst = "disturbed_only_at_first",
    /// Disturbed from start to end, in fresh processes too.
    DisturbedThroughout = "disturbed_throughout",
    /// Most processes of all attempts are within the tolerance.
    MostWithinTolerance = "most_within_tolerance",
    /// No fresh process confirmed the result of the first one.
    NotConfirmed {
        /// The reason.
        why: String
    } = "not_confirmed",
    /// No fresh process could be measured.
    NotMeasuredAfresh {
        /// The reason.
        why: String
    } = "not_measured_afresh",
    /// The decision continues with the processes of an earlier attempt.
    ContinuesAttempt {
        /// Number of that attempt.
        attempt: u32
    } = "continues_attempt",
    /// The machine code is that of a run of the baseline.
    SameMachineCode {
        /// Commit of that run; empty if it is unknown.
        commit: String
    } = "same_machine_code",
    /// No good build could be measured beside the test.
    NoLastGoodBuild {
        /// Commit of the newest good one; empty if it is unknown.
        commit: String
    } = "no_last_good_build",
    /// There is a last good build, but other tests of the process kept running, so that it was not measured beside the
    /// test.
    NotPairedAlone = "not_paired_alone",
    /// Slower than the last good build, but by less than the author's curve asks for.
    SlowByLessThanCurve = "slow_by_less_than_curve",
    /// Slower beyond the tolerance, but by a smaller difference than a red needs.
    SlowByLessThanShift = "slow_by_less_than_shift",
    /// The machine is faster than in any run of the baseline: as much of a slowdown would not be noticed.
    MachineFaster {
        /// The difference, as a share.
        share: f64
    } = "machine_faster",
    /// The threads worked on another number of processors than in the runs of the baseline: they may be faster by that.
    OtherParallelism = "other_parallelism",
    /// The last good build can no longer run; the test was slower than it before.
    LastGoodBuildGone = "last_good_build_gone",
    /// The last good build is slower than its own history now.
    LastGoodBuildSlower {
        /// The ratio to its own history.
        ratio: f64
    } = "last_good_build_slower",
    /// The last good build cannot run.
    LastGoodBuildCannotRun {
        /// The reason.
        why: String
    } = "last_good_build_cannot_run",
    /// The requested instructions were not counted.
    InstructionsNotCounted {
        /// The reason.
        why: String
    } = "instructions_not_counted",
    /// Over the limit at first, but not in a fresh process.
    OverLimitOnlyAtFirst = "over_limit_only_at_first",
    /// At least as many processes of all attempts are within the limit as over it.
    MostWithinLimit = "most_within_limit",
    /// Over the limit, but other tests ran at the same time.
    OverLimitNotAlone = "over_limit_not_alone",
    /// Over the limit, but other work took the processors that the test needed.
    OverLimitWithoutProcessors = "over_limit_without_processors",
    /// Over the limit at first, and fresh processes were too disturbed to confirm it.
    OverLimitDisturbed = "over_limit_disturbed",
    /// Over the limit, and no fresh process confirmed it.
    OverLimitNotConfirmed {
        /// The reason.
        why: String
    } = "over_limit_not_confirmed",
    /// Slower by so little that placement can be the cause, in a build whose functions are not aligned.
    FunctionsNotAligned = "functions_not_aligned",
    /// The history has several modes, which no single number represents.
    Modes {
        /// The values with several modes.
        of: ModesOf,
        /// Share of each mode, the fastest mode first.
        shares: Vec<f64>,
        /// Location of each mode, as a ratio to the fastest.
        ratios: Vec<f64>
    } = "modes",
    /// Pairs were set aside because one of their sides was slow throughout.
    PairsSetAside {
        /// Number of pairs.
        pairs: u32
    } = "pairs_set_aside",
    /// Pairs that count were disturbed by other work.
    PairsDisturbed {
        /// Number of disturbed pairs.
        disturbed: u32,
        /// Number of pairs that count.
        pairs: u32
    } = "pairs_disturbed",
    /// Too few pairs were undisturbed.
    FewPairsUndisturbed {
        /// Number of pairs that count.
        pairs: u32,
        /// Number of measured pairs.
        measured: u32
    } = "few_pairs_undisturbed",
    /// Too few pairs had both sides in the same regime.
    FewPairsInOneRegime {
        /// Number of pairs that count.
        pairs: u32,
        /// Number of measured pairs.
        measured: u32
    } = "few_pairs_in_one_regime",
    /// Times have regimes far apart, and each is compared only with itself.
    Regimes {
        /// The ratio of the slowest to the fastest regime.
        apart: f64,
        /// Share of the base's times outside the fastest regime.
        base_share: f64,
        /// Share of the head's times outside the fastest regime.
        head_share: f64
    } = "regimes",
    /// The time ended before the largest number of pairs was measured.
    PairsOutOfTime {
        /// Number of pairs that count.
        pairs: u32,
        /// Largest number of pairs.
        most: u32
    } = "pairs_out_of_time",
    /// The time ended before the smallest number of pairs was measured.
    PairsNeedBudget {
        /// Number of pairs that count.
        pairs: u32,
        /// Largest number of pairs.
        most: u32,
        /// Smallest number of pairs.
        fewest: u32,
        /// Budget that the smallest number of pairs needs.
        budget_s: f64
    } = "pairs_need_budget",
    /// No pair of processes was measured.
    NoPair = "no_pair",
    /// Slower than a function in this process, but not in fresh ones.
    SlowOnlyInThisProcess = "slow_only_in_this_process",
    /// Slower than a function in this process, and fresh ones do not prove it.
    SlowInThisProcessUnproven = "slow_in_this_process_unproven",
    /// The machine was not trusted.
    Distrusted {
        /// All tags that prevented a verdict.
        tags: Vec<Tag>
    } = "distrusted",
    /// The run does not count for the baseline.
    NotCounted {
        /// The reason.
        because: NotCounted
    } = "not_counted",
    /// The run does not count for the baseline: jobs of its event may check out a stranger's code.
    NotCountedEvent {
        /// The event that started the CI job.
        event: String
    } = "not_counted_event",
    /// The run does not count for the baseline: nearly all of it was disturbed.
    NotCountedDisturbed = "not_counted_disturbed",
    /// Nearly all of an improved or accepted run was disturbed, so it counts for the baseline by its ratio.
    CountedByRatio = "counted_by_ratio",
    /// Nothing is recorded, because of `PERFTEST_STORE`.
    NothingRecorded = "nothing_recorded",
    /// A first run was measured in fresh processes too, so the next run has a verdict.
    MeasuredForBaseline {
        /// Number of fresh processes.
        processes: u32
    } = "measured_for_baseline",
    /// The test has more threads than there are processors.
    TooFewProcessors {
        /// Threads of the test.
        threads: u32,
        /// Processors that it may use.
        processors: f64
    } = "too_few_processors",
    /// The newest runs differ from their anchor by more than the tolerance.
    Drifted {
        /// The ratio to the anchor.
        ratio: f64,
        /// Newest commit of the anchor; empty if it is unknown.
        since_commit: String
    } = "drifted",
    /// An unclear answer fails, because of the settings.
    UnclearFails = "unclear_fails",
    /// Something outside the code prevented a verdict or a record.
    Hindered {
        /// The obstacle.
        obstacle: Obstacle
    } = "hindered",
}

named! {
    /// The values with several modes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ModesOf {
        /// The runs of the history.
        Runs = "runs",
        /// The values of its runs.
        Values = "values",
    }
}

named! {
    /// Why a run does not count for the baseline, although it otherwise could.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum NotCounted {
        /// It is a retry.
        Retry = "retry",
        /// A run in CI of a commit that is not on the default branch.
        OtherBranch = "other_branch",
        /// Enough runs of the same code are recorded.
        EnoughOfThisCode = "enough_of_this_code",
        /// Its value has the work of other tests that ran in its process.
        Neighbours = "neighbours",
        /// Another process held the measuring lock.
        OtherProcess = "other_process",
    }
}

/// A tag that this version does not know is skipped.
impl NoteField for Vec<Tag> {
    fn put(&self, data: &mut Vec<NoteDatum>) {
        data.push(NoteDatum::Texts(self.iter().map(|tag| tag.name().to_owned()).into_list()));
    }

    fn take(data: &mut impl Iterator<Item = NoteDatum>) -> Option<Self> {
        match data.next()? {
            NoteDatum::Texts(names) => {
                Some(names.iter().filter_map(|name| Tag::from_name(name)).into_list())
            }
            _ => None,
        }
    }
}

impl NoteField for ModesOf {
    fn put(&self, data: &mut Vec<NoteDatum>) {
        self.name().to_owned().put(data);
    }

    fn take(data: &mut impl Iterator<Item = NoteDatum>) -> Option<Self> {
        Self::from_name(&String::take(data)?)
    }
}

impl NoteField for NotCounted {
    fn put(&self, data: &mut Vec<NoteDatum>) {
        self.name().to_owned().put(data);
    }

    fn take(data: &mut impl Iterator<Item = NoteDatum>) -> Option<Self> {
        Self::from_name(&String::take(data)?)
    }
}

/// The name, and the reason if there is one.
impl NoteField for Obstacle {
    fn put(&self, data: &mut Vec<NoteDatum>) {
        self.name().to_owned().put(data);
        self.why().unwrap_or_default().to_owned().put(data);
    }

    fn take(data: &mut impl Iterator<Item = NoteDatum>) -> Option<Self> {
        let name = String::take(data)?;
        Self::from_recorded(&name, String::take(data)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples() -> Vec<Note> {
        let why = || "it crashed".to_owned();
        vec![
            Note::BudgetTooSmall,
            Note::NotConfirmed { why: why() },
            Note::ContinuesAttempt { attempt: 2 },
            Note::LastGoodBuildSlower { ratio: 1.25 },
            Note::Modes { of: ModesOf::Values, shares: vec![0.5, 0.5], ratios: vec![1.0, 2.0] },
            Note::PairsNeedBudget { pairs: 1, most: 40, fewest: 5, budget_s: 6.0 },
            Note::Distrusted { tags: vec![Tag::Throttled, Tag::Busy] },
            Note::NotCounted { because: NotCounted::OtherBranch },
            Note::NotCounted { because: NotCounted::Neighbours },
            Note::NotCounted { because: NotCounted::OtherProcess },
            Note::NotCountedEvent { event: "parent_pipeline".into() },
            Note::Hindered { obstacle: Obstacle::ChangedFiles },
            Note::Hindered { obstacle: Obstacle::NoLock(why()) },
        ]
    }

    #[test]
    fn a_note_is_the_same_after_its_code_and_data_are_read() {
        for note in examples() {
            assert_eq!(Note::from_recorded(note.code(), note.data()), Some(note));
        }
    }

    #[test]
    fn codes_and_data_of_another_version_are_no_note() {
        assert_eq!(Note::from_recorded("moonlight", Vec::new()), None);
        assert_eq!(Note::from_recorded("continues_attempt", Vec::new()), None);
        let text = NoteDatum::Text("two".into());
        assert_eq!(Note::from_recorded("continues_attempt", vec![text.clone()]), None);
        assert_eq!(Note::from_recorded("no_pair", vec![text]), None);
    }
}
