//! What an acceptance of the head allows.

use crate::bench::{Bench, line_of};
use crate::{PERF, STEADY, slow_down, slower};
use perftest_process::find_project;
use perftest_store::{Annotation, JsonlStore, Store, TestbedChange, TestbedDecision};
use perftest_tests::{Outcome, TempStore, patiently};
use serde_json::Value;

/// Writes an acceptance of the slower test up to this ratio.
fn accept(bench: &Bench, max_ratio: f64) {
    accept_on(bench, "*", max_ratio);
}

fn accept_on(bench: &Bench, testbed: &str, max_ratio: f64) {
    bench.write("perf-accept.jsonl", &line(STEADY, testbed, max_ratio));
}

/// A line of the file. Its id is the test.
fn line(benchmark: &str, testbed: &str, max_ratio: f64) -> String {
    format!(
        "{{\"v\":1,\"kind\":\"accept\",\"id\":\"{benchmark}\",\"benchmark\":\"{benchmark}\",\
         \"testbed\":\"{testbed}\",\"max_ratio\":{max_ratio},\"reason\":\"checks its input\",\
         \"given_ms\":1795401629278}}\n"
    )
}

#[test]
fn what_an_acceptance_of_the_head_allows_is_not_slower() {
    let bench = Bench::new();
    slow_down(&bench);
    accept(&bench, 100.0);
    let compare = || bench.compare(&["main", "--", "steady"]).run();
    let is_decided = |outcome: &Outcome| !line_of(outcome, STEADY).contains("undecided");
    let accepted = patiently(compare, is_decided).ended_with(0);
    assert!(line_of(&accepted, STEADY).contains("  accepted"), "{accepted}");
    accepted.prints(&["steady: accepted up to 100.00x"]);
    accept(&bench, 2.0);
    slower(&bench, &["main", "--", "steady"]);
    // An acceptance that the base has too is of an older level.
    bench.git(&["checkout", "--quiet", "--", PERF]);
    accept(&bench, 100.0);
    bench.commit();
    slow_down(&bench);
    slower(&bench, &["HEAD", "--", "steady"]);
}

#[test]
fn an_acceptance_for_the_new_name_of_this_testbed_allows_it_too() {
    let (bench, store) = (Bench::new(), TempStore::new());
    slow_down(&bench);
    let machine = bench.tool(&["doctor", "--json"]).run().stdout;
    let machine: Value = serde_json::from_str(machine.lines().next().unwrap()).unwrap();
    let renamed = TestbedDecision {
        id: "01KDVDNR000000000000000000".into(),
        testbed: machine["testbed"].as_str().unwrap().into(),
        change: TestbedChange::ReadAs("desk/1".into()),
        given_ms: 1,
    };
    let history = JsonlStore::open(store.path(), &find_project(&bench.repository()));
    history.annotate(Annotation::Testbed(&renamed)).unwrap();
    accept_on(&bench, "desk/1", 100.0);
    let compare = || bench.compare(&["main", "--", "steady"]).store(&store).run();
    let is_decided = |outcome: &Outcome| !line_of(outcome, STEADY).contains("undecided");
    let accepted = patiently(compare, is_decided).ended_with(0);
    let remarks = accepted.stdout.lines().find(|line| line.starts_with("tiny::perf::steady: "));
    // A note about disturbed pairs may come first.
    assert!(remarks.is_some_and(|it| it.ends_with("accepted up to 100.00x")), "{accepted}");
}

/// Perf tests whose times are given: the settings of each, its name, and its nanoseconds a call.
fn with_given_times(tests: &[(&str, &str, u64)]) -> String {
    let test = |(settings, name, nanoseconds): &(&str, &str, u64)| {
        format!(
            "#[perf_test(tolerance = \"5%\"{settings})]\n\
             fn {name}(b: &mut Bencher) {{ given(b, {nanoseconds}) }}\n"
        )
    };
    let tests: String = tests.iter().map(test).collect();
    format!(
        "use perftest::{{Bencher, perf_test}};
use std::time::Duration;

fn given(b: &mut Bencher, nanoseconds: u64) {{
    b.iter_custom(|iterations| {{
        (0..iterations).for_each(|_| _ = std::hint::black_box(tiny::work(1500)));
        Duration::from_nanos(iterations * nanoseconds)
    }});
}}

{tests}
perftest::main!();
"
    )
}

#[test]
fn the_tolerance_counts_beside_what_is_accepted_also_for_a_renamed_test() {
    let bench = Bench::new();
    let renamed = ", formerly = \"tiny::perf::before\"";
    let base = [("", "within", 1000), ("", "beyond", 1000), ("", "before", 1000)];
    let head = [("", "within", 1280), ("", "beyond", 1400), (renamed, "renamed", 1280)];
    bench.write(PERF, &with_given_times(&base));
    bench.commit();
    bench.write(PERF, &with_given_times(&head));
    let accepted = ["within", "beyond", "before"];
    let accepted = accepted.map(|name| line(&format!("tiny::perf::{name}"), "*", 1.25));
    bench.write("perf-accept.jsonl", &accepted.concat());
    let compare = || bench.compare(&["HEAD"]).run();
    let is_decided = |outcome: &Outcome| !outcome.stdout.contains("undecided");
    let compared = patiently(compare, is_decided).ended_with(1);
    for (name, answer) in [("within", "accepted"), ("beyond", "slower"), ("renamed", "accepted")] {
        let line = line_of(&compared, &format!("tiny::perf::{name}"));
        assert!(line.contains(&format!("  {answer}")), "{compared}");
    }
    compared.prints(&[
        "slower than accepted (1.25x and the tolerance)",
        "renamed: accepted up to 1.25x",
    ]);
}
