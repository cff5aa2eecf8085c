//! Profiles of tests after `cargo perftest run`, so that the profile of a good build is there when a red comes.

use super::run_causes::is_slower;
use crate::args::profile::SamplingOptions;
use crate::compare::SideTest;
use crate::exit::Result;
use crate::history_directory;
use crate::profiler::{ProfileStore, Recorder};
use crate::report::print_progress;
use crate::test_run::TestRun;
use perftest_core::model::{BenchmarkId, CodeState, Reason};
use perftest_process::adopt_project;
use perftest_process::protocol::SampledClock;
use perftest_store::{JsonlStore, Store};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Longer than a pass takes: none begins when less of the budget is left.
const LONGEST_PASS: Duration = Duration::from_secs(10);

/// A test that could be sampled.
struct SampleableTest<'a> {
    test: &'a SideTest,
    is_slower: bool,
    /// When its newest profile was kept, of any build.
    newest: Option<SystemTime>,
}

/// Samples at most so many tests of a run and keeps their profiles. A test that cannot be sampled is reported and
/// does no harm.
pub(super) fn sample_tests(
    run: &TestRun,
    most: usize,
    profile: &str,
    store: Option<PathBuf>,
) -> Result<()> {
    let root = history_directory::writable(store)?;
    let project = adopt_project(&root, &history_directory::here()?);
    let store = JsonlStore::open(&root, &project);
    let testbeds = store.decisions()?.value.testbeds;
    let profiles = ProfileStore::of_this_machine(&root, &project, &testbeds);
    let reasons: BTreeMap<BenchmarkId, Reason> = run
        .ended()
        .into_iter()
        .filter_map(|it| Some((it.benchmark, it.outcome?.judged?.reason)))
        .collect();
    let reason_of = |test: &SideTest| reasons.get(&test.listed.benchmark).copied();
    match Recorder::new(&SamplingOptions::of_several_tests(), profile) {
        Err(error) => print_progress(&format_args!("warning: {error}")),
        Ok(recorder) => {
            let mut tests = candidates(&run.tests, reason_of, &profiles);
            tests.truncate(most);
            sample(&recorder, &tests, run.end, &root);
        }
    }
    Ok(())
}

/// Samples the tests until the budget ends, and keeps their profiles.
fn sample(recorder: &Recorder, tests: &[&SideTest], end: Option<Instant>, root: &Path) {
    for test in tests {
        if end.is_some_and(|end| Instant::now() + LONGEST_PASS > end) {
            print_progress(&"the budget is over: no further test is sampled");
            break;
        }
        match recorder.record(test) {
            Ok(recorded) => recorded.keep(test, Some(root.to_owned())),
            Err(error) => print_progress(&format_args!("warning: {error}")),
        }
    }
}

/// The tests whose build has no profile: slower ones first, then good ones, those with the oldest profile first.
fn candidates<'a>(
    tests: &'a [SideTest],
    reason_of: impl Fn(&SideTest) -> Option<Reason>,
    profiles: &ProfileStore,
) -> Vec<&'a SideTest> {
    let clock = SampledClock::Wall;
    let mut codes: BTreeMap<(&PathBuf, Option<&[String]>), Option<CodeState>> = BTreeMap::new();
    let mut candidates: Vec<SampleableTest<'a>> = Vec::new();
    for test in tests {
        let benchmark = &test.listed.benchmark;
        let Some(reason) = reason_of(test).filter(|it| is_slower(*it) || it.clears_code()) else {
            continue;
        };
        let measured = (&test.executable.path, test.listed.programs.as_deref());
        let Some(code) = codes.entry(measured).or_insert_with(|| test.code().ok()) else {
            continue;
        };
        if !profiles.has(benchmark, clock, code) {
            let newest = profiles.newest(benchmark, clock);
            candidates.push(SampleableTest { test, is_slower: is_slower(reason), newest });
        }
    }
    candidates.sort_by_key(|candidate| (!candidate.is_slower, candidate.newest));
    candidates.into_iter().map(|candidate| candidate.test).collect()
}
