//! The line with the result of a test and its measurements.

use super::ratio::{by_how_much, ratio as known_ratio, ratio_to_history, same_code};
use super::settled_by::{is_beyond_noise, settled_by};
use super::short_verdict::NOT_MEASURABLE;
use super::{
    counted, detects, judge_it_alone, last_good_build, not_alone, notes, one_line, plain_quantity,
    quantity, rare, throughput,
};
use crate::list::IntoList;
use crate::model::{Evidence, Metric, Note, Reason, SeriesKind, Work};

/// Returns the text after `ok` or `FAILED`: always the measurements behind the result. `work` is
/// the work of one iteration, if it is known.
pub fn verdict_line(evidence: &Evidence, series_kind: &SeriesKind, work: Option<Work>) -> String {
    let metric = &series_kind.metric();
    let now = evidence.now.map(|now| now.estimate);
    columns(now, &metric.unit, work) + &result_words(evidence, series_kind, metric)
}

/// Formats the value of one iteration, and its throughput if the work is known, as columns before a text.
pub(super) fn columns(value: Option<f64>, unit: &str, work: Option<Work>) -> String {
    let throughput = work.zip(value).and_then(|(work, value)| throughput(work, value));
    let throughput = throughput.map_or_else(String::new, |it| format!("{it:<15}  "));
    let value = value.map_or_else(|| "-".to_owned(), |it| quantity(it, unit));
    format!("{value:<11} {throughput}")
}

fn result_words(evidence: &Evidence, series_kind: &SeriesKind, metric: &Metric) -> String {
    let measured = measured(evidence);
    match evidence.reason {
        Reason::Green => format!(
            "{}{}  {measured}{}{}",
            ratio(evidence, metric),
            accepted(evidence),
            detectable(evidence, metric),
            note(evidence)
        ),
        Reason::Improved => {
            format!(
                "{} improved  {measured}{}{}",
                ratio(evidence, metric),
                detectable(evidence, metric),
                note(evidence)
            )
        }
        Reason::Unaccepted => {
            format!("improved {} and not accepted yet  {measured}", ratio(evidence, metric))
        }
        Reason::Red => {
            let by_how_much = by_how_much(evidence, metric);
            format!("{by_how_much}  {measured}{}", detectable(evidence, metric))
        }
        Reason::OverLimit => {
            let limit = limit(evidence, metric);
            format!("over its limit of {limit}  {}", taken(evidence))
        }
        Reason::Unclear if evidence.limit_is_open => format!(
            "unclear: perhaps over its limit of {}  {measured}; {} may settle it{}",
            limit(evidence, metric),
            settled_by(evidence, series_kind),
            note(evidence)
        ),
        Reason::Unclear => format!(
            "unclear: {} after {measured}; {} may settle it{}{}",
            ratio(evidence, metric),
            settled_by(evidence, series_kind),
            detectable(evidence, metric),
            note(evidence)
        ),
        Reason::Unstable if evidence.paired_result.is_some() => format!(
            "unstable: {} after {measured}, which differ too much to judge {}; {} may settle \
             it{}",
            ratio(evidence, metric),
            evidence.tolerance,
            settled_by(evidence, series_kind),
            note(evidence)
        ),
        Reason::Unstable if is_beyond_noise(evidence) => format!(
            "unstable: {} after {measured}, more than the {} that runs differ by, but not confirmed; {} may \
             settle it{}{}",
            ratio(evidence, metric),
            rare(evidence.noise.unwrap_or_default()),
            settled_by(evidence, series_kind),
            detectable(evidence, metric),
            note(evidence)
        ),
        Reason::Unstable => format!(
            "unstable: runs differ by {}, too much to judge {} ({}); {} may settle it{}{}",
            rare(evidence.noise.unwrap_or_default()),
            evidence.tolerance,
            ratio(evidence, metric),
            settled_by(evidence, series_kind),
            detectable(evidence, metric),
            note(evidence)
        ),
        // A note has whether this run joins them.
        Reason::NoBaseline if !evidence.notes.is_empty() => format!(
            "no baseline yet: {} of {} comparable runs before this one  {}{}",
            evidence.baseline_runs,
            evidence.baseline_needed,
            taken(evidence),
            note(evidence)
        ),
        Reason::NoBaseline => recorded(evidence),
        Reason::NotMeasurable => format!(
            "{NOT_MEASURABLE}. Did the compiler remove it? Pass its input and output through black_box, or do more \
             work in it{}",
            note(evidence)
        ),
        Reason::NotAlone => format!(
            "no verdict: {} but {}{}{}",
            ratio(evidence, metric),
            not_alone(&evidence.notes),
            judge_it_alone(&evidence.notes).map_or_else(String::new, |it| format!("; {it}")),
            note(evidence)
        ),
        Reason::SameCode => {
            let unchanged = same_code(evidence, metric) + &since_commit(evidence);
            format!("{unchanged}  {measured}{}", note(evidence))
        }
        Reason::MachineSlower => format!(
            "machine slower: {} vs {}{}{}{}",
            ratio_to_history(evidence, metric).unwrap_or_else(|| ratio(evidence, metric)),
            counted(evidence.baseline_runs, "run"),
            beside_last_good(evidence),
            if evidence.is_accepted() { accepted(evidence) } else { String::new() },
            note(evidence)
        ),
        Reason::Untrusted => {
            let pairs = evidence.paired_result.as_ref();
            let pairs = pairs.map(|_| format!("; {} after {measured}", ratio(evidence, metric)));
            let pairs = pairs.unwrap_or_default();
            format!("no verdict: the machine was in no state to measure{pairs}{}", note(evidence))
        }
    }
}

