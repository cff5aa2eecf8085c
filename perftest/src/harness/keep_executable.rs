//! Keeps this executable and its programs after a good run, so that a slower build can be measured beside them.

use super::lock;
use super::session::Session;
use super::worker_command::start_directory;
use crate::event::Event;
use crate::perf_test::PerfTest;
use crate::perf_tests::perf_tests;
use crate::sink::Sink;
use perftest_core::list::IntoList;
use perftest_core::model::{ProgramCode, TargetKind};
use perftest_core::order::sort;
use perftest_core::text::Text;
use perftest_process::{Executables, Launch, library_path};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest wait for other measuring processes: the next good run keeps the executable instead.
const PATIENCE: Duration = Duration::from_millis(100);

/// A file of this build.
struct BuiltFile {
    path: PathBuf,
    hash: String,
    launch: Launch,
}

/// Keeps the files of this build if one of its tests was good. Compression takes a moment, so this runs
/// after the verdicts are printed, when no test measures. An error here fails no test.
pub(crate) fn keep_if_good(session: &Session, test: &PerfTest, sink: &mut dyn Sink) {
    if !session.take_found_good() {
        return;
    }
    let Some(build) = NewBuild::of(session, test) else {
        return;
    };
    if let Ok(_alone) = lock::acquire(&test.listed_name(), PATIENCE) {
        build.keep(sink);
    }
}

/// Keeps the files of this build, whose test was good, while this process has the measuring lock. Under `cargo nextest`
/// the processes of the other tests wait for the lock, and each has it for a whole test.
pub(super) fn keep_with_lock(session: &Session, test: &PerfTest, sink: &mut dyn Sink) {
    if let Some(build) = NewBuild::of(session, test) {
        build.keep(sink);
    }
}

/// A build with files that are not kept yet.
struct NewBuild {
    executables: Executables,
    files: Vec<BuiltFile>,
}

impl NewBuild {
    /// Returns the build of a test; `None` if all of its files are kept, or nothing is recorded.
    fn of(session: &Session, test: &PerfTest) -> Option<Self> {
        let executables = session.executables(test).filter(|_| session.records())?;
        let mut files = files_of_build(session, test);
        files.retain(|file| !executables.renew(&file.hash));
        (!files.is_empty()).then_some(Self { executables, files })
    }

    fn keep(&self, sink: &mut dyn Sink) {
        let library_path = library_path(|name| std::env::var_os(name));
        for file in &self.files {
            let kept = self.executables.keep(&file.path, &library_path, &file.hash, &file.launch);
            if let Err(error) = kept {
                sink.take(&Event::Remark(&format!(
                    "{} is not kept for later comparisons: {error}",
                    file.path.display()
                )));
            }
        }
    }
}

/// This executable, and the programs of its package if one of its tests starts programs.
fn files_of_build(session: &Session, test: &PerfTest) -> Vec<BuiltFile> {
    let own = std::env::current_exe().map(|path| BuiltFile {
        path,
        hash: session.provenance(test).code.executable.clone(),
        launch: launch(test),
    });
    let mut of_package = perf_tests().unwrap_or_default().iter();
    let starting =
        of_package.find(|it| it.manifest_dir == test.manifest_dir && it.programs.is_some());
    let programs = starting.map(|it| programs_of(session, it)).unwrap_or_default();
    own.into_iter().chain(programs).into_list()
}

fn programs_of(session: &Session, test: &PerfTest) -> Vec<BuiltFile> {
    let paths = test.programs.unwrap_or_default().iter().map(PathBuf::from);
    let file = |(path, program): (PathBuf, &ProgramCode)| {
        let stem = Path::new(&program.file).file_stem().unwrap_or_default().to_string_lossy();
        let target = TargetKind::Binary.target_name(test.package, &stem);
        BuiltFile {
            path,
            hash: program.executable.clone(),
            launch: Launch { target, ..Launch::default() },
        }
    };
    paths.zip(&session.code(test).programs).map(file).into_list()
}

fn launch(test: &PerfTest) -> Launch {
    let krate = test.module_path.parts("::").next().unwrap_or_default();
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut variables: Vec<String> = names.filter(|it| !it.starts_with("PERFTEST_")).into_list();
    sort(&mut variables);
    Launch {
        target: test.kind().target_name(test.package, krate),
        directory: start_directory().map(Path::to_owned).unwrap_or_default(),
        arguments: std::env::args().skip(1).into_list(),
        variables,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::recorded_test::{NoSink, RecordedTest};
    use crate::perf_test::tests::descriptor;
    use crate::registry::Descriptor;

    #[test]
    fn executables_of_one_name_and_of_different_kinds_are_kept_apart() {
        let target = |target, module_path| {
            let descriptor = Descriptor { target, ..descriptor(module_path, "encode") };
            launch(&PerfTest::all_of(Box::leak(Box::new(descriptor))).remove(0)).target
        };
        assert_eq!(target(TargetKind::Library, "codec::frame"), "codec");
        assert_eq!(target(TargetKind::Binary, "codec::frame"), "codec::bin::codec");
        assert_eq!(target(TargetKind::Test, "perf::frame"), "codec::perf");
        assert_eq!(target(TargetKind::Bench, "perf::frame"), "codec::bench::perf");
    }

    #[test]
    fn who_has_the_measuring_lock_keeps_a_build_without_waiting_for_it_and_only_once() {
        let test = RecordedTest::new("kept-with-lock");
        let session = test.session(1);
        keep_with_lock(&session, &test.test, &mut NoSink);
        let executables = session.executables(&test.test).unwrap();
        let hash = &session.code(&test.test).executable;
        assert!(executables.find(hash).unwrap().is_some());
        assert!(NewBuild::of(&session, &test.test).is_none(), "it is kept");
    }
}
