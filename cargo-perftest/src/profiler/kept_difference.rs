//! The kept profiles of a slower run and of the last good build before it.

use super::kept_base::{is_good_with_other_code, short};
use super::profile_store::ProfileStore;
use crate::profile::{ProfileFile, UnionFile};
use perftest_analysis::profile::Profile;
use perftest_core::model::{BenchmarkId, Reason, Run};
use perftest_process::protocol::SampledClock;

/// The kept profile of the newest judged run, if it took longer, beside the newest one of a good build before it; one
/// of them where the other is not kept, `None` where neither is. `runs` are oldest first. What was accepted or improved
/// since is no part of the difference.
pub(crate) fn kept_difference(profiles: &ProfileStore, runs: &[Run]) -> Option<UnionFile> {
    let place = runs.iter().rposition(|run| run.evidence.is_some())?;
    let (earlier, run) = (&runs[..place], &runs[place]);
    let reason = run.evidence.as_ref()?.reason;
    // A profile is of time: it explains no red of allocations.
    if !run.metric.is_time() || !matches!(reason, Reason::Red | Reason::OverLimit) {
        return None;
    }
    let [mut sides, cpu] = [SampledClock::Wall, SampledClock::Cpu]
        .map(|clock| kept_sides(profiles, clock, run, earlier));
    let count = |sides: &[Option<ProfileFile>; 2]| sides.iter().flatten().count();
    if count(&cpu) > count(&sides) {
        sides = cpu;
    }
    match sides {
        [Some(base), Some(new)] => Some(UnionFile::of_two(base, new)),
        [one, other] => one.or(other).map(UnionFile::of_one),
    }
}

/// A good build and the run's own.
fn kept_sides(
    profiles: &ProfileStore,
    clock: SampledClock,
    run: &Run,
    earlier: &[Run],
) -> [Option<ProfileFile>; 2] {
    // A stage is in the profile of its test.
    let whole = |it: &BenchmarkId| BenchmarkId::from_recorded(it.whole());
    let test = whole(&run.benchmark);
    let former = run.formerly.as_ref().map(whole);
    // A build from before a rename has its profile under the former name.
    let find = |run: &Run| {
        let mut names = [&test].into_iter().chain(&former);
        names.find_map(|name| profiles.find(name, clock, &run.code))
    };
    let named = |profile: Profile, run: &Run, which: &str| ProfileFile {
        name: format!("{test}, {} time, {which} {}", clock.name(), short(run))
            .trim_end()
            .to_owned(),
        profile,
    };
    let is_good = |it: &&Run| is_good_with_other_code(it, &run.code);
    let level = &earlier[earlier.iter().rposition(may_begin_level).unwrap_or(0)..];
    let (good, doubtful): (Vec<&Run>, Vec<&Run>) =
        level.iter().rev().filter(is_good).partition(|it| it.clears_code_of_all_series());
    let good = if good.is_empty() { doubtful } else { good };
    let base = good.iter().find_map(|base| {
        let is_last = base.code.is_same_build(&good[0].code);
        let which = if is_last { "the last good build" } else { "an earlier good build" };
        let found = named(find(base)?, base, which);
        // Each try to mend the red has a profile, too. This one is still needed.
        for name in [&test].into_iter().chain(&former) {
            profiles.renew(name, clock, &base.code);
        }
        Some(found)
    });
    [base, find(run).map(|profile| named(profile, run, "the build"))]
}

