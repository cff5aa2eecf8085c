//! The life of one test: its commits and runs, each judged and recorded as the harness does it.

use super::support::{code, run};
use perftest_core::judge::{
    Condition, Confirmation, Inspector, MachineBaseline, Pairing, Policy, ProcessPair, Step,
    StepAnswer, Tally, Trial,
};
use perftest_core::model::{
    Acceptance, Ancestor, Baseline, BaselineRule, BenchmarkPattern, CodeState, Direction,
    Environment, Evidence, History, Lineage, Measurement, Metric, Reason, Revision, Run, Tolerance,
};
use std::time::Duration;

/// Standard deviation of the values of one process.
const WITHIN: f64 = 0.003;
/// Iterations of a batch.
const BATCH: u64 = 1_000;

/// Where the runs are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the owner's machine, without a known default branch.
    Local,
    /// On the owner's machine, in a repository whose default branch is checked out.
    Repository,
    /// In CI, clean commits of the default branch.
    MergedInCi,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub(crate) struct Decision {
    /// Number of the code, from 1.
    pub(crate) build: u64,
    pub(crate) reason: Reason,
}

impl Decision {
    pub(crate) fn letter(&self) -> char {
        match self.reason {
            Reason::NoBaseline => '.',
            Reason::Green => 'g',
            Reason::Improved => 'i',
            Reason::Red => 'R',
            Reason::SameCode => 's',
            Reason::Unclear => '?',
            Reason::Unstable => '~',
            Reason::MachineSlower => 'm',
            Reason::Untrusted => 'u',
            other => panic!("no story has {}", other.name()),
        }
    }
}

/// The judged process of a run.
struct Own {
    /// Middle of its values.
    process_ns: f64,
    taken: Vec<Measurement>,
}

/// The stories have no probes.
fn inspected(measurements: &[Measurement]) -> Vec<Condition> {
    Inspector::new(MachineBaseline::default()).inspect_all(measurements)
}

fn conditions_of(measurements: &[Measurement]) -> (Tally, Environment) {
    let tally = Tally::of(measurements, &inspected(measurements));
    let mut environment = Environment::default();
    tally.mark(&mut environment);
    (tally, environment)
}

/// A test with its record.
pub(crate) struct Life {
    place: Place,
    /// Standard deviation between processes of the same code.
    noise: f64,
    random: pragmastat::Rng,
    acceptance: Option<Acceptance>,
    pub(crate) history: History,
    pub(crate) decisions: Vec<Decision>,
    metric: Metric,
    tolerance: Tolerance,
    commit: u64,
    has_changed_files: bool,
    /// Number of the executable.
    build: u64,
    cost_ns: f64,
    /// Other work interrupts batches, but for each one of so many; 0 without exception. `None`: none is interrupted.
    spared: Option<usize>,
    /// Number of batches.
    measured: usize,
    /// How long a pair of processes takes.
    pair: Duration,
    /// The executables that can stand beside the judged one, with the cost of a call; `None` where none is kept.
    kept: Option<Vec<(CodeState, f64)>>,
}

impl Life {
    pub(crate) fn new(place: Place, noise: f64, seed: u64) -> Self {
        Self {
            place,
            noise,
            random: pragmastat::Rng::from_seed(seed as i64),
            acceptance: None,
            history: History::default(),
            decisions: Vec::new(),
            metric: Metric::wall(),
            tolerance: Tolerance::default(),
            commit: 0,
            has_changed_files: false,
            build: 0,
            cost_ns: 0.0,
            spared: None,
            measured: 0,
            pair: Duration::from_millis(50),
            kept: None,
        }
    }

    /// From the start the executables of good runs are kept.
    pub(crate) fn keep_builds(&mut self) -> &mut Self {
        self.kept = Some(Vec::new());
        self
    }

    /// From now on processes of the same code differ by this standard deviation, and a pair of them takes so long.
    pub(crate) fn machine(&mut self, noise: f64, pair: Duration) -> &mut Self {
        self.noise = noise;
        self.pair = pair;
        self
    }

