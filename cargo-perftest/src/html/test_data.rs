//! The data of the view of one history.

use super::{
    COURSE, EpochMark, LastBaseline, OverviewRow, QuantileGrids, Section, comparison_as_json,
    digits, readable_commit, runs_as_json,
};
use crate::reading::{LastingChange, StretchChanges, TemporaryEffect};
use crate::report::{ShownVerdict, decided_value, run_report, suspects_in_words};
use perftest_analysis::words::effect;
use perftest_core::model::{Acceptance, BenchmarkId, Evidence, Judgement, Metric, RuleResult, Run};
use perftest_core::words::{one_line, quoted, without_ratio};
use perftest_store::Series;
use serde_json::{Value, json};

/// One history with everything about it.
#[derive(Debug)]
pub(crate) struct TestHistory<'a> {
    pub(crate) series: &'a Series,
    /// Oldest first, without fresh processes.
    pub(crate) runs: &'a [Run],
    /// Number of fresh processes that were left out.
    pub(crate) fresh_processes: usize,
    pub(crate) changes: Option<&'a StretchChanges>,
    pub(crate) judgements: &'a [Judgement],
    /// The alerts of this test.
    pub(crate) acceptances: &'a [Acceptance],
    pub(crate) epochs: &'a [EpochMark],
    /// The newest judged run with its baseline.
    pub(crate) last: Option<(&'a LastBaseline, &'a Run)>,
    /// Of the newest judged run, if it is slower.
    pub(crate) profile: Option<&'a KeptProfile>,
}

impl TestHistory<'_> {
    /// Its row in the table of all tests.
    pub(crate) fn row(&self) -> OverviewRow {
        let judged = self.judged();
        let evidence = judged.map(|(_, _, evidence)| evidence);
        let verdict = evidence.map(ShownVerdict::of);
        let from = evidence.and_then(|it| without_ratio(it, &self.series.metric));
        let mut course: Vec<f64> =
            self.runs.iter().rev().filter_map(Run::center).take(COURSE).collect();
        course.reverse();
        let newest_change = self.changes.and_then(|changes| {
            changes.lasting.iter().max_by_key(|change| change.ranked.change.index)
        });
        let newest = self.runs.last();
        let alarms = self.judgements.iter().filter(|it| {
            matches!(it.finding, RuleResult::Alarm { .. })
                && newest.is_some_and(|run| run.id == it.run)
        });
        OverviewRow {
            benchmark: self.series.benchmark.clone(),
            testbed: one_line(&self.series.testbed).into_owned(),
            metric: self.series.metric.clone(),
            section: Section::of(verdict),
            verdict,
            now: self.runs.iter().rev().find_map(decided_value),
            ratio: evidence.and_then(|it| it.degradation).filter(|_| from.is_none()),
            from,
            detects: evidence.and_then(|it| it.smallest_detectable),
            course,
            runs: self.runs.len(),
            newest_ms: newest.map(|run| run.started_ms),
            commit: newest.map_or_else(String::new, readable_commit),
            spent_ns: newest.map_or(0, |run| run.spent_ns),
            change: newest_change
                .map(|it| (it.ranked.change.after / it.ranked.change.before, it.at_ms)),
            alarms: alarms.count(),
        }
    }

    /// The newest judged run with its index.
    fn judged(&self) -> Option<(usize, &Run, &Evidence)> {
        let newest_first = self.runs.iter().enumerate().rev();
        newest_first.filter_map(|(place, run)| Some((place, run, run.evidence.as_ref()?))).next()
    }

    fn place_of(&self, id: &str) -> Option<usize> {
        self.runs.iter().rposition(|run| run.id.as_str() == id)
    }
}

