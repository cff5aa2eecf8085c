//! Runs a perf test of a relinked executable against a copy of its history.

use super::RelinkTarget;
use crate::command_context::CommandContext;
use crate::compare::Executable;
use crate::exit::{CommandError, Result};
use crate::report::report_damage;
use crate::scratch_file::ScratchFile;
use perftest_core::model::{Acceptance, BaselineRule, BenchmarkId, Metric, Reason, Run};
use perftest_core::named;
use perftest_process::find_project;
use perftest_store::{Annotation, Decisions, JsonlStore, Query, Series, Store, Testbeds, Which};
use serde_json::{Value, json};
use std::fs;
use std::iter;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

named! {
    /// The speed of a test in one order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum RelinkSpeed {
        /// Red.
        Slow = "slow",
        /// Green or improved.
        Fast = "fast",
        /// Neither slow nor fast with certainty.
        Undecided = "undecided",
    }
}

/// The answer of a perf test in one order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RelinkTrial {
    pub(crate) reason: Reason,
    pub(crate) value: Option<f64>,
    pub(crate) unit: String,
    pub(crate) ratio: Option<f64>,
}

impl RelinkTrial {
    pub(crate) fn speed(&self) -> RelinkSpeed {
        match self.reason {
            Reason::Red | Reason::OverLimit => RelinkSpeed::Slow,
            Reason::Green | Reason::Improved | Reason::Unaccepted => RelinkSpeed::Fast,
            _ => RelinkSpeed::Undecided,
        }
    }

    pub(crate) fn as_json(&self, benchmark: &BenchmarkId, seed: u32) -> Value {
        json!({
            "event": "relink_order",
            "v": 1,
            "benchmark": benchmark.as_str(),
            "seed": seed,
            "verdict": self.reason.name(),
            "answer": self.speed().name(),
            "metric": Metric::wall().name,
            "unit": self.unit,
            "value": self.value,
            "ratio": self.ratio,
        })
    }

    /// Reads the verdict on a stage, or on the whole if `stage` is empty, from the test's JSON
    /// events. `None` without that verdict. The first verdict of the events may be on another
    /// series.
    fn of_events(text: &str, stage: &str) -> Option<Self> {
        let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let gravest = events.filter_map(|event| event.get("perftest").cloned()).next()?;
        let others = gravest["other_series"].as_array().into_iter().flatten();
        let is_asked = |judged: &&Value| {
            judged["series"].as_str().unwrap_or_default() == stage
                && judged["metric"] == Metric::wall().name
        };
        let judged = iter::once(&gravest).chain(others).find(is_asked)?;
        Some(Self {
            reason: Reason::from_name(judged["verdict"].as_str()?)?,
            value: judged["value"].as_f64(),
            unit: judged["unit"].as_str().unwrap_or_default().to_owned(),
            ratio: judged["ratio"].as_f64(),
        })
    }
}

/// The history for a relinked test. Each trial gets a new copy: measurements in a random order must
/// not be recorded, or enter the baseline of the next order.
#[derive(Debug)]
pub(crate) struct TrialHistory {
    runs: Vec<Run>,
    acceptances: Vec<Acceptance>,
    /// How testbeds are read.
    testbeds: Arc<Testbeds>,
}

impl TrialHistory {
    /// Loads the baseline runs of the whole test, also if `benchmark` is one of its stages, on all
    /// testbeds and for all series: a series without a history would get no verdict.
    pub(crate) fn load(
        all: &[Series],
        benchmark: &BenchmarkId,
        context: &CommandContext<'_>,
    ) -> Result<Self> {
        let mut runs = Vec::new();
        for series in of_whole(all, benchmark) {
            let query = Query {
                which: Which::CountedForBaseline,
                ..series.query(BaselineRule::SEARCHED_RUNS)
            };
            runs.extend(report_damage(context.store.load(&query)?).runs);
        }
        let Decisions { acceptances, testbeds, .. } = report_damage(context.store.decisions()?);
        Ok(Self { runs, acceptances, testbeds })
    }

    /// Runs the test of `executable` against a copy of this history. `None` without a verdict.
    pub(crate) fn judge(
        &self,
        executable: &Executable,
        target: &RelinkTarget,
    ) -> Result<Option<RelinkTrial>> {
        let copy = Copy::new(target.build_directory.join("history"));
        let store = JsonlStore::open(&copy.root, &find_project(&executable.directory));
        let accept = |acceptance| store.annotate(Annotation::Acceptance(acceptance));
        self.acceptances.iter().try_for_each(accept)?;
        let decide = |decision| store.annotate(Annotation::Testbed(decision));
        self.testbeds.decisions().iter().try_for_each(decide)?;
        self.runs.iter().try_for_each(|run| store.append(run))?;
        let printed = ScratchFile::new("printed")?;
        let ended = executable
            .command()
            .args(["--exact", &target.test, "--include-ignored", "--format", "json"])
            .args(["-Z", "unstable-options"])
            .env("PERFTEST_STORE", &copy.root)
            .stdin(Stdio::null())
            .stdout(printed.as_output()?)
            .stderr(Stdio::inherit())
            .status();
        ended.map_err(|error| {
            CommandError::Usage(format!("the relinked test cannot be started: {error}"))
        })?;
        Ok(RelinkTrial::of_events(&printed.text()?, &target.stage))
    }
}