    /// A commit with code of its own, whose calls cost so much.
    pub(crate) fn commit(&mut self, cost_ns: f64) -> &mut Self {
        self.commit += 1;
        self.has_changed_files = false;
        self.built(cost_ns)
    }

    /// A commit that brings the machine code of an earlier build back.
    pub(crate) fn revert_to(&mut self, build: u64, cost_ns: f64) -> &mut Self {
        self.commit(cost_ns);
        self.build = build;
        self
    }

    /// Changed files on the present commit.
    pub(crate) fn changed_files(&mut self, cost_ns: f64) -> &mut Self {
        self.has_changed_files = true;
        self.built(cost_ns)
    }

    fn built(&mut self, cost_ns: f64) -> &mut Self {
        self.build += 1;
        self.cost_ns = cost_ns;
        self
    }

    /// From now on this share is tolerated.
    pub(crate) fn tolerate(&mut self, share: f64) -> &mut Self {
        self.tolerance = Tolerance::new(share).unwrap();
        self
    }

    /// From the start allocations are counted and not times.
    pub(crate) fn count_allocations(&mut self) {
        self.metric = Metric::allocations();
    }

    /// Runs the checked out code so often.
    pub(crate) fn runs(&mut self, runs: usize) -> &mut Self {
        (0..runs).for_each(|_| self.run(1.0));
        self
    }

    /// As many commits, each run once.
    pub(crate) fn commits(&mut self, cost_ns: f64, commits: usize) -> &mut Self {
        (0..commits).for_each(|_| self.commit(cost_ns).run(1.0));
        self
    }

    /// Runs the checked out code once on a machine that is slower by this factor all the while.
    pub(crate) fn run_slowed(&mut self, factor: f64) -> &mut Self {
        self.run(factor);
        self
    }

    /// Runs the checked out code so often, while other work interrupts every batch and slows it by a tenth.
    pub(crate) fn interrupted_runs(&mut self, runs: usize) -> &mut Self {
        self.mostly_interrupted_runs(0, runs)
    }

    /// The same where each one of so many batches is spared. Fewer than one of four leave no trust in the machine.
    pub(crate) fn mostly_interrupted_runs(&mut self, spared: usize, runs: usize) -> &mut Self {
        self.spared = Some(spared);
        (0..runs).for_each(|_| self.run(1.1));
        self.spared = None;
        self
    }

    /// From now on this is accepted.
    pub(crate) fn accept(&mut self, max_ratio: f64, until_ms: Option<u64>) -> &mut Self {
        self.acceptance = Some(Acceptance {
            id: format!("A{:04}", self.history.runs.len()),
            benchmark: BenchmarkPattern::new("codec::perf::encode"),
            testbed: String::new(),
            max_ratio,
            reason: "checks input now".into(),
            given_ms: 0,
            until_ms,
        });
        self
    }

    /// Nothing is accepted any more.
    pub(crate) fn revoke(&mut self) -> &mut Self {
        self.acceptance = None;
        self
    }

    /// The decisions, each a letter, those of one code together.
    pub(crate) fn letters(&self) -> String {
        let builds = self.decisions.chunk_by(|one, next| one.build == next.build);
        let word = |decisions: &[Decision]| decisions.iter().map(Decision::letter).collect();
        builds.map(word).collect::<Vec<String>>().join(" ")
    }

    /// Middle of the runs with which the next one is compared.
    pub(crate) fn level_ns(&self) -> f64 {
        self.baseline_of(&self.loaded()).sample().map_or(f64::NAN, |runs| runs.median())
    }

    pub(crate) fn newest_letter(&self) -> char {
        self.decisions.last().map_or(' ', Decision::letter)
    }

