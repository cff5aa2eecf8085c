//! One execution of one perf test in one process.

use super::{
    BenchmarkId, CodeState, CoreKind, Environment, Evidence, Measurement, Metric, Note,
    Observation, Reason, Revision, Sample, SourcePlace,
};
use crate::list::IntoList;
use std::fmt;

/// Identity of a run: a ULID, 26 characters, sortable by time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(String);

impl RunId {
    const ALPHABET: &'static [u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    const TIME_CHARACTERS: usize = 10;

    /// A ULID of 48 bits of time and 80 bits of `entropy` (its lowest 80 bits are used).
    ///
    /// Source of the format: the ULID specification (Crockford base 32, most significant first).
    ///
    /// ```
    /// use perftest_core::model::RunId;
    /// let early = RunId::new(1_000, 7);
    /// assert_eq!(early.as_str().len(), 26);
    /// assert!(early < RunId::new(1_001, 0));
    /// ```
    pub fn new(time_ms: u64, entropy: u128) -> Self {
        let bits = (u128::from(time_ms) << 80) | (entropy & ((1 << 80) - 1));
        let digits = (0..26).rev().map(|place| {
            let digit = (bits >> (5 * place)) & 31;
            char::from(Self::ALPHABET[digit as usize])
        });
        Self(digits.collect())
    }

