//! The attributes of `perftest`. Use them through that crate: `perftest::perf_test`.
//!
//! This crate only translates. It parses an attribute and a function and writes the function
//! down again as a test and a registration; it never judges, measures or knows what a test
//! does. What it writes names `perftest::__private` and `core`, and nothing else.
//!
//! * `literal`: `"5%"` and `"500ms"`.
//! * `keys`: the names of all keys, how they are parsed, and what was meant by another one.
//! * `args`: the keys of the attribute.
//! * `settings`: those of them that groups have, too.
//! * `group`: `#[perf_group]`.
//! * `curve`: the points of the key `curve`.
//! * `metrics`: the names behind the key `metrics`.
//! * `item`: the function under the attribute.
//! * `generics`: its generic parameters.
//! * `started_programs`: whether its body starts programs.
//! * `unparsed`: types, expressions and paths as tokens.
//! * `attribute`: the other attributes of that function.
//! * `throughput`: the key for what one call gets through.
//! * `value`: an expression that is left to the compiler.
//! * `cases`: the keys that make one function several tests.
//! * `threads`: the key that runs the routine on several threads at once.
//! * `versus`: the key that names the function to compare with.
//! * `routine`: what is measured of the function, and how it is called.
//! * `ordinary`: the tests that libtest finds.
//! * `tokens`: tokens that several of these write.
//! * `expand`: what all this becomes.
#![forbid(unsafe_code)]

mod args;
mod attribute;
mod cases;
mod curve;
mod expand;
mod generics;
mod group;
mod item;
mod keys;
mod literal;
mod metrics;
mod optimisation;
mod ordinary;
mod routine;
mod settings;
mod started_programs;
mod threads;
mod throughput;
mod tokens;
mod unparsed;
mod value;
mod versus;

use proc_macro::TokenStream;

