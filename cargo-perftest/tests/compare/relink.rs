//! `cargo perftest relink`: the test in other orders of its functions.

use crate::bench::Bench;
use perftest_tests::{TempStore, patiently};

#[test]
fn a_test_is_judged_in_each_order_against_its_history_and_nothing_is_recorded() {
    let bench = Bench::new();
    let store = TempStore::new();
    let learn = || {
        bench.cargo_test(&["steady"]).store(&store).run();
        store.baseline_runs("steady").len()
    };
    assert!(patiently(learn, |runs| *runs >= 5) >= 5, "too few runs count for the baseline");
    let recorded = store.records("steady").len();
    let relinked = bench.in_place_tool(&["relink", "steady", "--times", "2"]).store(&store).run();
    // A busy machine may leave an order undecided, but each has its line with its ratio.
    assert!(matches!(relinked.code, Some(0 | 3)), "{relinked}");
    let is_ratio = |word: &str| word.strip_suffix('x').is_some_and(|it| it.parse::<f64>().is_ok());
    let ratios = relinked.stdout.split_whitespace().filter(|word| is_ratio(word)).count();
    assert_eq!(ratios, 2, "{relinked}");
    assert_eq!(store.records("steady").len(), recorded, "{relinked}");
}