/// All data of the view of a history.
pub(crate) fn test_data(history: &TestHistory<'_>, grids: &QuantileGrids) -> Value {
    let Series { formerly, testbed, metric, .. } = history.series;
    let changes = history.changes;
    let lasting = changes.map_or(&[][..], |it| &it.lasting);
    let temporary = changes.map_or(&[][..], |it| &it.temporary);
    json!({
        "formerly": formerly.as_ref().map(ToString::to_string),
        "testbed": one_line(testbed),
        "metric": one_line(&metric.name),
        "unit": one_line(&metric.unit),
        "better": metric.direction.name(),
        "runs": runs_as_json(history.runs),
        "fresh_processes": history.fresh_processes,
        "backwards": backwards(history.runs),
        "verdict": verdict_as_json(history),
        "profile": history.profile.and_then(link_as_json),
        "searched": changes.map(|it| &it.description),
        "changes": in_place(lasting, |it| lasting_as_json(history, it, metric)),
        "temporary": in_place(temporary, |it| temporary_as_json(history, it)),
        "epochs": in_place(history.epochs, |it| {
            Some(json!({ "run": history.place_of(&it.run)?, "words": it.words }))
        }),
        "alarms": in_place(history.judgements, |it| alarm_as_json(history, it)),
        "accepted": history.acceptances.iter().map(accepted_as_json).collect::<Vec<_>>(),
        "comparison": history.last.map(|(last, run)| comparison_as_json(last, run, grids)),
        "baseline": history.last.map(|(last, _)| baseline_places(history, last)),
        "commands": commands(history),
    })
}

/// Runs that began before the run that was recorded before them.
fn backwards(runs: &[Run]) -> usize {
    runs.windows(2).filter(|pair| pair[1].started_ms < pair[0].started_ms).count()
}

/// The changes whose runs are in the page.
fn in_place<T>(all: &[T], json: impl Fn(&T) -> Option<Value>) -> Vec<Value> {
    all.iter().filter_map(json).collect()
}

fn verdict_as_json(history: &TestHistory<'_>) -> Value {
    let Some((place, run, evidence)) = history.judged() else {
        return Value::Null;
    };
    let accepted = history.acceptances.iter().rfind(|it| it.holds_for(run));
    let reason = accepted.map(|it| it.reason.as_str());
    let functions = history.profile.and_then(|it| it.cause.as_deref());
    let words = run_report(run, evidence, reason, functions);
    json!({
        "run": place,
        "headline": words.headline,
        "lines": words.lines.into_iter().map(|(name, text)| [name.into(), text]).collect::<Vec<[String; 2]>>(),
        "tolerance": digits(evidence.tolerance.ratio(), 5),
        "accepted": evidence.accepted_ratio.map(|it| digits(it, 5)),
        "limit": evidence.limit.map(|it| digits(it, 6)),
    })
}

fn lasting_as_json(
    history: &TestHistory<'_>,
    change: &LastingChange,
    metric: &Metric,
) -> Option<Value> {
    let ranked = &change.ranked;
    let [from, to] = change.place.each_ref().map(|run| history.place_of(run.as_str()));
    Some(json!({
        "run": history.place_of(change.run.as_str())?,
        "places": [from, to],
        "before": digits(ranked.change.before, 5),
        "after": digits(ranked.change.after, 5),
        "lower": ranked.ratio.as_ref().map(|it| digits(*it.start(), 4)),
        "upper": ranked.ratio.as_ref().map(|it| digits(*it.end(), 4)),
        "effect": effect(change.effect, metric),
        "suspects": one_line(&suspects_in_words(&change.suspects)),
    }))
}

fn temporary_as_json(history: &TestHistory<'_>, temporary: &TemporaryEffect) -> Option<Value> {
    let [from, to] = temporary.runs.each_ref().map(|run| history.place_of(run.as_str()));
    Some(json!({
        "run": from?,
        "to": to?,
        "before": digits(temporary.change.usual, 5),
        "after": digits(temporary.change.meanwhile, 5),
    }))
}

fn alarm_as_json(history: &TestHistory<'_>, judgement: &Judgement) -> Option<Value> {
    let RuleResult::Alarm { side, baseline, by, .. } = &judgement.finding else {
        return None;
    };
    Some(json!({
        "run": history.place_of(judgement.run.as_str())?,
        "threshold": one_line(&judgement.threshold),
        "side": side.name(),
        "baseline": digits(*baseline, 5),
        "by": one_line(&by.join("; ")),
    }))
}

