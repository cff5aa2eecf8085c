//! Advice for undecided results and for insensitive tests.

use super::counted;
use crate::judge::Power;
use crate::list::IntoList;
use crate::model::{
    BaselineRule, Evidence, Metric, Note, PairedResult, Reason, SeriesKind, Tolerance,
};

/// No test becomes more than this many times as steady by a quieter machine.
const MOST_ADVISED_TIMES: f64 = 10.0;

/// Returns what would make the answer of this series green or red: a number of measurements or runs, a tolerance,
/// or a quieter machine.
///
/// ```text
/// about 240 measurements in one process (budget = ..)
/// ```
pub(super) fn settled_by(evidence: &Evidence, series_kind: &SeriesKind) -> String {
    if evidence.notes.contains(&Note::SlowByLessThanShift) {
        return "more work in one call of its body".to_owned();
    }
    if let (Some(base), false) = (&evidence.paired_result, evidence.limit_is_open) {
        return more_pairs(evidence.needed_budget_s, base, series_kind);
    }
    let quieter = || "a quieter machine".to_owned();
    let mut ways = match (evidence.reason, evidence.needed_measurements) {
        (Reason::Unstable, _) => steadier(evidence, series_kind),
        _ if evidence.limit_is_open => vec![quieter()],
        (_, Some(needed)) => {
            vec![format!("about {} in one process (budget = ..)", counted(needed, "measurement"))]
        }
        (_, None) if (evidence.baseline_runs as usize) < BaselineRule::WINDOW => {
            vec![more_runs_of(evidence.baseline_runs), quieter()]
        }
        _ => vec![quieter()],
    };
    ways.extend(pairs_now(evidence, series_kind));
    any_of(&ways)
}

/// Returns the command that measures pairs where the run has none; `None` where no pair was missed, or no command
/// measures the series.
fn pairs_now(evidence: &Evidence, series_kind: &SeriesKind) -> Option<String> {
    if evidence.notes.contains(&Note::NotPairedAlone) {
        return Some("a run of its own (cargo test -- --test-threads=1)".to_owned());
    }
    // The command measures the whole test alone, and knows no limit.
    let helps = *series_kind == SeriesKind::Whole && !evidence.limit_is_open;
    let good = evidence.notes.iter().find_map(|note| match note {
        Note::NoLastGoodBuild { commit } => commit.get(..7),
        _ => None,
    });
    good.filter(|_| helps).map(|commit| format!("cargo perftest compare {commit}"))
}

/// ```text
/// more runs, less noise or a larger tolerance
/// ```
fn any_of(ways: &[String]) -> String {
    match ways {
        [others @ .., last] if !others.is_empty() => {
            format!("{} or {last}", others.iter().joined(", "))
        }
        ways => ways.concat(),
    }
}

/// Suggests more pairs with the last good build, by a larger budget or by a command. The command measures the whole
/// test alone, and builds what was committed: that may not even have the test.
fn more_pairs(
    needed_budget_s: Option<f64>,
    base: &PairedResult,
    series_kind: &SeriesKind,
) -> String {
    let budget = match needed_budget_s {
        Some(budget_s) => format!("budget = \"{budget_s:.0}s\""),
        None => "a quieter machine".to_owned(),
    };
    let can_be_built = *series_kind == SeriesKind::Whole && !base.dirty;
    match base.commit.get(..7).filter(|_| can_be_built) {
        Some(commit) => format!("{budget} or cargo perftest compare {commit}"),
        None => budget,
    }
}

/// Whether the whole interval is slower than the runs of the history differ by: their noise is no reason to doubt
/// it, and no larger tolerance helps.
pub(super) fn is_beyond_noise(evidence: &Evidence) -> bool {
    let noise = evidence.noise.unwrap_or_default().max(evidence.tolerance.share());
    evidence.degradation.is_some_and(|it| it.lower > 1.0 + noise)
}

fn steadier(evidence: &Evidence, series_kind: &SeriesKind) -> Vec<String> {
    if is_beyond_noise(evidence) {
        return vec!["a quieter machine".to_owned()];
    }
    let Some(noise) = evidence.noise else {
        return vec!["less noise between runs".to_owned()];
    };
    let times = (noise / evidence.tolerance.share()).max(1.1);
    let steadier = less_noise(times);
    let share = (100.0 * noise).ceil() / 100.0;
    // A wider tolerance decides nothing while the interval is on both sides of it.
    let is_within = evidence.degradation.is_none_or(|it| it.upper <= 1.0 + share);
    if is_within && share <= Tolerance::LARGEST_ADVISED_SHARE {
        let percent = format!("{:.0}%", 100.0 * share);
        vec![steadier, wider(&series_kind.metric().name, &percent)]
    } else {
        vec![steadier]
    }
}

