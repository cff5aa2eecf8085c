//! The functions that explain most of the difference of two profiles.

use super::frame_name::crate_of_trait;
use super::{
    FunctionChange, ProfileUnion, TimeChange, UnionSide, Weights, crate_name, culprit_threshold,
};
use perftest_core::words::quantity;
use std::ops::Range;

/// Most functions of a cause.
const MOST_FUNCTIONS: usize = 3;
/// A function whose change is a smaller part of the largest one is not worth a word.
const WORTH_A_WORD: f64 = 0.25;
/// Beyond this the time of an iteration changed.
const CHANGED: f64 = 2.0;
/// A thread that waits for at least this share of its time has nothing to do.
const IDLE: f64 = 0.98;
/// The thread of the test. What an iteration waits for is a part of its time.
const THREAD_OF_TEST: &str = "main";
/// The crates of the standard library. `hashbrown` has its hash tables, `__rustc` calls the allocator.
const STANDARD_LIBRARY: [&str; 5] = ["core", "alloc", "std", "hashbrown", "__rustc"];

/// What changed between two profiles beyond chance, in a sentence.
#[derive(Debug, Clone)]
pub struct DifferenceCause {
    /// The largest change first. Time in a system call or in the standard library is that of the function that
    /// called it.
    pub functions: Vec<FunctionChange>,
    /// The time of an iteration, where both profiles have it.
    whole: Option<TimeChange>,
}

impl DifferenceCause {
    /// Finds the functions whose own time grew, or shrank if the whole did.
    pub fn of(union: &ProfileUnion) -> Self {
        let union = &with_callers(&without_idle_threads(union));
        let threshold = culprit_threshold(union);
        let whole = union.time_change([union.sides()[0].total(), union.sides()[1].total()]);
        // Shares do not know: when one grows, the others shrink. They are asked after a slowdown.
        let has_shrunk = whole.is_some_and(|whole| whole.z < -CHANGED);
        let sign = if has_shrunk { -1.0 } else { 1.0 };
        let change = |function: &FunctionChange| match function.own_time {
            Some(time) => [sign * time.change.estimate, sign * time.z],
            None => [sign * function.own.change.estimate, sign * function.own.z],
        };
        let mut functions = FunctionChange::all(union);
        functions.retain(|function| change(function)[1] >= threshold && has_name(&function.name));
        functions.sort_by(|one, other| change(other)[0].total_cmp(&change(one)[0]));
        let largest = functions.first().map_or(0.0, |function| change(function)[0]);
        functions.retain(|function| change(function)[0] >= WORTH_A_WORD * largest);
        functions.truncate(MOST_FUNCTIONS);
        Self { functions, whole }
    }

    /// How much of the difference a function explains.
    fn part_of_whole(&self, function: &FunctionChange) -> &'static str {
        let parts = self.whole.zip(function.own_time);
        match parts.map(|(whole, own)| own.change.estimate / whole.change.estimate) {
            Some(part) if part < 0.5 => "partly in",
            Some(_) | None => "mostly in",
        }
    }

    /// Formats ``mostly in `parse::unescape`: 12.0% -> 31.0% of the time``.
    pub fn sentence(&self) -> String {
        let Some((first, others)) = self.functions.split_first() else {
            return "no function's own time changed beyond chance: more samples show smaller changes"
                .to_owned();
        };
        let of_whole = self.whole.map_or_else(String::new, |whole| {
            format!(" of {} per iteration", signed(whole.change.estimate))
        });
        let first = format!("{} {}{of_whole}", self.part_of_whole(first), described(first));
        let others = others.iter().map(|function| format!("; then in {}", described(function)));
        std::iter::once(first).chain(others).collect()
    }
}

fn described(function: &FunctionChange) -> String {
    let FunctionChange { name, own, own_time, .. } = function;
    let [base, new] = [own.base, own.new].map(|share| 100.0 * share.estimate);
    let by = match own_time {
        Some(TimeChange { change, .. }) => format!(
            "{} ({} to {})",
            signed(change.estimate),
            signed(change.lower),
            signed(change.upper)
        ),
        None => {
            format!("{:+.1} to {:+.1} points", 100.0 * own.change.lower, 100.0 * own.change.upper)
        }
    };
    format!("`{name}`: {base:.1}% -> {new:.1}% of the time, {by}")
}

fn signed(ns: f64) -> String {
    format!("{}{}", if ns < 0.0 { "-" } else { "+" }, quantity(ns.abs(), "ns"))
}