/// Counts the runs of a baseline with this one.
///
/// ```text
/// no baseline yet: recorded 5 of 5, the next run has a verdict
/// ```
pub(super) fn recorded(evidence: &Evidence) -> String {
    let needed = evidence.baseline_needed;
    let runs = (evidence.baseline_runs + 1).min(needed);
    let next = if runs == needed { ", the next run has a verdict" } else { "" };
    format!("no baseline yet: recorded {runs} of {needed}{next}")
}

fn limit(evidence: &Evidence, metric: &Metric) -> String {
    plain_quantity(evidence.limit.unwrap_or_default(), &metric.unit)
}

fn ratio(evidence: &Evidence, metric: &Metric) -> String {
    known_ratio(evidence, metric).unwrap_or_else(|| "not compared".to_owned())
}

/// Returns the accepted ratio, while the baseline is still that of the level before. The tolerance counts beside it,
/// which a ratio beyond it shows.
///
/// ```text
/// , accepted up to 1.35x (1.42x with the tolerance)
/// ```
fn accepted(evidence: &Evidence) -> String {
    let Some(bound) = evidence.accepted_ratio else { return String::new() };
    let pairs =
        evidence.paired_result.as_ref().filter(|_| evidence.reason == Reason::MachineSlower);
    let ratio = pairs.map(|it| it.ratio).or(evidence.degradation.map(|it| it.estimate));
    let tolerated = evidence.tolerance.beside_accepted(Some(bound)).ratio();
    let beside = ratio.filter(|it| *it > bound);
    let beside = beside.map(|_| format!(" ({tolerated:.2}x with the tolerance)"));
    format!(", accepted up to {bound:.2}x{}", beside.unwrap_or_default())
}

/// Returns the ratio of the pairs, which the code caused.
///
/// ```text
/// , but 1.01x in 5 pairs with the last good build (a1b2c3d)
/// ```
fn beside_last_good(evidence: &Evidence) -> String {
    evidence.paired_result.as_ref().map_or_else(String::new, |base| {
        let (pairs, build) = (counted(base.pairs, "pair"), last_good_build(base));
        format!(", but {:.2}x in {pairs} with {build}", base.ratio)
    })
}

/// ```text
/// 3 measurements vs 30 runs of the level before
/// ```
fn measured(evidence: &Evidence) -> String {
    if let Some(base) = &evidence.paired_result {
        return format!("{} with {}", counted(base.pairs, "pair"), last_good_build(base));
    }
    let which = if evidence.accepted_ratio.is_some() { " of the level before" } else { "" };
    format!("{} vs {}{which}", taken(evidence), counted(evidence.baseline_runs, "run"))
}

