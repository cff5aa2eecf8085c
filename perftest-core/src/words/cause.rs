//! Formats what else changed with a red: the first hint at its cause.

use super::explanatory_metrics::{HARDLY_EVER, THE_SAME, name_of_metric};
use super::ratio::change;
use super::{four_digits, quantity};
use crate::list::IntoList;
use crate::model::{Metric, MetricChange, PairedResult};

/// Switches may grow by this share more than the time and still count as growing with it.
const AS_OFTEN: f64 = 0.1;
/// Waiting explains a slowdown if it is at least this share of the additional time.
const EXPLAINS: f64 = 0.5;

/// Formats `+31% time, +30% instructions, +1 allocation per iteration`; `None` where nothing but the
/// judged metric is known to have changed.
///
/// ```
/// use perftest_core::model::{Interval, Metric, MetricChange, PairedResult};
/// use perftest_core::words::cause;
/// let change = Interval { estimate: 1.0, lower: 1.0, upper: 1.0 };
/// let allocations = MetricChange { name: "allocs".into(), before: 12.0, now: 13.0, change };
/// let pairs = PairedResult { ratio: 1.31, changes: vec![allocations], ..PairedResult::default() };
/// let text = cause(&pairs, &Metric::wall()).unwrap();
/// assert_eq!(text, "+31% time, +1 allocation per iteration (12 -> 13)");
/// ```
pub fn cause(pairs: &PairedResult, metric: &Metric) -> Option<String> {
    let changed = pairs.changes.iter().filter(|it| it.name != metric.name);
    let changed = changed.filter_map(|it| describe(it, pairs)).into_list();
    let instructions = instructions(pairs);
    if changed.is_empty() && instructions.is_none() {
        return None;
    }
    let judged = if metric.is_time() { "time" } else { &metric.name };
    let judged = format!("{} {judged}", change(pairs.ratio, 0));
    let all = [judged].into_iter().chain(instructions).chain(changed).into_list();
    Some(format!("{}{}", all.iter().joined(", "), waiting(pairs, metric)))
}

/// Returns the counts that would explain a slowdown and are missing: `allocations, instructions`. `None`
/// where both were counted, or something other than time was judged.
pub(super) fn not_counted(pairs: &PairedResult, metric: &Metric) -> Option<String> {
    let has_allocations = pairs.changes.iter().any(|it| it.name == "allocs");
    // Without changes the pairs were too few to compare any metric.
    let allocations = (!has_allocations && !pairs.changes.is_empty()).then_some("allocations");
    let instructions = pairs.instructions.is_none().then_some("instructions");
    let missing: Vec<&str> = [allocations, instructions].into_iter().flatten().into_list();
    (metric.is_time() && !missing.is_empty()).then(|| missing.iter().joined(", "))
}

fn instructions(pairs: &PairedResult) -> Option<String> {
    let counted = pairs.instructions.as_ref()?;
    let is_same = counted.ratio().ln().abs() <= THE_SAME.max(counted.variation);
    (!is_same).then(|| format!("{} instructions", change(counted.ratio(), 0)))
}

fn describe(changed: &MetricChange, pairs: &PairedResult) -> Option<String> {
    if !changed.is_proven() {
        return None;
    }
    let MetricChange { name, before, now, .. } = changed;
    let by = changed.change.estimate;
    match name.as_str() {
        // Processor time has both.
        "user" | "system" => None,
        MetricChange::BLOCKED => (by.abs() >= THE_SAME * pairs.now).then(|| blocked(by)),
        "allocs" => events(changed, "allocation"),
        "faults" => events(changed, "page fault"),
        "switches" if is_as_often(changed, pairs) => None,
        "switches" => events(changed, "context switch"),
        "branch_misses" => events(changed, "branch miss"),
        "cache_misses" => events(changed, "cache miss"),
        _ if by.abs() < THE_SAME * before.abs() => None,
        _ if *before == 0.0 => {
            Some(format!("{} {} instead of none", four_digits(*now), name_of_metric(name)))
        }
        _ => Some(format!("{} {}", change(now / before, 0), name_of_metric(name))),
    }
}

/// Whether switches grew with the time of an iteration that waits no longer than before: other work on the machine
/// interrupts a longer iteration more often.
fn is_as_often(changed: &MetricChange, pairs: &PairedResult) -> bool {
    let waits_longer =
        |it: &MetricChange| it.name == MetricChange::BLOCKED && it.change.lower > 0.0;
    let expected = changed.before * pairs.ratio;
    changed.now > changed.before
        && changed.now <= (1.0 + AS_OFTEN) * expected
        && !pairs.changes.iter().any(waits_longer)
}

/// Formats `+1 allocation per iteration (12 -> 13)`.
fn events(change: &MetricChange, event: &str) -> Option<String> {
    let by = change.change.estimate;
    if by.abs() < HARDLY_EVER || by.abs() < THE_SAME * change.before {
        return None;
    }
    let plural = match (by.abs() == 1.0, event.ends_with(['s', 'h'])) {
        (true, _) => "",
        (false, true) => "es",
        (false, false) => "s",
    };
    let sign = sign(by);
    let (by, before, now) = (plain(by.abs()), plain(change.before), plain(change.now));
    Some(format!("{sign}{by} {event}{plural} per iteration ({before} -> {now})"))
}

/// Whole numbers without decimals, others with one.
fn plain(count: f64) -> String {
    if count.fract() == 0.0 && count < 1e9 { format!("{count:.0}") } else { four_digits(count) }
}

/// Formats `+1.200 ms blocked per iteration`.
fn blocked(by_ns: f64) -> String {
    format!("{}{} blocked per iteration", sign(by_ns), quantity(by_ns.abs(), "ns"))
}

