//! The page on thresholds is what the tool does.

use super::{of_commit, rules, table};
use crate::bench::Bench;
use perftest_core::model::{BenchmarkId, Run};

#[test]
fn the_page_on_thresholds_has_every_key_and_rules_that_are_read() {
    let page = include_str!("../../../../docs/reference/thresholds.md");
    let bench = Bench::filled("check-page");
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    rules(&bench, example);
    let text = table(&bench, &[]);
    assert!(text.contains("threshold `allocations` watches no run"), "{text}");
    rules(&bench, "[[threshold]]\nname = \"a\"\nwhat = 1\n");
    let (_, output) = bench.refusal(&["check"]);
    let keys = output.split("the keys are ").nth(1).unwrap().trim().split(", ");
    let missing: Vec<&str> = keys.filter(|key| !page.contains(&format!("`{key}"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
    rules(&bench, "[[threshold]]\nname = \"a\"\ntest = \"what\"\n");
    let (_, output) = bench.refusal(&["check"]);
    let tests = output.split("the tests are ").nth(1).unwrap().trim().split(", ");
    let missing: Vec<&str> = tests.filter(|test| !page.contains(&format!("`{test}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_page_shows_what_is_answered() {
    let page = include_str!("../../../../docs/reference/thresholds.md");
    let bench = Bench::new("check-shown");
    let rule = "[[threshold]]\nname = \"latency\"\ntest = \"t_test\"\nupper = 0.99\n\
                min_sample_size = 5\nmax_sample_size = 64\nminimum_effect = \"5%\"\n";
    rules(&bench, rule);
    let history = |test: &str, values: &[f64], commits: &str| {
        for (nth, value) in (0..).zip(values) {
            let benchmark = BenchmarkId::from_recorded(format!("codec::frame::{test}"));
            let commit = format!("{commits}{nth}");
            bench.append(&Run { benchmark, ..of_commit(nth, *value, &commit) });
        }
    };
    let usual = [99.0, 101.0, 100.0, 99.0, 101.0, 100.0];
    history("decode", &[56.0, 58.0, 57.0, 56.0, 58.0, 57.0, 64.5], "a");
    let known =
        bench.answer(&["check", "--acknowledge", "decode", "--reason", "checksums are on now"]);
    history("encode", &[&usual[..], &[125.0, 126.0]].concat(), "b");
    (0..9).for_each(|nth| history(&format!("quiet{nth}"), &usual, "a"));
    (0..2).for_each(|nth| history(&format!("new{nth}"), &usual[..4], "a"));
    let shown = format!("$ cargo perftest check\n{}```", table(&bench, &[]));
    assert!(page.contains(&shown), "{shown}");

    let (output, id) = known.split_once("  acknowledged as ").unwrap();
    let id = id.split_whitespace().next().unwrap();
    let known = format!("{output}  acknowledged as {id}{}", known.split_once(id).unwrap().1);
    let shown = known.replace(id, "01KDVDNR000000000000000000");
    assert!(page.contains(&shown), "{shown}");
}
