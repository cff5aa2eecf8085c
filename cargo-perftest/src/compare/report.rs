//! Output of the results of all tests.

use super::{CompareConclusion, SideNames, TestComparison};
use crate::args::OutputFormat;
use crate::exit::CommandError;
use crate::report::Table;
use std::io::Write;

/// Writes the results, and a summary in the table format.
pub(crate) fn write_answers(
    answers: &[TestComparison],
    names: &SideNames,
    conclusion: CompareConclusion,
    format: OutputFormat,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    match format {
        OutputFormat::Json => {
            answers.iter().try_for_each(|it| writeln!(out, "{}", it.as_json(names)))?;
        }
        OutputFormat::Table => {
            writeln!(out, "base: {}\nhead: {}\n", names.base.words, names.head.words)?;
            let table =
                Table::new(&["test", " base", " head", " ratio", "answer", " pairs", " seconds"]);
            let mut table = table.narrowed(&["test"], &["seconds", "pairs", "base", "head"]);
            answers.iter().for_each(|answer| table.push(answer.as_row()));
            table.write(out)?;
            for remark in answers.iter().filter_map(TestComparison::remark) {
                writeln!(out, "\n{remark}")?;
            }
            for remark in answers.iter().filter_map(TestComparison::remark_on_instructions) {
                writeln!(out, "\n{remark}")?;
            }
            writeln!(out, "\n{conclusion}")?;
        }
    }
    Ok(())
}
