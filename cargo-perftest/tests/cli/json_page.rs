//! The page on JSON has what the tables print for programs.

use crate::bench::Bench;
use std::fs;

#[test]
fn the_page_on_json_has_every_key_of_these_tables() {
    let page = include_str!("../../../docs/reference/json.md");
    let bench = Bench::filled("json-page");
    let rule = "[[threshold]]\nname = \"latency\"\ntest = \"change\"\nminimum_effect = \"5%\"\n";
    fs::write(bench.root.join("project/perftest.toml"), rule).unwrap();
    let accept = ["accept", "encode", "--max-ratio", "1.3", "--reason", "checksums are on now"];
    bench.run(&accept).ended_with(0);
    for (command, events) in [
        (&["check"][..], &["alert", "check"][..]),
        (&["drift"], &["drift"]),
        (&["history", "--errors"], &["errors", "errors_together"]),
        (&["accept", "--list"], &["acceptance"]),
        (&["machine"], &["machine"]),
        (&["doctor"], &["doctor", "finding"]),
        (&["changepoints"], &["searched"]),
    ] {
        let answer = bench.run(&[command, &["--json"]].concat());
        let lines = answer.json();
        for event in events {
            assert!(lines.iter().any(|line| line["event"] == *event), "{command:?}: {answer}");
        }
        for key in lines.iter().flat_map(|line| line.as_object().unwrap().keys()) {
            assert!(page.contains(&format!("`{key}`")), "no row has `{key}` of {command:?}");
        }
    }
}
