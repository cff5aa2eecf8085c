//! Judgements of rules, in files.

use crate::bench::Bench;
use perftest_core::model::{Judgement, Limits, RuleResult};
use perftest_store::conformance::{example_judgement, example_run, resealed};
use perftest_store::{Annotation, Store, StoreError};
use std::fs;
use std::path::PathBuf;

fn judgement(ordinal: u64) -> Judgement {
    example_judgement(ordinal, RuleResult::Quiet, None)
}

fn keep(bench: &Bench, judgements: &[Judgement]) -> Result<(), StoreError> {
    bench.store().annotate(Annotation::Judgements(judgements))
}

fn load(bench: &Bench) -> Result<(Vec<Judgement>, usize), StoreError> {
    let Judgement { benchmark, testbed, .. } = judgement(0);
    let loaded = bench.store().judgements(&benchmark, &testbed)?;
    Ok((loaded.value, loaded.damaged.len()))
}

/// The one file there is below `judged`.
fn file(bench: &Bench) -> PathBuf {
    let mut path = bench.root.join("v1/codec.0/judgements");
    while path.is_dir() {
        let mut entries = fs::read_dir(&path).unwrap();
        path = entries.next().unwrap().unwrap().path();
        assert!(entries.all(|it| it.unwrap().path().extension().is_some_and(|it| it == "lock")));
    }
    path
}

#[test]
fn judgements_are_beside_the_histories_and_no_history() {
    let bench = Bench::new("judged-place");
    keep(&bench, &[judgement(0), judgement(1)]).unwrap();
    assert!(bench.store().list(None).unwrap().series.value.is_empty());
    bench.store().append(&example_run(0)).unwrap();
    assert_eq!(load(&bench).unwrap(), (vec![judgement(0), judgement(1)], 0));
}

/// Each of two machines that judged one run has its own judgement first in its file.
#[test]
fn judgements_are_in_the_order_of_their_time_in_every_store() {
    let earlier = judgement(0);
    let later = Judgement { judged_ms: earlier.judged_ms + 1, ..judgement(0) };
    for (name, order) in [("judged-own", [&earlier, &later]), ("judged-other", [&later, &earlier])]
    {
        let bench = Bench::new(name);
        order.iter().for_each(|it| keep(&bench, std::slice::from_ref(*it)).unwrap());
        assert_eq!(load(&bench).unwrap(), (vec![earlier.clone(), later.clone()], 0));
    }
}

#[test]
fn a_torn_last_judgement_costs_only_itself() {
    let bench = Bench::new("judged-torn");
    // Those that are kept at different times have a line each.
    keep(&bench, &[judgement(0)]).unwrap();
    keep(&bench, &[judgement(1)]).unwrap();
    let whole = fs::read(file(&bench)).unwrap();
    for cut in [1, 40] {
        fs::write(file(&bench), &whole[..whole.len() - cut]).unwrap();
        let survived = if cut == 1 { 2 } else { 1 };
        assert_eq!(load(&bench).unwrap().0.len(), survived, "cut by {cut}");
        keep(&bench, &[judgement(2)]).unwrap();
        assert_eq!(load(&bench).unwrap().0.len(), survived + 1, "cut by {cut}");
    }
}

#[test]
fn judgements_of_another_version_are_left_untouched() {
    let bench = Bench::new("judged-other-version");
    keep(&bench, &[judgement(0)]).unwrap();
    let newer = "{\"v\":2,\"kind\":\"judgement\"}\n";
    fs::write(file(&bench), newer).unwrap();
    assert!(matches!(load(&bench), Err(StoreError::OtherVersion { version: 2, .. })));
    assert!(keep(&bench, &[judgement(1)]).is_err());
    assert_eq!(fs::read_to_string(file(&bench)).unwrap(), newer);
}

#[test]
fn what_is_quiet_shares_a_line_and_reads_back_among_the_others() {
    let bench = Bench::new("judged-quiet");
    let limits = |upper| Some(Limits { baseline: Some(57.0), lower: None, upper });
    let quiet = |ordinal, upper| example_judgement(ordinal, RuleResult::Quiet, limits(upper));
    let why = RuleResult::Unjudged("too few values".into());
    let kept = [
        quiet(0, Some(60.5)),
        quiet(1, None),
        Judgement { limits: None, ..quiet(2, None) },
        example_judgement(3, why, None),
        quiet(4, None),
        Judgement { model: "another".into(), ..quiet(5, None) },
        Judgement { judged_ms: u64::MAX, model: "another".into(), ..quiet(6, None) },
    ];
    keep(&bench, &kept).unwrap();
    let text = fs::read_to_string(file(&bench)).unwrap();
    assert_eq!(text.lines().count(), 5);
    assert_eq!(load(&bench).unwrap(), (kept.to_vec(), 0));
    let short = text.replacen("\"values\":[71.25,", "\"values\":[", 1);
    let first = resealed(short.lines().next().unwrap());
    fs::write(file(&bench), first + text.lines().nth(1).unwrap() + "\n").unwrap();
    assert_eq!(load(&bench).unwrap(), (vec![kept[3].clone()], 1));
}