fn accepted_as_json(acceptance: &Acceptance) -> Value {
    json!({
        "ratio": digits(acceptance.max_ratio, 5),
        "reason": one_line(&acceptance.reason),
        "given_s": acceptance.given_ms / 1000,
        "until_s": acceptance.until_ms.map(|it| it / 1000),
    })
}

/// The indices of the baseline's runs, as far as they are in the page.
fn baseline_places(history: &TestHistory<'_>, last: &LastBaseline) -> Vec<usize> {
    last.baseline.runs.iter().filter_map(|run| history.place_of(run.id.as_str())).collect()
}

/// Commands about the last run, each with its purpose.
fn commands(history: &TestHistory<'_>) -> Vec<[String; 2]> {
    let name = history.series.benchmark.as_str();
    let (test, whole) = (quoted(name), quoted(BenchmarkId::whole_of(name)));
    let revision = history.runs.last().map(|run| &run.revision);
    let commit = revision.filter(|it| !it.commit.is_empty());
    let checkout = commit.map(|it| {
        let purpose = match it.dirty {
            true => "the commit of the newest run, without its uncommitted changes",
            false => "the commit of the newest run",
        };
        [purpose.into(), format!("git switch --detach {}", quoted(&it.commit))]
    });
    let of_test = [
        ("measure and judge again", format!("cargo perftest run -- {whole}")),
        ("the evidence of the last verdict", format!("cargo perftest show {test}")),
    ];
    // What is imported is no test of ours, and has no verdict.
    let are_imported = history.runs.last().is_some_and(Run::is_imported);
    let of_test = of_test.into_iter().filter(|_| !are_imported);
    let further = of_test.chain([("all runs", format!("cargo perftest history {test}"))]);
    let further = further.map(|(purpose, command)| [purpose.to_owned(), command]);
    let all = checkout.into_iter().chain(further);
    all.map(|texts| texts.map(|text| one_line(&text).into_owned())).collect()
}

/// The kept profiles of a run, in words and as a page beside the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptProfile {
    /// The functions that changed most, in a sentence; `None` where only one profile is kept.
    pub(crate) cause: Option<String>,
    /// The address of the page, relative to the report; `None` where there is no page.
    pub(crate) href: Option<String>,
    /// What the page shows.
    pub(crate) words: String,
}

