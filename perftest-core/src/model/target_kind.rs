//! The kinds of a package's targets.

use crate::named;
use crate::text::Text;

named! {
    /// The kind of executable that contains a test. Tests of the same name in executables of different
    /// kinds are different tests.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum TargetKind {
        /// The library's own tests.
        Library = "library",
        /// The own tests of a binary or of an example.
        Binary = "binary",
        /// `[[test]]`
        Test = "test",
        /// `[[bench]]`
        Bench = "bench",
    }
}

impl TargetKind {
    /// Returns the part after the package in the name of a test; empty if that is the crate or
    /// nothing.
    fn marker(self) -> &'static str {
        match self {
            Self::Library | Self::Test => "",
            Self::Binary => "bin",
            Self::Bench => "bench",
        }
    }

    /// Returns the beginning of all tests' names in an executable. For a binary or a bench target
    /// it contains the kind: a package may have a test target of the same name. A library's own
    /// tests have the package's name as crate name; it is not repeated.
    ///
    /// ```
    /// use perftest_core::model::TargetKind;
    /// assert_eq!(TargetKind::Library.target_name("my-codec", "my_codec"), "my-codec");
    /// assert_eq!(TargetKind::Binary.target_name("codec", "codec"), "codec::bin::codec");
    /// assert_eq!(TargetKind::Test.target_name("codec", "perf"), "codec::perf");
    /// assert_eq!(TargetKind::Bench.target_name("codec", "perf"), "codec::bench::perf");
    /// ```
    pub fn target_name(self, package: &str, krate: &str) -> String {
        match self.marker() {
            "" if package.replaced("-", "_") == krate => package.to_owned(),
            "" => format!("{package}::{krate}"),
            marker => format!("{package}::{marker}::{krate}"),
        }
    }
}
