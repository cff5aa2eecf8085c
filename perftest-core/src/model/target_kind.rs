//! The kinds of targets of a package that tests are in.

/// Which kind of executable of its package a test is in. Two of one name in executables of different
/// kinds are two tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// The library's own tests.
    Library,
    /// The own tests of a binary or of an example.
    Binary,
    /// `[[test]]`
    Test,
    /// `[[bench]]`
    Bench,
}

impl TargetKind {
    /// What stands behind the package in the name of a test; empty where it is the crate or nothing.
    fn marker(self) -> &'static str {
        match self {
            Self::Library | Self::Test => "",
            Self::Binary => "bin",
            Self::Bench => "bench",
        }
    }

    /// What the names of all tests in an executable begin with. That of a binary and of a bench target
    /// has the kind in it: a package may have a test target of the same name. A library's own tests
    /// have the package's name as crate name; it is not repeated.
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
            "" if package.replace('-', "_") == krate => package.to_owned(),
            "" => [package, krate].join("::"),
            marker => [package, marker, krate].join("::"),
        }
    }

    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Library => "library",
            Self::Binary => "binary",
            Self::Test => "test",
            Self::Bench => "bench",
        }
    }
}