/// Returns how the author writes this tolerance of a metric: it can have its own, which changes no other series.
fn wider(metric: &str, percent: &str) -> String {
    match SeriesKind::built_in(metric) {
        Some(SeriesKind::Whole) => format!("tolerance = \"{percent}\""),
        Some(_) => format!("{metric} = \"{percent}\" in `metrics`"),
        None => format!("within(\"{percent}\") for {metric}"),
    }
}

/// Returns what a test needs to detect twice its tolerance and to be stable; `None` if it needs
/// nothing, where `metric` is judged. `honest` is a tolerance that the test already detects twice.
///
/// ```text
/// more runs of other commits (12 of 30 runs), 1.4x less noise between runs or tolerance = "8%"
/// ```
#[inline]
pub fn sharpened_by(power: &Power, honest: Option<Tolerance>, metric: &Metric) -> Option<String> {
    if power.detects_twice_its_tolerance() && !power.is_unstable() {
        return None;
    }
    let is_held_by_curve = 1.0 + power.curve_end > power.tolerance.twice_ratio();
    let apart = power.noise / power.tolerance.share();
    let times = power.times_as_steady().max(apart).max(1.1);
    let is_held = is_held_by_curve || power.is_held_by_pairs;
    let more_runs = (power.runs as usize) < BaselineRule::WINDOW && !is_held;
    let more_pairs = power.is_held_by_pairs && !is_held_by_curve;
    let ways = [
        is_held_by_curve.then(|| "a lower end of its curve".to_owned()),
        more_pairs.then(|| "a larger budget".to_owned()),
        more_runs.then(|| more_runs_of(power.runs)),
        (!is_held_by_curve).then(|| less_noise(times)),
        honest.map(|it| wider(&metric.name, &it.to_string())),
    ];
    Some(any_of(&ways.into_iter().flatten().into_list()))
}

fn less_noise(times: f64) -> String {
    if times > MOST_ADVISED_TIMES {
        return "a much steadier test".to_owned();
    }
    format!("{times:.1}x less noise between runs")
}

