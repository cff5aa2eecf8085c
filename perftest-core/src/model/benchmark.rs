//! The name of a perf test, the same in all clones.

use super::TargetKind;
use crate::list::IntoList;
use crate::text::Text;
use crate::words::one_line;
use std::fmt;

/// Identity of one perf test: `package::target::module::function`, and its case if it has one.
///
/// The name does not depend on the directory or the binary's file name, so two clones of a
/// repository agree on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BenchmarkId(String);

impl BenchmarkId {
    /// Creates the id of `function` in `module_path` (as `module_path!()` prints it, beginning with
    /// the crate) of `package`. A case of a function is appended: `encode::64`.
    ///
    /// A library's own tests have the package's name as crate name; it is not repeated.
    ///
    /// ```
    /// use perftest_core::model::BenchmarkId;
    /// let unit = BenchmarkId::new("my-codec", "my_codec::frame", "encode");
    /// assert_eq!(unit.as_str(), "my-codec::frame::encode");
    /// let target = BenchmarkId::new("my-codec", "perf::frame", "encode");
    /// assert_eq!(target.as_str(), "my-codec::perf::frame::encode");
    /// ```
    pub fn new(package: &str, module_path: &str, function: &str) -> Self {
        Self::in_target(TargetKind::Test, package, module_path, function)
    }

    /// Creates the id of a function in a target of this kind. The id for a binary or a bench target
    /// contains the kind: a package may have a test target of the same name.
    ///
    /// ```
    /// use perftest_core::model::{BenchmarkId, TargetKind};
    /// let id = |kind, module| BenchmarkId::in_target(kind, "codec", module, "sum").to_string();
    /// assert_eq!(id(TargetKind::Library, "codec::perf"), "codec::perf::sum");
    /// assert_eq!(id(TargetKind::Test, "perf"), "codec::perf::sum");
    /// assert_eq!(id(TargetKind::Bench, "perf"), "codec::bench::perf::sum");
    /// assert_eq!(id(TargetKind::Binary, "codec::tests"), "codec::bin::codec::tests::sum");
    /// ```
    pub fn in_target(kind: TargetKind, package: &str, module_path: &str, function: &str) -> Self {
        let (krate, modules) = module_path.cut_at("::").unwrap_or((module_path, ""));
        let target = kind.target_name(package, krate);
        let parts = [target.as_str(), modules, function];
        Self(parts.into_iter().filter(|part| !part.is_empty()).joined("::"))
    }

    /// Returns the id of a stage of this test.
    ///
    /// ```
    /// use perftest_core::model::BenchmarkId;
    /// let whole = BenchmarkId::new("codec", "perf", "encode");
    /// assert_eq!(whole.stage("pack").as_str(), "codec::perf::encode/pack");
    /// ```
    #[must_use]
    pub fn stage(&self, name: &str) -> Self {
        Self(format!("{}/{name}", self.0))
    }

    /// Creates an id from a record.
    pub fn from_recorded(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Returns the name of the whole test, by the complete or partial name of the test or of one of
    /// its stages.
    ///
    /// ```
    /// use perftest_core::model::BenchmarkId;
    /// let stage = BenchmarkId::new("codec", "perf", "encode").stage("pack");
    /// assert_eq!(BenchmarkId::whole_of(stage.as_str()), "codec::perf::encode");
    /// assert_eq!(BenchmarkId::whole_of("encode"), "encode");
    /// ```
    pub fn whole_of(name: &str) -> &str {
        name.cut('/').map_or(name, |(whole, _)| whole)
    }

    /// The name of the whole test.
    ///
    /// ```
    /// use perftest_core::model::BenchmarkId;
    /// let whole = BenchmarkId::new("codec", "perf", "encode");
    /// assert_eq!([whole.whole(), whole.stage("pack").whole()], ["codec::perf::encode"; 2]);
    /// ```
    pub fn whole(&self) -> &str {
        Self::whole_of(&self.0)
    }

    /// Returns the name of the stage; `None` for the whole.
    ///
    /// ```
    /// use perftest_core::model::BenchmarkId;
    /// let whole = BenchmarkId::new("codec", "perf", "encode");
    /// assert_eq!((whole.stage_name(), whole.stage("pack").stage_name()), (None, Some("pack")));
    /// ```
    pub fn stage_name(&self) -> Option<&str> {
        self.0.cut('/').map(|(_, stage)| stage)
    }

    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Prints [one line](one_line), whatever the record contains.
impl fmt::Display for BenchmarkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(&self.0))
    }
}
