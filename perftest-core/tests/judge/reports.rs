//! Reports of evidence, as the harness prints them.

use crate::support::evidence;
use perftest_core::model::{
    Environment, Evidence, InstructionCounter, Instructions, Interval, Metric, Note, Obstacle,
    PairedResult, Reason, Revision,
};
use perftest_core::words::{Report, ReportSubject, report};

/// The report on the wall time of `test`, with its command to run it again.
pub(crate) fn report_on(evidence: &Evidence, test: &str, again: Option<&str>) -> Report {
    report_on_revision(evidence, test, again, &Revision::default())
}

fn report_on_revision(
    evidence: &Evidence,
    test: &str,
    again: Option<&str>,
    revision: &Revision,
) -> Report {
    let subject = ReportSubject {
        test,
        again,
        metric: &Metric::wall(),
        environment: &Environment::default(),
        testbed: "local/1",
        revision,
        accepted_for: None,
        functions: None,
    };
    report(evidence, &subject)
}

/// Pairs with the last good build that decided a red.
fn pairs(instructions: Option<Instructions>) -> PairedResult {
    PairedResult {
        dirty: false,
        commit: "1f2e3d4c5b6a".into(),
        now: 100.0,
        ratio: 1.12,
        machine_ratio: 1.0,
        pairs: 5,
        instructions,
        changes: Vec::new(),
    }
}

/// A red of this ratio.
fn red(ratio: f64, instructions: Option<Instructions>, notes: &[Note]) -> Evidence {
    Evidence {
        degradation: Some(Interval { estimate: ratio, lower: ratio - 0.02, upper: ratio + 0.02 }),
        paired_result: Some(pairs(instructions)),
        notes: notes.to_vec(),
        ..evidence(Reason::Red)
    }
}

/// The line of this name.
fn line(evidence: &Evidence, name: &str) -> Option<String> {
    let lines = report_on(evidence, "encode", None).lines;
    lines.into_iter().find_map(|(its_name, text)| (its_name == name).then_some(text))
}

#[test]
fn the_report_of_a_red_by_pairs_has_no_figures_of_the_history() {
    let by_history = Evidence { smallest_detectable: Some(0.9), ..evidence(Reason::Red) };
    assert!(line(&by_history, "detects").is_some());
    let by_pairs = Evidence { paired_result: Some(pairs(None)), ..by_history };
    assert_eq!(line(&by_pairs, "detects"), None);
}

#[test]
fn the_report_of_a_test_without_the_measuring_lock_has_the_obstacle_and_the_command_to_run_it_again()
 {
    let obstacle = Obstacle::NoLock("the measuring lock cannot be used".into());
    let no_lock =
        Evidence { notes: vec![Note::Hindered { obstacle }], ..evidence(Reason::NotAlone) };
    let Report { headline, lines } = report_on(&no_lock, "encode", Some("cargo test encode"));
    assert!(headline.ends_with("but it could not be confirmed alone"), "{headline}");
    assert!(!lines.iter().any(|(_, text)| text.contains("nextest")), "{lines:?}");
    assert_eq!(lines.last().unwrap(), &("again", "cargo test encode".to_owned()));
}

#[test]
fn a_red_beside_a_build_of_the_same_commit_names_what_else_may_differ() {
    let red = red(1.31, None, &[]);
    let has_line = |commit: &str, dirty: bool| {
        let revision = Revision { commit: commit.into(), dirty, ..Revision::default() };
        let lines = report_on_revision(&red, "encode", None, &revision).lines;
        lines.iter().any(|(name, text)| *name == "build" && text.contains("other features"))
    };
    assert!(has_line("1f2e3d4c5b6a", false));
    assert!(!has_line("1f2e3d4c5b6a", true) && !has_line("6a5b4c3d2e1f", false));
    assert!(!has_line("", false));
}

#[test]
fn a_small_red_of_functions_that_are_not_aligned_may_be_placement() {
    let not_aligned = [Note::FunctionsNotAligned];
    let small = red(1.10, None, &not_aligned);
    let expected = "functions are not aligned, so that other code moves them: this may be code placement. Ask: \
                    cargo perftest relink encode; avoid it: cargo perftest doctor";
    assert_eq!(line(&small, "placement").as_deref(), Some(expected));
    assert_eq!(line(&small, "note"), None, "it would repeat the line of placement");
    assert_eq!(line(&red(1.10, None, &[]), "placement"), None);
    assert_eq!(line(&red(1.31, None, &not_aligned), "placement"), None);
}

#[test]
fn a_small_red_with_as_many_instructions_may_be_placement_and_one_with_more_is_not() {
    let counted = |now| Instructions::of([1000.0; 2], [now; 2], InstructionCounter::Valgrind);
    let expected = "it executes as many instructions as before: this may be code placement. Ask: cargo perftest \
                    relink encode";
    let same_work = red(1.10, Some(counted(1000.0)), &[]);
    assert_eq!(line(&same_work, "placement").as_deref(), Some(expected));
    let more_work = red(1.10, Some(counted(1100.0)), &[Note::FunctionsNotAligned]);
    assert!(!more_work.may_be_placement(&Metric::wall()));
    assert_eq!(line(&more_work, "placement"), None);
}

#[test]
fn only_a_red_of_time_may_be_placement() {
    let red = red(1.10, None, &[]);
    assert!(red.may_be_placement(&Metric::wall()));
    assert!(!red.may_be_placement(&Metric::instructions(InstructionCounter::Valgrind)));
    let green = Evidence { reason: Reason::Green, ..red };
    assert!(!green.may_be_placement(&Metric::wall()));
}

#[test]
fn what_was_judged_all_the_same_is_not_hindered() {
    let [lock, process] = [Obstacle::NoLock, Obstacle::NoFreshProcess].map(|it| it("x".into()));
    let files = Obstacle::ChangedFiles;
    assert!(evidence(Reason::NotAlone).is_hindered_by(&lock));
    assert!(
        evidence(Reason::Unclear).is_hindered_by(&process)
            && !evidence(Reason::Unclear).is_hindered_by(&files)
    );
    assert!(evidence(Reason::NoBaseline).is_hindered_by(&files));
    for reason in [Reason::Green, Reason::SameCode, Reason::Red] {
        let all = [&lock, &process, &files];
        assert!(!all.iter().any(|it| evidence(reason).is_hindered_by(it)), "{reason:?}");
    }
    assert!(evidence(Reason::Green).is_hindered_by(&Obstacle::UnwritableHistory("full".into())));
}

#[test]
fn a_limit_that_is_open_is_no_baseline() {
    let open = Evidence { limit_is_open: true, ..evidence(Reason::Unclear) };
    assert!(open.lacks_baseline() && open.is_hindered_by(&Obstacle::ChangedFiles));
    assert!(!Evidence { baseline_runs: 5, ..open }.lacks_baseline());
}
