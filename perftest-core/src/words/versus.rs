//! Formats the result of a test that was compared with a function.

use super::verdict_line::{columns, in_brackets};
use super::{
    Report, counted, detects, judge_it_alone, machine, not_alone, notes, range, rare, ratio_number,
};
use crate::judge::ComparisonResult;
use crate::list::IntoList;
use crate::model::{Environment, Metric, Reason, Tolerance, Work};

/// A test that was compared with a function.
#[derive(Debug, Clone, Copy)]
pub struct VersusText<'a> {
    /// The function's name as the author writes it.
    pub rival: &'a str,
    /// The answer: the function is the base, the test the head.
    pub compared: &'a ComparisonResult,
    /// Whether each pair had two fresh processes; else all were measured in one.
    pub in_fresh_processes: bool,
    /// The tolerance that was applied.
    pub tolerance: Tolerance,
    /// What was measured.
    pub metric: &'a Metric,
}

/// Returns the text after `ok` or `FAILED`. `work` is the work of one iteration, if it is known.
pub fn versus_line(versus: &VersusText<'_>, work: Option<Work>) -> String {
    let now = Some(versus.compared.head.estimate).filter(|now| !now.is_nan());
    columns(now, &versus.metric.unit, work) + &result_words(versus)
}

fn result_words(versus: &VersusText<'_>) -> String {
    let ComparisonResult { ratio, reason, noise, .. } = versus.compared;
    let (pairs, detectable, note) =
        (pairs(versus), detectable(versus), in_brackets(&versus.compared.notes));
    let of = format!("{}x of {}", ratio_number(ratio.estimate), versus.rival);
    match reason {
        Reason::Red => format!("{of}, at least {:.2}x, {pairs}{note}", ratio.lower),
        Reason::Green => format!("{}, {pairs}  detects {detectable}{note}", bounded(versus)),
        Reason::Improved => {
            let most = ratio_number(ratio.upper);
            format!("{of}, at most {most}x, {pairs}  detects {detectable}{note}")
        }
        Reason::Unstable => format!(
            "unstable: {pairs} differ by {}, too much to judge {} ({}){note}",
            rare(*noise),
            versus.tolerance,
            bounded(versus)
        ),
        Reason::NotAlone => format!(
            "no verdict: {} but {}{}{note}",
            bounded(versus),
            not_alone(&versus.compared.notes),
            judge_it_alone(&versus.compared.notes).map_or_else(String::new, |it| format!("; {it}")),
        ),
        _ => format!("unclear: {}, {pairs}{note}", bounded(versus)),
    }
}

/// Formats an answer. `again` is the command that runs the test again, `environment` the conditions of
/// the machine.
pub fn versus_report(versus: &VersusText<'_>, again: &str, environment: &Environment) -> Report {
    let ComparisonResult { head, base, measurements, .. } = versus.compared;
    let unit = &versus.metric.unit;
    let measured = format!("{}, {measurements} measurements", pairs(versus));
    let lines = [
        ("now", Some(format!("{}   {measured}", range(*head, unit)))),
        ("other", Some(format!("{}   {}", range(*base, unit), versus.rival))),
        ("detects", Some(format!("{} in 99 of 100 cases", detectable(versus)))),
        ("machine", Some(machine(environment))),
        ("note", notes(&versus.compared.notes)),
        ("again", Some(again.to_owned())),
    ];
    let lines = lines.into_iter().filter_map(|(name, text)| Some((name, text?))).into_list();
    Report { headline: headline(versus), lines }
}

fn headline(versus: &VersusText<'_>) -> String {
    let VersusText { rival, tolerance, .. } = versus;
    let ComparisonResult { reason, ratio, .. } = versus.compared;
    match reason {
        Reason::Red => format!(
            "slower than {rival}: {:.2}x, at least {:.2}x (tolerance {tolerance})",
            ratio.estimate, ratio.lower
        ),
        _ => format!("{} (tolerance {tolerance})", result_words(versus)),
    }
}

