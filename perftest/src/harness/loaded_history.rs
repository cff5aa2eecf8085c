//! What the run of a series is compared with: the runs of its own history, or builds at another speed of the machine.

mod part_at_speed;

use super::series_history::{SeriesHistory, SeriesReader};
use super::session::Session;
use crate::perf_test::PerfTest;
use crate::sink::Sink;
use perftest_core::judge::MachineBaseline;
use perftest_core::model::{
    Acceptance, Baseline, CodeState, MachineState, Reading, Reason, SeriesKind, Tag, Tolerance,
};
use perftest_core::order::sort;
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// Longest wait for a processor that may still be waking up.
const SETTLING: Duration = Duration::from_millis(300);

/// What the run of a series is compared with.
pub(super) struct LoadedHistory {
    /// The history in which the run is recorded.
    pub own: SeriesHistory,
    /// The tag of another speed, if this history was recorded at another speed than the present one.
    pub other_speed: Option<Tag>,
    /// The history at the machine's usual speed, beside a part of it at another speed.
    pub main: MainHistory,
}

/// The history at the machine's usual speed, as a part at another speed needs it.
pub(super) enum MainHistory {
    /// There is none beside this history, which may be the main one itself.
    None,
    /// A run of this commit cleared the code there, in all series: the code needs no pairs.
    Clears(String),
    /// Pairs with its last good builds judge a series until the part has enough runs of that series for a verdict.
    Judges(Box<SeriesHistory>),
}

impl MainHistory {
    fn of(main: SeriesHistory, code: &CodeState) -> Self {
        let cleared = main
            .baseline
            .runs_that_clear(code)
            .find(|run| run.clears_code_of_all_series())
            .map(|run| run.revision.commit.clone());
        cleared.map_or_else(|| Self::Judges(Box::new(main)), Self::Clears)
    }

    /// The history, where it may judge.
    pub(super) fn judging(&self) -> Option<&SeriesHistory> {
        if let Self::Judges(main) = self { Some(main) } else { None }
    }
}

impl LoadedHistory {
    /// A history without another one beside it.
    pub(super) fn alone(own: SeriesHistory) -> Self {
        Self { own, other_speed: None, main: MainHistory::None }
    }

    /// A part at another speed beside the `main` history.
    fn beside_main(own: SeriesHistory, main: SeriesHistory, code: &CodeState) -> Self {
        Self { main: MainHistory::of(main, code), ..Self::alone(own) }
    }

    /// Returns what `test` as a whole, with this `main` history, is compared with at the machine's present speed. Measures
    /// `now` again while the processor may still be waking up.
    ///
    /// # Errors
    /// A message when a history cannot be read.
    pub(super) fn at_speed(
        main: SeriesHistory,
        session: &Session,
        test: &PerfTest,
        now: &mut MachineState,
        sink: &mut dyn Sink,
    ) -> Result<Self, String> {
        let Some(mut reader) = SeriesReader::of(session, test, &SeriesKind::Whole, None, sink)?
        else {
            return Ok(Self::alone(main));
        };
        let code = session.code(test);
        if let Some(part) = reader.part_of_earlier_attempt(&main)? {
            let other_speed = settled_speed(session, &MachineBaseline::before(&part.baseline), now);
            return Ok(Self { other_speed, ..Self::beside_main(part, main, code) });
        }
        match settled_speed(session, &MachineBaseline::before(&main.baseline), now) {
            Some(Tag::FastMachine) if main.may_be_slow_by_chance(code) => Ok(Self::alone(main)),
            Some(tag) => Self::at_other_speed(&mut reader, main, tag, now),
            None => Ok(Self::alone(main)),
        }
    }

    /// The same at another speed than that of the `main` history: beside the part at this speed, if there is one or one may
    /// begin.
    fn at_other_speed(
        reader: &mut SeriesReader<'_>,
        main: SeriesHistory,
        tag: Tag,
        now: &MachineState,
    ) -> Result<Self, String> {
        Ok(match reader.part_at_speed(&main, now)? {
            Some(part) => Self::beside_main(part, main, reader.session.code(reader.test)),
            None => Self { other_speed: Some(tag), ..Self::alone(main) },
        })
    }

    /// Returns what a further series of the test, beside the whole, is compared with: the history of the same speed if
    /// the speed matters to the metric. `tolerance` is the one that the body gave.
    ///
    /// # Errors
    /// A message when a history cannot be read.
    pub(super) fn beside(
        whole: &Self,
        session: &Session,
        test: &PerfTest,
        series_kind: &SeriesKind,
        tolerance: Option<Tolerance>,
        sink: &mut dyn Sink,
    ) -> Result<Self, String> {
        let Some(mut reader) = SeriesReader::of(session, test, series_kind, tolerance, sink)?
        else {
            return Ok(Self::alone(SeriesHistory::nothing(&whole.own.testbed)));
        };
        if series_kind.metric().is_deterministic() {
            return reader.main().map(Self::alone);
        }
        let own = reader.series(&whole.own.testbed)?;
        let main = match &whole.main {
            MainHistory::None => MainHistory::None,
            // Also where the whole has enough runs in the part: of a series that is red there, none counts.
            MainHistory::Judges(_) if own.baseline.suffices() => MainHistory::None,
            // Cleared by its own tolerance, which may be smaller than that of the whole.
            MainHistory::Judges(_) | MainHistory::Clears(_) => {
                MainHistory::of(reader.main()?, session.code(test))
            }
        };
        Ok(Self { own, other_speed: whole.other_speed, main })
    }

