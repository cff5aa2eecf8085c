//! The files that `cargo perftest run` writes beside its output: a comment and exports.

use super::base_comparison::BaseComparison;
use super::export::{text_of_session, write_to};
use super::run_summary::{RunSummary, write_not_run};
use crate::args::{AnswerFormat, ExportFile};
use crate::command_context::CommandContext;
use crate::ended_test::EndedTest;
use crate::exit::{CommandError, Result};
use crate::export::comment_of;
use crate::reading::{SessionChoice, SessionView};
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
        Some(missing) => Err(CommandError::Usage(format!(
            "`{}` cannot be written: there is no directory `{}`",
            file.display(),
            missing.display()
        ))),
    }
}

/// What the files are about.
pub(super) struct RunResults<'a> {
    pub(super) tests: &'a TestRun,
    pub(super) summary: &'a RunSummary,
    /// `None` where nothing was left to compare.
    pub(super) compared: &'a Result<Option<BaseComparison>>,
}

impl RunResults<'_> {
    /// Writes the body of a comment.
    pub(super) fn write_comment(&self, path: &Path) -> Result<()> {
        let text = self.comment()?;
        let mut file = ReportFile::create(path)?;
        file.write_all(text.as_bytes())?;
        Ok(file.finish()?)
    }

    /// Half of the body is room enough for what was compared and what did not run.
    fn comment(&self) -> Result<String> {
        let mut further = Vec::new();
        match self.compared {
            Ok(Some(compared)) => compared.write(AnswerFormat::Markdown, &mut further)?,
            Ok(None) => {}
            Err(why) => {
                let why = markdown_text(&why.to_string());
                writeln!(further, "\n### Performance: not compared with the base\n\n{why}")?;
            }
        }
        write_not_run(&self.tests.not_run, AnswerFormat::Markdown, &mut further)?;
        let further = String::from_utf8_lossy(&further);
        Ok(comment_of(|room| {
            let further = whole_lines(&further, room / 2);
            self.summary.markdown(room - further.len()) + further
        }))
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
        let choice = SessionChoice::Named(self.tests.session.clone());
        let mut session = SessionView::read(&choice, &all, context)?;
        if let Ok(Some(BaseComparison { answers, names, .. })) = self.compared {
            session.replace(|run| {
                let answer = answers.iter().find(|it| it.benchmark == run.run.benchmark)?;
                Some((answer.in_place_of(&run.evidence)?, answer.sentence(&names.base.words)))
            });
        }
        for file in files {
            write_to(&file.path, &text_of_session(file.format, &session)?)?;
        }
        context.read_failures.refuse()
    }
}
