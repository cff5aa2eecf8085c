//! From the first run to the first red, and back.

use crate::{PROJECTS, SLOW, grows, learn, persist, red, slow_grows};
use perftest_tests::TempStore;

#[test]
fn five_runs_are_recorded_and_the_sixth_has_a_verdict() {
    let store = TempStore::new();
    let _alone = PROJECTS.alone();
    let mut taught = 0;
    for run in 1..=30 {
        let learned = grows().store(&store).run().ended_with(0);
        let line = learned.line_of("grows");
        assert!(line.starts_with("ok "), "{learned}");
        let records = store.records("grows");
        assert_eq!(records.len(), run);
        // A run that was disturbed from start to end is recorded and does not teach.
        if records[run - 1].contains("\"teach\":true") {
            taught += 1;
            assert!(line.contains(&format!("recorded {taught} of 5")), "{learned}");
        }
        if taught == 5 {
            break;
        }
    }
    assert_eq!(taught, 5, "thirty runs were disturbed");
    let judged = grows().store(&store).run().ended_with(0);
    let line = judged.line_of("grows");
    assert!(!line.contains("recorded"), "{judged}");
    assert!(line.contains("x ["), "a ratio with its bounds: {judged}");
}

#[test]
fn a_red_explains_itself_and_fails_with_a_code_of_its_own() {
    let store = TempStore::new();
    let _alone = PROJECTS.alone();
    learn("grows", grows, &store);
    let red = red(|| slow_grows().store(&store)).ended_with(3);
    assert!(red.line_of("grows").starts_with("FAILED "), "{red}");
    red.says(&[
        "---- grows (measured/tests/perf.rs:",
        "slower than its baseline: ",
        "x, at least ",
        "(tolerance 1.50x)",
        " measurements in ",
        " processes",
        "\n  now       ",
        "\n  baseline  ",
        " 5 runs",
        "\n  witness   ",
        ", side by side just now: ",
        "; this is the code, not the machine",
        "\n  machine   ",
        "\n  testbed   local/",
        "  cargo perftest ",
        "  cargo test --release ",
        "  cargo perftest accept grows --max-ratio ",
        "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 1 filtered out",
    ]);
}

#[test]
fn a_red_teaches_nothing_however_often_it_is_repeated() {
    let store = TempStore::new();
    let _alone = PROJECTS.alone();
    learn("grows", grows, &store);
    for _ in 0..4 {
        let before = store.records("grows").len();
        red(|| slow_grows().store(&store)).ended_with(3);
        assert!(store.records("grows").len() > before, "the red itself is recorded");
    }
    let unchanged = grows().store(&store).run().ended_with(0);
    let line = unchanged.line_of("grows");
    assert!(!line.contains("improved"), "compared with the reds: {unchanged}");
}

#[test]
fn a_red_beside_an_ordinary_failure_is_an_ordinary_failure() {
    let store = TempStore::new();
    let _alone = PROJECTS.alone();
    let binary = || PROJECTS.binary("bodies", "perf");
    learn("prints", binary, &store);
    let slowed = || PROJECTS.slowed("bodies", "perf").store(&store).env(SLOW.0, SLOW.1);
    let both = || slowed().args(&["--exact", "prints", "never_iterates"]);
    let both = persist(both, |outcome| outcome.stdout.contains("slower than its baseline"));
    both.ended_with(101).says(&["slower than its baseline", "never called `iter`"]);
}