/// Makes a function a performance test: it runs with `cargo test` and fails when the code has
/// become slower than this machine's own history of the test allows.
///
/// The signature decides what is measured.
///
/// * **No parameter**: the whole body. What it returns is dropped outside the timing.
/// * **`&mut Bencher`**: the body prepares, and hands the part that counts to the bencher.
/// * **Any other parameter**: the whole body, on a value of `args`, one test for each.
/// * **`&mut Bencher` and a value of `args`**: the body prepares, one test for each value.
/// * **`&mut ThreadBencher`** in the place of a `Bencher`, where `threads` is given.
///
/// An `async fn` may be any of them; the key `runtime` gives what blocks on it.
///
/// Each may return a `Result`: an `Err` fails the test and its measurements are discarded.
/// Any other value is only dropped.
///
/// ```ignore
/// use perftest::{Bencher, perf_test};
///
/// #[perf_test]
/// fn parse_small() -> Document {
///     parse(SMALL)
/// }
///
/// #[perf_test(tolerance = "10%", budget = "2s")]
/// fn lookup(b: &mut Bencher) {
///     let map = large_map();
///     b.iter(|| map.get(&42));
/// }
///
/// /// `make_keys(i)` makes the keys of call `i`, outside the timing.
/// #[perf_test]
/// fn insert(b: &mut Bencher) {
///     b.with_inputs(make_keys).iter(|keys| keys.into_iter().collect::<BTreeSet<u64>>());
/// }
/// ```
///
/// As with `#[test]`, the function exists only under `cfg(test)`, so a private function is
/// tested from a `#[cfg(test)]` module beside it. The same function works in a test binary
/// with the usual harness and in one with `harness = false` and `perftest::main!()`. The usual
/// harness has a test for each case that the attribute can see (literals of `args`, `types`,
/// `consts`, `threads`), in a module of the function's name, and else one test that runs all cases.
///
/// # Keys
///
/// All are optional. An unknown key is answered with the one that was probably meant.
///
/// ## What is measured
///
/// * `args`: values, one test for each, as `args = [64, 1024]` or any other expression that can be
///   iterated over. It is evaluated each time the tests are listed: it has to be cheap and to give
///   the same values again. The test is named by its value, `encode::1024`, and has a history of its
///   own. A parameter by reference is lent the value; one by value owns it, and where the whole
///   body is measured each call owns a clone, made outside the timing.
/// * `names`: a closure or function that names the value: `names = |case| case.0`. Without it a value
///   is named as it is displayed, or debugged where it cannot be displayed.
/// * `types`, `consts`: types and constants for the generic parameters of the function, at most one
///   of each kind, as `types = [Vec<u8>, Box<[u8]>], consts = [16, 256]`: one test for each
///   combination, `fill::Vec<u8>::16`.
/// * `threads`: numbers of threads, one test for each, as `threads = [1, 4]`, from 1 to 1024:
///   `push::threads=4`. The routine runs on all of them at once, and the time of an iteration is that
///   of the slowest thread. A parameter that measures is `&mut ThreadBencher`, whose routine has to be
///   `Sync`.
/// * `throughput`: what one call gets through, `bytes(4096)` or `items(1)`. MiB/s or items/s stand beside
///   the time. With `args` a closure or function gets the value: `throughput = bytes(|n| *n)`; a constant
///   stands in braces there, `bytes({SIZE})`.
/// * `runtime`: what blocks on the future of an `async fn`: an expression whose value has a method
///   `block_on`, as `tokio::runtime::Runtime` and its `Handle` have, or the path of a function that
///   takes a future, as `pollster::block_on`, `smol::block_on` and `futures::executor::block_on`. It
///   is evaluated once for each test or case, and once more for the function of `versus`. A value is
///   made once; a function is called for each batch, so what it makes itself ends with the batch.
///   Batches are blocked on, not calls: what blocking costs is not measured.
/// * `versus`: the path of a function with the same parameters. The test is compared with it and not
///   with its history, both by turns in one process: it fails where it is slower than that function by
///   more than `tolerance`.
///
/// ## What it is judged by
///
/// * `tolerance`: the smallest degradation that matters, 5% without the key. A percentage such as
///   `"10%"`, above 0 and at most 900, or a constant `f64` expression: a share, `0.1`, or a ratio, `1.1`.
/// * `budget`: the time the test may take to reach a verdict, 3 s without the key. Text such as
///   `"500ms"`, `"2s"`, `"1m"` or `"1h"`, or a constant `Duration` expression.
/// * `limit`: the time of one iteration that is never exceeded, whatever is in the history: written
///   like a budget. What exceeds it in this process and in each of three fresh ones fails; no
///   history is needed, and no acceptance lifts it.
/// * `metrics`: what is judged, each by a history of its own: `[wall, cpu, allocs = "1%"]`. A metric
///   without a tolerance there has that of the test. Wall time is always judged and stands first; `cpu`
///   and `thread_cpu` are processor time of the process and of the measuring thread, `faults` its page
///   faults, `switches` its context switches. `allocs`, `alloc_bytes` and `alloc_peak` need
///   `perftest::CountingAllocator` in the test binary. `user`, `system` and `peak_rss` exist for
///   `b.command(..)`. `instructions`, `cycles`, `branch_misses` and `cache_misses` are those of the
///   processor's counters, where they can be read; otherwise instructions are counted under valgrind, if
///   `PERFTEST_INSTRUCTIONS=valgrind` asks for it. Without the key wall time alone judges and the others
///   explain it, the processor's counters among them unless a call takes more than a tenth of the budget.
/// * `formerly`: the name the test had, as `cargo perftest history` prints it. The runs of that name are
///   read as this test's. Where the function stands for several tests it is the function's former
///   name, without the part that names the case.
///
/// ## What fails
///
/// * `on_red`: `"fail"`, as without the key, or `"report"`: the verdict is printed and the test passes,
///   whatever the keys below say.
/// * `on_improved`: `"pass"`, as without the key, or `"fail"`: an improvement beyond doubt fails until the
///   better level is accepted, with the command that the failure names. What is accepted cannot be lost
///   again unnoticed.
/// * `on_unclear`: `"pass"` with a note, as without the key, or `"fail"`, where the budget ends before a
///   verdict.
/// * `on_unjudged`: `"pass"`, `"fail"`, or `"fail-in-ci"`, as without the key, where the test cannot be
///   judged or recorded for a reason outside of its code, such as a full disk.
///
/// ## What few tests need
///
/// * `expert`: further settings in parentheses, `expert(max_measurements = 30, disk_probe)`:
///   * `timeout`: the longest time in which the body may end no batch, written like a budget; ten
///     budgets and at least a minute without it. A test that takes longer hangs: the process prints its
///     name and fails.
///   * `max_measurements`: most measurements in the first process, from 3 to 10000.
///   * `on_debug`: what a build without optimisation does: `"smoke"` runs the body once, as without the
///     key, `"measure"` measures, `"fail"` fails.
///   * `learn`: how a test without a baseline gets one. `"at-once"`, as without the key: the first run
///     measures a short body in several fresh processes, and the second run has a verdict.
///     `"one-per-run"`: each run counts as one, and the sixth has a verdict.
///   * `curve`: the degradation a red needs after so many measurements, point by point:
///     `[(2, 4.0), (9, 2.0), (30, 1.1)]`. Before the first point there is no red at all; from point
///     to point the ratio last reached holds, after the last point the last. Measurements rise, from
///     1 to 10,000, and ratios fall, the last of them not below 1 + tolerance. The test is measured
///     as often as the last point needs, as far as `budget` allows. Without the key the curve follows
///     the noise of the history, which is what most tests want; so does that of what is counted, and of a
///     metric with a tolerance of its own.
///   * `disk_probe`: the time to write and sync 4 KiB is measured beside the batches. For tests whose
///     time depends on the disk: where the history shows that it follows the probe, the disk's ups
///     and downs are taken out of it.
/// * `crate`: the path of `perftest` where it has another name, `crate = my_perftest`.
///
/// # Other attributes
///
/// `#[ignore]`, `#[cfg]`, `#[cfg_attr]`, lint levels and documentation mean what they mean on
/// a `#[test]`. Write them below `#[perf_test]` or above it.
///
/// # Errors
///
/// A compile error at the cause for an unknown or repeated key, a value that cannot be, a
/// signature that cannot be measured (`async` without `runtime` or the reverse, `unsafe`, `const`,
/// `extern`, a `self`), a parameter
/// that no key gives anything, a key whose values the function does not take, keys that exclude each other, an
/// empty list and one with two cases of one name, and for `#[test]`, `#[bench]` or `#[should_panic]`
/// below the attribute.
#[proc_macro_attribute]
pub fn perf_test(args: TokenStream, item: TokenStream) -> TokenStream {
    translate(syn::parse(args), syn::parse(item), expand::expand)
}