    fn loaded(&self) -> History {
        let mut runs: Vec<Run> =
            self.history.runs.iter().filter(|it| it.counts_for_baseline).cloned().collect();
        runs.drain(..runs.len().saturating_sub(BaselineRule::LOADED_RUNS));
        History { runs }
    }

    fn baseline_of(&self, loaded: &History) -> Baseline {
        let rule = BaselineRule::default();
        let baseline = rule.select(loaded, "cfg", self.acceptance.as_ref(), &self.lineage());
        baseline.held_to(self.tolerance)
    }

    fn run(&mut self, factor: f64) {
        let loaded = self.loaded();
        let baseline = self.baseline_of(&loaded);
        let unchanged = baseline.run_that_clears(&code(&self.text()));
        let policy = Policy { tolerance: self.tolerance, ..Policy::of(&self.metric) };
        let trial = Trial::new(baseline.clone(), Direction::Lower, policy);
        let trial = match unchanged {
            Some(run) => trial.of_unchanged_code(&run.revision.commit),
            None => trial,
        };
        let base_ns = self.last_good_ns(&baseline);
        let mut own = Own { process_ns: self.process_ns(self.cost_ns, factor), taken: Vec::new() };
        let mut evidence = self.play(trial.clone(), base_ns, factor, &mut own);
        if self.lacks_accepted_level(&evidence, &own.taken) {
            evidence = self.play(trial.that_pairs_accepted_code(), base_ns, factor, &mut own);
        }
        let run = self.recorded(evidence, own.taken, &loaded, &baseline);
        let reason = run.reason().unwrap();
        self.decisions.push(Decision { build: self.build, reason });
        let may_be_base =
            reason.is_good() && (run.counts_for_baseline || baseline.has_good_build(&run.code));
        if let Some(kept) = self.kept.as_mut().filter(|_| may_be_base) {
            kept.push((run.code.clone(), self.cost_ns));
        }
        self.history.runs.push(run);
    }

    /// What a call of the last good build costs.
    fn last_good_ns(&self, baseline: &Baseline) -> Option<f64> {
        let kept = self.kept.as_ref()?;
        let judged = code(&self.text());
        let good = baseline.good_builds(&judged).next()?;
        kept.iter().find(|(code, _)| *code == good.code).map(|(_, cost_ns)| *cost_ns)
    }

    fn pair(&mut self, base_ns: f64, turns: usize, factor: f64) -> ProcessPair {
        let [base, head] = [base_ns, self.cost_ns].map(|cost_ns| {
            let process_ns = self.process_ns(cost_ns, factor);
            (0..turns).map(|_| self.measurement(process_ns)).collect()
        });
        ProcessPair { base, head }
    }

    /// Whether accepted code passed in a process whose times are no level.
    fn lacks_accepted_level(&self, evidence: &Evidence, measurements: &[Measurement]) -> bool {
        let lasts = self.acceptance.as_ref().is_some_and(|it| !it.is_temporary());
        let (tally, environment) = conditions_of(measurements);
        lasts && evidence.is_accepted() && tally.leaves_no_level_in(&environment)
    }

    /// Plays a trial. What the process has measured for a trial before is read again.
    fn play(
        &mut self,
        mut trial: Trial,
        base_ns: Option<f64>,
        factor: f64,
        own: &mut Own,
    ) -> Evidence {
        let (mut read, mut elapsed) = (0, Duration::ZERO);
        loop {
            let observed = match trial.step() {
                Step::Measure => {
                    elapsed += Duration::from_micros(500);
                    if read == own.taken.len() {
                        own.taken.push(self.measurement(own.process_ns));
                    }
                    read += 1;
                    StepAnswer::Measured(own.taken[read - 1])
                }
                Step::Wait(pause) => {
                    elapsed += pause;
                    StepAnswer::Waited
                }
                Step::Pair(plan) => {
                    StepAnswer::Paired(base_ns.map_or(Pairing::NoBase, |base_ns| {
                        let pair = self.pair(base_ns, plan.turns.len(), factor);
                        Pairing::Measured { pair, elapsed: self.pair }
                    }))
                }
                Step::Confirm { measurements, .. } => {
                    let process_ns = self.process_ns(self.cost_ns, factor);
                    let measurements = (0..measurements).map(|_| self.measurement(process_ns));
                    StepAnswer::Confirmed(Confirmation::Measured {
                        measurements: measurements.collect(),
                        others_cpus: Some(0.0),
                        elapsed: Duration::ZERO,
                    })
                }
                Step::Done(evidence) => return *evidence,
            };
            trial.observe(observed, elapsed);
        }
    }

