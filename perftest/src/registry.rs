//! The registrations of the attributes in this binary.

use crate::cases::Job;
use crate::measure::Failure;
use crate::settings::Layer;
use perftest_core::model::{TargetKind, Tolerance};
use perftest_core::text::Text;
use std::fmt;
use std::time::Duration;

/// One function with its attribute's settings.
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
    /// Where the function is.
    pub place: Place,
    /// The reason if it is ignored, which may be empty.
    pub ignore: Option<&'static str>,
    /// The settings of its attribute.
    pub settings: Layer,
    /// The author's curve: points with the degradation that a red needs after this many
    /// measurements.
    pub curve: Option<&'static [(u32, f64)]>,
    /// Names of the further built-in metrics with a verdict.
    pub metrics: &'static [&'static str],
    /// Those of them with their own tolerance, as a share.
    pub metric_tolerances: &'static [(&'static str, f64)],
    /// Whether the disk is probed beside its batches.
    pub disk_probe: bool,
    /// The former identity, if it was renamed.
    pub formerly: Option<&'static str>,
    /// The paths of the package's own programs, if its body starts programs.
    pub programs: Option<&'static [&'static str]>,
    /// The directories of the package's own programs that are not in the directory of the build.
    pub program_directories: &'static [&'static str],
    /// The kind of target, as far as the compiler knows it.
    pub target: TargetKind,
    /// How the user's crate was built.
    pub build: Build,
    /// Its instances: the combinations of its types and constants, or one without any.
    pub instances: &'static [Instance],
}

/// A line of a source file, with the fields of [`core::panic::Location`] in the memory: the hash of the machine code
/// leaves out the lines of both, so that a comment is no change.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Place {
    /// The path of the file, as the compiler knows it.
    pub file: &'static str,
    /// Its line, from 1.
    pub line: u32,
    column: u32,
}

impl Place {
    /// Returns the place of this line.
    pub const fn new(file: &'static str, line: u32) -> Self {
        Self { file, line, column: 1 }
    }
}

/// As `src/sort.rs:12`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The settings of a crate's build that change the speed of its code.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Build {
    /// Any level but 0.
    pub optimised: bool,
    /// Whether `debug_assert!` and the checks for overflow are in it.
    pub debug_assertions: bool,
}

/// A registered function with its generic arguments.
#[doc(hidden)]
pub struct Instance {
    /// `Vec<u8>::16`; empty without generic parameters.
    pub label: &'static str,
    /// The ordinary tests that run its cases, below the module: one each, or one for all.
    pub tests: &'static [&'static str],
    /// Number of threads that run its routine: 1 without `threads`.
    pub threads: u16,
    /// Lists its cases, or runs the body of one of them once; the bencher measures.
    pub body: fn(Job<'_, '_>) -> Result<(), Failure>,
    /// The function to compare with instead of a history.
    pub rival: Option<Rival>,
}

/// A function to compare with.
#[doc(hidden)]
pub struct Rival {
    /// The name as the author writes it.
    pub name: &'static str,
    /// The body of the instance with this function.
    pub body: fn(Job<'_, '_>) -> Result<(), Failure>,
}

inventory::collect!(Descriptor);

/// Marks this executable as a bench target, which the compiler does not know.
#[doc(hidden)]
pub struct BenchTarget;

inventory::collect!(BenchTarget);

/// Returns the kind of the compiled target, from cargo's variables for the compiler:
/// `CARGO_BIN_NAME` for a binary, `CARGO_TARGET_TMPDIR` for test and bench targets.
#[doc(hidden)]
pub const fn target_kind(binary: Option<&str>, directory: Option<&str>) -> TargetKind {
    match (binary, directory) {
        (Some(_), _) => TargetKind::Binary,
        (None, Some(_)) => TargetKind::Test,
        (None, None) => TargetKind::Library,
    }
}

/// A module with settings for its perf tests, registered by `#[perf_group]`.
#[doc(hidden)]
pub struct Group {
    /// Module, beginning with the crate.
    pub module_path: &'static str,
    /// Where the module is.
    pub place: Place,
    /// The settings of its attribute.
    pub settings: Layer,
}

inventory::collect!(Group);

impl Group {
    fn is_around(&self, module_path: &str) -> bool {
        let mut modules = modules_of(module_path);
        modules_of(self.module_path).all(|module| modules.next() == Some(module))
    }
}

/// The names of the modules in a path. The compiler leaves out a needless `r#`, and an attribute does not know which is.
fn modules_of(module_path: &str) -> impl Iterator<Item = &str> {
    module_path.parts("::").map(|module| module.trim_start_matches("r#"))
}

/// Returns the groups around a module, the innermost first.
pub(crate) fn groups_around(module_path: &str) -> impl Iterator<Item = &'static Group> {
    let all = inventory::iter::<Group>.into_iter();
    let mut groups = Vec::<&Group>::new();
    for group in all.filter(|group| group.is_around(module_path)) {
        let is_inside = |it: &&Group| it.module_path.len() >= group.module_path.len();
        groups.insert(groups.partition_point(is_inside), group);
    }
    groups.into_iter()
}

/// Checks a tolerance at compile time: below 1 it is a share, above 1 a ratio.
///
/// # Panics
/// At compile time, unless it is a share above 0 and at most 9, or an equivalent ratio.
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

/// Checks a budget at compile time.
///
/// # Panics
/// At compile time, when it is zero or too long for nanoseconds in 64 bits.
#[doc(hidden)]
pub const fn budget(time: Duration) -> Duration {
    assert!(is_time(time), "`budget` takes a time above zero, and at most 500 years");
    time
}

/// Checks a time-out at compile time.
///
/// # Panics
/// As [`budget`].
#[doc(hidden)]
pub const fn timeout(time: Duration) -> Duration {
    assert!(is_time(time), "`timeout` takes a time above zero, and at most 500 years");
    time
}

/// Checks a limit at compile time.
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

/// Checks the end of a curve against the tolerance at compile time. The attribute has checked the
/// points against each other.
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
    // 1.003 is one rounding error below 1 + 0.003.
    assert!(
        last + 1e-9 >= 1.0 + tolerance,
        "the last ratio of a curve is at least 1 + tolerance: what is tolerated is never red"
    );
    points
}

impl Descriptor {
    /// The kind of its executable's target.
    pub(crate) fn kind(&self) -> TargetKind {
        match inventory::iter::<BenchTarget>.into_iter().next() {
            Some(BenchTarget) => TargetKind::Bench,
            None => self.target,
        }
    }

    /// Returns a name in its module as libtest lists it: without the crate.
    pub(crate) fn below_the_crate(&self, name: &str) -> String {
        match self.module_path.cut_at("::") {
            Some((_, modules)) => format!("{modules}::{name}"),
            None => name.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_around_its_module_and_those_inside() {
        let group =
            Group { module_path: "perf::db", place: Place::new("", 1), settings: Layer::SILENT };
        for (module_path, inside) in
            [("perf::db", true), ("perf::db::scan", true), ("perf::dbx", false), ("perf", false)]
        {
            assert_eq!(group.is_around(module_path), inside, "{module_path}");
        }
        let raw = Group { module_path: "perf::r#db", ..group };
        assert!(raw.is_around("perf::db::scan"), "the compiler leaves out a needless r#");
    }
}