fn taken(evidence: &Evidence) -> String {
    let processes = match evidence.processes {
        0 | 1 => String::new(),
        many => format!(" in {many} processes"),
    };
    format!("{}{processes}", counted(evidence.measurements, "measurement"))
}

/// Formats the smallest detectable slowdown: "detects slowdowns from 8%".
fn detectable(evidence: &Evidence, metric: &Metric) -> String {
    // Pairs with the last good build detect other slowdowns than the history.
    if evidence.is_proven_by_pairs() {
        return String::new();
    }
    let share = evidence.smallest_detectable;
    format!("  detects {}", share.map_or("nothing yet".to_owned(), |it| detects(it, metric)))
}

/// Names the commit since which the machine code is unchanged, which is a note everywhere else.
fn since_commit(evidence: &Evidence) -> String {
    let commit = evidence.notes.iter().find_map(|note| match note {
        Note::SameMachineCode { commit } => commit.get(..7),
        _ => None,
    });
    commit.map_or_else(String::new, |it| format!(" since commit {it}"))
}

fn note(evidence: &Evidence) -> String {
    // An obstacle has a line of its own, with its reason.
    let is_said = |note: &&Note| match note {
        Note::SameMachineCode { .. } => evidence.reason == Reason::SameCode,
        Note::NotMeasuredAfresh { .. } => evidence.reason.is_without_answer(),
        _ => false,
    };
    let others = evidence.notes.iter().filter(|note| !is_said(note)).cloned();
    in_brackets(&others.into_list())
}