/// Returns `0.98x of other_function [0.96, 1.01]`.
fn bounded(versus: &VersusText<'_>) -> String {
    let ratio = versus.compared.ratio;
    let VersusText { rival, .. } = versus;
    let [estimate, lower, upper] = [ratio.estimate, ratio.lower, ratio.upper].map(ratio_number);
    format!("{estimate}x of {rival} [{lower}, {upper}]")
}

fn pairs(versus: &VersusText<'_>) -> String {
    let of = if versus.in_fresh_processes { " of fresh processes" } else { "" };
    counted(versus.compared.pairs, "pair") + of
}

fn detectable(versus: &VersusText<'_>) -> String {
    detects(versus.compared.smallest_detectable, versus.metric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Interval, Note, Obstacle};

    fn compared(reason: Reason) -> ComparisonResult {
        let ratio = Interval { estimate: 1.32, lower: 1.21, upper: 1.4 };
        let value = |estimate| Interval { estimate, lower: estimate, upper: estimate };
        ComparisonResult {
            reason,
            ratio,
            base: value(100.0),
            head: value(132.0),
            pairs: 5,
            measurements: 150,
            noise: 0.012,
            smallest_detectable: 0.071,
            needed_pairs: None,
            notes: Vec::new(),
        }
    }

    fn versus<'a>(compared: &'a ComparisonResult, metric: &'a Metric) -> VersusText<'a> {
        let tolerance = Tolerance::default();
        VersusText { rival: "old::sum", compared, in_fresh_processes: false, tolerance, metric }
    }

    fn line(reason: Reason) -> String {
        versus_line(&versus(&compared(reason), &Metric::wall()), None)
    }

    #[test]
    fn a_line_has_how_much_slower_than_what_and_by_which_measurements() {
        assert_eq!(line(Reason::Red), "132.0 ns    1.32x of old::sum, at least 1.21x, 5 pairs");
        let green =
            "132.0 ns    1.32x of old::sum [1.21, 1.40], 5 pairs  detects slowdowns from 8%";
        assert_eq!(line(Reason::Green), green);
        assert!(line(Reason::Improved).contains("of old::sum, at most 1.40x, 5 pairs"));
        assert!(line(Reason::Unstable).contains("5 pairs differ by 1.2%, too much to judge 5% ("));
        assert!(line(Reason::Unclear).contains("unclear: 1.32x of old::sum [1.21, 1.40]"));
        assert!(line(Reason::NotAlone).contains("judge it alone"));
    }

    #[test]
    fn a_note_stands_at_the_end() {
        let notes = vec![Note::PairsOutOfTime { pairs: 5, most: 40 }];
        let noted = ComparisonResult { notes, ..compared(Reason::Unclear) };
        let line = versus_line(&versus(&noted, &Metric::wall()), None);
        assert!(line.ends_with("5 pairs  (its time ended after 5 of 40 pairs)"), "{line}");
    }

    #[test]
    fn without_the_measuring_lock_nobody_is_sent_to_another_runner() {
        let obstacle = Obstacle::NoLock("the measuring lock cannot be used".into());
        let notes = vec![Note::Hindered { obstacle }];
        let no_lock = ComparisonResult { notes, ..compared(Reason::NotAlone) };
        let line = versus_line(&versus(&no_lock, &Metric::wall()), None);
        assert!(line.contains("but it could not be confirmed alone  (not judged"), "{line}");
        assert!(!line.contains("nextest"), "{line}");
    }

    #[test]
    fn a_report_has_both_sides() {
        let (compared, metric) = (compared(Reason::Red), Metric::wall());
        let versus = VersusText { in_fresh_processes: true, ..versus(&compared, &metric) };
        let report = versus_report(&versus, "cargo test sum", &Environment::default());
        let headline = "slower than old::sum: 1.32x, at least 1.21x (tolerance 5%)";
        assert_eq!(report.headline, headline);
        let text = |name| report.lines.iter().find(|(it, _)| *it == name).unwrap().1.clone();
        assert!(text("now").ends_with("5 pairs of fresh processes, 150 measurements"));
        assert!(text("other").starts_with("100.0 ns") && text("other").ends_with("old::sum"));
        assert_eq!(text("again"), "cargo test sum");
        assert!(report.lines.iter().all(|(name, _)| *name != "note"));
    }
}
