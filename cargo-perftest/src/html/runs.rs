//! The runs of a history, a column a field.

use super::{Section, column, digits, indexed};
use crate::report::{Mark, ShownVerdict, decided_value, verdict_in_words};
use perftest_core::model::{Environment, MachineState, Reading, Run};
use perftest_core::words::{one_line, without_ratio};
use serde_json::{Value, json};

/// Number of characters of a commit's name.
const COMMIT: usize = 9;
/// Significant digits of a value.
const DIGITS: usize = 6;

/// All runs, oldest first. Times are in seconds; each but the first is the time since the run before.
pub(super) fn runs_as_json(runs: &[Run]) -> Value {
    let of = |value: fn(&Run) -> Option<f64>, count| {
        column(runs.iter().map(|run| value(run).map_or(Value::Null, |it| digits(it, count))))
    };
    let texts = |text: fn(&Run) -> String| indexed(runs.iter().map(text));
    let (commits, commit) = texts(readable_commit);
    let (branches, branch) = texts(|run| one_line(&run.revision.branch).into_owned());
    let (verdicts, verdict) = indexed(runs.iter().map(ShownVerdict::of_run));
    let (all_marks, marks) = texts(marks_in_words);
    json!({
        "count": runs.len(),
        "commits": commits,
        "branches": branches,
        "sections": verdicts.iter().map(|it| Section::of(*it).name()).collect::<Vec<_>>(),
        "verdicts": verdicts.into_iter().map(verdict_in_words).collect::<Vec<_>>(),
        "all_marks": all_marks,
        "seconds": column(seconds(runs).into_iter().map(Value::from)),
        // In a plot fresh processes would exaggerate slow runs.
        "value": of(Run::center, DIGITS),
        "decided": of(|run| decided_value(run).filter(|it| Some(*it) != run.center()), DIGITS),
        "measurements": column(runs.iter().map(|run| run.measurements.len().into())),
        "verdict": verdict,
        "ratio": of(|run| {
            let evidence = run.evidence.as_ref()?;
            let has_ratio = without_ratio(evidence, &run.metric).is_none();
            evidence.degradation.filter(|_| has_ratio).map(|it| it.estimate)
        }, 5),
        "baseline": of(|run| Some(run.evidence.as_ref()?.before?.estimate), 5),
        "baseline_lower": of(|run| Some(run.evidence.as_ref()?.before?.lower), 5),
        "baseline_upper": of(|run| Some(run.evidence.as_ref()?.before?.upper), 5),
        "commit": commit,
        "branch": branch,
        "marks": marks,
        "counts": column(runs.iter().map(|run| u8::from(run.counts_for_baseline).into())),
        "spent_ms": of(|run| Some((run.spent_ns / 1_000_000) as f64), 3),
        "celsius": of(|run| celsius(&run.environment), 3),
        "ghz": of(|run| ghz(&run.environment), 4),
        "load": of(|run| newest(&run.environment, |it| &it.load_milli).map(|it| it as f64 / 1e3), 3),
    })
}

/// The commit of a run as people read it.
pub(super) fn readable_commit(run: &Run) -> String {
    one_line(&run.revision.commit).chars().take(COMMIT).collect()
}

fn seconds(runs: &[Run]) -> Vec<i64> {
    let second = |run: &Run| i64::try_from(run.started_ms / 1000).unwrap_or(i64::MAX);
    let first = runs.first().map(second);
    let since = runs.windows(2).map(|pair| second(&pair[1]) - second(&pair[0]));
    first.into_iter().chain(since).collect()
}

fn marks_in_words(run: &Run) -> String {
    let uncommitted = run.revision.dirty.then_some(Mark::Uncommitted);
    let all = Mark::in_words(uncommitted.into_iter().chain(Mark::all_of(run)));
    one_line(&all).into_owned()
}

/// The reading after the run, or else the one before.
fn newest<T: Copy>(environment: &Environment, of: fn(&MachineState) -> &Reading<T>) -> Option<T> {
    of(&environment.after).get().or_else(|| of(&environment.before).get())
}

fn celsius(environment: &Environment) -> Option<f64> {
    newest(environment, |it| &it.temperature_milli_c).map(|milli| milli as f64 / 1e3)
}

/// The probed clock, or else the one that the system reports.
fn ghz(environment: &Environment) -> Option<f64> {
    let probed = newest(environment, |it| &it.effective_khz);
    let khz = probed.or_else(|| newest(environment, |it| &it.frequency_khz));
    khz.map(|khz| khz as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Interval;
    use perftest_store::conformance::example_run;

    #[test]
    fn a_run_is_the_same_row_in_every_column() {
        let mut runs: Vec<Run> = (0..3).map(example_run).collect();
        runs[1].revision.branch = "other".into();
        runs[2].revision.dirty = false;
        let columns = runs_as_json(&runs);
        assert_eq!(columns["count"], 3);
        let values: Vec<Value> = runs.iter().map(|run| digits(run.center().unwrap(), 6)).collect();
        assert_eq!(columns["value"], json!(values));
        let decided: Vec<Value> = runs
            .iter()
            .map(|run| digits(run.evidence.as_ref().unwrap().now.unwrap().estimate, 6))
            .collect();
        assert_eq!(columns["decided"], column(decided));
        assert_eq!(columns["branch"], json!([0, 1, 0]));
        assert_eq!(columns["branches"][1], "other");
        assert_eq!(columns["celsius"], json!(63));
        assert_eq!(columns["ghz"], json!(3.091));
        assert_eq!(columns["all_marks"][0], "uncommitted parallel steal libtest");
        assert_eq!(columns["marks"], json!([0, 0, 1]));
    }

    #[test]
    fn a_run_that_needed_an_acceptance_is_in_the_section_of_accepted_ones() {
        let mut runs: Vec<Run> = (0..2).map(example_run).collect();
        let evidence = runs[1].evidence.as_mut().unwrap();
        evidence.degradation = Some(Interval { estimate: 1.1, lower: 1.09, upper: 1.11 });
        let columns = runs_as_json(&runs);
        assert_eq!(columns["verdicts"], json!(["green", "accepted"]));
        assert_eq!(columns["sections"], json!(["unchanged", "accepted"]));
    }

    #[test]
    fn a_clock_that_goes_backwards_is_a_negative_time() {
        let runs = [example_run(5), example_run(9), example_run(2)];
        let first = runs[0].started_ms as i64 / 1000;
        assert_eq!(runs_as_json(&runs)["seconds"], json!([first, 240, -420]));
    }
}