/// Whether a level may begin with this run: older ones took another time for reasons of their own.
fn may_begin_level(run: &Run) -> bool {
    let reason = run.evidence.as_ref().map(|it| it.reason);
    run.acceptance.is_some() || matches!(reason, Some(Reason::Improved | Reason::Unaccepted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiler::RecordedProfile;
    use perftest_core::model::Metric;
    use perftest_store::conformance::example_run;
    use perftest_store::{Project, Testbeds};

    /// A run of an executable.
    fn run(executable: &str, reason: Reason) -> Run {
        let mut run = example_run(0);
        run.code.executable = executable.to_owned();
        run.code.text = format!("code of {executable}");
        run.evidence.as_mut().unwrap().reason = reason;
        run
    }

    fn keep(store: &ProfileStore, run: &Run, clock: SampledClock, function: &str) {
        let recorded = RecordedProfile::of_function(function, clock);
        store.keep(&run.benchmark, &run.code, &recorded).unwrap();
    }

    #[test]
    fn a_red_has_its_profile_beside_that_of_the_last_good_build() {
        let directory = tempfile::tempdir().unwrap();
        let project = Project::of_identity("codec");
        let store =
            ProfileStore::of_testbed(directory.path(), &project, "local/1", &Testbeds::default());
        let [old, good] = ["old", "good"].map(|executable| run(executable, Reason::Green));
        let [bad, new] = ["bad", "new"].map(|executable| run(executable, Reason::Red));
        let runs = [old, good, bad, new];
        let difference = || kept_difference(&store, &runs);
        assert!(difference().is_none());
        keep(&store, &runs[0], SampledClock::Wall, "old");
        keep(&store, &runs[2], SampledClock::Wall, "bad");
        let base = difference().unwrap();
        assert!(base.base.is_none() && base.new.contains("wall time, an earlier good build"));
        keep(&store, &runs[1], SampledClock::Wall, "parse");
        keep(&store, &runs[3], SampledClock::Wall, "unescape");
        let cause = difference().unwrap().cause().unwrap();
        assert!(cause.starts_with("mostly in `unescape`: 0.0% -> 100.0% of the time"), "{cause}");
        assert!(kept_difference(&store, &runs[..2]).is_none(), "a green is no slower run");
        let allocating = runs.map(|run| Run { metric: Metric::allocations(), ..run });
        assert!(kept_difference(&store, &allocating).is_none(), "a profile is of time");
    }

    #[test]
    fn what_was_accepted_or_improved_is_no_part_of_the_difference() {
        let directory = tempfile::tempdir().unwrap();
        let project = Project::of_identity("codec");
        let store =
            ProfileStore::of_testbed(directory.path(), &project, "local/1", &Testbeds::default());
        let [old, good] = ["old", "good"].map(|executable| run(executable, Reason::Green));
        let accepted = Run { acceptance: Some("id".into()), ..run("accepted", Reason::Green) };
        let (improved, red) = (run("improved", Reason::Improved), run("new", Reason::Red));
        keep(&store, &old, SampledClock::Wall, "parse");
        keep(&store, &red, SampledClock::Wall, "unescape");
        for between in [accepted, improved] {
            let mut runs = [&old, &between, &good, &red].map(Run::clone);
            assert!(kept_difference(&store, &runs).unwrap().base.is_none());
            // The first run of the level is of the level.
            keep(&store, &between, SampledClock::Wall, "parse");
            let base = kept_difference(&store, &runs).unwrap().base.unwrap();
            assert!(base.contains("an earlier good build"), "{base}");
            runs.swap(1, 2);
            let base = kept_difference(&store, &runs).unwrap().base.unwrap();
            assert!(base.contains("the last good build"), "{base}");
        }
    }

    #[test]
    fn the_profile_of_the_good_build_outlives_those_of_many_tries_to_mend_a_red() {
        let directory = tempfile::tempdir().unwrap();
        let project = Project::of_identity("codec");
        let store =
            ProfileStore::of_testbed(directory.path(), &project, "local/1", &Testbeds::default());
        let mut runs = vec![run("good", Reason::Green)];
        keep(&store, &runs[0], SampledClock::Wall, "parse");
        for executable in 0..10 {
            runs.push(run(&executable.to_string(), Reason::Red));
            keep(&store, runs.last().unwrap(), SampledClock::Wall, "unescape");
            let difference = kept_difference(&store, &runs).unwrap();
            assert!(difference.base.is_some(), "{executable}");
        }
    }

    #[test]
    fn a_renamed_test_has_the_profile_of_its_former_name() {
        let directory = tempfile::tempdir().unwrap();
        let project = Project::of_identity("codec");
        let store =
            ProfileStore::of_testbed(directory.path(), &project, "local/1", &Testbeds::default());
        let (mut good, red) = (run("good", Reason::Green), run("new", Reason::Red));
        keep(&store, &good, SampledClock::Wall, "parse");
        let formerly = Some(good.benchmark.clone());
        let benchmark = BenchmarkId::from_recorded("codec::frame::renamed");
        let red = Run { benchmark: benchmark.clone(), formerly, ..red };
        // Loaded runs have the present name.
        good.benchmark = benchmark;
        keep(&store, &red, SampledClock::Wall, "unescape");
        let difference = kept_difference(&store, &[good, red]).unwrap();
        assert!(difference.base.unwrap().contains("the last good build"));
    }

    #[test]
    fn two_profiles_by_one_clock_are_better_than_one_by_another() {
        let directory = tempfile::tempdir().unwrap();
        let project = Project::of_identity("codec");
        let store =
            ProfileStore::of_testbed(directory.path(), &project, "local/1", &Testbeds::default());
        let (good, red) = (run("good", Reason::Green), run("new", Reason::Red));
        keep(&store, &good, SampledClock::Cpu, "parse");
        keep(&store, &red, SampledClock::Cpu, "unescape");
        keep(&store, &red, SampledClock::Wall, "wait");
        let difference = kept_difference(&store, &[good, red]).unwrap();
        assert!(difference.base.unwrap().contains("cpu time"));
    }
}
