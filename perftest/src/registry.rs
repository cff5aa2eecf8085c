//! The perf tests of this binary.

use crate::settings::Layer;
use crate::{Bencher, measure::Failure};
use perftest_core::model::{BenchmarkId, Tolerance};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// One perf test as the attribute registers it.
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
    /// Whether the disk is probed beside its batches.
    pub disk_probe: bool,
    /// Whether an improvement fails until it is accepted.
    pub ratchet: bool,
    /// Identity it had before it was renamed.
    pub formerly: Option<&'static str>,
    /// Whether the user's crate was built with optimisation.
    pub optimised: bool,
    /// Runs the body once; the bencher measures.
    pub run: fn(&mut Bencher<'_>) -> Result<(), Failure>,
}

inventory::collect!(Descriptor);

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
    let mut groups: Vec<&Group> = all.filter(|group| group.is_around(module_path)).collect();
    groups.sort_by_key(|group| Reverse(group.module_path.len()));
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
    /// The name as it is listed: module path without the crate, and function. The same as
    /// libtest's.
    pub(crate) fn listed_name(&self) -> String {
        match self.module_path.split_once("::") {
            Some((_, modules)) => format!("{modules}::{}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// Identity across directories and binaries.
    pub(crate) fn benchmark(&self) -> BenchmarkId {
        BenchmarkId::new(self.package, self.module_path, self.name)
    }

    /// Identity before it was renamed.
    pub(crate) fn former_benchmark(&self) -> Option<BenchmarkId> {
        self.formerly.map(BenchmarkId::from_recorded)
    }

    /// `src/sort.rs:12`
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// All perf tests linked into this binary, sorted by name.
///
/// # Errors
/// A message when two have the same identity, or were the same test formerly: they would share one
/// history.
pub(crate) fn perf_tests() -> Result<Vec<&'static Descriptor>, String> {
    let mut tests: Vec<&Descriptor> = inventory::iter::<Descriptor>.into_iter().collect();
    tests.sort_by_key(|test| (test.listed_name(), test.package, test.module_path));
    refuse_duplicates(&tests)?;
    refuse_shared_pasts(&tests)?;
    Ok(tests)
}

fn refuse_duplicates(tests: &[&Descriptor]) -> Result<(), String> {
    let clash = tests.windows(2).find(|pair| pair[0].listed_name() == pair[1].listed_name());
    clash.map_or(Ok(()), |pair| {
        Err(format!(
            "two perf tests are named `{}` ({} and {}); they would share one history: \
             rename one of them",
            pair[0].listed_name(),
            pair[0].place(),
            pair[1].place()
        ))
    })
}

/// A history has one heir, and none while its test is still there.
fn refuse_shared_pasts(tests: &[&Descriptor]) -> Result<(), String> {
    let mut names: BTreeMap<BenchmarkId, &Descriptor> =
        tests.iter().map(|test| (test.benchmark(), *test)).collect();
    for test in tests {
        let Some(former) = test.former_benchmark() else {
            continue;
        };
        if let Some(other) = names.insert(former.clone(), test) {
            return Err(format!(
                "the history of `{former}` is claimed by `{}` ({}) with `formerly`, and it is that of \
                 `{}` ({}) too: only one test can go on with it",
                test.listed_name(),
                test.place(),
                other.listed_name(),
                other.place()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn descriptor(module_path: &'static str, name: &'static str, line: u32) -> Descriptor {
        Descriptor {
            package: "codec",
            manifest_dir: "",
            module_path,
            name,
            file: "tests/perf.rs",
            line,
            ignore: None,
            settings: Layer::SILENT,
            curve: None,
            disk_probe: false,
            ratchet: false,
            formerly: None,
            optimised: true,
            run: |_| Ok(()),
        }
    }

    #[test]
    fn the_listed_name_is_the_one_libtest_would_print() {
        assert_eq!(descriptor("perf", "encode", 1).listed_name(), "encode");
        assert_eq!(descriptor("perf::frame::v2", "encode", 1).listed_name(), "frame::v2::encode");
    }

    #[test]
    fn a_history_has_one_heir() {
        let heir = |name, line| Descriptor {
            formerly: Some("codec::perf::old"),
            ..descriptor("perf", name, line)
        };
        let (a, b, old) = (heir("a", 3), heir("b", 9), descriptor("perf", "old", 12));
        assert_eq!(refuse_shared_pasts(&[&a]), Ok(()));
        let message = refuse_shared_pasts(&[&a, &b]).unwrap_err();
        assert!(message.contains("perf.rs:3") && message.contains("perf.rs:9"), "{message}");
        assert!(refuse_shared_pasts(&[&a, &old]).is_err(), "the test itself is still there");
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
        let (first, second) = (descriptor("perf", "encode", 3), descriptor("perf", "encode", 9));
        let message = refuse_duplicates(&[&first, &second]).unwrap_err();
        assert!(message.contains("perf.rs:3") && message.contains("perf.rs:9"), "{message}");
        let other = descriptor("perf::frame", "encode", 9);
        assert_eq!(refuse_duplicates(&[&first, &other]), Ok(()));
    }
}
