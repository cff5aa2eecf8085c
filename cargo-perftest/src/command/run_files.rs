//! The files that `cargo perftest run` writes beside its output: a comment and exports.

use super::base_comparison::BaseComparison;
use super::export::{text_of_session, write_to};
use super::run_summary::{RunOverview, write_not_run};
use crate::args::{AnswerFormat, ExportFile};
use crate::command_context::CommandContext;
use crate::ended_test::EndedTest;
use crate::exit::{Result, refuse};
use crate::export::comment_of;
use crate::reading::SessionView;
use crate::report::whole_lines;
use crate::report_file::ReportFile;
use crate::test_run::TestRun;
use perftest_core::words::markdown_text;
use perftest_store::Series;
use std::io::Write;
use std::path::Path;

/// Reports a file that cannot be made before any waiting. To make it would change the working tree while the
/// tests run.
pub(super) fn refuse_missing_directory(file: &Path) -> Result<()> {
    let directory = file.parent().filter(|it| !it.as_os_str().is_empty());
    match directory.filter(|it| !it.is_dir()) {
        None => Ok(()),
        Some(missing) => refuse(format!(
            "`{}` cannot be written: there is no directory `{}`",
            file.display(),
            missing.display()
        )),
    }
}

/// What the files are about.
pub(super) struct RunResults<'a> {
    pub(super) tests: &'a TestRun,
    pub(super) summary: &'a RunOverview,
    /// `None` where nothing was left to compare.
    pub(super) compared: &'a Result<Option<BaseComparison>>,
    /// The commit that is checked out, as people read it.
    pub(super) commit: Option<String>,
}

impl RunResults<'_> {
    /// Writes the body of a comment.
    pub(super) fn write_comment(&self, path: &Path) -> Result<()> {
        let text = self.comment()?;
        let mut file = ReportFile::create(path)?;
        file.write_all(text.as_bytes())?;
        Ok(file.finish()?)
    }

    /// Half of the body is room enough for what did not run and what was compared. What did not run comes first: it
    /// begins with its number, which is there whatever else has no room. The commit tells whether it is of the newest push.
    fn comment(&self) -> Result<String> {
        let of_commit = |commit| format!("\nOf commit {commit}.\n");
        let of_commit = self.commit.as_ref().map_or_else(String::new, of_commit);
        let mut not_run = Vec::new();
        write_not_run(&self.tests.not_run, AnswerFormat::Markdown, &mut not_run)?;
        let not_run = String::from_utf8_lossy(&not_run);
        Ok(comment_of(|room| {
            let room = room - of_commit.len();
            let mut further = whole_lines(&not_run, room / 4).to_owned();
            further += &self.compared_in_markdown(room / 2 - further.len());
            self.summary.markdown(room - further.len()) + &further + &of_commit
        }))
    }

    /// What was compared with the base, in at most `room` bytes; empty where nothing was left to compare.
    fn compared_in_markdown(&self, room: usize) -> String {
        match self.compared {
            Ok(Some(compared)) => format!("\n{}", compared.markdown(room.saturating_sub(1))),
            Ok(None) => String::new(),
            Err(why) => {
                let why = markdown_text(&why.to_string());
                let text = format!("\n### Performance: not compared with the base\n\n{why}\n");
                whole_lines(&text, room).to_owned()
            }
        }
    }

    /// Writes the session with the answers of the comparison, which no history has.
    pub(super) fn write_exports(
        &self,
        files: &[ExportFile],
        context: &CommandContext<'_>,
    ) -> Result<()> {
        let mut all = context.series_of(None)?;
        let ended = self.tests.ended();
        let is_of = |series: &Series, test: &EndedTest| {
            // A stage is a series of its own.
            test.benchmark.as_str() == series.benchmark.whole()
        };
        all.retain(|series| ended.iter().any(|test| is_of(series, test)));
        let mut session = SessionView::read(Some(&self.tests.session), &all, context)?;
        if let Ok(Some(compared)) = self.compared {
            compared.answer(&mut session, &ended);
        }
        for file in files {
            write_to(&file.path, &text_of_session(file.format, &session)?)?;
        }
        context.read_failures.refuse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args as CommandLine, CliCommand};
    use crate::compare::{CompareConclusion, SideNames, TestComparison};
    use clap::Parser;
    use perftest_core::model::{BenchmarkId, Reason};

    fn names(count: usize, module: &str) -> impl Iterator<Item = String> {
        let modules = "module::".repeat(9);
        (0..count).map(move |number| format!("{module}::{modules}t{number}"))
    }

    /// The comment on so many compared tests and so many that did not run.
    fn comment(compared: usize, not_run: usize) -> String {
        let green = |name: String| TestComparison::of_measured(&name, Reason::Green, 1.0);
        let answers: Vec<TestComparison> = names(compared, "compared").map(green).collect();
        let conclusion = CompareConclusion::of(&answers, false);
        let sides = SideNames { base: Path::new("base").into(), head: Path::new("head").into() };
        let compared = Ok(Some(BaseComparison { answers, names: sides, conclusion }));
        let mut tests = TestRun::default();
        tests.not_run = names(not_run, "late").map(BenchmarkId::from_recorded).collect();
        let CliCommand::Run(args) = CommandLine::parse_from(["cargo-perftest", "run"]).command
        else {
            unreachable!("the command is `run`")
        };
        let summary = RunOverview::of(Vec::new(), &args, None);
        let commit = Some("a1b2c3d4e".to_owned());
        RunResults { tests: &tests, summary: &summary, compared: &compared, commit }
            .comment()
            .unwrap()
    }

    #[test]
    fn a_comment_has_what_did_not_run_and_counts_what_it_has_no_room_for() {
        let few = comment(2, 1);
        let places = ["budget is over: 1\n", "late::", "### Performance: ", "compared::"];
        let places = places.map(|part| few.find(part).unwrap());
        assert!(places.is_sorted() && !few.contains("| and "), "{few}");
        for (compared, not_run) in [(2_000, 1), (2_000, 2_000), (1, 2_000)] {
            let text = comment(compared, not_run);
            assert!(text.len() <= 65_000, "{}", text.len());
            assert!(text.ends_with("\nOf commit a1b2c3d4e.\n"), "{text}");
            assert!(text.contains(&format!("budget is over: {not_run}\n")), "{text}");
            let rows = text.matches("<code>compared::").count();
            let others = format!("| and {} more |", compared - rows);
            assert!(rows > 0 && (rows == compared || text.contains(&others)), "{text}");
        }
    }
}
