//! The kind of a binary of our own.

use std::path::Path;

/// The kind of target: it decides how tests are listed, and when they are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// `[[test]]`
    Test,
    /// `[[bench]]`
    Bench,
}

impl Target {
    /// Returns the kind of an executable whose `main!` is in this file.
    ///
    /// # Errors
    /// A file of a bench target, `benches/speed.rs` or `benches/speed/main.rs`: the compiler knows no difference, so its
    /// tests would have the names of those of a test target.
    pub(super) fn of_main(file: &str) -> Result<Self, String> {
        let file = Path::new(file);
        let root = if file.ends_with("main.rs") { file.parent() } else { Some(file) };
        let directory = root.and_then(Path::parent);
        if directory.is_some_and(|it| it.ends_with("benches")) {
            return Err(format!(
                "{} is in a directory of bench targets: end it in perftest::bench_main!() if it is one, and move the \
                 file of a test target to `tests/`",
                file.display()
            ));
        }
        Ok(Self::Test)
    }

    /// Splits this many perf tests into libtest's counts of tests and benchmarks.
    pub(super) fn counts(self, perf_tests: usize) -> (usize, usize) {
        match self {
            Self::Test => (perf_tests, 0),
            Self::Bench => (0, perf_tests),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn a_file_in_benches_is_no_test_target() {
        for file in ["benches/speed.rs", "/w/codec/benches/speed.rs", "codec/benches/speed/main.rs"]
        {
            let refused = Target::of_main(file).expect_err(file);
            assert!(refused.contains("end it in perftest::bench_main!()"), "{refused}");
            assert!(refused.contains("move the file of a test target to `tests/`"), "{refused}");
        }
        for file in
            ["tests/perf.rs", "benches/tests/perf.rs", "benches/codec/src/main.rs", "main.rs"]
        {
            assert_eq!(Target::of_main(file), Ok(Target::Test), "{file}");
        }
    }
}
