//! `cargo perftest relink`: the test in other orders of its functions.

use crate::PERF;
use crate::bench::Bench;
use perftest_tests::{ALIGNED, TempStore, patiently};
use serde_json::json;
use std::fs;

#[test]
fn a_test_is_judged_in_each_order_against_its_history_and_nothing_is_recorded() {
    let bench = Bench::new();
    // Cargo sets this for the test, but not for the tool.
    bench.write(".cargo/config.toml", &format!("{ALIGNED}[env]\nROUNDS = \"1500\"\n"));
    let work = "tiny::work(std::env::var(\"ROUNDS\").unwrap().parse().unwrap())";
    bench.replace(PERF, "tiny::work(1500)", work);
    let store = TempStore::new();
    let learn = || {
        bench.cargo_test(&["steady"]).store(&store).run();
        store.baseline_runs("steady").len() >= 5
    };
    let in_one_go = || (0..12).any(|_| learn());
    assert!(patiently(in_one_go, |has_learned| *has_learned), "too few runs count");
    bench.spare_dependencies_of_relink();
    let recorded = store.records("steady").len();
    let relinked = bench.in_place_tool(&["relink", "steady", "--times", "2"]).store(&store).run();
    // A busy machine may leave an order undecided, and one at another speed has no ratio.
    assert!(matches!(relinked.code, Some(0 | 3)), "{relinked}");
    let words = |line: &'_ str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = relinked.stdout.lines().map(words).collect();
    for seed in ["1", "2"] {
        let row = rows.iter().find(|row| row.first().is_some_and(|it| it == seed));
        let Some([_, .., ratio, verdict]) = row.map(Vec::as_slice) else { panic!("{relinked}") };
        let is_ratio = ratio.strip_suffix('x').is_some_and(|it| it.parse::<f64>().is_ok());
        assert!(is_ratio || (ratio == "-" && verdict == "untrusted"), "{relinked}");
    }
    let arguments = ["relink", "steady", "--times", "1", "--json"];
    let answered = bench.in_place_tool(&arguments).store(&store).run();
    let first_build = "nothing is built for `relink` in this workspace yet";
    assert!(!answered.stderr.contains(first_build), "{answered}");
    let refused = bench.in_place_tool(&["relink", "steady", "--profile", "no-such-profile"]);
    let nothing_built = bench.repository().with_file_name("nothing-built");
    let _ = fs::remove_dir_all(&nothing_built);
    let refused = refused.store(&store).env("CARGO_TARGET_DIR", &nothing_built).run();
    refused.ended_with(2).warns(&[first_build, "no-such-profile"]);
    let [order, all] = &answered.json()[..] else { panic!("{answered}") };
    assert_eq!([&order["event"], &order["seed"]], [&json!("relink_order"), &json!(1)]);
    assert_eq!([&all["event"], &all["orders"]], [&json!("relink"), &json!(1)]);
    let code = match all["answer"].as_str() {
        Some("placement") => 0,
        Some("code") => 1,
        _ => 3,
    };
    answered.ended_with(code);
    assert_eq!(store.records("steady").len(), recorded, "{relinked}");
}
