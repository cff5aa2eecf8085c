//! The packages of this process's perf tests: most executables have one.

use crate::config::Config;
use crate::event::Event;
use crate::perf_test::PerfTest;
use crate::provenance::{CodePosition, Context};
use crate::settings::{Settings, Sources};
use crate::sink::Sink;
use perftest_core::list::IntoList;
use perftest_core::model::CodeState;
use perftest_store::{AcceptanceFile, Project, Store};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A package, its settings file, and what the process finds out before its first measurement.
pub(super) struct Package {
    /// The directory where the package was built, which identifies it in the process.
    manifest_dir: &'static str,
    /// Where cargo runs the package; where the package was built, if it runs without cargo.
    pub directory: PathBuf,
    sources: Sources,
    pub provenance: OnceLock<Provenance>,
    /// The code of tests that start programs.
    pub code_with_programs: OnceLock<CodeState>,
    pub store: OnceLock<Option<Box<dyn Store>>>,
    /// The context by `[is optimised][has debug assertions]`.
    pub contexts: [[OnceLock<Context>; 2]; 2],
}

/// Where the code of a package comes from.
pub(crate) struct Provenance {
    pub project: Project,
    /// Whether the project had records before this process.
    pub has_history: bool,
    /// A hint at runs of this repository under another name of the project.
    pub other_history: Option<String>,
    /// The acceptances of this checkout.
    pub acceptance_file: AcceptanceFile,
    pub standing: CodePosition,
    /// The code of this executable.
    pub code: CodeState,
}

/// All packages of a process.
pub(crate) struct Packages(Vec<Package>);

impl Packages {
    /// The packages of these tests, with their settings files.
    ///
    /// # Errors
    /// A message when a settings file cannot be read.
    pub(super) fn of(tests: &[PerfTest], config: &Config) -> Result<Self, String> {
        Self::read(tests, |directory| Sources::load(config, directory))
    }

    /// The same without the settings files, for a process that only measures.
    pub(super) fn without_settings(tests: &[PerfTest]) -> Result<Self, String> {
        Self::read(tests, |_| Ok(Sources::default()))
    }

    fn read(
        tests: &[PerfTest],
        sources: impl Fn(&Path) -> Result<Sources, String>,
    ) -> Result<Self, String> {
        let mut packages: Vec<Package> = Vec::new();
        for test in tests {
            let manifest_dir = test.manifest_dir;
            if packages.iter().any(|package| package.manifest_dir == manifest_dir) {
                continue;
            }
            let running = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
            let directory = running.unwrap_or_else(|| Path::new(manifest_dir).to_owned());
            packages.push(Package {
                manifest_dir,
                sources: sources(&directory)?,
                directory,
                provenance: OnceLock::new(),
                code_with_programs: OnceLock::new(),
                store: OnceLock::new(),
                contexts: Default::default(),
            });
        }
        Ok(Self(packages))
    }

    /// Returns whether one of the packages was built in this directory.
    pub(super) fn has(&self, directory: &Path) -> bool {
        self.0.iter().any(|it| Path::new(it.manifest_dir) == directory)
    }

    /// The package of a test.
    ///
    /// # Panics
    /// For a test of another process: this process knows all its packages from the start.
    pub(super) fn of_test(&self, test: &PerfTest) -> &Package {
        let package = self.0.iter().find(|package| package.manifest_dir == test.manifest_dir);
        package.expect("a test is of a package of its process")
    }

    /// The settings of a test.
    pub(super) fn settings(&self, test: &PerfTest) -> Settings {
        self.of_test(test).sources.of(test)
    }

    /// Warns of misspelt variables, and of overrides in the settings files that match none of these tests.
    pub(super) fn warn_of_settings(
        &self,
        tests: &[PerfTest],
        config: &Config,
        sink: &mut dyn Sink,
    ) {
        let unmatched = self.0.iter().flat_map(|package| package.sources.warnings(tests));
        let warnings = config.warnings.iter().cloned().chain(unmatched);
        warnings.for_each(|warning| sink.take(&Event::Warning(&warning)));
    }

    /// The settings files.
    pub(super) fn settings_files(&self) -> Vec<&Path> {
        self.0.iter().filter_map(|package| package.settings_file()).into_list()
    }
}

impl Package {
    /// The settings file, where there is one.
    pub(super) fn settings_file(&self) -> Option<&Path> {
        self.sources.file().map(PathBuf::as_path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf_test::tests::descriptor;
    use crate::registry::Descriptor;

    fn test_of(manifest_dir: &'static str, name: &'static str) -> Vec<PerfTest> {
        let descriptor = Descriptor { manifest_dir, ..descriptor("perf", name) };
        PerfTest::all_of(Box::leak(Box::new(descriptor)))
    }

    #[test]
    fn each_test_has_its_own_package() {
        let tests = [test_of("/a", "x"), test_of("/b", "y"), test_of("/a", "z")].concat();
        let packages = Packages::without_settings(&tests).unwrap();
        assert_eq!(packages.0.len(), 2);
        assert!(packages.has(Path::new("/b")) && !packages.has(Path::new("/xtask")));
        let of = |test: &PerfTest| packages.of_test(test).manifest_dir;
        assert_eq!(tests.iter().map(of).collect::<Vec<_>>(), ["/a", "/b", "/a"]);
    }
}
