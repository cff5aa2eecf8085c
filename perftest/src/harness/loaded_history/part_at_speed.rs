//! The part of a history that was recorded at another speed of the machine than the rest.

use crate::event::Event;
use crate::harness::series_history::{SeriesHistory, SeriesReader};
use perftest_core::judge::MachineBaseline;
use perftest_core::model::{MachineState, Probes, Reason, Run, Tag};
use perftest_core::text::Text;
use perftest_store::Which;

/// This many runs in a row at another speed start a series of their own.
const RUNS_OF_ANOTHER_MACHINE: usize = 3;

impl SeriesReader<'_> {
    /// Returns the part at the machine's present speed, for the test as a whole. Without one, starts a new series if the
    /// user asks for it or the machine keeps that speed. `None` otherwise, and in a retry of an attempt in the `main`
    /// history.
    pub(super) fn part_at_speed(
        &mut self,
        main: &SeriesHistory,
        now: &MachineState,
    ) -> Result<Option<SeriesHistory>, String> {
        // The attempt before this one is recorded here. A stage may have been red while the whole was green.
        if !main.earlier.is_empty() {
            return Ok(None);
        }
        let prefix = format!("{}@", main.testbed);
        if let Some(part) = self.recorded_part(&prefix, &now.probes())? {
            return Ok(Some(part));
        }
        if !self.may_begin_part(&main.testbed, now)? {
            return Ok(None);
        }
        let testbed = format!("{prefix}{}", speed_name(&now.probes()));
        self.sink.take(&Event::Remark(&format!(
            "This machine runs at another speed than in its history: a separate series begins, \
             {testbed}."
        )));
        self.series(&testbed).map(Some)
    }

    /// Returns the part in which the attempt before this one is recorded, however it ended and at whatever speed the
    /// machine is now; `None` where it is in the main history, or nowhere. Where all sessions have one name, there may be
    /// attempts of others elsewhere: the newest decides.
    pub(super) fn part_of_earlier_attempt(
        &mut self,
        main: &SeriesHistory,
    ) -> Result<Option<SeriesHistory>, String> {
        if self.session.config.attempt <= 1 {
            return Ok(None);
        }
        let (mut found, mut newest) = (None, main.newest_attempt().cloned());
        for testbed in self.testbeds(&format!("{}@", main.testbed))? {
            let part = self.series(&testbed)?;
            if part.newest_attempt() > newest.as_ref() {
                newest = part.newest_attempt().cloned();
                found = Some(part);
            }
        }
        Ok(found)
    }

    /// Returns the recorded part at this speed; one with enough runs for a verdict, if there is one.
    fn recorded_part(
        &mut self,
        prefix: &str,
        now: &Probes,
    ) -> Result<Option<SeriesHistory>, String> {
        let mut young = None;
        for testbed in self.testbeds(prefix)? {
            let part = self.series(&testbed)?;
            let usual = match part.baseline.centers.is_empty() {
                true => speed_in_name(&testbed[prefix.len()..]),
                false => Some(MachineBaseline::before(&part.baseline)),
            };
            if usual.is_none_or(|usual| usual.other_speed(now).is_some()) {
                continue;
            }
            if part.baseline.suffices() {
                return Ok(Some(part));
            }
            young.get_or_insert(part);
        }
        Ok(young)
    }

    /// Returns whether a series at the present speed may begin: never in a retry, which is not a fresh chance.
    fn may_begin_part(&self, testbed: &str, now: &MachineState) -> Result<bool, String> {
        if self.session.config.attempt > 1 {
            return Ok(false);
        }
        if self.session.config.new_epoch {
            return Ok(true);
        }
        let query = self.query(testbed, Which::All);
        let last = self.store.load(&query).map_err(|error| error.to_string())?.value.runs;
        Ok(keep_speed(&last, &now.probes()))
    }
}

