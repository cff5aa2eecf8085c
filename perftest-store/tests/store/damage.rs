//! Whatever stands in the file: only the damage is lost, and what is newer is left alone.

use crate::bench::{Bench, ids};
use perftest_core::model::{History, Run};
use perftest_store::conformance::{example_run, resealed};
use perftest_store::{Annotation, Query, Store, StoreError, WithDamage};
use std::fs;

fn query() -> Query {
    Query::like(&example_run(0))
}

#[test]
fn a_record_cut_anywhere_costs_only_itself() {
    let (bench, file) = Bench::with_one_run("cut");
    let whole = fs::read(&file).unwrap();
    bench.store().append(&example_run(1)).unwrap();
    let two = fs::read(&file).unwrap();
    let second = &two[whole.len()..];
    for cut in 0..second.len() {
        // A part of a page, and a whole one, that never came to the disk.
        for padding in [0, 37, 4096] {
            let torn = [&whole, &second[..cut], &vec![0; padding]].concat();
            fs::write(&file, torn).unwrap();
            bench.store().append(&example_run(2)).unwrap();
            let loaded = bench.store().load(&query()).unwrap();
            // Only the line feed was lost: then the record is there, and all the better.
            let survived = cut == second.len() - 1 && padding == 0;
            let expected: &[u64] = if survived { &[0, 1, 2] } else { &[0, 2] };
            let expected: Vec<Run> = expected.iter().map(|it| example_run(*it)).collect();
            assert_eq!(ids(&loaded.value.runs), ids(&expected), "cut at {cut}, {padding} zeroes");
            let clean = survived || (cut == 0 && padding == 0);
            let lines: Vec<u64> = loaded.damaged.iter().map(|damage| damage.line).collect();
            assert_eq!(lines, if clean { vec![] } else { vec![2] }, "cut at {cut}");
        }
    }
}

#[test]
fn whatever_bit_of_a_history_is_changed_no_run_is_missing_without_a_word() {
    let (bench, file) = Bench::with_one_run("bits");
    bench.store().append(&example_run(1)).unwrap();
    let whole = fs::read(&file).unwrap();
    // Every bit of the keys at the beginning and at the end, and a sample of the others.
    for bit in 0..8 * whole.len() {
        let byte = bit / 8;
        let is_at_an_end = |of: usize| byte.abs_diff(of) < 40;
        let ends = [0, whole.len() / 2, whole.len()];
        if !ends.into_iter().any(is_at_an_end) && bit % 97 != 0 {
            continue;
        }
        let mut changed = whole.clone();
        changed[byte] ^= 1 << (bit % 8);
        fs::write(&file, changed).unwrap();
        let reports_damage = |loaded: WithDamage<History>| !loaded.damaged.is_empty();
        assert!(bench.store().load(&query()).map_or(true, reports_damage), "bit {bit}");
    }
}

#[test]
fn a_first_record_cut_short_is_damage_and_no_broken_history() {
    let (bench, file) = Bench::with_one_run("first-cut");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let loaded = bench.store().load(&query()).unwrap();
    assert_eq!(loaded.value.runs, []);
    assert_eq!(loaded.damaged.len(), 1);
    bench.store().append(&example_run(1)).unwrap();
    assert_eq!(bench.store().load(&query()).unwrap().value.runs, [example_run(1)]);
}

#[test]
fn damage_names_its_file_and_line() {
    let (bench, file) = Bench::with_one_run("named");
    let line = fs::read_to_string(&file).unwrap();
    let without_time = resealed(&line.replace("\"started_ms\":", "\"began\":"));
    let text = [&line, "garbage\n", "\n", &without_time, &line].concat();
    fs::write(&file, text).unwrap();
    let loaded = bench.store().load(&query()).unwrap();
    assert_eq!(loaded.value.runs, [example_run(0)]);
    let texts: Vec<String> = loaded.damaged.iter().map(ToString::to_string).collect();
    let place = |line| format!("({}:{line})", file.display());
    assert!(texts[0].contains(&place(2)), "{texts:?}");
    assert!(
        texts[1].contains(&place(4)) && texts[1].contains("`started_ms` is missing"),
        "{texts:?}"
    );
    assert_eq!(texts.len(), 2);
}

