//! The values of runs without a daily or weekly pattern.

use crate::args::series::SeasonChoice;
use crate::season::DeseasonedHistory;
use perftest_core::model::{Run, Sample};
use serde_json::Value;

/// The pattern that was removed from the medians of runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct RemovedSeason {
    /// The patterns, in words.
    pub(crate) description: Option<String>,
    /// Why no pattern was removed, if one was requested.
    pub(crate) refused: Option<String>,
    pub(crate) json: Value,
}

/// Returns the medians of runs without the chosen patterns; all runs must have one. Patterns are
/// searched in order of time, which may differ from that of the commits.
pub(super) fn without_season(choice: SeasonChoice, runs: &[&Run]) -> (Vec<f64>, RemovedSeason) {
    let mut values: Vec<f64> = runs.iter().filter_map(|run| run.center()).collect();
    let mut by_time: Vec<usize> = (0..values.len()).collect();
    by_time.sort_by_key(|run| runs[*run].started_ms);
    let times_ms: Vec<u64> = by_time.iter().map(|run| runs[*run].started_ms).collect();
    let Ok(sample) = Sample::new(by_time.iter().map(|run| values[*run]).collect()) else {
        return (values, RemovedSeason::default());
    };
    let removed_season = match DeseasonedHistory::new(choice, &times_ms, &sample) {
        Ok(deseasoned) => {
            for (run, value) in by_time.iter().zip(deseasoned.rest.values()) {
                values[*run] = *value;
            }
            let (description, json) = (deseasoned.describe(), deseasoned.as_json());
            RemovedSeason { description, json, refused: None }
        }
        Err(error) => {
            let is_asked = matches!(choice, SeasonChoice::Daily | SeasonChoice::Weekly);
            let refused = is_asked.then(|| format!("no pattern was removed: {error}"));
            RemovedSeason { refused, ..RemovedSeason::default() }
        }
    };
    (values, removed_season)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Measurement;
    use perftest_store::conformance::example_run;

    const DAY_MS: u64 = 86_400_000;
    /// A Monday.
    const START_MS: u64 = 1_767_571_200_000;

    /// A run of a day, slower at the weekend.
    fn run(day: u64) -> Run {
        let load = if day % 7 >= 5 { 1.3 } else { 1.0 };
        let value = load * (100.0 + (day * 7 % 11) as f64 / 10.0);
        let measurements = vec![Measurement::of_value(value)];
        let started_ms = START_MS + day * DAY_MS;
        let run = Run { measurements, started_ms, ..example_run(0) };
        Run { suspects: Vec::new(), on_processor_time: Vec::new(), ..run }
    }

    #[test]
    fn a_pattern_is_taken_out_whatever_the_order_of_the_runs() {
        let runs: Vec<Run> = (0..70).map(run).collect();
        let mut runs: Vec<&Run> = runs.iter().collect();
        let (values, removed_season) = without_season(SeasonChoice::Auto, &runs);
        assert!(
            removed_season.description.is_some_and(|description| description.contains("weekly"))
        );
        let most = values.iter().copied().fold(0.0, f64::max);
        assert!(most < 105.0, "{most}");
        runs.swap(3, 40);
        let (swapped, _) = without_season(SeasonChoice::Auto, &runs);
        assert_eq!((swapped[3], swapped[40]), (values[40], values[3]));
    }

    #[test]
    fn nothing_is_changed_where_there_is_no_pattern_or_none_is_wanted() {
        let runs: Vec<Run> = (0..70).map(run).collect();
        let centers: Vec<f64> = runs.iter().filter_map(Run::center).collect();
        let runs: Vec<&Run> = runs.iter().collect();
        assert_eq!(without_season(SeasonChoice::Off, &runs).0, centers);
        let (few, removed_season) = without_season(SeasonChoice::Auto, &runs[..10]);
        assert_eq!(
            (few.as_slice(), removed_season.description, removed_season.refused),
            (&centers[..10], None, None)
        );
        assert!(without_season(SeasonChoice::Weekly, &runs[..10]).1.refused.is_some());
        assert!(without_season(SeasonChoice::Weekly, &[]).0.is_empty());
    }
}