/// Formats notes behind a text.
pub(super) fn in_brackets(all: &[Note]) -> String {
    notes(all).map_or_else(String::new, |it| format!("  ({})", one_line(&it)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Step;
    use crate::judge::{Policy, Trial};
    use crate::model::{
        Baseline, BaselineRule, Direction, Interval, Obstacle, PairedResult, Tolerance,
    };

    fn evidence(reason: Reason) -> Evidence {
        let policy = Policy { max_measurements: Some(0), ..Policy::default() };
        let baseline = Baseline::empty(&BaselineRule::default());
        let mut trial = Trial::new(baseline, Direction::Lower, policy);
        let measurement = crate::model::Measurement::of_value(5.0);
        trial.observe(crate::judge::StepAnswer::Measured(measurement), std::time::Duration::ZERO);
        match trial.step() {
            Step::Done(evidence) => Evidence { reason, ..*evidence },
            other => panic!("{other:?}"),
        }
    }

    fn value(value: f64) -> Option<Interval> {
        Some(Interval { estimate: value, lower: value, upper: value })
    }

    #[test]
    fn what_comes_from_nothing_is_reported_without_a_ratio() {
        let line = |before, now| {
            let degradation = value(2.0);
            let evidence = evidence(Reason::Red);
            let evidence =
                Evidence { before: value(before), now: value(now), degradation, ..evidence };
            verdict_line(&evidence, &SeriesKind::Process(Metric::allocated_bytes()), None)
        };
        assert!(
            line(0.0, 1.0).contains("worse, from 0 bytes  1 measurement vs"),
            "{}",
            line(0.0, 1.0)
        );
        assert!(!line(0.0, 1.0).contains("2.00x"), "{}", line(0.0, 1.0));
        assert!(line(1.0, 2.0).contains("2.00x worse"), "{}", line(1.0, 2.0));
    }

    #[test]
    fn who_was_not_alone_is_reported_who_else_measured() {
        let why = "the measuring lock is held by process 7 (sum)".to_owned();
        let notes = vec![Note::NotConfirmed { why }];
        let not_alone = Evidence { notes, ..evidence(Reason::NotAlone) };
        let line = verdict_line(&not_alone, &SeriesKind::Whole, None);
        let expected = "--test-threads=1  (no fresh process confirmed it: the measuring lock is held by \
                        process 7 (sum))";
        assert!(line.ends_with(expected), "{line}");
    }

    #[test]
    fn who_could_not_hold_the_lock_is_reported_what_is_wrong_with_it() {
        let why =
            "the measuring lock cannot be used: `/run/lock`: it is a link. Remove it".to_owned();
        let notes = vec![Note::Hindered { obstacle: Obstacle::NoLock(why) }];
        let no_lock = Evidence { notes, degradation: value(1.3), ..evidence(Reason::NotAlone) };
        let line = verdict_line(&no_lock, &SeriesKind::Whole, None);
        let expected = "but it could not be confirmed alone  (not judged because it was not alone: the measuring lock \
                        cannot be used: `/run/lock`: it is a link. Remove it)";
        assert!(line.ends_with(expected), "{line}");
        let short = crate::words::short_verdict(&no_lock, &Metric::wall());
        assert_eq!(short, "no verdict: it could not be confirmed alone");
    }

    #[test]
    fn a_verdict_by_pairs_names_the_build_and_what_would_settle_it() {
        let paired = |reason| Evidence {
            paired_result: Some(PairedResult {
                commit: "a1b2c3d4e5".into(),
                pairs: 7,
                ..PairedResult::default()
            }),
            degradation: Some(Interval { estimate: 1.06, lower: 1.02, upper: 1.1 }),
            needed_budget_s: Some(18.0),
            ..evidence(reason)
        };
        let line = |reason| verdict_line(&paired(reason), &SeriesKind::Whole, None);
        let green = line(Reason::Green);
        assert!(green.contains("7 pairs with the last good build (a1b2c3d)"), "{green}");
        assert!(!green.contains("detects"), "{green}");
        let unclear = line(Reason::Unclear);
        let settled = "budget = \"18s\" or cargo perftest compare a1b2c3d may settle it";
        assert!(unclear.contains(settled), "{unclear}");
    }

    #[test]
    fn a_slower_machine_has_the_ratio_to_the_history_and_that_of_the_pairs_apart() {
        let slower = Evidence {
            paired_result: Some(PairedResult {
                commit: "a1b2c3d4e5".into(),
                pairs: 5,
                ratio: 1.004,
                ..PairedResult::default()
            }),
            now: value(111.0),
            before: value(100.0),
            degradation: Some(Interval { estimate: 1.0, lower: 0.99, upper: 1.02 }),
            baseline_runs: 30,
            ..evidence(Reason::MachineSlower)
        };
        let line = |evidence: &Evidence, metric| {
            verdict_line(evidence, &SeriesKind::Process(metric), None)
        };
        let expected = "machine slower: 1.11x vs 30 runs, but 1.00x in 5 pairs with the last good build (a1b2c3d)";
        let of_time = line(&slower, Metric::wall());
        assert!(of_time.ends_with(expected), "{of_time}");
        let rate = Metric { direction: Direction::Higher, ..Metric::wall() };
        let of_rate = line(&Evidence { now: value(80.0), ..slower }, rate);
        assert!(of_rate.contains("machine slower: 1.25x vs 30 runs"), "{of_rate}");
    }

    #[test]
    fn a_machine_in_no_state_to_measure_has_what_pairs_gave_all_the_same() {
        let untrusted = Evidence {
            paired_result: Some(PairedResult {
                commit: "a1b2c3d4e5".into(),
                pairs: 14,
                ..PairedResult::default()
            }),
            degradation: Some(Interval { estimate: 0.97, lower: 0.76, upper: 1.2 }),
            ..evidence(Reason::Untrusted)
        };
        let line = verdict_line(&untrusted, &SeriesKind::Whole, None);
        let expected = "; 0.97x [0.76, 1.20] after 14 pairs with the last good build (a1b2c3d)";
        assert!(line.contains(expected), "{line}");
    }

    #[test]
    fn on_a_slower_machine_an_acceptance_is_named_where_the_pairs_needed_it() {
        let line = |ratio: f64| {
            let paired_result = PairedResult {
                commit: "a1b2c3d4e5".into(),
                pairs: 5,
                ratio,
                ..PairedResult::default()
            };
            let slower = Evidence {
                paired_result: Some(paired_result),
                now: value(130.0),
                before: value(100.0),
                baseline_runs: 5,
                accepted_ratio: Some(1.27),
                ..evidence(Reason::MachineSlower)
            };
            verdict_line(&slower, &SeriesKind::Whole, None)
        };
        let accepted = line(1.2);
        let expected = "machine slower: 1.30x vs 5 runs, but 1.20x in 5 pairs with the last good build (a1b2c3d), \
                        accepted up to 1.27x";
        assert!(accepted.ends_with(expected), "{accepted}");
        let beyond = line(1.3);
        assert!(beyond.ends_with("accepted up to 1.27x (1.33x with the tolerance)"), "{beyond}");
        let unneeded = line(1.02);
        assert!(
            unneeded.ends_with("but 1.02x in 5 pairs with the last good build (a1b2c3d)"),
            "{unneeded}"
        );
    }

    #[test]
    fn unchanged_machine_code_is_called_slower_only_where_it_is() {
        let line = |estimate, lower, upper| {
            let degradation = Some(Interval { estimate, lower, upper });
            let same_code = Evidence { degradation, ..evidence(Reason::SameCode) };
            verdict_line(&same_code, &SeriesKind::Whole, None)
        };
        let slower = line(1.12, 1.08, 1.15);
        let expected = "1.12x [1.08, 1.15] slower by input, environment or machine: the machine code is \
                        unchanged  1 measurement";
        assert!(slower.contains(expected), "{slower}");
        let faster = line(0.8, 0.67, 0.98);
        assert!(faster.contains("0.80x [0.67, 0.98], machine code unchanged  1 mea"), "{faster}");
        let equal = line(1.0, 0.92, 1.08);
        assert!(equal.contains("1.00x [0.92, 1.08], machine code unchanged  1 mea"), "{equal}");
        let open = line(1.12, 0.93, 1.4);
        assert!(open.contains("1.12x [0.93, 1.40], machine code unchanged  1 mea"), "{open}");
        assert!(
            [faster, equal, open].iter().all(|line| !line.contains("machine:")),
            "nothing is blamed"
        );
    }

    #[test]
    fn what_would_settle_an_unstable_test_agrees_with_its_interval() {
        let line = |estimate, lower, upper| {
            let degradation = Some(Interval { estimate, lower, upper });
            let (noise, tolerance) = (Some(0.104), Tolerance::new(0.08).unwrap());
            let unstable = Evidence { degradation, noise, tolerance, ..evidence(Reason::Unstable) };
            verdict_line(&unstable, &SeriesKind::Whole, None)
        };
        let within = line(0.94, 0.8, 1.09);
        let expected = "unstable: runs differ by 10%, too much to judge 8% (0.94x [0.80, 1.09]); 1.3x less noise \
                        between runs or tolerance = \"11%\" may settle it";
        assert!(within.contains(expected), "{within}");
        let wide = line(1.17, 0.99, 2.82);
        let expected = "(1.17x [0.99, 2.82]); 1.3x less noise between runs may settle it";
        assert!(wide.contains(expected), "{wide}");
        let beyond = line(1.6, 1.49, 1.68);
        let expected = "unstable: 1.60x [1.49, 1.68] after 1 measurement vs 0 runs, more than the 10% that runs \
                        differ by, but not confirmed; a quieter machine may settle it";
        assert!(beyond.contains(expected), "{beyond}");
    }

    #[test]
    fn noise_and_tolerance_below_one_percent_are_printed_as_they_are() {
        let line = |upper| {
            let degradation = Some(Interval { estimate: upper, lower: upper - 0.001, upper });
            let (noise, tolerance) = (Some(0.0064), Tolerance::new(0.005).unwrap());
            let unstable = Evidence { degradation, noise, tolerance, ..evidence(Reason::Unstable) };
            verdict_line(&unstable, &SeriesKind::Whole, None)
        };
        let within = line(1.003);
        assert!(within.contains("runs differ by 0.64%, too much to judge 0.5%"), "{within}");
        let beyond = line(1.2);
        assert!(beyond.contains("more than the 0.64% that runs differ by"), "{beyond}");
    }

    #[test]
    fn of_a_body_below_the_floor_nothing_is_promised() {
        let green = Evidence {
            now: value(0.024),
            degradation: value(1.0),
            smallest_detectable: Some(0.1),
            false_alarm_rate: Some(0.001),
            ..evidence(Reason::Green)
        };
        let floor = crate::judge::Policy::of(&Metric::wall()).floor.value;
        for reason in [Reason::Green, Reason::Improved, Reason::NoBaseline, Reason::Unstable] {
            let removed = Evidence { reason, ..green.clone() }.measurable_from(floor);
            let line = verdict_line(&removed, &SeriesKind::Whole, None);
            assert!(
                line.contains("not measurable: the body adds less than 1 ns to an empty loop"),
                "{line}"
            );
            assert!(line.contains("black_box"), "{line}");
            for promise in ["detects", "1.00x", "false", "recorded"] {
                assert!(!line.contains(promise), "{promise} in {line}");
            }
        }
        let longer = Evidence { now: value(1.5), ..green };
        assert_eq!(longer.clone().measurable_from(floor), longer);
    }

    #[test]
    fn an_accepted_slowdown_names_its_bound_and_what_it_is_compared_with() {
        let degradation = Some(Interval { estimate: 1.36, lower: 1.34, upper: 1.37 });
        let accepted = Evidence {
            degradation,
            accepted_ratio: Some(1.35),
            baseline_runs: 12,
            ..evidence(Reason::Green)
        };
        let line = verdict_line(&accepted, &SeriesKind::Whole, None);
        let expected = "1.36x [1.34, 1.37], accepted up to 1.35x (1.42x with the tolerance)  \
                        1 measurement vs 12 runs of the level before  ";
        assert!(line.contains(expected), "{line}");
        let within = Evidence { accepted_ratio: Some(1.40), ..accepted.clone() };
        let line = verdict_line(&within, &SeriesKind::Whole, None);
        assert!(line.contains(", accepted up to 1.40x  1 measurement"), "{line}");
        let usual = Evidence { accepted_ratio: None, ..accepted };
        assert!(!verdict_line(&usual, &SeriesKind::Whole, None).contains("accept"));
    }

    #[test]
    fn why_no_fresh_process_could_be_measured_is_left_to_the_line_of_the_obstacle() {
        let line = |reason| {
            let notes = vec![Note::NotMeasuredAfresh { why: "it crashed".into() }];
            verdict_line(&Evidence { notes, ..evidence(reason) }, &SeriesKind::Whole, None)
        };
        assert!(!line(Reason::Unclear).contains("it crashed"), "{}", line(Reason::Unclear));
        assert!(line(Reason::Green).contains("it crashed"), "{}", line(Reason::Green));
    }

    #[test]
    fn unchanged_machine_code_is_named_once_with_its_commit() {
        let notes = vec![Note::SameMachineCode { commit: "a1b2c3d4".into() }];
        let same = Evidence { notes, degradation: value(1.0), ..evidence(Reason::SameCode) };
        let line = verdict_line(&same, &SeriesKind::Whole, None);
        let expected = ", machine code unchanged since commit a1b2c3d  1 measurement vs 0 runs";
        assert!(line.ends_with(expected), "{line}");
    }

    #[test]
    fn the_last_run_of_a_new_baseline_announces_the_verdict_of_the_next() {
        let line = |baseline_runs| {
            let new = Evidence { baseline_runs, ..evidence(Reason::NoBaseline) };
            verdict_line(&new, &SeriesKind::Whole, None)
        };
        assert!(line(4).ends_with("recorded 5 of 5, the next run has a verdict"), "{}", line(4));
        assert!(line(3).ends_with("recorded 4 of 5"), "{}", line(3));
    }

    #[test]
    fn a_run_without_a_baseline_has_the_number_of_runs_beside_its_note() {
        let noted = Evidence {
            notes: vec![Note::OnProcessorTime],
            baseline_runs: 3,
            ..evidence(Reason::NoBaseline)
        };
        let line = verdict_line(&noted, &SeriesKind::Whole, None);
        assert!(
            line.contains(
                "no baseline yet: 3 of 5 comparable runs before this one  1 measurement  (the machine is"
            ),
            "{line}"
        );
    }
}
