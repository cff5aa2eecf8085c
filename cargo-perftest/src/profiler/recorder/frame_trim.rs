//! Which frames of a stack belong to the test, and which to the harness around it.

use super::symbols::FunctionFrame;

/// Where a stack stands for time that is not in a measurement.
pub(super) const OUTSIDE: &str = "[outside the measured loop]";

/// The frames of the test, the outermost first.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TestFrames<'a> {
    /// Of the measured routine.
    Measured(&'a [FunctionFrame]),
    /// Of set-up, of drops or of the harness.
    Outside(&'a [FunctionFrame]),
    /// Of a thread that the harness did not start: all frames.
    OtherThread(&'a [FunctionFrame]),
}

impl<'a> TestFrames<'a> {
    /// Leaves out the harness and all that called it. Without debug information the harness is known by the names
    /// of its functions, else also by its source files: names of inlined functions have no path there.
    pub(super) fn of(functions: &'a [FunctionFrame]) -> Self {
        let Some(innermost) = functions.iter().rposition(is_of_harness) else {
            return Self::OtherThread(functions);
        };
        // A stage has the stopwatch between the loop and its work.
        let is_measured = functions[..=innermost].iter().any(is_measured_loop);
        let kept = &functions[innermost + 1..];
        if is_measured { Self::Measured(kept) } else { Self::Outside(kept) }
    }
}

fn is_of_harness(function: &FunctionFrame) -> bool {
    let name = path_of(&function.name);
    name.starts_with("perftest::measure::")
        || name.starts_with("perftest::clock::")
        || name.starts_with("perftest::harness::")
        || name.starts_with("perftest::bencher::")
        || MEASURING_SOURCES.iter().any(|source| function.source.contains(source))
}

/// The path of a function's name, or of the type that it is a method of. Arguments of types are left out: they are
/// types of the test.
fn path_of(name: &str) -> &str {
    let name = name.trim_start_matches(['<', '&']);
    name.split_once('<').map_or(name, |(path, _)| path)
}

/// Whether this is a function of the harness that the code of a test calls: allocations with its allocator, and tags.
/// Their time is that of the caller.
pub(super) fn is_called_by_tests(function: &FunctionFrame) -> bool {
    is_in_modules(
        function,
        &[
            ("perftest::measure::allocation::", "/measure/allocation.rs"),
            ("perftest::measure::sampler::", "/measure/sampler/"),
        ],
    )
}

/// Whether this is a function of one of these modules of the harness, each with a part of the path of its sources.
fn is_in_modules(function: &FunctionFrame, modules: &[(&str, &str)]) -> bool {
    let is_in = |(name, source): &(&str, &str)| {
        path_of(&function.name).starts_with(name) || function.source.contains(source)
    };
    is_of_harness(function) && modules.iter().any(is_in)
}

/// Parts of the paths of our sources, in a checkout and in a registry.
const MEASURING_SOURCES: [&str; 6] = [
    "perftest/src/measure/",
    "perftest/src/clock/",
    "perftest/src/harness/",
    concat!("perftest-", env!("CARGO_PKG_VERSION"), "/src/measure/"),
    concat!("perftest-", env!("CARGO_PKG_VERSION"), "/src/clock/"),
    concat!("perftest-", env!("CARGO_PKG_VERSION"), "/src/harness/"),
];

/// The loops between two reads of the clock, and what is measured as a whole: a routine that its author times, and a
/// process. What they call is measured; set-up and drops are never below them.
fn is_measured_loop(function: &FunctionFrame) -> bool {
    is_in_modules(
        function,
        &[
            ("perftest::measure::bench_loop::", "/measure/bench_loop.rs"),
            ("perftest::measure::routine::custom::", "/measure/routine/custom.rs"),
            ("perftest::measure::routine::child::", "/measure/routine/child.rs"),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(frames: &[(&str, &str)]) -> Vec<FunctionFrame> {
        let frame = |(name, source): &(&str, &str)| FunctionFrame {
            source: (*source).to_owned(),
            ..FunctionFrame::named((*name).to_owned())
        };
        frames.iter().map(frame).collect()
    }

    #[test]
    fn the_harness_and_its_callers_are_no_part_of_a_test() {
        let stack = frames(&[
            ("main", "/w/src/main.rs"),
            ("perftest::measure::bench_loop::discard", "/x/perftest/src/measure/bench_loop.rs"),
            ("perf::encode", "/w/tests/perf.rs"),
        ]);
        assert_eq!(TestFrames::of(&stack), TestFrames::Measured(&stack[2..]));
    }

    #[test]
    fn an_inlined_loop_is_known_by_its_file() {
        let stack = frames(&[
            ("perf::main", ""),
            (
                "discard<..>",
                concat!("/r/perftest-", env!("CARGO_PKG_VERSION"), "/src/measure/bench_loop.rs"),
            ),
            ("{closure#0}", "/w/tests/perf.rs"),
        ]);
        assert_eq!(TestFrames::of(&stack), TestFrames::Measured(&stack[2..]));
    }

    #[test]
    fn a_stage_is_measured_behind_its_stopwatch_and_a_process_while_it_is_waited_for() {
        let stage = frames(&[
            ("<perftest::measure::stages::StagedRoutine<R> as Routine>::batch", ""),
            ("perftest::measure::bench_loop::discard", ""),
            ("perf::parse_in_stages::{{closure}}", ""),
            ("perftest::measure::stopwatch::Stopwatch::time_with_output::{{closure}}", ""),
            ("perf::lex", ""),
        ]);
        assert_eq!(TestFrames::of(&stage), TestFrames::Measured(&stage[4..]));
        let process = frames(&[
            ("perftest::measure::routine::command::CommandRoutine<F>::run_once", ""),
            ("perftest::measure::routine::child::run", ""),
            ("[libc.so.6] wait4", ""),
        ]);
        assert_eq!(TestFrames::of(&process), TestFrames::Measured(&process[2..]));
    }

    #[test]
    fn an_output_of_stages_is_dropped_outside_and_a_process_is_described_there() {
        for of_harness in [
            "<perftest::measure::stages::StagedRoutine<R> as Routine>::batch",
            "perftest::measure::routine::command::CommandRoutine<F>::run_once",
        ] {
            let stack =
                frames(&[("perf::main", "/w/src/command.rs"), (of_harness, ""), ("drop", "")]);
            assert_eq!(TestFrames::of(&stack), TestFrames::Outside(&stack[2..]));
        }
    }

    #[test]
    fn types_of_the_test_in_a_module_like_one_of_ours_are_not_of_the_loop() {
        let set_up = frames(&[
            (
                "<perftest::measure::routine::SetupRoutine<app::custom::Input> as Routine>::batch",
                "",
            ),
            ("<app::command::Call>::parse", ""),
        ]);
        assert_eq!(TestFrames::of(&set_up), TestFrames::Outside(&set_up[1..]));
        let custom = frames(&[
            ("<perftest::measure::routine::custom::CustomRoutine<F> as Routine>::batch", ""),
            ("perf::timed_by_itself", ""),
        ]);
        assert_eq!(TestFrames::of(&custom), TestFrames::Measured(&custom[1..]));
    }

    #[test]
    fn an_allocation_and_a_tag_are_those_of_the_test() {
        let mut stack = frames(&[
            ("perftest::harness::series_runner::run", ""),
            ("perftest::measure::sampler::pass::Blocks::batch", ""),
            ("perftest::measure::bench_loop::discard", ""),
            ("perf::encode", "/w/tests/perf.rs"),
            ("__rustc::__rust_alloc", "/w/tests/perf.rs"),
            ("<perftest::measure::allocation::CountingAllocator as GlobalAlloc>::alloc", ""),
            ("malloc", ""),
            ("alloc<..>", "/x/perftest/src/measure/allocation.rs"),
            ("swap_tag", "/x/perftest/src/measure/sampler/state.rs"),
        ]);
        stack.retain(|function| !is_called_by_tests(function));
        let TestFrames::Measured(kept) = TestFrames::of(&stack) else { panic!("{stack:?}") };
        let names: Vec<&str> = kept.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["perf::encode", "__rustc::__rust_alloc", "malloc"]);
        let own = frames(&[("user::measure::allocation::grow", "/w/src/measure/allocation.rs")]);
        assert!(!is_called_by_tests(&own[0]));
    }

    #[test]
    fn set_up_is_outside_and_a_thread_of_the_test_has_all_its_frames() {
        let set_up = frames(&[
            ("<perftest::measure::routine::SetupRoutine<I> as Routine>::batch", ""),
            ("perf::input", ""),
        ]);
        assert_eq!(TestFrames::of(&set_up), TestFrames::Outside(&set_up[1..]));
        let worker = frames(&[("std::thread::start", ""), ("pool::work", "")]);
        assert_eq!(TestFrames::of(&worker), TestFrames::OtherThread(&worker));
    }
}
