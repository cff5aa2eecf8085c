//! `accept --review`: the reds one by one, with the answers piped in.

use crate::bench::{Bench, red};
use perftest_core::model::{BenchmarkId, Evidence, Interval, Run};
use perftest_store::conformance::example_run;
use perftest_tests::Outcome;

/// Two reds in the newest session, `decode` before `insert`.
fn two_reds(name: &str) -> Bench {
    let bench = Bench::filled(name);
    for (ordinal, test, upper) in
        [(30, "codec::frame::decode", 1.301), (31, "codec::index::insert", f64::INFINITY)]
    {
        let mut run = red(example_run(ordinal));
        let degradation = Some(Interval { estimate: 1.2, lower: 1.1, upper });
        run.evidence = run.evidence.map(|it| Evidence { degradation, ..it });
        let benchmark = BenchmarkId::from_recorded(test);
        bench.append(&Run { benchmark, session: "newest".into(), ..run });
    }
    bench
}

/// Code, standard output and standard error.
fn review(bench: &Bench, more: &[&str], answers: &str) -> (i32, String, String) {
    let mut command = bench.command();
    let output = Outcome::of_piped(command.args(["accept", "--review"]).args(more), answers);
    (output.code.unwrap(), output.stdout, output.stderr)
}

fn accepted(bench: &Bench) -> Vec<(String, f64, String)> {
    let all = bench.acceptances().into_iter();
    all.map(|it| (it.benchmark.to_string(), it.max_ratio, it.reason)).collect()
}

#[test]
fn reds_are_accepted_one_by_one_with_a_bound_a_reason_and_a_confirmation() {
    let bench = two_reds("review");
    let (code, text, _) = review(&bench, &[], "a\n\nchecksums\ny\na\n1.5\nlarger index\nyes\n");
    assert_eq!(code, 0, "{text}");
    let expected = [
        ("codec::frame::decode".to_owned(), 1.26, "checksums".to_owned()),
        ("codec::index::insert".to_owned(), 1.5, "larger index".to_owned()),
    ];
    assert_eq!(accepted(&bench), expected, "{text}");
    for part in [
        "1 of 2\ncodec::frame::decode on ",
        "1.20x slower, at most 1.30x",
        "largest accepted ratio to the old level [1.26]: ",
        "1.20x slower, and it has no upper bound",
        "largest accepted ratio to the old level: ",
        "2 accepted, 0 skipped, 0 not reviewed",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("encode"), "red in an older session: {text}");
}

#[test]
fn nothing_is_written_before_it_is_confirmed() {
    for (name, answers) in [
        ("skip", "s\ns\n"),
        ("quit", "q\n"),
        ("no", "a\n\nchecksums\nn\nq\n"),
        ("empty", "a\n\nchecksums\n\nq\n"),
        ("end-at-bound", "a\n"),
        ("end-at-reason", "a\n\n"),
        ("end-at-confirmation", "a\n\nchecksums\n"),
    ] {
        let bench = two_reds(&format!("review-{name}"));
        let (code, text, _) = review(&bench, &[], answers);
        assert_eq!((code, accepted(&bench)), (0, Vec::new()), "{name}: {text}");
        assert!(text.contains("\n0 accepted, "), "{name}: {text}");
    }
    let bench = two_reds("review-dry");
    let (_, text, _) = review(&bench, &["--dry-run"], "a\n\nx\ny\nq\n");
    assert!(text.contains("nothing was changed (--dry-run)"), "{text}");
    assert_eq!(accepted(&bench), []);
}

#[test]
fn what_was_confirmed_stays_when_the_rest_is_left() {
    let bench = two_reds("review-first");
    let (code, text, _) = review(&bench, &["--reason", "checksums"], "a\n\n\ny\n");
    assert_eq!(code, 0, "{text}");
    assert_eq!(accepted(&bench).len(), 1, "{text}");
    assert!(text.contains("1 accepted, 0 skipped, 1 not reviewed"), "{text}");
}

#[test]
fn a_wrong_answer_is_asked_for_again_and_the_evidence_can_be_seen() {
    let bench = two_reds("review-wrong");
    let answers = "what\nevidence\na\nfast\n0.9\n1.4\n \nchecksums\ny\nq\n";
    let (code, text, _) = review(&bench, &[], answers);
    assert_eq!(code, 0, "{text}");
    for part in [
        "answer with a, s, e or q",
        "slower than the last good build",
        "  baseline ",
        "give a ratio such as 1.27",
        "a ratio above 1 accepts a slower level",
        "give a reason in words, for later readers",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(accepted(&bench)[0].1, 1.4);
}

#[test]
fn without_an_answer_it_is_refused_with_what_to_do() {
    let bench = two_reds("review-nobody");
    let (code, _, error) = review(&bench, &[], "");
    assert_eq!(code, 2);
    assert!(error.contains("run it in a terminal, pipe the answers in"), "{error}");
    assert_eq!(accepted(&bench), []);
}

#[test]
fn without_a_red_there_is_nothing_to_review_and_nothing_is_asked() {
    let bench = Bench::new("review-green");
    let (code, _, error) = review(&bench, &[], "");
    assert!(
        code == 2
            && error
                .contains("no test has a verdict here yet; run them with `cargo test --release`"),
        "{error}"
    );
    bench.append(&example_run(0));
    let (code, text, _) = review(&bench, &[], "");
    assert_eq!((code, text.contains("nothing to review")), (0, true), "{text}");
}
