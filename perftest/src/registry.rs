//! The perf tests of this binary.

use crate::cases::Job;
use crate::measure::Failure;
use crate::perf_test::PerfTest;
use crate::settings::Layer;
use once_cell::sync::OnceCell;
use perftest_core::model::{BenchmarkId, TargetKind, Tolerance};
use std::time::Duration;

/// One function as the attribute registers it.
#[doc(hidden)]
pub struct Descriptor {
    /// Package it belongs to.
    pub package: &'static str,
    /// Directory of the package when it was built.
    pub manifest_dir: &'static str,
    /// Module, beginning with the crate.
    pub module_path: &'static str,
    /// Function.
    pub name: &'static str,
    /// Source file.
    pub file: &'static str,
    /// Line of the function.
    pub line: u32,
    /// Ignored, with the reason (which may be empty).
    pub ignore: Option<&'static str>,
    /// What its attribute sets.
    pub settings: Layer,
    /// The degradation a red needs after so many measurements, as points of its own.
    pub curve: Option<&'static [(u32, f64)]>,
    /// Names of the further built-in metrics that are judged.
    pub metrics: &'static [&'static str],
    /// Those of them with a tolerance of their own, and its share.
    pub metric_tolerances: &'static [(&'static str, f64)],
    /// Whether the disk is probed beside its batches.
    pub disk_probe: bool,
    /// Identity it had before it was renamed.
    pub formerly: Option<&'static str>,
    /// The kind of target it was compiled for, as far as the compiler knows.
    pub target: TargetKind,
    /// How the user's crate was built.
    pub build: Build,
    /// What it is measured with: the combinations of its types and constants, or one without any.
    pub instances: &'static [Instance],
}

/// How a crate was built, as far as it changes how fast its code is.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Build {
    /// At any level but 0.
    pub optimised: bool,
    /// Whether `debug_assert!` and the checks for overflow are in it.
    pub debug_assertions: bool,
}

/// A registered function with its generic parameters given.
#[doc(hidden)]
pub struct Instance {
    /// `Vec<u8>::16`; empty without generic parameters.
    pub label: &'static str,
    /// The ordinary tests that run its cases, below the module: one each, or one for all.
    pub tests: &'static [&'static str],
    /// On how many threads at once its routine runs: 1, unless `threads` says otherwise.
    pub threads: u16,
    /// Tells its cases, or runs the body of one of them once; the bencher measures.
    pub body: fn(Job<'_, '_>) -> Result<(), Failure>,
    /// The function that it is compared with, in the place of its history.
    pub rival: Option<Rival>,
}

/// A function that a test is compared with.
#[doc(hidden)]
pub struct Rival {
    /// As the author writes it.
    pub name: &'static str,
    /// The same as the body of the instance, of this function.
    pub body: fn(Job<'_, '_>) -> Result<(), Failure>,
}

inventory::collect!(Descriptor);

/// Says that this executable is a bench target, which the compiler does not know.
#[doc(hidden)]
pub struct BenchTarget;

inventory::collect!(BenchTarget);

/// The kind of target that is compiled, by what cargo tells the compiler: `CARGO_BIN_NAME` for a
/// binary, `CARGO_TARGET_TMPDIR` for test and bench targets.
#[doc(hidden)]
pub const fn target_kind(binary: Option<&str>, directory: Option<&str>) -> TargetKind {
    match (binary, directory) {
        (Some(_), _) => TargetKind::Binary,
        (None, Some(_)) => TargetKind::Test,
        (None, None) => TargetKind::Library,
    }
}

/// A module with settings for the perf tests in it, as `#[perf_group]` registers it.
#[doc(hidden)]
pub struct Group {
    /// Module, beginning with the crate.
    pub module_path: &'static str,
    /// Source file.
    pub file: &'static str,
    /// Line of the module.
    pub line: u32,
    /// What its attribute sets.
    pub settings: Layer,
}

