//! What rules said, in files.

use crate::bench::Bench;
use perftest_core::model::{Finding, Judgement};
use perftest_store::conformance::{example_judgement, example_run};
use perftest_store::{Store, StoreError};
use std::fs;
use std::path::PathBuf;

fn judgement(ordinal: u64) -> Judgement {
    example_judgement(ordinal, Finding::Quiet, None)
}

fn load(bench: &Bench) -> Result<(Vec<Judgement>, usize), StoreError> {
    let Judgement { benchmark, testbed, .. } = judgement(0);
    let loaded = bench.store().judgements(&benchmark, &testbed)?;
    Ok((loaded.value, loaded.damaged.len()))
}

/// The one file there is below `judged`.
fn file(bench: &Bench) -> PathBuf {
    let mut path = bench.root.join("v1/codec.0/judged");
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
    bench.store().keep_judgements(&[judgement(0), judgement(1)]).unwrap();
    assert_eq!(fs::read_to_string(file(&bench)).unwrap().lines().count(), 2);
    assert!(bench.store().series().unwrap().value.is_empty());
    bench.store().append(&example_run(0)).unwrap();
    assert_eq!(load(&bench).unwrap(), (vec![judgement(0), judgement(1)], 0));
}

#[test]
fn a_torn_last_judgement_costs_only_itself() {
    let bench = Bench::new("judged-torn");
    bench.store().keep_judgements(&[judgement(0), judgement(1)]).unwrap();
    let whole = fs::read(file(&bench)).unwrap();
    for cut in [1, 40] {
        fs::write(file(&bench), &whole[..whole.len() - cut]).unwrap();
        let survived = if cut == 1 { 2 } else { 1 };
        assert_eq!(load(&bench).unwrap().0.len(), survived, "cut by {cut}");
        bench.store().keep_judgements(&[judgement(2)]).unwrap();
        assert_eq!(load(&bench).unwrap().0.len(), survived + 1, "cut by {cut}");
    }
}

#[test]
fn judgements_of_a_newer_major_format_are_left_untouched() {
    let bench = Bench::new("judged-future");
    bench.store().keep_judgements(&[judgement(0)]).unwrap();
    let newer = "{\"v\":207,\"k\":\"judged\"}\n";
    fs::write(file(&bench), newer).unwrap();
    assert!(matches!(load(&bench), Err(StoreError::FromTheFuture { format: 2, .. })));
    assert!(bench.store().keep_judgements(&[judgement(1)]).is_err());
    assert_eq!(fs::read_to_string(file(&bench)).unwrap(), newer);
}
