//! Flame graphs of slower tests, beside a report.

use crate::command_context::CommandContext;
use crate::html::KeptProfile;
use crate::profile::{UnionFile, write_page};
use crate::profiler::{ProfileStore, kept_difference};
use crate::report::print_progress;
use crate::report_file::ReportFile;
use perftest_core::model::Run;
use perftest_store::{Digest, Project, Series, StoreError, Testbeds};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Behind the name of a report: the directory of its pages.
const DIRECTORY: &str = "-profiles";
const ENDING: &str = ".html";

/// The kept profiles of slower tests, as pages beside a report.
pub(super) struct ReportProfiles {
    root: PathBuf,
    project: Project,
    testbeds: Arc<Testbeds>,
    /// `None` for a report on standard output.
    report: Option<PathBuf>,
    /// The names of the pages that the report links.
    linked: Mutex<BTreeSet<String>>,
}

impl ReportProfiles {
    /// `report` is the file of the report; `None` on standard output.
    ///
    /// # Errors
    /// When the decisions about testbeds cannot be read.
    pub(super) fn beside(
        report: Option<&Path>,
        context: &CommandContext<'_>,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            root: context.place.root.clone(),
            project: context.local_project.clone(),
            testbeds: context.store.decisions()?.value.testbeds,
            report: report.map(Path::to_owned),
            linked: Mutex::default(),
        })
    }

    /// Describes the kept profiles of the newest judged run, if it is slower, and writes their page. `runs` are
    /// oldest first.
    pub(super) fn of(&self, series: &Series, runs: &[Run]) -> Option<KeptProfile> {
        let profiles =
            ProfileStore::of_testbed(&self.root, &self.project, &series.testbed, &self.testbeds);
        let kept = kept_difference(&profiles, runs)?;
        let words = match kept.base {
            Some(_) => "Flame graph: where the time went since the last good build".to_owned(),
            None => format!("Flame graph of {}", kept.new),
        };
        let Series { benchmark, testbed, metric, .. } = series;
        let name = format!("{testbed}\n{benchmark}\n{}\n{}", metric.name, metric.unit);
        let file = format!("{}{ENDING}", Digest::of(name.as_bytes()).hex16());
        Some(KeptProfile { cause: kept.cause(), href: self.write(&file, &kept), words })
    }

    /// Writes a page and returns its address. A page that cannot be written is no reason to have no report.
    fn write(&self, file: &str, kept: &UnionFile) -> Option<String> {
        let report = self.report.as_ref()?;
        let directory = directory_beside(report);
        let written = fs::create_dir_all(&directory).and_then(|()| {
            let mut page = ReportFile::create(&directory.join(file))?;
            write_page(kept, &mut page)?;
            page.write_all(mark_of(report).as_bytes())?;
            page.flush()?;
            page.finish()
        });
        if let Err(error) = written {
            print_progress(&format_args!("warning: a flame graph cannot be written: {error}"));
            return None;
        }
        self.linked.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_owned());
        let directory = directory.file_name().unwrap_or_default().to_string_lossy();
        Some(format!("{}/{file}", address(&directory)))
    }

    /// Removes the pages that earlier reports in this file wrote and this one does not link. Other files stay, those
    /// of another report and those with other contents among them. What cannot be removed does no harm.
    pub(super) fn remove_unlinked(&self) {
        let Some(report) = &self.report else { return };
        let linked = self.linked.lock().unwrap_or_else(PoisonError::into_inner);
        let (directory, mark) = (directory_beside(report), mark_of(report));
        let is_old = |entry: &fs::DirEntry| {
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            let is_page = name.strip_suffix(ENDING).is_some_and(Digest::is_hex16);
            let is_file = entry.file_type().is_ok_and(|it| it.is_file());
            is_page && is_file && !linked.contains(name) && ends_with(&entry.path(), &mark)
        };
        let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
        let removed =
            entries.filter(is_old).filter(|it| fs::remove_file(it.path()).is_ok()).count();
        if removed > 0 {
            // Only an empty directory goes.
            let _ = fs::remove_dir(&directory);
        }
    }
}

/// The last line of each page of a report. Nobody else writes it, so what ends with it may be removed.
fn mark_of(report: &Path) -> String {
    let name = report.file_name().unwrap_or_default().to_string_lossy();
    format!("<!-- a page of {} -->\n", address(&name))
}

