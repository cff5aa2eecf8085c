//! `check --format markdown`, for comments and job summaries.

use super::{CHANGE, filled, run};
use perftest_core::model::{BenchmarkId, Run};

#[test]
fn open_alerts_are_a_table_of_markdown_with_the_command_for_the_worst() {
    let values: Vec<f64> = [100.0; 12].into_iter().chain([130.0; 6]).collect();
    let bench = filled("check-markdown", CHANGE, &values);
    let hostile = BenchmarkId::from_recorded("codec::a|<b>`x`");
    for (nth, value) in (0..).zip(&values) {
        let later = Run { benchmark: hostile.clone(), ..run(nth, *value) };
        bench.append(&Run { id: run(nth + 100, *value).id, ..later });
    }
    let output = bench.run(&["check", "--branch", "main", "--format", "markdown"]);
    let text = output.ended_with(1).stdout;
    assert!(
        text.starts_with("### Performance: 2 open alerts on branch <code>main</code>\n\n|"),
        "{text}"
    );
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 4, "{text}");
    let cells: Vec<usize> = rows.iter().map(|row| row.matches('|').count()).collect();
    assert!(cells.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    assert!(text.contains("<code>codec::a&#124;&#60;b&#62;&#96;x&#96;</code>"), "{text}");
    assert!(text.contains("\nMore: <code>cargo perftest show "), "{text}");
}

#[test]
fn what_no_rule_could_judge_is_listed_below_the_zero() {
    let text_of = |name: &str, rule: &str, values: &[f64]| {
        let bench = filled(name, rule, values);
        bench.answer(&["check", "--branch", "main", "--format", "markdown"])
    };
    let t_test = "[[threshold]]\nname = \"latency\"\ntest = \"t_test\"\nupper = 0.99\n\
                  min_sample_size = 5\nminimum_effect = \"5%\"\n";
    let short = text_of("check-markdown-short", t_test, &[100.0; 3]);
    assert!(short.starts_with("### Performance: 0 open alerts on branch "), "{short}");
    let items: Vec<&str> = short.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(items[0], "- 1 not judged", "{short}");
    assert!(items[1].starts_with("- not judged: ") && items[1].contains("encode"), "{short}");

    let twice = format!("{CHANGE}open_after = 2\n");
    let waits = text_of("check-markdown-waits", &twice, &[100.0, 100.0, 100.0, 150.0]);
    let lines = "- 1 waiting\n- waiting: 2 alarms in a row open an alert, those of one commit count once (1)\n";
    assert!(waits.contains(lines), "{waits}");

    let elsewhere = CHANGE.replace("\ntest", "\nmetric = \"allocs\"\ntest");
    let unwatched = text_of("check-markdown-unwatched", &elsewhere, &[100.0; 3]);
    assert!(
        unwatched.contains("\nNo threshold watches a run on this branch.\n\n- "),
        "{unwatched}"
    );
}

#[test]
fn without_an_alert_the_heading_has_a_zero() {
    let bench = filled("check-markdown-quiet", CHANGE, &[100.0; 20]);
    let text = bench.answer(&["check", "--branch", "main", "--format", "markdown"]);
    assert!(
        text.starts_with("### Performance: 0 open alerts on branch <code>main</code>\n"),
        "{text}"
    );
}