    /// Middle of a process of code that costs so much.
    fn process_ns(&mut self, cost_ns: f64, factor: f64) -> f64 {
        let noise = self.noise * self.normal();
        if self.metric.is_time() { cost_ns * factor * noise.exp() } else { cost_ns }
    }

    fn measurement(&mut self, process_ns: f64) -> Measurement {
        let noise = WITHIN * self.normal();
        let value = if self.metric.is_time() { process_ns * noise.exp() } else { process_ns };
        let wall_ns = BATCH as f64 * value;
        self.measured += 1;
        let is_spared = |one_of: usize| one_of > 0 && self.measured.is_multiple_of(one_of);
        let is_interrupted = self.spared.is_some_and(|one_of| !is_spared(one_of));
        Measurement {
            iterations: BATCH,
            wall_ns,
            thread_cpu_ns: Some((if is_interrupted { wall_ns / 1.1 } else { wall_ns }) as u64),
            ..Measurement::of_value(value)
        }
    }

    /// Twelve uniform numbers make a normal one of deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.random.uniform_f64()).sum::<f64>() - 6.0
    }

    fn recorded(
        &self,
        evidence: Evidence,
        measurements: Vec<Measurement>,
        known: &History,
        baseline: &Baseline,
    ) -> Run {
        let number = self.history.runs.len() as u64;
        let in_ci = self.place == Place::MergedInCi;
        let acceptance = self.acceptance.as_ref();
        let conditions = inspected(&measurements);
        let (tally, environment) = conditions_of(&measurements);
        let disturbed = (0..).zip(&conditions).filter(|(_, condition)| !condition.is_usable());
        let run = Run {
            suspects: disturbed.map(|(index, _)| index).collect(),
            revision: self.revision(),
            ci: if in_ci { "gha/push".into() } else { String::new() },
            measurements,
            evidence: Some(evidence.under(&environment)),
            environment,
            acceptance: acceptance.map(|it| it.id.clone()),
            metric: self.metric.clone(),
            ..run(number, 0.0, &self.text())
        };
        let mut run = tally.applied_to(run);
        let is_borrowed = acceptance.is_some_and(Acceptance::is_temporary) && run.was_let_pass();
        let (rule, lineage) = (BaselineRule::default(), self.lineage());
        run.counts_for_baseline &= !is_borrowed
            && rule.why_not_counted(known, baseline, acceptance, &lineage, &run).is_none();
        run
    }

    fn text(&self) -> String {
        format!("code {}", self.build)
    }

    fn revision(&self) -> Revision {
        let branch = match self.place {
            Place::Local => String::new(),
            Place::Repository | Place::MergedInCi => "main".into(),
        };
        let dirty = self.has_changed_files;
        let base = format!("c{}", if dirty { self.commit } else { self.commit - 1 });
        let commit = format!("c{}", self.commit);
        Revision { commit, base, branch, dirty, order: self.commit, ..Revision::default() }
    }

    fn lineage(&self) -> Lineage {
        match self.place {
            Place::Local => Lineage::default(),
            Place::Repository | Place::MergedInCi => {
                let ancestor = |order| Ancestor { commit: format!("c{order}"), time_s: order };
                let ancestors: Vec<Ancestor> = (1..=self.commit).rev().map(ancestor).collect();
                Lineage::new(&self.revision(), "main", &ancestors)
            }
        }
    }
}