#[test]
fn a_file_that_is_not_ours_is_an_error_with_the_way_out() {
    let (bench, file) = Bench::with_one_run("not-ours");
    fs::write(&file, "name,value\ncodec,57\n").unwrap();
    let error = bench.store().load(&query()).unwrap_err().to_string();
    assert!(error.contains(&file.display().to_string()), "{error}");
    assert!(error.contains("move it away"), "{error}");
    assert!(bench.store().load(&query()).is_err(), "reading twice changes nothing");
}

#[test]
fn a_line_with_more_keys_than_are_known_is_read() {
    let (bench, file) = Bench::with_one_run("more-keys");
    let line = fs::read_to_string(&file).unwrap();
    let newer = line.replacen("{\"v\":1", "{\"v\":1,\"colour\":\"blue\"", 1);
    fs::write(&file, resealed(&newer)).unwrap();
    assert_eq!(bench.store().load(&query()).unwrap().value.runs, [example_run(0)]);
    bench.store().append(&example_run(1)).unwrap();
    assert_eq!(bench.ids().len(), 2);
}

#[test]
fn another_version_is_refused_and_left_untouched() {
    let (bench, file) = Bench::with_one_run("other-version");
    for tail in
        ["{\"v\":2,\"all\":\"new\"}\n", "{\"v\":2}\n{\"v\":2", "{\"v\":107,\"k\":\"obs\"}\n"]
    {
        let text = fs::read_to_string(&file).unwrap() + tail;
        fs::write(&file, &text).unwrap();
        for error in [
            bench.store().load(&query()).unwrap_err(),
            bench.store().append(&example_run(1)).unwrap_err(),
        ] {
            assert!(
                matches!(error, StoreError::OtherVersion { version: 2 | 107, .. }),
                "{error:?}"
            );
            let text = error.to_string();
            let way_out = "start a new store: PERFTEST_STORE=NEW_DIRECTORY cargo test";
            assert!(text.contains("another version") && text.ends_with(way_out), "{text}");
            assert!(text.contains(&file.display().to_string()), "{text}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        fs::remove_file(&file).unwrap();
        bench.store().append(&example_run(0)).unwrap();
    }
}

#[test]
fn damage_among_the_acceptances_costs_only_itself() {
    let bench = Bench::new("events");
    bench.store().annotate(Annotation::Revocation { of: "X", at_ms: 1 }).unwrap();
    let file = bench.root.join("v1/codec.0/events.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    let unknown = "{\"kind\":\"moon phase\",\"v\":1}\n";
    fs::write(&file, format!("{whole}{unknown}{{\"v\":1,\"kind\":\"acc")).unwrap();
    let loaded = bench.store().decisions().unwrap();
    assert_eq!(loaded.value.acceptances, []);
    assert_eq!(loaded.damaged.len(), 1);
    assert_eq!(loaded.damaged[0].line, 3);
}

#[test]
fn nothing_is_created_by_opening_and_reading() {
    let bench = Bench::new("reading");
    assert_eq!(bench.ids(), []);
    bench.store().list(None).unwrap();
    bench.store().decisions().unwrap();
    assert_eq!(fs::read_dir(&bench.root).unwrap().count(), 0);
}

#[test]
fn a_place_that_cannot_be_written_is_named_with_the_way_out() {
    let bench = Bench::new("unwritable");
    let file = bench.root.join("file");
    fs::write(&file, "in the way").unwrap();
    let error = crate::bench::open(&file).append(&example_run(0)).unwrap_err();
    assert!(matches!(error, StoreError::Unwritable { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("PERFTEST_STORE") && text.contains("file"), "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "in the way");
}