/// Returns whether the last runs all had the present speed. A red one is no reason to begin anew.
fn keep_speed(runs: &[Run], now: &Probes) -> bool {
    let now = MachineBaseline::of(now);
    let is_alike = |run: &Run| {
        let tags = &run.environment.tags;
        (tags.contains(&Tag::SlowMachine) || tags.contains(&Tag::FastMachine))
            && now.other_speed(&run.environment.before.probes()).is_none()
            && run.reason() != Some(Reason::Red)
    };
    // The fresh processes of one confirmation and the retries of one decision count as one run.
    let decisions = runs.iter().rev().filter(|run| run.evidence.is_some() && run.attempt <= 1);
    let mut last = decisions.take(RUNS_OF_ANOTHER_MACHINE);
    (0..RUNS_OF_ANOTHER_MACHINE).all(|_| last.next().is_some_and(is_alike))
}

/// `3.1GHz-10.2us`: clock and reference kernel.
fn speed_name(probes: &Probes) -> String {
    format!(
        "{:.1}GHz-{:.1}us",
        probes.clock_ghz.unwrap_or_default(),
        probes.reference_ns.unwrap_or_default() / 1e3
    )
}

/// Returns the speed of a part by its name, where no baseline run has one.
fn speed_in_name(name: &str) -> Option<MachineBaseline> {
    let (clock_ghz, reference_us) = name.strip_suffix("us")?.cut_at("GHz-")?;
    let number = |text: &str| text.parse::<f64>().ok().filter(|it| *it > 0.0);
    let reference_ns = number(reference_us).map(|it| it * 1e3);
    let probes = Probes { clock_ghz: Some(number(clock_ghz)?), reference_ns, ..Probes::default() };
    Some(MachineBaseline::of(&probes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::loaded_history::LoadedHistory;
    use crate::harness::recorded_test::{NoSink, RecordedTest, ended, state};
    use perftest_core::model::{Evidence, RunId, SeriesKind, Tolerance};

    /// The usual clock of the machine, and the one that it has now.
    const USUAL_GHZ: f64 = 4.0;
    const NOW_GHZ: f64 = 3.0;
    /// The part at the present clock.
    const PART: &str = "@3.0GHz-12.0us";

    /// Appends the runs of the main history, and then these at the present speed that do not count.
    fn append_main(test: &mut RecordedTest, at_other_speed: usize) {
        (0..6).for_each(|_| test.append("", USUAL_GHZ, |run| run));
        (0..at_other_speed).for_each(|_| test.append("", NOW_GHZ, at_other_speed_run));
    }

    /// Loads the history at the present speed, in this attempt.
    fn load(recorded: &RecordedTest, attempt: u32) -> LoadedHistory {
        let (session, test) = (recorded.session(attempt), &recorded.test);
        let sink = &mut NoSink;
        let reader = SeriesReader::of(&session, test, &SeriesKind::Whole, None, sink);
        let reader = &mut reader.unwrap().unwrap();
        let main = reader.main().unwrap();
        LoadedHistory::at_other_speed(reader, main, Tag::SlowMachine, &state(NOW_GHZ)).unwrap()
    }

    /// Appends a run of an earlier attempt, changed so.
    fn append_attempt(test: &mut RecordedTest, part: &str, change: impl Fn(Run) -> Run) {
        let code = test.session(1).code(&test.test).clone();
        let of_attempt = |run| Run { session: "now".into(), code: code.clone(), ..run };
        test.append(part, USUAL_GHZ, |run| change(of_attempt(run)));
    }

    /// Loads the history of the second attempt, at whatever speed the machine has.
    fn load_retry(recorded: &RecordedTest) -> LoadedHistory {
        let (session, test) = (recorded.session(2), &recorded.test);
        let main = SeriesHistory::load(&session, test, &mut NoSink).unwrap();
        let now = &mut state(NOW_GHZ);
        LoadedHistory::at_speed(main, &session, test, now, &mut NoSink).unwrap()
    }

    /// The part of the history that was loaded; empty for the main one.
    fn part_of(known: &SeriesHistory) -> &str {
        known.testbed.find('@').map_or("", |start| &known.testbed[start..])
    }

    /// Loads the history of the stage beside this one of the whole.
    fn load_stage(recorded: &RecordedTest, whole: &LoadedHistory, attempt: u32) -> LoadedHistory {
        let (session, stage) = (recorded.session(attempt), SeriesKind::Stage("lex".into()));
        LoadedHistory::beside(whole, &session, &recorded.test, &stage, None, &mut NoSink).unwrap()
    }

    fn of_stage(run: Run) -> Run {
        Run { benchmark: run.benchmark.stage("lex"), ..run }
    }

    fn at_other_speed_run(run: Run) -> Run {
        let mut run = Run { counts_for_baseline: false, ..run };
        run.environment.mark(Tag::SlowMachine);
        run
    }

    fn is_main(known: &LoadedHistory) -> bool {
        !known.own.testbed.contains('@') && known.other_speed.is_some()
    }

    #[test]
    fn a_retry_continues_a_red_at_another_speed_and_begins_no_series() {
        let mut test = RecordedTest::new("speed-retry");
        append_main(&mut test, 2);
        let code = test.session(1).code(&test.test).clone();
        test.append("", NOW_GHZ, |run| {
            let run = ended(at_other_speed_run(run), Reason::Red);
            Run { session: "now".into(), code: code.clone(), ..run }
        });
        let known = load(&test, 2);
        let SeriesHistory { testbed, .. } = &known.own;
        assert!(is_main(&known) && known.own.continued() == Some(Reason::Red), "{testbed}");
    }

    #[test]
    fn a_retry_continues_a_red_of_a_part_whatever_the_speed_is_now() {
        let mut test = RecordedTest::new("speed-retry-of-part");
        append_main(&mut test, 3);
        append_attempt(&mut test, PART, |run| ended(run, Reason::Red));
        let known = load_retry(&test);
        assert_eq!(part_of(&known.own), PART);
        assert_eq!((known.own.continued(), known.is_judged_by_pairs()), (Some(Reason::Red), true));
    }

    #[test]
    fn a_retry_stays_where_the_attempt_before_it_is_recorded_also_when_only_a_stage_was_red() {
        let retried = |name: &str, part: &str| {
            let mut test = RecordedTest::new(name);
            append_main(&mut test, 3);
            test.append(PART, NOW_GHZ, |run| Run { counts_for_baseline: false, ..run });
            append_attempt(&mut test, part, |run| ended(run, Reason::Green));
            append_attempt(&mut test, part, |run| ended(of_stage(run), Reason::Red));
            test
        };
        let load_in_main = |test: &RecordedTest| load(test, 2);
        let loads: [&dyn Fn(&RecordedTest) -> LoadedHistory; 2] = [&load_in_main, &load_retry];
        for ((name, part), load_whole) in
            [("speed-retry-in-main", ""), ("speed-retry-in-part", PART)].into_iter().zip(loads)
        {
            let test = retried(name, part);
            let whole = load_whole(&test);
            assert_eq!(part_of(&whole.own), part);
            assert_eq!(whole.own.continued(), None);
            assert_eq!(load_stage(&test, &whole, 2).own.continued(), Some(Reason::Red));
        }
    }

    #[test]
    fn a_retry_stays_where_the_newest_attempt_is_recorded_when_all_sessions_have_one_name() {
        const OTHER_PART: &str = "@2.0GHz-18.0us";
        let orders = [["", PART], [PART, ""], [OTHER_PART, PART], [PART, OTHER_PART]];
        for (number, places) in orders.into_iter().enumerate() {
            let mut test = RecordedTest::new(&format!("speed-retry-of-one-name-{number}"));
            append_main(&mut test, 3);
            append_attempt(&mut test, places[0], |run| ended(run, Reason::Green));
            append_attempt(&mut test, places[1], |run| ended(run, Reason::Red));
            let known = load_retry(&test).own;
            assert_eq!((part_of(&known), known.continued()), (places[1], Some(Reason::Red)));
        }
    }

    #[test]
    fn a_series_begins_after_three_decisions_at_its_speed_of_which_none_is_red() {
        let begins = |name: &str, last: &dyn Fn(Run) -> Run| {
            let mut test = RecordedTest::new(name);
            append_main(&mut test, 2);
            test.append("", NOW_GHZ, |run| last(at_other_speed_run(run)));
            !is_main(&load(&test, 1))
        };
        assert!(begins("speed-third", &|run| run));
        assert!(!begins("speed-third-red", &|run| ended(run, Reason::Red)));
        assert!(!begins("speed-third-retry", &|run| Run { attempt: 2, ..run }));
    }

    #[test]
    fn pairs_judge_beside_a_series_with_too_few_runs_and_five_runs_judge_alone() {
        let mut test = RecordedTest::new("speed-young");
        append_main(&mut test, 3);
        let begun = load(&test, 1);
        let main = begun.of_good_builds();
        assert!(begun.is_judged_by_pairs() && begun.other_speed.is_none());
        assert_eq!(begun.own.testbed, format!("{}@3.0GHz-12.0us", main.testbed));
        assert_eq!((begun.own.baseline.runs.len(), main.baseline.runs.len()), (0, 6));
        (0..4).for_each(|_| test.append(PART, NOW_GHZ, |run| run));
        let young = load(&test, 1);
        assert!(young.is_judged_by_pairs());
        assert_eq!(young.comparable().runs.len(), 4, "the next one is the fifth");
        assert_eq!(young.of_good_builds().baseline.runs.len(), 6);
        (0..1).for_each(|_| test.append(PART, NOW_GHZ, |run| run));
        let grown = load(&test, 1);
        assert!(!grown.is_judged_by_pairs() && grown.of_good_builds().testbed == grown.own.testbed);
        assert_eq!(grown.comparable().runs.len(), 5);
    }

    #[test]
    fn pairs_judge_a_stage_that_is_red_at_another_speed_also_when_the_whole_has_enough_runs_there()
    {
        let mut test = RecordedTest::new("speed-red-stage-of-grown");
        append_main(&mut test, 3);
        let part = |test: &mut RecordedTest, reason| {
            (0..5).for_each(|_| test.append(PART, NOW_GHZ, |run| run));
            (0..5).for_each(|_| test.append(PART, NOW_GHZ, |run| ended(of_stage(run), reason)));
        };
        (0..6).for_each(|_| test.append("", USUAL_GHZ, of_stage));
        part(&mut test, Reason::Red);
        let whole = load(&test, 1);
        let red = load_stage(&test, &whole, 1);
        assert_eq!([whole.is_judged_by_pairs(), red.is_judged_by_pairs()], [false, true]);
        assert_eq!((red.own.baseline.runs.len(), red.of_good_builds().baseline.runs.len()), (0, 6));
        part(&mut test, Reason::Green);
        let grown = load_stage(&test, &load(&test, 1), 1);
        assert_eq!((grown.is_judged_by_pairs(), grown.own.baseline.runs.len()), (false, 5));
    }

    #[test]
    fn the_newest_run_of_a_young_part_may_be_of_the_main_history() {
        let mut test = RecordedTest::new("speed-newest");
        append_main(&mut test, 3);
        let newest = |test: &RecordedTest| {
            let known = load(test, 1);
            let known = known.with_newest_run();
            (part_of(known).to_owned(), known.newest_run().unwrap().id.clone())
        };
        let of =
            |part: &str, number: u64| (part.to_owned(), RunId::new(number, u128::from(number)));
        assert_eq!(newest(&test), of("", 6), "the part has none");
        test.append(PART, NOW_GHZ, |run| run);
        assert_eq!(newest(&test), of(PART, 10));
        test.append("", USUAL_GHZ, |run| run);
        assert_eq!(newest(&test), of("", 11));
        (0..4).for_each(|_| test.append(PART, NOW_GHZ, |run| run));
        test.append("", USUAL_GHZ, |run| run);
        assert_eq!(newest(&test), of(PART, 15), "five runs judge alone");
    }

    #[test]
    fn code_that_the_main_history_has_cleared_in_all_series_only_learns_at_another_speed() {
        let is_judged = |name: &str, flags: &[String]| {
            let mut test = RecordedTest::new(name);
            append_main(&mut test, 3);
            let code = test.session(1).code(&test.test).clone();
            let of_code = |run| Run { code: code.clone(), flags: flags.to_vec(), ..run };
            test.append("", USUAL_GHZ, |run| ended(of_code(run), Reason::Green));
            test.append(PART, NOW_GHZ, |run| run);
            let known = load(&test, 1);
            assert_eq!(part_of(&known.own), PART);
            known.is_judged_by_pairs()
        };
        assert!(!is_judged("speed-cleared", &[]));
        assert!(is_judged("speed-red-stage", &[Run::SERIES_NOT_CLEARED.to_owned()]));
    }

    #[test]
    fn a_stage_that_only_a_wider_tolerance_let_pass_is_judged_at_another_speed() {
        let mut test = RecordedTest::new("speed-cleared-by-wider");
        append_main(&mut test, 3);
        (0..6).for_each(|_| test.append("", USUAL_GHZ, of_stage));
        let code = test.session(1).code(&test.test).clone();
        let of_code = |run: Run| {
            let evidence = run.evidence.map(|it| Evidence { accepted_ratio: None, ..it });
            Run { code: code.clone(), evidence, ..run }
        };
        test.append("", USUAL_GHZ, of_code);
        test.append("", USUAL_GHZ, |run| of_code(of_stage(run)));
        test.append(PART, NOW_GHZ, of_code);
        test.append(PART, NOW_GHZ, |run| of_stage(of_code(run)));
        let (session, stage) = (test.session(1), SeriesKind::Stage("lex".into()));
        let whole = load(&test, 1);
        assert!(!whole.is_judged_by_pairs());
        let is_cleared = |tolerance| {
            let tolerance = Tolerance::new(tolerance).ok();
            let known =
                LoadedHistory::beside(&whole, &session, &test.test, &stage, tolerance, &mut NoSink);
            let known = known.unwrap();
            (known.commit_that_clears(&code).is_some(), known.is_judged_by_pairs())
        };
        assert_eq!([0.05, 0.01].map(is_cleared), [(true, false), (false, true)]);
    }

    #[test]
    fn a_series_without_a_counted_run_is_found_by_about_the_speed_in_its_name() {
        let mut test = RecordedTest::new("speed-name");
        append_main(&mut test, 0);
        let mut append = |speed: &str| {
            test.append(speed, NOW_GHZ, |run| Run { counts_for_baseline: false, ..run });
        };
        append("@2.5GHz-14.4us");
        append("@3.1GHz-11.6us");
        let known = load(&test, 1);
        assert_eq!(part_of(&known.own), "@3.1GHz-11.6us");
        assert!(known.is_judged_by_pairs());
    }

    #[test]
    fn the_name_of_a_series_has_its_speed_and_other_names_have_none() {
        let named = speed_in_name(&speed_name(&state(3.0).probes())).unwrap();
        assert_eq!((named.clock_ghz, named.reference_ns()), (Some(3.0), Some(12_000.0)));
        for other in ["", "fast", "0.0GHz-0.0us", "xGHz-1.0us"] {
            assert_eq!(speed_in_name(other), None, "{other}");
        }
    }

    #[test]
    fn the_runs_of_a_series_are_held_to_the_tolerance_that_the_body_gave_it() {
        let test = RecordedTest::new("series-tolerance");
        let (session, kind) = (test.session(1), SeriesKind::Stage("lex".into()));
        let main = SeriesHistory::load(&session, &test.test, &mut NoSink).unwrap();
        let whole = LoadedHistory::alone(main);
        let held_to = |tolerance| {
            let known =
                LoadedHistory::beside(&whole, &session, &test.test, &kind, tolerance, &mut NoSink);
            known.unwrap().own.baseline.tolerance
        };
        let of_test = session.settings(&test.test).tolerance.value;
        assert_eq!(held_to(None), of_test);
        assert_eq!(held_to(Tolerance::new(0.01).ok()), Tolerance::new(0.01).unwrap());
        assert_eq!(whole.own.baseline.tolerance, of_test);
    }
}