/// Returns the histories of a test and of all its stages, by the name of any of them.
fn of_whole<'a>(all: &'a [Series], benchmark: &BenchmarkId) -> impl Iterator<Item = &'a Series> {
    all.iter().filter(|series| series.benchmark.whole() == benchmark.whole())
}

/// A directory that is empty at first and removed in the end.
struct Copy {
    root: PathBuf,
}

impl Copy {
    fn new(root: PathBuf) -> Self {
        // An interrupted call may have left the directory. If it cannot be removed, writing fails.
        let _ = fs::remove_dir_all(&root);
        Self { root }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use perftest_store::conformance::scratch;
    use serde_json::json;

    #[test]
    fn a_verdict_is_found_among_what_the_test_prints() {
        let text = "progress 50%\n{\"type\":\"suite\",\"event\":\"started\"}\n\
                    {\"type\":\"test\",\"name\":\"a\",\"perftest\":{\"verdict\":\"red\",\
                    \"metric\":\"wall\",\"value\":71.5,\"unit\":\"ns\",\"ratio\":1.25}}\n";
        let trial = RelinkTrial::of_events(text, "").unwrap();
        assert_eq!(
            (trial.speed(), trial.value, trial.ratio),
            (RelinkSpeed::Slow, Some(71.5), Some(1.25))
        );
        assert_eq!(trial.unit, "ns");
    }

    #[test]
    fn a_test_that_was_only_tried_out_has_no_verdict() {
        let smoke = "{\"type\":\"test\",\"perftest\":{\"version\":1,\"smoke\":\"unoptimised\"}}";
        for text in ["", smoke, "{\"type\":\"test\",\"event\":\"failed\"}", "[1]", "7"] {
            assert_eq!(RelinkTrial::of_events(text, ""), None, "{text}");
        }
    }

    #[test]
    fn the_verdict_is_that_of_the_series_that_is_asked_for() {
        fn judged(series: &str, metric: &str, reason: &str) -> Value {
            json!({ "series": series, "metric": metric, "verdict": reason, "unit": "ns" })
        }
        let mut perftest = judged("allocs", "allocs", "red");
        perftest["other_series"] = json!([
            judged("", "wall", "green"),
            judged("allocs", "wall", "improved"),
            judged("pack", "wall", "over_limit"),
        ]);
        let text = json!({ "type": "test", "perftest": perftest }).to_string();
        let reason = |stage| RelinkTrial::of_events(&text, stage).map(|trial| trial.reason);
        assert_eq!(reason(""), Some(Reason::Green));
        assert_eq!(
            (reason("allocs"), reason("pack")),
            (Some(Reason::Improved), Some(Reason::OverLimit))
        );
        assert_eq!(reason("sort"), None);
    }

    #[test]
    fn a_stage_is_judged_beside_the_whole_and_what_else_the_test_judges() {
        let whole = BenchmarkId::from_recorded("codec::pack");
        let series = |benchmark: BenchmarkId, metric| Series {
            benchmark,
            formerly: None,
            testbed: String::new(),
            metric,
        };
        let all = [
            series(whole.clone(), Metric::allocations()),
            series(whole.clone(), Metric::wall()),
            series(whole.stage("sort"), Metric::wall()),
            series(BenchmarkId::from_recorded("codec::packed"), Metric::wall()),
        ];
        for asked in [whole.clone(), whole.stage("sort")] {
            assert_eq!(
                of_whole(&all, &asked).collect::<Vec<_>>(),
                all[..3].iter().collect::<Vec<_>>()
            );
        }
    }

    /// The trial of a test that does what a shell script in this directory says.
    #[cfg(unix)]
    fn trial_of(executable: &Executable) -> RelinkTrial {
        let target = RelinkTarget {
            package: "codec".into(),
            name: "perf".into(),
            build_directory: executable.directory.clone(),
            test: "encode".into(),
            stage: String::new(),
            shares_name_with_library: false,
        };
        let history =
            TrialHistory { runs: Vec::new(), acceptances: Vec::new(), testbeds: Arc::default() };
        history.judge(executable, &target).unwrap().unwrap()
    }

    /// Lets a script print a green verdict in this unit.
    #[cfg(unix)]
    fn printing(unit: &str) -> String {
        let judged = json!({ "series": "", "metric": "wall", "verdict": "green", "unit": unit });
        format!("echo '{}'", json!({ "perftest": judged }))
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_relinked_test_has_the_variables_of_its_package_and_the_path_of_its_libraries() {
        let directory = scratch("relinked-variables");
        let script = printing("'$CARGO_PKG_NAME $LD_LIBRARY_PATH'");
        let trial = trial_of(&Executable {
            package: vec![("CARGO_PKG_NAME".into(), "codec".into())],
            libraries: vec!["/w/target/release/deps".into()],
            ..Executable::of_script(&directory, &script)
        });
        assert!(trial.unit.starts_with("codec /w/target/release/deps"), "{}", trial.unit);
    }

    #[test]
    #[cfg(unix)]
    fn a_process_that_a_relinked_test_leaves_running_is_not_waited_for() {
        let directory = scratch("relinked-left-running");
        fs::write(directory.join("running"), "").unwrap();
        let wait = "for i in $(seq 100); do test -e running || exit; sleep 0.1; done";
        let script = format!("({wait}; touch waited) &\n{}", printing("ns"));
        let trial = trial_of(&Executable::of_script(&directory, &script));
        assert!(!directory.join("waited").exists(), "its output was read to the end");
        assert_eq!(trial.speed(), RelinkSpeed::Fast);
    }
}
