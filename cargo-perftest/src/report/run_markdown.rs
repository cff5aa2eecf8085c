//! What a run of tests came to, in Markdown.

use super::run_summary::counts;
use super::{SummarisedTest, code, counted, folded_tables};
use crate::ended_test::{EndedTest, Urgency};
use perftest_core::words::markdown_text;

/// The tests, which come the worst first, in at most `room` bytes: findings in a table, and those about which
/// there is nothing to do folded below it.
pub(crate) fn run_markdown(tests: &[SummarisedTest], room: usize) -> String {
    let is_fine = |it: &&SummarisedTest| it.test.urgency() == Urgency::Fine;
    let (fine, found): (Vec<&SummarisedTest>, Vec<&SummarisedTest>) =
        tests.iter().partition(is_fine);
    let rows = |of: &[&SummarisedTest]| of.iter().map(|it| row(&it.test)).collect::<Vec<_>>();
    let headings = ["", "test", "verdict", "measured"];
    let hint = found.first().and_then(|it| it.hint.as_deref()?.split_once(": "));
    let hint = hint.map(|(purpose, command)| format!("\n{purpose}: {}\n", code(command)));
    let hint = hint.unwrap_or_default();
    let heading = format!("### Performance tests: {}\n\n", counts(tests));
    let room = room.saturating_sub(heading.len() + hint.len());
    let others = counted(fine.len(), "other");
    heading + &folded_tables(&headings, &rows(&found), (&others, &rows(&fine)), room) + &hint
}

fn row(test: &EndedTest) -> Vec<String> {
    let outcome = test.outcome.as_ref();
    let measured = outcome.and_then(|it| it.line.as_deref().or(it.note.as_deref()));
    let words: Vec<&str> = measured.unwrap_or_default().split_whitespace().collect();
    let mark = match test.urgency() {
        Urgency::Broken | Urgency::Red => "❌",
        Urgency::Unknown | Urgency::Open => "⚠️",
        Urgency::Fine if test.is_new() => "🆕",
        Urgency::Fine => "✅",
    };
    vec![
        mark.to_owned(),
        code(test.benchmark.as_str()),
        test.in_words().to_owned(),
        markdown_text(&words.join(" ")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Reason;

    fn summarised(name: &str, reason: Reason, hint: Option<&str>) -> SummarisedTest {
        let test = EndedTest::judged(name, Some(reason), Some(1.36));
        SummarisedTest {
            test,
            course: Vec::new(),
            unit: "ns".into(),
            hint: hint.map(str::to_owned),
        }
    }

    #[test]
    fn each_test_has_its_value_and_what_is_fine_is_folded() {
        let tests = [
            summarised("codec::slow", Reason::Red, Some("why: cargo perftest show codec::slow")),
            summarised("codec::open", Reason::Unclear, None),
            summarised("codec::fine", Reason::Green, None),
            summarised("codec::new", Reason::NoBaseline, None),
        ];
        let line = "12.04 us 1.39x slower, at least 1.36x";
        let expected = format!(
            "### Performance tests: 1 slower, 1 unclear, 1 green, 1 no baseline\n\n\
             |  | test | verdict | measured |\n|---|---|---|---|\n\
             | ❌ | <code>codec::slow</code> | slower | {line} |\n\
             | ⚠️ | <code>codec::open</code> | unclear | {line} |\n\n\
             <details><summary>2 others</summary>\n\n\
             |  | test | verdict | measured |\n|---|---|---|---|\n\
             | ✅ | <code>codec::fine</code> | green | {line} |\n\
             | 🆕 | <code>codec::new</code> | no baseline | {line} |\n\n</details>\n\
             \nwhy: <code>cargo perftest show codec::slow</code>\n"
        );
        assert_eq!(run_markdown(&tests, usize::MAX), expected);
        let with_one = run_markdown(&tests[..3], usize::MAX);
        assert!(with_one.contains("<summary>1 other</summary>"), "{with_one}");
    }

    #[test]
    fn a_name_or_an_ending_injects_nothing() {
        let hostile = "a|b\n::error::<img src=x>`@all";
        let mut test = summarised(hostile, Reason::Red, Some("why: cargo perftest show 'x|<b>'"));
        if let Some(outcome) = &mut test.test.outcome {
            outcome.line = Some(hostile.to_owned());
        }
        let text = run_markdown(&[test], usize::MAX);
        assert!(
            !text.contains("<img") && !text.contains("<b>") && !text.contains("@all"),
            "{text}"
        );
        assert!(text.lines().all(|line| !line.starts_with("::")), "{text}");
        let row = text.lines().find(|line| line.contains("❌"));
        assert_eq!(row.map(|row| row.matches('|').count()), Some(5), "{text}");
    }

    #[test]
    fn thousands_of_tests_fit_and_the_worst_come_first() {
        let name = |number: usize| format!("codec::{}::t{number}", "module::".repeat(9));
        let red = |number| summarised(&name(number), Reason::Red, None);
        let fine = |number| summarised(&name(number), Reason::Green, None);
        let tests: Vec<SummarisedTest> = (0..1_500).map(red).chain((0..1_500).map(fine)).collect();
        let room = 65_000;
        let text = run_markdown(&tests, room);
        assert!(text.len() <= room, "{}", text.len());
        assert!(text.contains("1500 slower, 1500 green") && text.contains("::t0<"), "{text}");
        assert!(text.contains("| and ") && !text.contains("✅"), "what is fine is cut first");
    }

    #[test]
    fn a_run_of_nothing_says_so() {
        assert_eq!(run_markdown(&[], 1_000), "### Performance tests: no test ran\n\n");
    }
}