/// The link to the page.
fn link_as_json(profile: &KeptProfile) -> Option<Value> {
    let href = profile.href.as_ref()?;
    Some(json!({ "href": href, "words": profile.words }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{BenchmarkPattern, Interval};
    use perftest_store::conformance::example_run;

    fn data_of(runs: &[Run]) -> (Value, OverviewRow) {
        data_under(runs, &[])
    }

    fn data_under(runs: &[Run], acceptances: &[Acceptance]) -> (Value, OverviewRow) {
        let series = Series {
            benchmark: runs[0].benchmark.clone(),
            formerly: None,
            testbed: runs[0].testbed.clone(),
            metric: runs[0].metric.clone(),
        };
        let epoch = EpochMark { run: runs[1].id.to_string(), words: "kernel: 6.1 -> 6.8".into() };
        let gone = EpochMark { run: "gone".into(), words: String::new() };
        let history = TestHistory {
            series: &series,
            runs,
            fresh_processes: 2,
            changes: None,
            judgements: &[],
            acceptances,
            epochs: &[epoch, gone],
            last: None,
            profile: Some(&KeptProfile {
                cause: Some("mostly in `unescape`".into()),
                href: Some("report-profiles/1.html".into()),
                words: "flame graph".into(),
            }),
        };
        (test_data(&history, &QuantileGrids::default()), history.row())
    }

    #[test]
    fn the_view_of_a_history_has_the_words_of_show_and_the_numbers_of_the_record() {
        let runs: Vec<Run> = (0..4).map(example_run).collect();
        let (data, row) = data_of(&runs);
        let headline = data["verdict"]["headline"].as_str().unwrap();
        assert!(headline.starts_with("green: 1.01x"), "{data}");
        assert_eq!(data["verdict"]["run"], 3);
        assert_eq!(data["epochs"], json!([{ "run": 1, "words": "kernel: 6.1 -> 6.8" }]));
        assert_eq!((row.runs, row.now), (4, decided_value(&runs[3])));
        assert_eq!(data["verdict"]["lines"][0], json!(["functions", "mostly in `unescape`"]));
        assert_eq!(data["profile"]["href"], "report-profiles/1.html");
        let commands = data["commands"].as_array().unwrap();
        assert_eq!(commands[1][1], "cargo perftest run -- codec::frame::encode");
        assert!(commands[0][0].as_str().unwrap().contains("uncommitted"), "{commands:?}");
    }

    #[test]
    fn an_accepted_slowdown_has_its_ratio_and_what_it_was_accepted_for() {
        let mut runs: Vec<Run> = (0..4).map(example_run).collect();
        let acceptance = Acceptance {
            id: "A".into(),
            benchmark: BenchmarkPattern::from(&runs[3].benchmark),
            testbed: String::new(),
            max_ratio: 1.12,
            reason: "checksums are on now".into(),
            given_ms: 0,
            until_ms: None,
        };
        runs[3].acceptance = Some(acceptance.id.clone());
        let evidence = runs[3].evidence.as_mut().unwrap();
        evidence.degradation = Some(Interval { estimate: 1.1, lower: 1.09, upper: 1.11 });
        let (data, row) = data_under(&runs, &[acceptance]);
        assert_eq!(row.section, Section::Accepted);
        let headline = data["verdict"]["headline"].as_str().unwrap();
        assert!(headline.starts_with("accepted: 1.10x [1.09, 1.11]"), "{headline}");
        let line = json!(["accepted", "up to 1.12x the old level, for: checksums are on now"]);
        assert!(data["verdict"]["lines"].as_array().unwrap().contains(&line), "{data}");
    }

    #[test]
    fn a_count_that_was_0_has_no_ratio_but_the_0() {
        let mut runs: Vec<Run> = (0..2).map(example_run).collect();
        let exact = |value| Some(Interval { estimate: value, lower: value, upper: value });
        for run in &mut runs {
            run.metric = Metric::allocations();
            let evidence = run.evidence.as_mut().unwrap();
            (evidence.before, evidence.now, evidence.degradation) =
                (exact(0.0), exact(3.0), exact(6.0));
        }
        let (data, row) = data_of(&runs);
        assert_eq!((row.ratio, row.from.as_deref()), (None, Some("from 0 allocs")));
        assert_eq!(data["runs"]["ratio"], Value::Null);
    }

    #[test]
    fn of_imported_runs_neither_a_measurement_nor_a_verdict_is_offered() {
        let mut runs: Vec<Run> = (0..2).map(example_run).collect();
        for run in &mut runs {
            (run.evidence, run.flags) = (None, vec!["imported".into()]);
        }
        let (data, _) = data_of(&runs);
        let commands = data["commands"].as_array().unwrap();
        assert_eq!(commands.len(), 2, "{commands:?}");
        assert_eq!(commands[1][1], "cargo perftest history codec::frame::encode");
    }

    #[test]
    fn a_command_with_the_name_of_a_test_runs_nothing_else() {
        let mut runs: Vec<Run> = (0..2).map(example_run).collect();
        for run in &mut runs {
            run.benchmark = BenchmarkId::from_recorded("t'; rm -rf ~ #\nx");
            run.revision.commit = "$(reboot)".into();
        }
        let (data, row) = data_of(&runs);
        let commands = data["commands"].to_string();
        assert!(commands.contains(r"git switch --detach '$(reboot)'"), "{commands}");
        assert!(commands.contains(r"run -- 't'\\''; rm -rf ~ # x'"), "{commands}");
        assert_eq!(row.benchmark.to_string(), "t'; rm -rf ~ # x");
    }

    #[test]
    fn a_run_that_began_before_the_one_recorded_before_it_is_counted() {
        let runs = [example_run(3), example_run(1), example_run(2)];
        assert_eq!(data_of(&runs).0["backwards"], 1);
    }
}
