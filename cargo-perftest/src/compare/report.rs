//! Output of the results of all tests.

use super::{CompareConclusion, SideNames, TestComparison, ratio_in_words};
use crate::args::AnswerFormat;
use crate::exit::Result;
use crate::export::LARGEST_SUMMARY;
use crate::report::{Table, code, counted, prose, whole_lines, write_json_line};
use perftest_core::model::Metric;
use perftest_core::words::quantity;
use std::io::Write;

/// Writes the results, and a summary for people.
pub(crate) fn write_answers(
    answers: &[TestComparison],
    names: &SideNames,
    conclusion: CompareConclusion,
    format: AnswerFormat,
    out: &mut dyn Write,
) -> Result<()> {
    match format {
        AnswerFormat::Json => {
            answers.iter().try_for_each(|it| write_json_line(out, &it.as_json(names)))?;
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
            write!(out, "{}", answers_as_markdown(answers, names, conclusion, LARGEST_SUMMARY))?;
        }
    }
    Ok(())
}

/// The results in Markdown, in at most `room` bytes: a last row of the table and a last line count what has no room.
pub(crate) fn answers_as_markdown(
    answers: &[TestComparison],
    names: &SideNames,
    conclusion: CompareConclusion,
    room: usize,
) -> String {
    let [base, head] = [&names.base, &names.head].map(|side| code(&side.words));
    let mut text = format!("### Performance: {conclusion}\n\nBase {base}, head {head}.\n\n");
    let remarks = remarks(answers).map(|remark| format!("\n{}\n", prose(&remark)));
    let remarks: Vec<String> = remarks.collect();
    let length: usize = remarks.iter().map(String::len).sum();
    let left = room.saturating_sub(text.len());
    text += &table(answers).markdown(left - length.min(left / 2));
    text += &first_of(&remarks, room.saturating_sub(text.len()));
    whole_lines(&text, room).to_owned()
}

/// As many of these remarks as have room in so many bytes; a last line counts the others.
fn first_of(remarks: &[String], room: usize) -> String {
    let all = remarks.concat();
    if all.len() <= room {
        return all;
    }
    let more = |shown| format!("\nand {}\n", counted(remarks.len() - shown, "more remark"));
    let room = room.saturating_sub(more(0).len());
    let mut end = 0;
    let has_room = |remark: &&String| {
        end += remark.len();
        end <= room
    };
    let shown = remarks.iter().take_while(has_room).count();
    remarks[..shown].concat() + &more(shown)
}

fn table(answers: &[TestComparison]) -> Table {
    let unit = Metric::wall().unit;
    let seconds = |it: &TestComparison| format!("{:.1}", it.spent.as_secs_f64());
    Table::of(answers)
        .column("test", |it| it.benchmark.clone())
        .optional(" base", |it| Some(quantity(it.measured()?.base.estimate, &unit)))
        .optional(" head", |it| Some(quantity(it.measured()?.head.estimate, &unit)))
        .optional(" ratio", |it| Some(ratio_in_words(it.measured()?.ratio)))
        .column("answer", |it| it.in_words())
        .optional(" pairs", |it| Some(it.measured()?.pairs))
        .optional(" seconds", |it| it.measured().map(|_| seconds(it)))
        .narrowed(&["test"], &["seconds", "pairs", "base", "head"])
}

fn remarks(answers: &[TestComparison]) -> impl Iterator<Item = String> {
    let of_instructions = answers.iter().filter_map(TestComparison::remark_on_instructions);
    answers.iter().filter_map(TestComparison::remark).chain(of_instructions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::CompareStatus;
    use perftest_core::model::Reason;
    use std::path::Path;

    #[test]
    fn markdown_has_a_heading_both_sides_a_row_for_each_test_and_the_remarks() {
        let names = SideNames { base: Path::new("a|b").into(), head: Path::new("head").into() };
        let answers = [
            TestComparison::of_measured("slow|<i>", Reason::Red, 1.9),
            TestComparison::found("broken", CompareStatus::Failed("head: *gone*".into())),
        ];
        let mut out = Vec::new();
        let conclusion = CompareConclusion::of(&answers, false);
        write_answers(&answers, &names, conclusion, AnswerFormat::Markdown, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "### Performance: the head is slower");
        assert_eq!(lines[2], "Base <code>a&#124;b</code>, head <code>head</code>.");
        assert!(
            lines[6].starts_with("| <code>slow&#124;&#60;i&#62;</code> | 1.000 us |"),
            "{text}"
        );
        assert!(lines[6].contains(" | slower | "), "{text}");
        assert_eq!(lines[4..8].iter().map(|it| it.matches('|').count()).max(), Some(8), "{text}");
        assert_eq!(*lines.last().unwrap(), "broken: head: &#42;gone&#42;");
    }

    #[test]
    fn the_remarks_have_half_of_the_room_and_those_without_are_counted() {
        let names = SideNames { base: Path::new("a").into(), head: Path::new("b").into() };
        let failed = |number| {
            let why = CompareStatus::Failed("head: gone".into());
            TestComparison::found(&format!("codec::t{number}"), why)
        };
        for (count, room) in [(2, 4_000), (400, 4_000), (400, 40_000), (400, 100_000)] {
            let answers: Vec<TestComparison> = (0..count).map(failed).collect();
            let conclusion = CompareConclusion::Failed;
            let text = answers_as_markdown(&answers, &names, conclusion, room);
            assert!(text.len() <= room, "{}", text.len());
            let shown = [text.matches("<code>codec::t"), text.matches("\ncodec:<!-- -->:t")];
            let [rows, remarks] = shown.map(Iterator::count);
            assert!(rows > 0 && remarks > 0, "{text}");
            let others = [
                format!("\n| and {} more |", count - rows),
                format!("\nand {} more remarks\n", count - remarks),
            ];
            for (shown, others) in [rows, remarks].into_iter().zip(others) {
                assert!(shown == count || text.contains(&others), "{text}");
            }
        }
    }

    #[test]
    fn the_page_on_json_has_every_key_and_every_answer() {
        let page = include_str!("../../../docs/reference/json.md");
        let names = SideNames { base: Path::new("a").into(), head: Path::new("b").into() };
        let accepted = TestComparison {
            accepted_ratio: Some(1.3),
            ..TestComparison::of_measured("accepted", Reason::Green, 1.2)
        };
        let measured =
            [Reason::Red, Reason::Green, Reason::Improved, Reason::Unclear, Reason::Unstable];
        let measured = measured.map(|it| TestComparison::of_measured("test", it, 1.0));
        let found = [
            CompareStatus::SameCode,
            CompareStatus::OnlyInBase,
            CompareStatus::OnlyInHead,
            CompareStatus::Failed("head: gone".into()),
        ];
        let found = found.map(|it| TestComparison::found("test", it));
        for answer in measured.into_iter().chain(found).chain([accepted]) {
            let json = answer.as_json(&names);
            let word = json["answer"].as_str().unwrap().to_owned();
            for word in json.as_object().unwrap().keys().chain([&word]) {
                assert!(page.contains(&format!("`{word}`")), "no row has `{word}`");
            }
        }
    }
}
