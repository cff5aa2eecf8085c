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
    pub(super) fn marker(self) -> &'static str {
        match self {
            Self::Library | Self::Test => "",
            Self::Binary => "bin",
            Self::Bench => "bench",
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