/// Sets defaults for all perf tests in a module and in the modules inside it.
///
/// ```ignore
/// use perftest::{perf_group, perf_test};
///
/// #[perf_group(budget = "10s", tolerance = "25%")]
/// mod database {
///     #[perf_test]
///     fn scan() {}
///
///     #[perf_test(tolerance = "5%")]
///     fn lookup() {}
/// }
/// ```
///
/// The keys are those of [`macro@perf_test`] that can hold for several tests: `tolerance`, `budget`, `limit`,
/// `on_red`, `on_improved`, `on_unclear`, `on_unjudged`, `expert(..)` with `timeout`, `max_measurements`,
/// `on_debug` and `learn`, and `crate`. Constants and paths are resolved where the attribute stands. What a test
/// sets itself is stronger, then what the innermost group sets; a group is stronger than `perftest.toml`.
///
/// # Errors
///
/// A compile error at the cause for no key, an unknown or repeated one, a value that cannot be, a
/// function, and a module without its body (`mod name;`).
#[proc_macro_attribute]
pub fn perf_group(args: TokenStream, module: TokenStream) -> TokenStream {
    translate(syn::parse(args), syn::parse(module), |args, module| Ok(group::expand(args, module)))
}

/// What the two become, or all errors in them.
fn translate<A, I>(
    args: syn::Result<A>,
    item: syn::Result<I>,
    expand: impl FnOnce(A, I) -> syn::Result<proc_macro2::TokenStream>,
) -> TokenStream {
    let expansion = match (args, item) {
        (Ok(args), Ok(item)) => expand(args, item),
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
        (Err(mut first), Err(second)) => {
            first.combine(second);
            Err(first)
        }
    };
    expansion.unwrap_or_else(syn::Error::into_compile_error).into()
}
