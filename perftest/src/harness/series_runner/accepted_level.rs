//! The level of accepted code, on a machine whose times are none.

use super::SeriesRunner;
use crate::harness::loaded_history::LoadedHistory;
use crate::harness::record::RecordWriter;
use crate::harness::recording::{FreshMeasurer, Recording};
use crate::harness::series::Inspected;
use crate::measure::Failure;
use perftest_core::judge::Trial;
use perftest_core::model::{Evidence, Run, SeriesKind, Tolerance};

/// Answers a trial of one series.
type Judge<'j> =
    dyn FnMut(&mut Recording, Trial, &mut dyn FreshMeasurer) -> Result<Evidence, Failure> + 'j;

impl SeriesRunner<'_> {
    /// Decides on a series. Where accepted code passed and the times of this process are no level, decides again with
    /// pairs: they show how slow the code is. What was measured so far is read again.
    ///
    /// # Errors
    /// Those of `judge`.
    pub(super) fn decide(
        &mut self,
        series_kind: &SeriesKind,
        known: &LoadedHistory,
        tolerance: Option<Tolerance>,
        judge: &mut Judge<'_>,
    ) -> Result<Evidence, Failure> {
        let trial = self.context.trial(series_kind, known, tolerance);
        let evidence = judge(&mut self.recording, trial.clone(), self.afresh)?;
        let lacks_level = evidence.is_accepted()
            && self.may_become_level(series_kind, known, tolerance, &evidence)
            && self.leaves_no_level();
        if lacks_level {
            judge(&mut self.recording, trial.that_pairs_accepted_code(), self.afresh)
        } else {
            Ok(evidence)
        }
    }

    /// Whether the run with this verdict may count for the level of accepted code. Under an acceptance that ends the old
    /// level stays.
    fn may_become_level(
        &self,
        series_kind: &SeriesKind,
        known: &LoadedHistory,
        tolerance: Option<Tolerance>,
        evidence: &Evidence,
    ) -> bool {
        let lasts = known.own.acceptance().is_some_and(|it| !it.is_temporary());
        let counts = || {
            let recorder = RecordWriter::new(self.context, series_kind, tolerance);
            let blank = recorder.blank_run(&known.own.testbed, series_kind);
            let evidence = Some(evidence.clone());
            let run = Run { counts_for_baseline: true, evidence, ..blank };
            recorder.why_not_counted(known, &run).is_none()
        };
        // Instructions are the same on any machine.
        let needs_level = !series_kind.metric().is_deterministic();
        lasts && needs_level && self.context.session.records() && counts()
    }

    /// Whether the times of this process are no level, by its measurements or by what the machine did meanwhile.
    fn leaves_no_level(&self) -> bool {
        let whole = Inspected::of(&SeriesKind::Whole, self.whole, &self.recording.own);
        whole.is_some_and(|whole| {
            let tally = whole.tally();
            let now = self.context.conditions(self.before.clone(), self.whole, &tally);
            tally.leaves_no_level_in(&now)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::recorded_test::{NoSink, RecordedTest, ended};
    use crate::harness::recording::{
        BaseProcess, FreshProcess, MeasurementSource, Refusal, Request,
    };
    use crate::harness::series_history::SeriesHistory;
    use crate::harness::test_context::TestContext;
    use crate::measure::MeterReading;
    use perftest_core::judge::PairPlan;
    use perftest_core::model::{
        Acceptance, BenchmarkPattern, Interval, MachineState, Measurement, ProcessRecord, Reading,
        Reason, RunId, Take,
    };
    use std::time::{Duration, Instant};

    /// Time of a call of accepted code. The runs before it took 100 ns.
    const ACCEPTED_NS: f64 = 115.0;

    /// Many measurements of this time.
    fn takes(each_ns: f64, count: usize) -> Vec<Take> {
        let take = |index: usize| {
            let measurement = Measurement::of_value(each_ns * (1.0 + 1e-4 * (index % 5) as f64));
            Take { measurement, ..Take::default() }
        };
        (0..count).map(take).collect()
    }

    struct Body {
        taken: u32,
    }

    impl MeasurementSource for Body {
        fn take(&mut self) -> Result<(MeterReading, Duration), Failure> {
            self.taken += 1;
            let reading =
                MeterReading { take: takes(ACCEPTED_NS, 1)[0].clone(), cost: Duration::ZERO };
            Ok((reading, Duration::from_millis(1) * self.taken))
        }

        fn pause(&mut self, _: Duration) -> Result<(), Failure> {
            Ok(())
        }
    }

    /// The last good build, of the oldest run, beside the accepted code.
    struct InPairs;

    impl FreshMeasurer for InPairs {
        fn alone(&mut self, _: &Request) -> Result<FreshProcess, Refusal> {
            panic!("there is a last good build")
        }

        fn pair(
            &mut self,
            _: &Request,
            plan: &PairPlan,
            base_history: &SeriesHistory,
        ) -> Result<FreshProcess, Refusal> {
            let record = |each_ns| {
                let takes = takes(each_ns, plan.turns.len());
                ProcessRecord { takes, ..ProcessRecord::default() }
            };
            let run = base_history.baseline.runs[0].id.clone();
            let base =
                BaseProcess { run, commit: String::new(), dirty: false, record: record(100.0) };
            Ok(FreshProcess {
                id: RunId::new(0, 0),
                judged: record(ACCEPTED_NS),
                base: Some(base),
                others_cpus: Some(0.0),
                elapsed: Duration::from_millis(20),
            })
        }
    }

    /// The verdict on code that is slower within an acceptance, on a machine whose power changes meanwhile or stays.
    /// `runs_before` of the code were let pass by a wide tolerance.
    fn judged(name: &str, power_changes: bool, runs_before: usize) -> Evidence {
        let mut recorded = RecordedTest::new(name);
        let (code, revision) = {
            let session = recorded.session(1);
            let revision = session.provenance(&recorded.test).standing.revision.clone();
            (session.code(&recorded.test).clone(), revision)
        };
        (0..6).for_each(|_| recorded.append("", 4.0, |run| ended(run, Reason::Green)));
        for _ in 0..runs_before {
            recorded.append("", 4.0, |run| {
                let tolerance = Tolerance::new(0.25).unwrap();
                let slower = Interval { estimate: 1.15, lower: 1.14, upper: 1.16 };
                let evidence = run.evidence.map(|it| Evidence {
                    tolerance,
                    degradation: Some(slower),
                    accepted_ratio: None,
                    paired_result: None,
                    ..it
                });
                let (code, revision) = (code.clone(), revision.clone());
                Run { code, revision, evidence, acceptance: Some("A".to_owned()), ..run }
            });
        }
        let (session, test) = (recorded.session(1), &recorded.test);
        let mut own = SeriesHistory::load(&session, test, &mut NoSink).unwrap();
        own.acceptances = vec![Acceptance {
            id: "A".to_owned(),
            benchmark: BenchmarkPattern::from(&test.benchmark()),
            testbed: String::new(),
            max_ratio: 1.3,
            reason: String::new(),
            given_ms: 0,
            until_ms: None,
        }];
        own.baseline.accepted_ratio = Some(1.3);
        let known = LoadedHistory::alone(own);
        let is_on_battery = session.machine().identity.on_battery;
        let power = if power_changes { Reading::Value(!is_on_battery) } else { Reading::default() };
        let before = MachineState { on_battery: power, ..MachineState::default() };
        let (settings, began) = (session.settings(test), Instant::now());
        let context = TestContext { session: &session, test, settings, began };
        let (mut afresh, mut sink) = (InPairs, NoSink);
        let mut runner = SeriesRunner::new(&context, &known, &before, &mut afresh, &mut sink);
        runner.verdict(&SeriesKind::Whole, &known, &mut Body { taken: 0 }).unwrap()
    }

    #[test]
    fn accepted_code_is_measured_in_pairs_where_the_machine_lost_trust_meanwhile() {
        let trusted = judged("accepted-trusted", false, 0);
        assert_eq!((trusted.reason, trusted.paired_result), (Reason::Green, None));
        let untrusted = judged("accepted-untrusted", true, 0);
        let ratio = untrusted.paired_result.map(|it| it.ratio).unwrap();
        assert_eq!(untrusted.reason, Reason::Green);
        assert!((1.14..1.16).contains(&ratio), "{ratio}");
    }

    #[test]
    fn the_first_accepted_run_by_a_smaller_tolerance_is_measured_in_pairs_too() {
        let smaller = judged("accepted-by-smaller", true, 5);
        assert!(smaller.paired_result.is_some(), "{smaller:?}");
    }
}