    /// Creates an id from a record.
    pub fn from_recorded(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The 26 characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The characters of a ULID that are its time. They sort as the times do.
    #[inline]
    pub fn time_in(id: &str) -> &str {
        id.get(..Self::TIME_CHARACTERS).unwrap_or(id)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One run by one metric: the unit of history. `(id, metric)` is its identity.
///
/// Values in one process share its memory layout and its minute. They are not independent, so a
/// baseline counts runs and not measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Identity, shared by the metrics of one execution.
    pub id: RunId,
    /// The invocation of cargo it belongs to.
    pub session: String,
    /// Number of the attempt (nextest retries): 1 unless retried.
    pub attempt: u32,
    /// Project the benchmark belongs to.
    pub project: String,
    /// The perf test.
    pub benchmark: BenchmarkId,
    /// Where its function is; `None` where that is not known.
    pub source: Option<SourcePlace>,
    /// What was measured.
    pub metric: Metric,
    /// The scope in which numbers are comparable: `label/fingerprint`.
    pub testbed: String,
    /// Hash of the context (toolchain, processor, system), stored once beside the runs.
    pub context: String,
    /// Hash of what makes runs comparable (target, profile, features, configuration).
    pub config: String,
    /// The machine code measured.
    pub code: CodeState,
    /// Start, milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// When an import replaced the values that were recorded before, in the same unit.
    pub corrected_ms: Option<u64>,
    /// The place of the code in the repository.
    pub revision: Revision,
    /// Empty on a developer's machine; else provider and trust of the CI job.
    pub ci: String,
    /// Batches discarded before the first measurement.
    pub warm_up: u32,
    /// All measurements, in order. A run from a record has only their values, iterations, processor
    /// times, probes and kinds of core.
    pub measurements: Vec<Measurement>,
    /// Indices of the measurements that were disturbed, ascending.
    pub suspects: Vec<u32>,
    /// Those of them whose threads did not work at once. A record of before they were kept has none.
    pub apart: Vec<u32>,
    /// Indices of the measurements that were compared by their processor time.
    pub on_processor_time: Vec<u32>,
    /// The conditions.
    pub environment: Environment,
    /// The verdict with its evidence; `None` for a fresh process of a confirmation.
    pub evidence: Option<Evidence>,
    /// The decision rule, its version and parameters, for people.
    pub rule: String,
    /// The author's limit on measurements in the first process; `None` if only the budget counts.
    pub max_measurements: Option<u32>,
    /// Points of the author's curve: measurements, and the degradation that a red needs from there
    /// on; none for the scaled curve.
    pub curve: Vec<(u32, f64)>,
    /// Hash of the baseline's runs and rule.
    pub baseline: String,
    /// Whether it may enter a baseline; decided by provenance when it was written, never by its
    /// verdict.
    pub counts_for_baseline: bool,
    /// Time the test took in all.
    pub spent_ns: u64,
    /// Time it was allowed.
    pub budget_ns: u64,
    /// The former name of the test, as its author gives it.
    pub formerly: Option<BenchmarkId>,
    /// Id of the [`Acceptance`](super::Acceptance) that covered the test.
    pub acceptance: Option<String>,
    /// Further marks: `libtest`, [`CONFIRMING`](Self::CONFIRMING), [`PROVISIONAL`](Self::PROVISIONAL),
    /// [`BY_RATIO`](Self::BY_RATIO), [`ON_IMPROVED_FAIL`](Self::ON_IMPROVED_FAIL),
    /// [`ON_RED_REPORT`](Self::ON_RED_REPORT), [`SERIES_NOT_CLEARED`](Self::SERIES_NOT_CLEARED),
    /// [`IMPORTED`](Self::IMPORTED) and [`SHOW_ONLY`](Self::SHOW_ONLY).
    pub flags: Vec<String>,
}

impl Run {
    /// The mark of a fresh process that confirms the result of another. It is written before the
    /// run it belongs to, and has its own id.
    pub const CONFIRMING: &str = "confirm";

    /// The mark of a fresh process that a test without a baseline measured beside its first run. It
    /// counts for the baseline until enough ordinary runs do.
    pub const PROVISIONAL: &str = "provisional";

    /// The mark of a disturbed run that was proven better than its baseline, or whose pairs needed an acceptance. Its own
    /// times are no level, so it counts for the baseline by its ratio.
    pub const BY_RATIO: &str = "by-ratio";

    /// The mark of runs whose test fails for an improvement until it is accepted.
    pub const ON_IMPROVED_FAIL: &str = "on-improved-fail";

    /// The mark of a run that another tool measured: an import may replace its values.
    pub const IMPORTED: &str = "imported";

    /// The mark of a run from a source that nobody vouches for: it is shown, and no run is compared with it.
    pub const SHOW_ONLY: &str = "show-only";

    /// The mark of what is left of several older runs of a commit: the deciles of their measurements.
    pub const SUMMARY: &str = "summary";

    /// Mark of a run whose verdict fails nothing.
    pub const ON_RED_REPORT: &str = "on-red-report";

    /// The mark of a run beside which a further series of the test, such as a stage, was red, not decided, or passed only
    /// by an acceptance. Its build is no good one to compare that series with.
    pub const SERIES_NOT_CLEARED: &str = "series-not-cleared";

    /// The mark of the times of a machine where the verdict is left out: [`has_times_of_machine`](Self::has_times_of_machine).
    pub const TIMES_OF_MACHINE: &str = "times-of-machine";

    /// Creates a first attempt without measurements, code, conditions and verdict, which does not count
    /// for the baseline.
    pub fn blank(id: RunId, benchmark: BenchmarkId, metric: Metric) -> Self {
        Self {
            id,
            session: String::new(),
            attempt: 1,
            project: String::new(),
            benchmark,
            source: None,
            metric,
            testbed: String::new(),
            context: String::new(),
            config: String::new(),
            code: CodeState::default(),
            started_ms: 0,
            corrected_ms: None,
            revision: Revision::default(),
            ci: String::new(),
            warm_up: 0,
            measurements: Vec::new(),
            suspects: Vec::new(),
            apart: Vec::new(),
            on_processor_time: Vec::new(),
            environment: Environment::default(),
            evidence: None,
            rule: String::new(),
            max_measurements: None,
            curve: Vec::new(),
            baseline: String::new(),
            counts_for_baseline: false,
            spent_ns: 0,
            budget_ns: 0,
            formerly: None,
            acceptance: None,
            flags: Vec::new(),
        }
    }

    /// The undisturbed measurements, or all when fewer than three are undisturbed.
    pub fn clean(&self) -> Vec<Observation> {
        let observation = |index: usize| match self.counts_by_processor_time(index) {
            true => Observation::on_processor_time(&self.measurements[index]),
            false => Observation::from(&self.measurements[index]),
        };
        self.clean_indices().map(observation).into_list()
    }

    fn clean_indices(&self) -> impl Iterator<Item = usize> {
        let is_clean = |index: &usize| !self.suspects.contains(&(*index as u32));
        let indices = 0..self.measurements.len();
        let are_all = indices.clone().count_where(is_clean) < 3;
        indices.filter(move |index| are_all || is_clean(index))
    }

    fn counts_by_processor_time(&self, index: usize) -> bool {
        self.on_processor_time.contains(&(index as u32))
    }

    /// Median of the clean values; `None` when there is no measurement.
    pub fn center(&self) -> Option<f64> {
        // Reports compute the center of each run of a store: without observations, and with one list.
        let value = |index: usize| match self.counts_by_processor_time(index) {
            true => self.measurements[index].value_on_processor(),
            false => self.measurements[index].value,
        };
        let mut values = Vec::with_capacity(self.measurements.len());
        for index in self.clean_indices() {
            values.push(value(index));
        }
        Sample::median_of_list(values)
    }

    /// Returns whether it is a fresh process of a confirmation.
    pub fn is_confirmation(&self) -> bool {
        self.has_mark(Self::CONFIRMING)
    }

    /// Returns whether it is a fresh process beside a first run.
    pub fn is_provisional(&self) -> bool {
        self.has_mark(Self::PROVISIONAL)
    }

    /// Returns whether its own times are too disturbed for a level, but not its ratio to the baseline.
    pub fn counts_by_ratio(&self) -> bool {
        self.has_mark(Self::BY_RATIO)
    }

    /// Returns whether its times may be slower by the machine alone: nearly all of it was disturbed, or the machine was
    /// slower than before. Those of a red are not: it was proven beside the last good build.
    pub fn has_times_of_machine(&self) -> bool {
        let by_verdict = |it: &Evidence| self.leaves_times_to_machine(it.reason, &it.notes);
        self.has_mark(Self::TIMES_OF_MACHINE) || self.evidence.as_ref().is_some_and(by_verdict)
    }

    /// The same with this verdict and these notes, where the evidence is left out.
    pub fn leaves_times_to_machine(&self, reason: Reason, notes: &[Note]) -> bool {
        let is_disturbed = self.counts_by_ratio() || notes.contains(&Note::NotCountedDisturbed);
        reason == Reason::MachineSlower || reason != Reason::Red && is_disturbed
    }

    /// Returns whether it is a fresh process, which is a part of a run: its user made no run of it.
    pub fn is_fresh_process(&self) -> bool {
        self.flags.iter().any(|flag| Self::marks_fresh_process(flag))
    }

    /// Returns whether a mark is that of a fresh process.
    pub fn marks_fresh_process(mark: &str) -> bool {
        mark == Self::CONFIRMING || mark == Self::PROVISIONAL
    }

    /// Counts the runs of one history as their user made them, without fresh processes.
    #[inline]
    pub fn count<'a>(of_history: impl IntoIterator<Item = &'a Self>) -> usize {
        of_history.into_iter().count_where(|run| !run.is_fresh_process())
    }

    /// Returns whether it is the summary of several runs.
    pub fn is_summary(&self) -> bool {
        self.has_mark(Self::SUMMARY)
    }

    /// Returns whether another tool measured it.
    #[inline]
    pub fn is_imported(&self) -> bool {
        self.has_mark(Self::IMPORTED)
    }

    /// Returns whether nobody vouches for its source.
    pub fn is_show_only(&self) -> bool {
        self.has_mark(Self::SHOW_ONLY)
    }

    /// The reason of its verdict; `None` for a fresh process of a confirmation.
    pub fn reason(&self) -> Option<Reason> {
        self.evidence.as_ref().map(|it| it.reason)
    }

    /// Returns whether it cleared its code, whatever the machine was.
    pub fn clears_code(&self) -> bool {
        self.reason().is_some_and(Reason::clears_code)
    }

    /// Returns whether it and the further series beside it cleared their code.
    pub fn clears_code_of_all_series(&self) -> bool {
        self.clears_code() && !self.has_mark(Self::SERIES_NOT_CLEARED)
    }

    fn has_mark(&self, mark: &str) -> bool {
        self.flags.iter().any(|flag| flag == mark)
    }

    /// Returns this run with the measurements of an undisturbed one, scaled to the value that its verdict
    /// proves. `None` if no value is known.
    pub(super) fn with_times_of(&self, undisturbed: &Self) -> Option<Self> {
        let value = self.evidence.as_ref()?.value_by_ratio(self.metric.direction)?;
        let factor = value / undisturbed.center()?;
        factor.is_finite().then(|| Self {
            measurements: undisturbed.measurements.iter().map(|it| it.scaled(factor)).into_list(),
            suspects: undisturbed.suspects.clone(),
            apart: undisturbed.apart.clone(),
            on_processor_time: undisturbed.on_processor_time.clone(),
            ..self.clone()
        })
    }

    /// Returns whether it does not depend on an earlier result.
    pub fn is_first_try(&self) -> bool {
        self.attempt <= 1 && !self.is_confirmation()
    }

    /// Returns whether the machine was fit, if that matters to the metric.
    pub fn is_fit(&self) -> bool {
        self.metric.is_deterministic() || !self.environment.is_untrusted()
    }

    /// Returns whether the run passed only by an acceptance: slower than tolerated and not than
    /// accepted, or better in a test with `on_improved = "fail"`.
    pub fn was_let_pass(&self) -> bool {
        let Some(evidence) = self.evidence.as_ref().filter(|it| it.accepted_ratio.is_some()) else {
            return false;
        };
        match evidence.reason {
            Reason::Red | Reason::OverLimit => false,
            Reason::Improved => self.has_mark(Self::ON_IMPROVED_FAIL),
            // Against the history alone every test of a slower machine would need it.
            Reason::MachineSlower => evidence.is_accepted(),
            _ => evidence.needs_acceptance(),
        }
    }

    /// Returns whether most of several processes were slower than tolerated, and the verdict is open all the same: slow
    /// by too little, or against too short a history.
    pub fn was_slow_throughout(&self) -> bool {
        self.evidence.as_ref().is_some_and(|it| {
            let is_most = it.processes > 1 && 2 * it.slow_processes > it.processes;
            it.reason.is_without_answer() && is_most
        })
    }

    /// Returns whether only this process was slow, so that its times are evidence about neither code nor machine.
    pub fn was_alone_slow(&self) -> bool {
        let is_explained = |reason| matches!(reason, Reason::Red | Reason::MachineSlower);
        let is_unexplained = |it: &Evidence| it.slow_processes > 0 && !is_explained(it.reason);
        !self.counts_by_ratio()
            && !self.was_slow_throughout()
            && self.evidence.as_ref().is_some_and(is_unexplained)
    }

    /// Returns whether the acceptance was of use: it [let the run pass](Self::was_let_pass), or proved
    /// a green that the tolerance alone does not prove.
    ///
    /// The level of an acceptance begins with a run that was let pass: a green with wide bounds may
    /// still be of the level before.
    pub fn used_acceptance(&self) -> bool {
        let is_green = self.evidence.as_ref().is_some_and(Evidence::is_green_by_accepted_ratio);
        is_green || self.was_let_pass()
    }

    /// Kind of core of most measurements, if it is known.
    pub fn core_kind(&self) -> Option<CoreKind> {
        let on = |kind| self.measurements.iter().count_where(|it| it.core_kind == Some(kind));
        let kinds = [CoreKind::Performance, CoreKind::Efficiency];
        kinds.into_iter().filter(|kind| on(*kind) > 0).max_by_key(|kind| on(*kind))
    }
}