    /// The main history while it judges: until the part has enough runs.
    fn main_while_young(&self) -> Option<&SeriesHistory> {
        self.main.judging().filter(|_| !self.own.baseline.suffices())
    }

    /// Whether this is a part at another speed with too few runs for a verdict.
    pub(super) fn is_young_part(&self) -> bool {
        self.main_while_young().is_some()
    }

    /// The history whose last good builds are measured beside this build.
    pub(super) fn of_good_builds(&self) -> &SeriesHistory {
        self.main_while_young().unwrap_or(&self.own)
    }

    /// Whether pairs alone judge: no run of this speed can, or too few.
    pub(super) fn is_judged_by_pairs(&self) -> bool {
        self.other_speed.is_some() || self.is_young_part()
    }

    /// Returns the baseline to compare with. Without runs while the machine runs at another speed:
    /// re-measuring cannot help at a different clock speed. A red of an earlier attempt stays.
    /// Beside the last good builds of the main history holds what is accepted there.
    pub(super) fn comparable(&self) -> Cow<'_, Baseline> {
        let own = &self.own.baseline;
        if self.other_speed.is_some() && self.own.continued() != Some(Reason::Red) {
            return Cow::Owned(own.without_runs());
        }
        match self.main_while_young() {
            Some(main) => {
                let accepted_ratio = self.accepted_beside(main);
                Cow::Owned(Baseline { accepted_ratio, ..own.clone() })
            }
            None => Cow::Borrowed(own),
        }
    }

    /// What is accepted beside the last good builds of `main`: there, or for this speed alone.
    fn accepted_beside(&self, main: &SeriesHistory) -> Option<f64> {
        let is_of_main = |own: &Acceptance| main.acceptances.iter().any(|it| it.id == own.id);
        match self.own.acceptance() {
            Some(own) if !is_of_main(own) => Some(own.max_ratio),
            _ => main.baseline.accepted_ratio,
        }
    }

    /// The history with the newest baseline run of the test: of a young part, that may be the one whose builds judge it.
    pub(super) fn with_newest_run(&self) -> &SeriesHistory {
        let judging = self.of_good_builds();
        let newest = |known: &SeriesHistory| known.newest_run().map(|run| run.id.clone());
        if newest(judging) > newest(&self.own) { judging } else { &self.own }
    }

    /// Returns the commit of the run that cleared the machine code `code`, where there is one; empty if it is not known.
    /// At another speed than usual what the history there cleared is known of code of the level that the part has: it
    /// may have improved since.
    pub(super) fn commit_that_clears(&self, code: &CodeState) -> Option<&str> {
        let baseline = &self.own.baseline;
        if let Some(own) = baseline.run_that_clears(code) {
            return Some(&own.revision.commit);
        }
        let MainHistory::Clears(commit) = &self.main else { return None };
        let has_such = baseline.runs.iter().any(|run| run.code.is_same_code(code));
        (has_such || self.other_speed.is_some()).then_some(commit.as_str())
    }

    /// The commit of the newest good build beside this code that was built of no changed files.
    pub(super) fn newest_good_commit(&self, code: &CodeState) -> Option<&str> {
        let good_builds = self.of_good_builds().baseline.good_builds(code);
        let revisions = good_builds.map(|run| &run.revision);
        revisions.filter(|it| !it.dirty).map(|it| it.commit.as_str()).find(|it| !it.is_empty())
    }
}

/// Returns the tag of another speed, unless the processor reaches the usual speed within the time a
/// sleeping processor needs. The median of all readings counts: a single reading may have been
/// interrupted.
fn settled_speed(
    session: &Session,
    usual: &MachineBaseline,
    now: &mut MachineState,
) -> Option<Tag> {
    let began = Instant::now();
    let (mut clocks_khz, mut references_ns) = (Vec::new(), Vec::new());
    while began.elapsed() < SETTLING {
        usual.other_speed(&now.probes())?;
        clocks_khz.extend(now.effective_khz.get());
        references_ns.extend(now.reference_ns.get());
        session.probe_speed(now);
    }
    set_to_middle(&mut now.effective_khz, clocks_khz);
    set_to_middle(&mut now.reference_ns, references_ns);
    usual.other_speed(&now.probes())
}

fn set_to_middle(reading: &mut Reading<u64>, mut values: Vec<u64>) {
    sort(&mut values);
    if let Some(middle) = values.get(values.len() / 2) {
        *reading = Reading::Value(*middle);
    }
}
