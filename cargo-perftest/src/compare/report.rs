//! Output of the results of all tests.

use super::{CompareConclusion, SideNames, TestComparison};
use crate::args::AnswerFormat;
use crate::exit::CommandError;
use crate::report::{Table, code};
use perftest_core::words::markdown_text;
use std::io::Write;

/// Writes the results, and a summary for people.
pub(crate) fn write_answers(
    answers: &[TestComparison],
    names: &SideNames,
    conclusion: CompareConclusion,
    format: AnswerFormat,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    match format {
        AnswerFormat::Json => {
            answers.iter().try_for_each(|it| writeln!(out, "{}", it.as_json(names)))?;
        }
        AnswerFormat::Table => {
            writeln!(out, "base: {}\nhead: {}\n", names.base.words, names.head.words)?;
            table(answers).write(out)?;
            for remark in remarks(answers) {
                writeln!(out, "\n{remark}")?;
            }
            writeln!(out, "\n{conclusion}")?;
        }
        AnswerFormat::Markdown => {
            let [base, head] = [&names.base, &names.head].map(|side| code(&side.words));
            writeln!(out, "### Performance: {conclusion}\n\nBase {base}, head {head}.\n")?;
            write!(out, "{}", table(answers).markdown())?;
            for remark in remarks(answers) {
                writeln!(out, "\n{}", markdown_text(&remark))?;
            }
        }
    }
    Ok(())
}

fn table(answers: &[TestComparison]) -> Table {
    let table = Table::new(&["test", " base", " head", " ratio", "answer", " pairs", " seconds"]);
    let mut table = table.narrowed(&["test"], &["seconds", "pairs", "base", "head"]);
    answers.iter().for_each(|answer| table.push(answer.as_row()));
    table
}

fn remarks(answers: &[TestComparison]) -> impl Iterator<Item = String> {
    let of_instructions = answers.iter().filter_map(TestComparison::remark_on_instructions);
    answers.iter().filter_map(TestComparison::remark).chain(of_instructions)
}