fn ends_with(file: &Path, end: &str) -> bool {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(file)?;
        let begin = file.metadata()?.len().saturating_sub(end.len() as u64);
        file.seek(SeekFrom::Start(begin))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().is_ok_and(|bytes| bytes == end.as_bytes())
}

/// `perftest-report-profiles` beside `perftest-report.html`.
fn directory_beside(report: &Path) -> PathBuf {
    let mut name = report.file_stem().unwrap_or_default().to_owned();
    name.push(DIRECTORY);
    report.with_file_name(name)
}

/// The name of a file in an address: other bytes than letters, digits and `-._` by their numbers.
fn address(name: &str) -> String {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-._".contains(&it);
    name.bytes()
        .map(|it| if is_plain(it) { char::from(it).to_string() } else { format!("%{it:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiler::RecordedProfile;
    use perftest_core::model::Reason;
    use perftest_process::protocol::SampledClock;
    use perftest_store::conformance::example_run;

    /// A report in this directory, a history with one run, and the kept profile of that run.
    struct Story {
        directory: tempfile::TempDir,
        series: Series,
        run: Run,
    }

    impl Story {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let mut run = example_run(0);
            run.code.executable = "abc".to_owned();
            let series = Series {
                benchmark: run.benchmark.clone(),
                formerly: None,
                testbed: run.testbed.clone(),
                metric: run.metric.clone(),
            };
            let story = Self { directory, series, run };
            let pages = story.pages("any.html");
            let (root, testbeds) = (&pages.root, &pages.testbeds);
            let store =
                ProfileStore::of_testbed(root, &pages.project, &story.run.testbed, testbeds);
            let recorded = RecordedProfile::of_function("encode", SampledClock::Wall);
            store.keep(&story.run.benchmark, &story.run.code, &recorded).unwrap();
            story
        }

        fn pages(&self, report: &str) -> ReportProfiles {
            ReportProfiles {
                root: self.directory.path().to_owned(),
                project: Project::of_identity("codec"),
                testbeds: Arc::default(),
                report: Some(self.directory.path().join(report)),
                linked: Mutex::default(),
            }
        }

        fn write(&mut self, pages: &ReportProfiles, reason: Reason) -> Option<KeptProfile> {
            self.run.evidence.as_mut().unwrap().reason = reason;
            pages.of(&self.series, std::slice::from_ref(&self.run))
        }
    }

    #[test]
    fn a_slower_test_has_a_page_beside_the_report_and_a_green_one_has_none() {
        let mut story = Story::new();
        let pages = story.pages("my report.html");
        assert_eq!(story.write(&pages, Reason::Green), None);
        let kept = story.write(&pages, Reason::Red).unwrap();
        let href = kept.href.unwrap();
        let file = href.strip_prefix("my%20report-profiles/").unwrap();
        let page = story.directory.path().join("my report-profiles").join(file);
        let page = fs::read_to_string(page).unwrap();
        assert!(page.contains("wall time, the build"));
        assert_eq!((kept.cause, kept.words.contains("the build")), (None, true));
    }

    #[test]
    fn a_report_that_is_written_again_removes_its_own_pages_and_nothing_else() {
        let mut story = Story::new();
        let directory = story.directory.path().join("r-profiles");
        let write = |story: &mut Story, report: &str, reason| {
            let pages = story.pages(report);
            let kept = story.write(&pages, reason);
            pages.remove_unlinked();
            kept.map(|it| directory.join(it.href.unwrap().strip_prefix("r-profiles/").unwrap()))
        };
        let page = write(&mut story, "r.html", Reason::Red).unwrap();
        assert_eq!(write(&mut story, "r.html", Reason::Red), Some(page.clone()));
        assert!(page.is_file(), "it is linked again");
        let copy = directory.join("copy.html");
        fs::copy(&page, &copy).unwrap();
        let other = directory.join("0123456789abcdef.html");
        fs::write(&other, "mine").unwrap();
        write(&mut story, "r.htm", Reason::Green);
        assert!(page.is_file(), "another report beside the same directory wrote it");
        write(&mut story, "r.html", Reason::Green);
        assert_eq!([&page, &copy, &other].map(|it| it.is_file()), [false, true, true]);
        for foreign in [copy, other] {
            fs::remove_file(foreign).unwrap();
        }
        write(&mut story, "r.html", Reason::Red);
        write(&mut story, "r.html", Reason::Green);
        assert!(!directory.exists(), "an empty directory goes with its last page");
    }
}
