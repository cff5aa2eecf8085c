//! The perf tests of this binary.

use crate::{Bencher, measure::Failure};
use perftest_core::model::{BenchmarkId, Tolerance};
use std::time::Duration;

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
    /// Tolerance of its own, as a share.
    pub tolerance: Option<f64>,
    /// The degradation a red needs after so many measurements, as points of its own.
    pub curve: Option<&'static [(u32, f64)]>,
    /// Budget of its own.
    pub budget: Option<Duration>,
    /// Names of the further built-in metrics that are judged.
    pub metrics: &'static [&'static str],
    /// Whether the disk is probed beside its batches.
    pub disk_probe: bool,
    /// Whether an improvement fails until it is accepted.
    pub ratchet: bool,
    /// Whether the user's crate was built with optimisation.
    pub optimised: bool,
    /// Runs the body once; the bencher measures.
    pub run: fn(&mut Bencher<'_>) -> Result<(), Failure>,
}

inventory::collect!(Descriptor);

/// Checks a tolerance when the test is compiled.
///
/// # Panics
/// At compile time, when it is not a share above 0 and at most 9.
#[doc(hidden)]
pub const fn tolerance(share: f64) -> f64 {
    assert!(
        share > 0.0 && share <= Tolerance::LARGEST_SHARE,
        "a tolerance is a share above 0 and at most 9: 0.05 or \"5%\" is five percent"
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

    /// `src/sort.rs:12`
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// All perf tests linked into this binary, sorted by name.
///
/// # Errors
/// A message when two have the same identity: they would share one history.
pub(crate) fn perf_tests() -> Result<Vec<&'static Descriptor>, String> {
    let mut tests: Vec<&Descriptor> = inventory::iter::<Descriptor>.into_iter().collect();
    tests.sort_by_key(|test| (test.listed_name(), test.package, test.module_path));
    refuse_duplicates(&tests)?;
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
            tolerance: None,
            curve: None,
            budget: None,
            metrics: &[],
            disk_probe: false,
            ratchet: false,
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
    fn two_tests_of_one_name_are_refused_with_both_places() {
        let (first, second) = (descriptor("perf", "encode", 3), descriptor("perf", "encode", 9));
        let message = refuse_duplicates(&[&first, &second]).unwrap_err();
        assert!(message.contains("perf.rs:3") && message.contains("perf.rs:9"), "{message}");
        let other = descriptor("perf::frame", "encode", 9);
        assert_eq!(refuse_duplicates(&[&first, &other]), Ok(()));
    }
}