/// The same union without the time of threads that only wait: it grows as much as the test slows, whatever the cause.
/// Where all threads wait, that is what the test does.
fn without_idle_threads(union: &ProfileUnion) -> ProfileUnion {
    let tree = union.tree();
    let threads = (1..tree.frames().len()).filter(|frame| tree.frames()[*frame].depth == 1);
    let is_idle = |frames: &Range<usize>| {
        union.sides().iter().all(|side| waits_only(union, side, frames.clone()))
    };
    let (idle, busy): (Vec<_>, Vec<_>) =
        threads.map(|thread| thread..tree.end(thread)).partition(is_idle);
    if busy.is_empty() {
        return union.clone();
    }
    let without_idle = |weights: &Weights| {
        let mut own = weights.own.clone();
        for frames in idle.iter().filter(|frames| tree.name(frames.start) != THREAD_OF_TEST) {
            own[frames.clone()].fill(0);
        }
        Weights::new(tree.frames(), own)
    };
    union.with_weights(without_idle)
}

/// Whether the thread with these frames waits for nearly all of its time.
fn waits_only(union: &ProfileUnion, side: &UnionSide, frames: Range<usize>) -> bool {
    let all = side.weights.total[frames.start];
    let waits = frames.filter(|frame| union.tree().name(*frame) == "[waiting]");
    let waiting: u64 = waits.map(|frame| side.weights.own[frame]).sum();
    waiting as f64 >= IDLE * all as f64
}

/// The same union, with the own time of what nobody wrote for this program in the function that called it.
fn with_callers(union: &ProfileUnion) -> ProfileUnion {
    let tree = union.tree();
    let moved = |weights: &Weights| {
        let mut own = weights.own.clone();
        // Callees are behind their callers.
        for frame in (1..own.len()).rev() {
            let caller = tree.frames()[frame].parent as usize;
            // The outermost frame is a thread.
            if is_of_the_system(tree.name(frame)) && tree.frames()[caller].depth > 1 {
                let time = std::mem::take(&mut own[frame]);
                own[caller] += time;
            }
        }
        Weights::new(tree.frames(), own)
    };
    union.with_weights(moved)
}

/// Whether this is `[waiting]` and the like, or a function of the standard library. What another crate implements for
/// a type of the library is not the library's.
fn is_of_the_system(name: &str) -> bool {
    let is_standard = |of: &str| STANDARD_LIBRARY.contains(&of);
    name.starts_with('[')
        || crate_name(name).is_some_and(is_standard) && crate_of_trait(name).is_none_or(is_standard)
}

