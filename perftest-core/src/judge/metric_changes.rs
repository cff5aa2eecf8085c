//! Changes of the metrics beside the judged one, over the pairs of a paired check.
//!
//! Definition: of each process, the median over its measurements; of each pair, the difference of both
//! processes; of all pairs, center and bounds as in [`PairBounds`]. Differences, because a count may
//! be 0 before. No prior, because a count may be the same in all processes.
//!
//! Source. The misrate is a choice: of a dozen metrics with two bounds each, one red in forty lists one that did
//! not change.

use super::pair_bounds::PairBounds;
use crate::list::IntoList;
use crate::model::{ExplanatoryMetric, Measurement, MetricChange, ProcessRecord, Sample};

/// Fewer pairs prove no change. A convention: the fewest that prove a red of long calls.
const FEWEST_PAIRS: usize = 3;
/// The pairs that are kept at least. A convention: as many as the first look of a comparison has.
const KEPT_PAIRS: usize = 5;
/// The misrate of each bound.
const MISRATE: f64 = 1e-3;

/// Returns the changes of all metrics that every process of these pairs has: of each pair the last good
/// build's process and the judged one's.
pub fn metric_changes(pairs: &[(&ProcessRecord, &ProcessRecord)]) -> Vec<MetricChange> {
    let medians = |(base, head): &(&ProcessRecord, &ProcessRecord)| (medians(base), medians(head));
    let medians: Vec<(Medians, Medians)> = pairs.iter().map(medians).into_list();
    let Some((_, of_first)) = medians.first() else {
        return Vec::new();
    };
    of_first.iter().filter_map(|(name, _)| metric_change(name, &medians)).into_list()
}

/// The metrics of one process with their medians.
type Medians = Vec<(String, f64)>;

fn medians(process: &ProcessRecord) -> Medians {
    let blocked: Vec<f64> =
        process.takes.iter().filter_map(|take| blocked_ns(&take.measurement)).into_list();
    let blocked = Sample::median_of(&blocked).map(|it| (MetricChange::BLOCKED.to_owned(), it));
    ExplanatoryMetric::medians(process).into_iter().chain(blocked).into_list()
}

/// Returns the time of an iteration in which the measuring thread neither ran nor waited for a
/// processor; `None` where that is unknown, and where it waits for threads of its own.
fn blocked_ns(measurement: &Measurement) -> Option<f64> {
    let on_processor = measurement.thread_cpu_ns.filter(|_| !measurement.works_in_threads())?;
    let accounted = on_processor + measurement.wait_ns.unwrap_or_default();
    let blocked = (measurement.wall_ns - accounted as f64).max(0.0);
    Some(blocked / measurement.iterations.max(1) as f64)
}

fn metric_change(name: &str, pairs: &[(Medians, Medians)]) -> Option<MetricChange> {
    let value = |of: &Medians| of.iter().find(|(it, _)| it == name).map(|(_, value)| *value);
    let known = pairs.iter().filter_map(|(base, head)| value(base).zip(value(head)));
    let known: Vec<(f64, f64)> = known.into_list();
    if known.len() < FEWEST_PAIRS.max(pairs.len()) {
        return None;
    }
    let middle = |of: fn(&(f64, f64)) -> f64| Sample::median_of(&known.iter().map(of).into_list());
    let differences = Sample::new(known.iter().map(|(base, head)| head - base).into_list()).ok()?;
    let kept = KEPT_PAIRS.min(known.len());
    Some(MetricChange {
        name: name.to_owned(),
        before: middle(|(base, _)| *base)?,
        now: middle(|(_, head)| *head)?,
        change: PairBounds::of(&differences, kept, 0.0).at(MISRATE),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Interval, Metric, ProcessValue, Take};

    /// A process of batches of 10 iterations, 1,000 ns each, that ran for this time of each.
    fn process(cpu_ns: u64, allocations: f64) -> ProcessRecord {
        let measurement = Measurement {
            iterations: 10,
            wall_ns: 10_000.0,
            value: 1_000.0,
            thread_cpu_ns: Some(10 * cpu_ns),
            process_cpu_ns: Some(10 * cpu_ns),
            ..Measurement::default()
        };
        ProcessRecord {
            takes: vec![Take { measurement, stages: Vec::new() }; 3],
            values: vec![ProcessValue { metric: Metric::allocations(), value: allocations }],
        }
    }

    fn changes(pairs: &[(ProcessRecord, ProcessRecord)]) -> Vec<MetricChange> {
        metric_changes(&pairs.iter().map(|(base, head)| (base, head)).collect::<Vec<_>>())
    }

    fn change(pairs: &[(ProcessRecord, ProcessRecord)], name: &str) -> MetricChange {
        changes(pairs).into_iter().find(|it| it.name == name).unwrap()
    }

    #[test]
    fn a_count_that_is_the_same_in_all_processes_of_a_build_has_exact_bounds() {
        let pairs = vec![(process(900, 0.0), process(900, 1.0)); 5];
        let allocations = change(&pairs, "allocs");
        assert_eq!(allocations.change, Interval { estimate: 1.0, lower: 1.0, upper: 1.0 });
        assert_eq!((allocations.before, allocations.now), (0.0, 1.0));
        assert!(allocations.is_proven());
        assert!(!change(&pairs, "cpu").is_proven());
    }

    #[test]
    fn time_without_a_processor_is_blocked_time() {
        let pairs = vec![(process(900, 0.0), process(400, 0.0)); 5];
        let blocked = change(&pairs, MetricChange::BLOCKED);
        assert_eq!((blocked.before, blocked.now), (100.0, 600.0));
        assert!(blocked.is_proven() && change(&pairs, "cpu").change.upper < 0.0);
    }

    #[test]
    fn what_scatters_as_much_within_a_build_is_not_proven() {
        let pairs = [(900, 930), (910, 905), (890, 915), (905, 900), (895, 910)];
        let pairs = pairs.map(|(base, head)| (process(base, 0.0), process(head, 0.0)));
        assert!(!change(&pairs, "cpu").is_proven(), "{:?}", change(&pairs, "cpu"));
    }

    #[test]
    fn a_metric_that_one_process_lacks_and_too_few_pairs_have_no_change() {
        let mut pairs = vec![(process(900, 0.0), process(900, 1.0)); 5];
        pairs[3].0.values.clear();
        assert!(changes(&pairs).iter().all(|it| it.name != "allocs"));
        assert_eq!(changes(&pairs[..2]), []);
        assert_eq!(changes(&[]), []);
    }
}
