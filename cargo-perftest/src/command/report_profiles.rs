//! Flame graphs of slower tests, beside a report.

use crate::command_context::CommandContext;
use crate::html::KeptProfile;
use crate::profile::{UnionFile, write_page};
use crate::profiler::{ProfileStore, kept_difference};
use crate::report::print_progress;
use crate::report_file::ReportFile;
use perftest_core::model::Run;
use perftest_store::{Digest, Project, Series};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Behind the name of a report: the directory of its pages.
const DIRECTORY: &str = "-profiles";

/// The kept profiles of slower tests, as pages beside a report.
pub(super) struct ReportProfiles {
    root: PathBuf,
    project: Project,
    /// Where the pages are; `None` for a report without a place.
    directory: Option<PathBuf>,
}

impl ReportProfiles {
    /// `report` is the file of the report; `None` on standard output.
    pub(super) fn beside(report: Option<&Path>, context: &CommandContext<'_>) -> Self {
        Self {
            root: context.place.root.clone(),
            project: context.project.clone(),
            directory: report.map(directory_beside),
        }
    }

    /// Describes the kept profiles of the newest judged run, if it is slower, and writes their page. `runs` are
    /// oldest first.
    pub(super) fn of(&self, series: &Series, runs: &[Run]) -> Option<KeptProfile> {
        let testbed = series.testbed.clone();
        let profiles = ProfileStore::of_testbed(&self.root, &self.project, testbed);
        let kept = kept_difference(&profiles, runs)?;
        let words = match kept.base {
            Some(_) => "Flame graph: where the time went since the last good build".to_owned(),
            None => format!("Flame graph of {}", kept.new),
        };
        let Series { benchmark, testbed, metric, .. } = series;
        let name = format!("{testbed}\n{benchmark}\n{}\n{}", metric.name, metric.unit);
        let file = format!("{}.html", Digest::of(name.as_bytes()).hex16());
        Some(KeptProfile { cause: kept.cause(), href: self.write(&file, &kept), words })
    }

    /// Writes a page and returns its address. A page that cannot be written is no reason to have no report.
    fn write(&self, file: &str, kept: &UnionFile) -> Option<String> {
        let directory = self.directory.as_ref()?;
        let written = fs::create_dir_all(directory).and_then(|()| {
            let mut page = ReportFile::create(&directory.join(file))?;
            write_page(kept, &mut page)?;
            page.flush()?;
            page.finish()
        });
        if let Err(error) = written {
            print_progress(&format_args!("warning: a flame graph cannot be written: {error}"));
            return None;
        }
        let directory = directory.file_name().unwrap_or_default().to_string_lossy();
        Some(format!("{}/{file}", address(&directory)))
    }
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
    use perftest_analysis::profile::ProfileBuilder;
    use perftest_core::model::Reason;
    use perftest_process::protocol::{SampledClock, SamplingReport};
    use perftest_store::conformance::example_run;

    #[test]
    fn a_slower_test_has_a_page_beside_the_report_and_a_green_one_has_none() {
        let directory = tempfile::tempdir().unwrap();
        let pages = ReportProfiles {
            root: directory.path().to_owned(),
            project: Project::of_identity("codec"),
            directory: Some(directory_beside(&directory.path().join("my report.html"))),
        };
        let mut run = example_run(0);
        run.code.executable = "abc".to_owned();
        let series = Series {
            benchmark: run.benchmark.clone(),
            formerly: None,
            testbed: run.testbed.clone(),
            metric: run.metric.clone(),
        };
        let store = ProfileStore::of_testbed(&pages.root, &pages.project, run.testbed.clone());
        let mut profile = ProfileBuilder::default();
        assert!(profile.add(["main", "encode"], 1_000, 1_000));
        let recorded = RecordedProfile {
            test: String::new(),
            clock: SampledClock::Wall,
            profile: profile.finish(),
            report: SamplingReport::default(),
            is_whole: true,
        };
        store.keep(&run.benchmark, &run.code.executable, &recorded).unwrap();
        assert_eq!(pages.of(&series, std::slice::from_ref(&run)), None);
        run.evidence.as_mut().unwrap().reason = Reason::Red;
        let kept = pages.of(&series, &[run]).unwrap();
        let href = kept.href.unwrap();
        let file = href.strip_prefix("my%20report-profiles/").unwrap();
        let page = fs::read_to_string(directory.path().join("my report-profiles").join(file));
        let page = page.unwrap();
        assert!(page.contains("wall time, the build"));
        assert_eq!((kept.cause, kept.words.contains("the build")), (None, true));
    }
}
