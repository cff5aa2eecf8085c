//! The summary at the end of `cargo perftest run`.

use crate::args::{AnswerFormat, RunArgs as Args, Runner};
use crate::ended_test::{EndedTest, Urgency};
use crate::exit::Result;
use crate::export::LARGEST_SUMMARY;
use crate::history_directory;
use crate::report::{SummarisedTest, code, run_markdown, write_json_line, write_run_summary};
use perftest_core::model::{BenchmarkId, Run, SourcePlace};
use perftest_core::words::quoted;
use perftest_store::{JsonlStore, Series, Store};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Runs of a test whose course is drawn.
const COURSE: usize = 60;
/// Tests whose course is drawn: more would hide the worst ones.
const DRAWN: usize = 20;

/// How the tests of a run ended, with their histories.
pub(super) struct RunOverview {
    /// The worst first.
    tests: Vec<SummarisedTest>,
    store: Option<JsonlStore>,
}

impl RunOverview {
    /// `store` is the directory that was asked for on the command line.
    pub(super) fn of(mut tests: Vec<EndedTest>, args: &Args, store: Option<PathBuf>) -> Self {
        tests.sort_by(EndedTest::worst_first);
        let again = again(args, store.as_deref());
        let named_store = store.clone();
        let store = history_directory::find(store).ok().and_then(|place| {
            let project = place.project_of(&history_directory::here().ok()?);
            Some(JsonlStore::open(&place.root, &project))
        });
        let summarised = tests.into_iter().enumerate().map(|(place, test)| {
            let is_drawn = place < DRAWN && test.urgency() != Urgency::Fine;
            let course = store.as_ref().filter(|_| is_drawn).and_then(|it| course(it, &test));
            let (course, unit) = course.unwrap_or_default();
            let hint = hint(&test, !course.is_empty(), &again, named_store.as_deref());
            SummarisedTest { test, course, unit, hint }
        });
        let tests = summarised.collect();
        Self { tests, store }
    }

    /// Writes the tests for people; programs get nothing.
    pub(super) fn write(&self, args: &Args, ascii: bool, out: &mut dyn Write) -> Result<()> {
        match args.answer.format() {
            AnswerFormat::Table => write_run_summary(&self.tests, args.all, ascii, out)?,
            AnswerFormat::Markdown => write!(out, "{}", self.markdown(LARGEST_SUMMARY))?,
            AnswerFormat::Json => {}
        }
        Ok(())
    }

    /// The tests in Markdown, in at most so many bytes.
    pub(super) fn markdown(&self, room: usize) -> String {
        run_markdown(&self.tests, room)
    }

    /// Where a test is in the sources, as its newest record says.
    pub(super) fn place_of(&self, test: &BenchmarkId) -> Option<SourcePlace> {
        let store = self.store.as_ref()?;
        let all = store.list(Some(test)).ok()?.series.value;
        all.iter()
            .find_map(|series| store.load(&series.query(1)).ok()?.value.newest()?.source.clone())
    }
}

/// Names the tests that the budget left no time for.
pub(super) fn write_not_run(
    not_run: &[BenchmarkId],
    format: AnswerFormat,
    out: &mut dyn Write,
) -> Result<()> {
    if format == AnswerFormat::Json {
        for benchmark in not_run {
            let line = json!({ "event": "not_run", "v": 1, "benchmark": benchmark.as_str() });
            write_json_line(out, &line)?;
        }
    } else if !not_run.is_empty() {
        let count = not_run.len();
        let blank = if format == AnswerFormat::Markdown { "\n" } else { "" };
        writeln!(
            out,
            "{blank}not run or not compared, because the budget is over: {count}{blank}"
        )?;
        for benchmark in not_run {
            match format {
                AnswerFormat::Markdown => writeln!(out, "- {}", code(benchmark.as_str()))?,
                _ => writeln!(out, "  {benchmark}")?,
            }
        }
    }
    Ok(())
}