/// Whether this is a name, and no address of a stripped program.
fn has_name(function: &str) -> bool {
    !function.contains("+0x")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{IterationTime, Profile, ProfileBuilder};

    fn profile(stacks: &[(&str, u64)], iteration_ns: Option<f64>) -> Profile {
        let mut profile = ProfileBuilder::default();
        for (stack, samples) in stacks {
            assert!(profile.add(stack.split(';'), samples * 1_000_000, *samples));
        }
        let sampled_ns = stacks.iter().map(|(_, samples)| *samples as f64 * 1e6).sum();
        profile.set_iteration(iteration_ns.map(|ns| IterationTime {
            ns,
            error_ns: ns / 1e3,
            sampled_ns,
        }));
        profile.finish()
    }

    fn sentence(base: &Profile, new: &Profile) -> String {
        DifferenceCause::of(&ProfileUnion::of(base, new)).sentence()
    }

    #[test]
    fn the_function_that_grew_is_named_with_its_shares_and_its_time() {
        let base = profile(&[("main;parse", 500), ("main;parse;unescape", 500)], Some(1e6));
        let new = profile(&[("main;parse", 500), ("main;parse;unescape", 1_500)], Some(2e6));
        let expected = "mostly in `unescape`: 50.0% -> 75.0% of the time, +1.000 ms (";
        assert!(sentence(&base, &new).starts_with(expected), "{}", sentence(&base, &new));
        assert!(sentence(&base, &new).ends_with(") of +1.000 ms per iteration"));
    }

    #[test]
    fn a_function_that_explains_less_than_half_of_the_difference_is_a_part_of_it() {
        let all = |samples| {
            let stacks = ["main;a", "main;b", "main;c", "main;d"].map(|stack| (stack, samples));
            profile(&stacks, Some(2e3 * samples as f64))
        };
        let found = sentence(&all(500), &all(1_000));
        assert!(found.starts_with("partly in `"), "{found}");
    }

    #[test]
    fn of_a_faster_program_the_function_that_shrank_is_named() {
        let base = profile(&[("main;parse", 500), ("main;unescape", 1_500)], Some(2e6));
        let new = profile(&[("main;parse", 500), ("main;unescape", 500)], Some(1e6));
        let found = sentence(&base, &new);
        assert!(found.starts_with("mostly in `unescape`: 75.0% -> 50.0% of the time, -1.000 ms"));
        // Their shares alone would blame the other one.
        let [base, new] = [&base, &new].map(|it| {
            let stacks: Vec<u64> = it.weights().own.iter().map(|own| own / 1_000_000).collect();
            profile(&[("main;parse", stacks[2]), ("main;unescape", stacks[3])], None)
        });
        assert!(sentence(&base, &new).starts_with("mostly in `parse`: 25.0% -> 50.0%"));
    }

    /// Eight threads of a pool without work beside these stacks.
    fn beside_an_idle_pool(stacks: &[(&str, u64)], iteration_ns: f64) -> Profile {
        let idle: Vec<String> = (1..9).map(|it| format!("w{it};pool::sleep;[waiting]")).collect();
        let idle = idle.iter().map(|stack| (stack.as_str(), 500));
        profile(&stacks.iter().copied().chain(idle).collect::<Vec<_>>(), Some(iteration_ns))
    }

    #[test]
    fn idle_threads_are_no_cause() {
        let base = beside_an_idle_pool(&[("main;parse", 500)], 1e6);
        let new = beside_an_idle_pool(&[("main;parse", 500)], 2e6);
        let found = sentence(&base, &new);
        assert!(found.starts_with("mostly in `parse`: 100.0% -> 100.0% of the time"), "{found}");
        assert!(!found.contains("pool"), "{found}");
        // Their samples make what is left no more certain.
        let alone =
            |iteration_ns| profile(&[("main;parse", 400), ("main;b", 100)], Some(iteration_ns));
        let beside = |ns| beside_an_idle_pool(&[("main;parse", 400), ("main;b", 100)], 9.0 * ns);
        assert_eq!(sentence(&beside(1e6), &beside(2e6)), sentence(&alone(1e6), &alone(2e6)));
    }

    #[test]
    fn waiting_is_a_cause_where_the_test_waits() {
        let idle =
            [("main;join;[waiting]", 500), ("w1;lock;[waiting]", 500), ("w2;lock;[waiting]", 500)];
        let found = sentence(&profile(&idle, Some(1e6)), &profile(&idle, Some(2e6)));
        assert!(found.starts_with("mostly in `lock`"), "{found}");
        let stacks = [("main;fetch;[waiting]", 500), ("timer;tick", 100), ("timer;[waiting]", 400)];
        let [base, new] = [1e6, 2e6].map(|ns| beside_an_idle_pool(&stacks, ns));
        let found = sentence(&base, &new);
        assert!(found.starts_with("mostly in `fetch`") && !found.contains("pool"), "{found}");
    }

    #[test]
    fn waiting_is_the_time_of_the_function_that_waits() {
        let base = profile(&[("main;parse", 900), ("main;lock;[waiting]", 100)], None);
        let new = profile(&[("main;parse", 500), ("main;lock;[waiting]", 500)], None);
        let expected = "mostly in `lock`: 10.0% -> 50.0% of the time, +36.3 to +43.5 points";
        assert_eq!(sentence(&base, &new), expected);
    }

    #[test]
    fn time_in_the_standard_library_is_that_of_the_function_that_calls_it() {
        let fold = "main;parse;words::extra;core::iter::traits::iterator::Iterator::fold";
        let rotate = format!("{fold};core::intrinsics::rotate_left");
        let clone = "main;parse;<alloc::vec::Vec<T> as core::clone::Clone>::clone";
        let base = profile(&[("main;parse", 500), (fold, 200), (clone, 200)], None);
        let new = profile(&[("main;parse", 500), (&rotate, 600), (fold, 200), (clone, 200)], None);
        let found = sentence(&base, &new);
        assert!(
            found.starts_with("mostly in `words::extra`: 22.2% -> 53.3% of the time"),
            "{found}"
        );
        // The one who calls it is the thread.
        let base = profile(&[("main;parse", 500), ("main;core::hash::sip", 100)], None);
        let new = profile(&[("main;parse", 500), ("main;core::hash::sip", 900)], None);
        assert!(sentence(&base, &new).starts_with("mostly in `core::hash::sip`"));
    }

    #[test]
    fn what_a_crate_implements_for_a_type_of_the_library_is_its_own() {
        for (name, is_standard) in [
            ("<alloc::vec::Vec<T> as core::clone::Clone>::clone", true),
            (
                "<alloc::vec::Vec<<T as core::iter::Iterator>::Item> as codec::Encode>::encode",
                false,
            ),
            ("<alloc::boxed::Box<dyn Fn() -> u8> as codec::Encode<T>>::encode", false),
            ("alloc::vec::Vec<T>::push", true),
            ("<T as codec::Encode>::encode", false),
            ("__rustc::__rust_alloc", true),
            ("[waiting]", true),
        ] {
            assert_eq!(is_of_the_system(name), is_standard, "{name}");
        }
    }

    #[test]
    fn chance_and_addresses_are_no_cause() {
        let base = profile(&[("main;a", 500), ("main;b", 500)], None);
        let new = profile(&[("main;a", 510), ("main;b", 490)], None);
        let none = "no function's own time changed beyond chance";
        assert!(sentence(&base, &new).starts_with(none));
        let stripped = profile(&[("main;perf+0x12", 900), ("main;b", 100)], None);
        assert!(!sentence(&base, &stripped).contains("+0x"));
    }
}