inventory::collect!(Group);

impl Group {
    /// `src/sort.rs:12`
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    fn is_around(&self, module_path: &str) -> bool {
        let below = module_path.strip_prefix(self.module_path);
        below.is_some_and(|below| below.is_empty() || below.starts_with("::"))
    }
}

/// The groups that a module is in, the innermost first.
pub(crate) fn groups_around(module_path: &str) -> impl Iterator<Item = &'static Group> {
    let all = inventory::iter::<Group>.into_iter();
    let mut groups = Vec::<&Group>::new();
    for group in all.filter(|group| group.is_around(module_path)) {
        let is_inside = |it: &&Group| it.module_path.len() >= group.module_path.len();
        groups.insert(groups.partition_point(is_inside), group);
    }
    groups.into_iter()
}

/// Checks a tolerance when the test is compiled: below 1 it is a share, above 1 a ratio.
///
/// # Panics
/// At compile time, when it is not a share above 0 and at most 9, or the ratio that means the same.
#[doc(hidden)]
pub const fn tolerance(number: f64) -> f64 {
    let share = if number > 1.0 { number - 1.0 } else { number };
    assert!(
        number != 1.0 && share > 0.0 && share <= Tolerance::LARGEST_SHARE,
        "a tolerance is a share or a ratio: 0.05, 1.05 and \"5%\" are five percent, and at most \
         900% are tolerated"
    );
    share
}

/// Checks a budget when the test is compiled.
///
/// # Panics
/// At compile time, when it is zero or longer than can be told in nanoseconds.
#[doc(hidden)]
pub const fn budget(time: Duration) -> Duration {
    assert!(is_time(time), "`budget` takes a time above zero, and at most 500 years");
    time
}

/// Checks a time-out when the test is compiled.
///
/// # Panics
/// As [`budget`].
#[doc(hidden)]
pub const fn timeout(time: Duration) -> Duration {
    assert!(is_time(time), "`timeout` takes a time above zero, and at most 500 years");
    time
}

/// Checks a limit when the test is compiled.
///
/// # Panics
/// As [`budget`].
#[doc(hidden)]
pub const fn limit(time: Duration) -> Duration {
    assert!(is_time(time), "`limit` takes a time above zero, and at most 500 years");
    time
}

const fn is_time(time: Duration) -> bool {
    !time.is_zero() && time.as_nanos() <= u64::MAX as u128
}

/// Checks the end of a curve against the tolerance when the test is compiled. The attribute has
/// checked the points against each other.
///
/// # Panics
/// At compile time, when the last ratio is below 1 + tolerance.
#[doc(hidden)]
pub const fn curve(points: &'static [(u32, f64)], tolerance: Option<f64>) -> &'static [(u32, f64)] {
    let tolerance = match tolerance {
        Some(share) => share,
        None => Tolerance::DEFAULT_SHARE,
    };
    let (_, last) = points[points.len() - 1];
    // 1.003 is one rounding below 1 + 0.003.
    assert!(
        last + 1e-9 >= 1.0 + tolerance,
        "the last ratio of a curve is at least 1 + tolerance: what is tolerated is never red"
    );
    points
}

impl Descriptor {
    /// The kind of target that its executable is.
    pub(crate) fn kind(&self) -> TargetKind {
        match inventory::iter::<BenchTarget>.into_iter().next() {
            Some(BenchTarget) => TargetKind::Bench,
            None => self.target,
        }
    }

    /// A name of its module, as libtest lists it: without the crate.
    pub(crate) fn below_the_crate(&self, name: &str) -> String {
        match self.module_path.split_once("::") {
            Some((_, modules)) => format!("{modules}::{name}"),
            None => name.to_owned(),
        }
    }
}

/// All perf tests linked into this binary: functions by name, cases as their author wrote them.
///
/// # Errors
/// A message when two have the same identity, or were the same test formerly: they would share one
/// history.
pub(crate) fn perf_tests() -> Result<&'static [PerfTest], String> {
    static TESTS: OnceCell<Vec<PerfTest>> = OnceCell::new();
    let find = || {
        let mut functions: Vec<&Descriptor> = inventory::iter::<Descriptor>.into_iter().collect();
        functions
            .sort_unstable_by_key(|it| (it.below_the_crate(it.name), it.package, it.module_path));
        let tests: Vec<PerfTest> = functions.into_iter().flat_map(PerfTest::all_of).collect();
        refuse_duplicates(&tests)?;
        refuse_shared_pasts(&tests)?;
        Ok(tests)
    };
    TESTS.get_or_try_init(find).map(Vec::as_slice)
}