/// The values of the newest runs of what decided a test, on the testbed of the newest one, and their
/// unit. A history that cannot be read has no picture: the verdict names what is wrong with it.
fn course(store: &JsonlStore, test: &EndedTest) -> Option<(Vec<f64>, String)> {
    let decided = test.outcome.as_ref()?.series.as_ref()?;
    let listed = store.list(Some(&decided.benchmark)).ok()?.series.value;
    let of_metric = listed.into_iter().filter(|it| it.metric.name == decided.metric);
    let load = |series: Series| {
        let history = store.load(&series.query(COURSE)).ok()?.value;
        Some((history.newest()?.started_ms, series, history))
    };
    let (_, series, history) = of_metric.filter_map(load).max_by_key(|(newest, ..)| *newest)?;
    let counted = history.runs.iter().filter(|run| !run.is_confirmation());
    Some((counted.filter_map(Run::center).collect(), series.metric.unit))
}

/// The one thing to do about a test that failed.
fn hint(test: &EndedTest, is_recorded: bool, again: &str, store: Option<&Path>) -> Option<String> {
    let name = quoted(test.benchmark.as_str()).into_owned();
    match test.urgency() {
        Urgency::Red if is_recorded => {
            let decided = test.outcome.as_ref().and_then(|it| it.series.as_ref());
            let name = decided.map_or(&test.benchmark, |it: &_| &it.benchmark);
            let store = store.map_or_else(String::new, in_store);
            Some(format!("why: cargo perftest show{store} {}", quoted(name.as_str())))
        }
        Urgency::Red | Urgency::Broken => Some(format!("again: {again} -- {name}")),
        Urgency::Unknown | Urgency::Open | Urgency::Fine => None,
    }
}

fn in_store(store: &Path) -> String {
    format!(" --store {}", quoted(&store.to_string_lossy()))
}

/// The command that was given, without its tests.
fn again(args: &Args, store: Option<&Path>) -> String {
    let mut words = vec!["cargo perftest run".to_owned()];
    if args.runner == Runner::Nextest {
        words.push("--runner nextest".to_owned());
    }
    if args.build.compile.profile != "release" {
        words.push(format!("--profile {}", quoted(&args.build.compile.profile)));
    }
    words.extend(args.build.selection().into_iter().map(|word| quoted(word).into_owned()));
    words.join(" ") + &store.map_or_else(String::new, in_store)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args as CommandLine, CliCommand};
    use clap::Parser;
    use perftest_core::model::Reason;

    fn again_of(arguments: &[&str], store: Option<&str>) -> String {
        let words = [&["cargo-perftest", "run"], arguments].concat();
        match CommandLine::parse_from(words).command {
            CliCommand::Run(args) => again(&args, store.map(Path::new)),
            _ => String::new(),
        }
    }

    #[test]
    fn a_test_is_run_again_as_it_was_run() {
        assert_eq!(again_of(&[], None), "cargo perftest run");
        let arguments = [
            "--runner",
            "nextest",
            "-p",
            "codec",
            "--target",
            "x86_64-unknown-linux-musl",
            "--profile",
            "perf",
            "-F",
            "fast tables",
        ];
        let expected = "cargo perftest run --runner nextest --profile perf --package codec \
                        --features 'fast tables' --target x86_64-unknown-linux-musl --store '/a b'";
        assert_eq!(again_of(&arguments, Some("/a b")), expected);
    }

    #[test]
    fn a_red_is_explained_by_its_record_and_a_broken_body_is_run_again() {
        let red = EndedTest::judged("codec::Vec<u8>", Some(Reason::Red), Some(1.2));
        let of = |test: &EndedTest, recorded| hint(test, recorded, "cargo perftest run", None);
        let shown = "why: cargo perftest show 'codec::Vec<u8>'";
        assert_eq!(of(&red, true).as_deref(), Some(shown));
        let again = "again: cargo perftest run -- 'codec::Vec<u8>'";
        assert_eq!(of(&red, false).as_deref(), Some(again));
        let broken = EndedTest::judged("codec::Vec<u8>", None, None);
        assert_eq!(of(&broken, true).as_deref(), Some(again));
        assert_eq!(of(&EndedTest::judged("t", Some(Reason::Green), None), true), None);
    }
}