fn sign(number: f64) -> &'static str {
    if number > 0.0 { "+" } else { "-" }
}

/// Adds that most of the additional time is no work.
fn waiting(pairs: &PairedResult, metric: &Metric) -> &'static str {
    let additional = (pairs.ratio - 1.0) * pairs.now;
    let blocked = pairs.changes.iter().find(|it| it.name == MetricChange::BLOCKED);
    let waits = blocked.is_some_and(|it| it.change.lower >= EXPLAINS * additional);
    let is_wall = *metric == Metric::wall();
    if is_wall && additional > 0.0 && waits {
        ": it waits, for a lock, a timer, input or output"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{InstructionCounter, Instructions, Interval};

    fn change(name: &str, before: f64, now: f64) -> MetricChange {
        let by = now - before;
        let change = Interval { estimate: by, lower: 0.9 * by, upper: 1.1 * by };
        MetricChange { name: name.into(), before, now, change }
    }

    fn pairs(changes: Vec<MetricChange>) -> PairedResult {
        PairedResult { now: 1_000.0, ratio: 1.31, changes, ..PairedResult::default() }
    }

    fn text(changes: Vec<MetricChange>) -> Option<String> {
        cause(&pairs(changes), &Metric::wall())
    }

    #[test]
    fn time_comes_first_and_then_what_is_proven() {
        let all = vec![
            change("cpu", 990.0, 1_300.0),
            change("/lex", 100.0, 410.0),
            change("faults", 3.0, 5.5),
        ];
        let expected = "+31% time, +31% processor time, +310% stage lex, +2.500 page faults per iteration (3 -> 5.500)";
        assert_eq!(text(all).unwrap(), expected);
        let counted = Instructions::of([100.0; 2], [130.0; 2], InstructionCounter::Valgrind);
        let counted = PairedResult { instructions: Some(counted), ..pairs(Vec::new()) };
        assert_eq!(cause(&counted, &Metric::wall()).unwrap(), "+31% time, +30% instructions");
    }

    #[test]
    fn what_was_not_counted_is_named_beside_a_time() {
        let missing = |pairs: &PairedResult| not_counted(pairs, &Metric::wall());
        let allocations = pairs(vec![change("allocs", 1.0, 1.0)]);
        let neither = pairs(vec![change("cpu", 1.0, 1.0)]);
        assert_eq!(missing(&neither).as_deref(), Some("allocations, instructions"));
        assert_eq!(missing(&allocations).as_deref(), Some("instructions"));
        assert_eq!(missing(&pairs(Vec::new())).as_deref(), Some("instructions"));
        let counted = Instructions::of([100.0; 2], [130.0; 2], InstructionCounter::Valgrind);
        let all = PairedResult { instructions: Some(counted), ..allocations };
        assert_eq!(missing(&all), None);
        assert_eq!(not_counted(&neither, &Metric::allocations()), None);
    }

    #[test]
    fn a_change_of_ten_times_or_more_is_a_ratio() {
        let pairs = PairedResult { ratio: 700.93, ..pairs(vec![change("cpu", 10.0, 99.0)]) };
        let expected = "700.93x time, +890% processor time";
        assert_eq!(cause(&pairs, &Metric::wall()).unwrap(), expected);
    }

    #[test]
    fn what_is_not_proven_or_too_little_is_left_out() {
        let open = Interval { estimate: 9.0, lower: -1.0, upper: 20.0 };
        let open = MetricChange { change: open, ..change("faults", 1.0, 10.0) };
        let little = change("cpu", 1_000.0, 1_009.0);
        assert_eq!(text(vec![open, little, change("switches", 0.0, 0.4)]), None);
        assert_eq!(
            text(vec![change("system", 1.0, 2.0), change("alloc_bytes", 1e4, 1.005e4)]),
            None
        );
    }

    #[test]
    fn a_longer_iteration_that_is_interrupted_as_often_per_second_has_no_cause_in_that() {
        assert_eq!(text(vec![change("switches", 10.0, 13.0)]), None);
        let expected = "+31% time, +10 context switches per iteration (10 -> 20)";
        assert_eq!(text(vec![change("switches", 10.0, 20.0)]).unwrap(), expected);
        let waiting = text(vec![change("blocked", 0.0, 310.0), change("switches", 10.0, 13.0)]);
        assert!(waiting.unwrap().contains("+3 context switches per iteration (10 -> 13)"));
    }

    #[test]
    fn a_slowdown_without_more_work_is_one_of_waiting() {
        let expected = "+31% time, +310.0 ns blocked per iteration, +1 context switch per iteration (0 -> 1): \
                        it waits, for a lock, a timer, input or output";
        let all = vec![change("blocked", 0.0, 310.0), change("switches", 0.0, 1.0)];
        assert_eq!(text(all).unwrap(), expected);
        let partly =
            text(vec![change("blocked", 0.0, 100.0), change("cpu", 900.0, 1_110.0)]).unwrap();
        assert_eq!(partly, "+31% time, +100.0 ns blocked per iteration, +23% processor time");
    }

    #[test]
    fn the_judged_metric_is_named_once() {
        let red = pairs(vec![change("allocs", 100.0, 131.0), change("alloc_bytes", 0.0, 64.0)]);
        let expected = "+31% allocs, 64.00 bytes allocated instead of none";
        assert_eq!(cause(&red, &Metric::allocations()).unwrap(), expected);
        assert_eq!(
            cause(&pairs(vec![change("allocs", 100.0, 131.0)]), &Metric::allocations()),
            None
        );
    }
}