fn refuse_duplicates(tests: &[PerfTest]) -> Result<(), String> {
    let mut names: Vec<String> = tests.iter().map(PerfTest::listed_name).collect();
    names.sort_unstable();
    let clash = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| &pair[0]);
    clash.map_or(Ok(()), |name| {
        let named = tests.iter().filter(|it| it.listed_name() == *name);
        let places: Vec<String> = named.take(2).map(|it| it.place()).collect();
        Err(format!(
            "two perf tests are named `{name}` ({}); they would share one history: rename one of \
             them",
            places.join(" and ")
        ))
    })
}

/// A history has one heir, and none while its test is still there.
fn refuse_shared_pasts(tests: &[PerfTest]) -> Result<(), String> {
    let mut names: Vec<(BenchmarkId, &PerfTest)> =
        tests.iter().map(|test| (test.benchmark(), test)).collect();
    for test in tests {
        let Some(former) = test.former_benchmark() else {
            continue;
        };
        if let Some((_, other)) = names.iter().find(|(name, _)| *name == former) {
            return Err(format!(
                "the history of `{former}` is claimed by `{}` ({}) with `formerly`, and it is that of \
                 `{}` ({}) too: only one test can go on with it",
                test.listed_name(),
                test.place(),
                other.listed_name(),
                other.place()
            ));
        }
        names.push((former, test));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf_test::tests::descriptor;

    fn tests<const N: usize>(functions: [Descriptor; N]) -> Vec<PerfTest> {
        let leaked = functions.map(|it| &*Box::leak(Box::new(it)));
        leaked.into_iter().flat_map(PerfTest::all_of).collect()
    }

    #[test]
    fn a_history_has_one_heir() {
        let heir = |name, line| Descriptor {
            line,
            formerly: Some("codec::perf::old"),
            ..descriptor("perf", name)
        };
        assert_eq!(refuse_shared_pasts(&tests([heir("a", 3)])), Ok(()));
        let message = refuse_shared_pasts(&tests([heir("a", 3), heir("b", 9)])).unwrap_err();
        assert!(message.contains("perf.rs:3") && message.contains("perf.rs:9"), "{message}");
        let still_there = tests([heir("a", 3), descriptor("perf", "old")]);
        assert!(refuse_shared_pasts(&still_there).is_err(), "the test itself is still there");
    }

    #[test]
    fn a_group_is_around_its_module_and_those_inside() {
        let group = Group { module_path: "perf::db", file: "", line: 1, settings: Layer::SILENT };
        for (module_path, inside) in
            [("perf::db", true), ("perf::db::scan", true), ("perf::dbx", false), ("perf", false)]
        {
            assert_eq!(group.is_around(module_path), inside, "{module_path}");
        }
    }

    #[test]
    fn two_tests_of_one_name_are_refused_with_both_places() {
        let both = |first, second| refuse_duplicates(&tests([first, second]));
        let encode = |line| Descriptor { line, ..descriptor("perf", "encode") };
        let message = both(encode(3), encode(9)).unwrap_err();
        assert!(message.contains("perf.rs:3") && message.contains("perf.rs:9"), "{message}");
        assert_eq!(both(encode(3), descriptor("perf::frame", "encode")), Ok(()));
    }
}