/// Suggests runs of other code: few runs of one code state count.
fn more_runs_of(runs: u32) -> String {
    format!("more runs of other commits ({runs} of {} runs)", BaselineRule::WINDOW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Policy, Step, StepAnswer, Trial};
    use crate::model::{Baseline, Direction, Interval, Measurement, Usage};
    use std::time::Duration;

    fn power(runs: u32, smallest_detectable: f64) -> Power {
        Power {
            runs,
            noise: 0.02,
            smallest_detectable,
            false_alarm_rate: 1e-6,
            tolerance: Tolerance::default(),
            is_held_by_pairs: false,
            curve_end: Tolerance::DEFAULT_SHARE,
        }
    }

    fn undecided(reason: Reason) -> Evidence {
        let policy = Policy { max_measurements: Some(0), ..Policy::default() };
        let baseline = Baseline::empty(&BaselineRule::default());
        let mut trial = Trial::new(baseline, Direction::Lower, policy);
        trial.observe(StepAnswer::Measured(Measurement::of_value(5.0)), Duration::ZERO);
        match trial.step() {
            Step::Done(evidence) => Evidence { reason, ..*evidence },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_comparison_is_advised_only_where_it_measures_the_series_and_names_a_commit() {
        let beside = |commit: &str| Evidence {
            paired_result: Some(PairedResult {
                commit: commit.into(),
                pairs: 7,
                ..PairedResult::default()
            }),
            needed_budget_s: Some(18.0),
            ..undecided(Reason::Unclear)
        };
        let known = beside("a1b2c3d4e5");
        let compare = "budget = \"18s\" or cargo perftest compare a1b2c3d";
        assert_eq!(settled_by(&known, &SeriesKind::Whole), compare);
        let allocations = SeriesKind::Process(Metric::allocations());
        let others = [SeriesKind::Stage("lex".into()), SeriesKind::Usage(Usage::Cpu), allocations];
        for other in others {
            assert_eq!(settled_by(&known, &other), "budget = \"18s\"");
        }
        assert_eq!(settled_by(&beside(""), &SeriesKind::Whole), "budget = \"18s\"");
        let mut changed = known.clone();
        changed.paired_result.as_mut().unwrap().dirty = true;
        assert_eq!(settled_by(&changed, &SeriesKind::Whole), "budget = \"18s\"");
        let out_of_time = Evidence { needed_budget_s: None, ..beside("") };
        assert_eq!(settled_by(&out_of_time, &SeriesKind::Whole), "a quieter machine");
    }

    #[test]
    fn a_test_without_a_kept_build_is_advised_to_compare_with_the_newest_good_commit() {
        let without = |notes: Vec<Note>| Evidence {
            notes,
            noise: Some(0.84),
            degradation: Some(Interval { estimate: 3.75, lower: 3.57, upper: 3.94 }),
            ..undecided(Reason::Unstable)
        };
        let gone = |commit: &str| without(vec![Note::NoLastGoodBuild { commit: commit.into() }]);
        let advice = "a quieter machine or cargo perftest compare a1b2c3d";
        assert_eq!(settled_by(&gone("a1b2c3d4e5"), &SeriesKind::Whole), advice);
        assert_eq!(settled_by(&gone(""), &SeriesKind::Whole), "a quieter machine");
        let of_stage = settled_by(&gone("a1b2c3d4e5"), &SeriesKind::Stage("lex".into()));
        assert_eq!(of_stage, "a quieter machine");
        let limited = Evidence { limit_is_open: true, ..gone("a1b2c3d4e5") };
        assert!(!settled_by(&limited, &SeriesKind::Whole).contains("compare"));
        assert_eq!(settled_by(&without(Vec::new()), &SeriesKind::Whole), "a quieter machine");
        let crowded = settled_by(&without(vec![Note::NotPairedAlone]), &SeriesKind::Whole);
        assert!(crowded.ends_with("(cargo test -- --test-threads=1)"), "{crowded}");
    }

    #[test]
    fn a_number_of_times_that_no_quieter_machine_reaches_is_not_advised() {
        let unstable = Evidence { noise: Some(4.77), ..undecided(Reason::Unstable) };
        assert_eq!(settled_by(&unstable, &SeriesKind::Whole), "a much steadier test");
        let insensitive = sharpened_by(&power(30, 4.0), None, &Metric::wall()).unwrap();
        assert_eq!(insensitive, "a much steadier test");
    }

    #[test]
    fn a_wider_tolerance_is_advised_where_it_changes_that_series() {
        let unstable = Evidence {
            noise: Some(0.104),
            tolerance: Tolerance::new(0.08).unwrap(),
            ..undecided(Reason::Unstable)
        };
        let wider = |series_kind| {
            let settled_by = settled_by(&unstable, &series_kind);
            settled_by.split_once(" or ").unwrap().1.to_owned()
        };
        assert_eq!(wider(SeriesKind::Whole), "tolerance = \"11%\"");
        assert_eq!(wider(SeriesKind::Stage("lex".into())), "tolerance = \"11%\"");
        assert_eq!(wider(SeriesKind::Usage(Usage::Cpu)), "cpu = \"11%\" in `metrics`");
        let latency = Metric { name: "latency".to_owned(), ..Metric::wall() };
        assert_eq!(wider(SeriesKind::Process(latency)), "within(\"11%\") for latency");
    }

    #[test]
    fn a_test_that_sees_twice_its_tolerance_needs_nothing() {
        assert_eq!(sharpened_by(&power(5, 0.099), None, &Metric::wall()), None);
    }

    #[test]
    fn more_runs_are_advised_while_there_is_room_for_them() {
        let honest = Tolerance::new(0.08).ok();
        assert_eq!(
            sharpened_by(&power(12, 0.15), honest, &Metric::wall()).unwrap(),
            "more runs of other commits (12 of 30 runs), 2.0x less noise between runs or \
             tolerance = \"8%\""
        );
        assert_eq!(
            sharpened_by(&power(30, 0.15), honest, &Metric::allocations()).unwrap(),
            "2.0x less noise between runs or allocs = \"8%\" in `metrics`"
        );
    }

    #[test]
    fn where_time_allows_few_pairs_a_larger_budget_is_advised_and_no_more_runs() {
        let held = Power { is_held_by_pairs: true, ..power(12, 0.15) };
        let advice = "a larger budget or 2.0x less noise between runs";
        assert_eq!(sharpened_by(&held, None, &Metric::wall()).unwrap(), advice);
    }

    #[test]
    fn what_its_curve_forbids_no_run_helps() {
        let held = Power { curve_end: 0.5, ..power(12, 0.5) };
        assert_eq!(sharpened_by(&held, None, &Metric::wall()).unwrap(), "a lower end of its curve");
    }
}
