//! New records of a project are copied to another store, each once.

use crate::bench::{Bench, ids};
use perftest_core::model::{Run, RunId};
use perftest_store::conformance::example_run;
use perftest_store::{
    Annotation, Project, Query, ReadPlace, RecordFileName, RecordFiles, Store, StoreError,
};
use std::fs;
use std::thread;

fn files(bench: &Bench) -> RecordFiles {
    RecordFiles::open(&bench.root, &Project { name: "codec".into(), slug: "codec.0".into() })
}

fn history(bench: &Bench) -> RecordFileName {
    let listed = files(bench).list().unwrap();
    listed.into_iter().map(|file| file.name).find(RecordFileName::is_history).unwrap()
}

fn append(bench: &Bench, ordinals: &[u64]) {
    ordinals.iter().for_each(|it| bench.store().append(&example_run(*it)).unwrap());
}

#[test]
fn a_store_without_records_has_no_files() {
    let bench = Bench::new("files-none");
    assert_eq!(files(&bench).list().unwrap(), []);
    let name = RecordFileName::parse("events.jsonl").unwrap();
    let new = files(&bench).read(&name, &ReadPlace::default()).unwrap();
    assert!(new.records.is_empty() && new.place == ReadPlace::default());
    assert_eq!(fs::read_dir(&bench.root).unwrap().count(), 0);
}

#[test]
fn what_has_records_is_listed_and_nothing_else() {
    let (bench, _) = Bench::with_one_run("files-list");
    let context = Annotation::Context { hash: "0123456789abcdef", json: "{}" };
    bench.store().annotate(context).unwrap();
    for directory in ["executables", "cache", "sync"] {
        let directory = bench.root.join("v1/codec.0").join(directory);
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("0123456789abcdef.json"), "{}").unwrap();
    }
    let listed = files(&bench).list().unwrap();
    let names: Vec<&str> = listed.iter().map(|file| file.name.as_str()).collect();
    let run = "runs/local-7f3a2b.2334f36d/codec-frame-encode.159e77d7.jsonl";
    assert_eq!(names, ["contexts/0123456789abcdef.json", run]);
    assert_eq!(listed[0].bytes, 2);
}

#[test]
fn only_records_behind_the_place_are_read() {
    let (bench, file) = Bench::with_one_run("files-place");
    let (files, name) = (files(&bench), history(&bench));
    let first = files.read(&name, &ReadPlace::default()).unwrap();
    assert_eq!((first.records.len(), first.place.end), (1, fs::metadata(&file).unwrap().len()));
    assert!(files.read(&name, &first.place).unwrap().records.is_empty());
    bench.store().append(&example_run(1)).unwrap();
    let second = files.read(&name, &first.place).unwrap();
    assert!(second.records.len() == 1 && second.records != first.records);
    // Another file of this name is read from its start.
    fs::remove_file(&file).unwrap();
    append(&bench, &[2, 3, 4]);
    assert_eq!(files.read(&name, &second.place).unwrap().records.len(), 3);
}

#[test]
fn a_line_without_its_end_waits_until_it_is_finished() {
    let (bench, file) = Bench::with_one_run("files-torn");
    let (files, name) = (files(&bench), history(&bench));
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 1]).unwrap();
    let torn = files.read(&name, &ReadPlace::default()).unwrap();
    assert!(torn.records.is_empty() && torn.damaged.is_empty() && torn.place.end == 0);
    bench.store().append(&example_run(1)).unwrap();
    assert_eq!(files.read(&name, &torn.place).unwrap().records.len(), 2);
}

#[test]
fn damage_has_the_number_of_its_line_wherever_reading_began() {
    let (bench, file) = Bench::with_one_run("files-damage");
    let (files, name) = (files(&bench), history(&bench));
    let place = files.read(&name, &ReadPlace::default()).unwrap().place;
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}garbage\n\n{text}{{}}\n")).unwrap();
    let new = files.read(&name, &place).unwrap();
    let lines: Vec<u64> = new.damaged.iter().map(|damage| damage.line).collect();
    assert_eq!((new.records.len(), lines), (1, vec![2, 5]));
}

#[test]
fn records_are_added_once_and_in_the_order_of_time() {
    let [one, other] = ["files-add", "files-add-other"].map(Bench::new);
    append(&one, &[3, 1, 2]);
    let name = history(&one);
    let new = files(&one).read(&name, &ReadPlace::default()).unwrap();
    let added = files(&other).insert(&name, new.records.clone()).unwrap();
    assert_eq!((added.added, added.known, added.begin), (3, 0, 0));
    assert_eq!(other.ids(), ids(&[1, 2, 3].map(example_run)));
    let again = files(&other).add(&name, &new.records).unwrap();
    assert_eq!((again.added, again.known, again.begin), (0, 3, added.place.end));
    assert_eq!(again.place, added.place);
    assert!(other.root.join("v1/codec.0/project.json").is_file());
}

#[test]
fn earlier_records_are_inserted_between_those_that_were_there_and_these_keep_their_order() {
    let [one, other] = ["files-insert", "files-insert-other"].map(Bench::new);
    append(&one, &[1, 4, 6, 9]);
    // The clock stepped back.
    append(&other, &[3, 8, 5]);
    let file = other.history_file();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen('\n', "\ngarbage\n", 1) + "{\"v\":1,\"ki").unwrap();
    let name = history(&one);
    let new = files(&one).read(&name, &ReadPlace::default()).unwrap();
    let added = files(&other).insert(&name, new.records).unwrap();
    assert_eq!((added.added, added.place.end), (4, fs::metadata(&file).unwrap().len()));
    assert_eq!(other.ids(), ids(&[1, 3, 4, 6, 8, 5, 9].map(example_run)));
    let text = fs::read_to_string(&file).unwrap();
    let damaged = ["garbage", "{\"v\":1,\"ki"].map(|line| text.lines().position(|it| it == line));
    assert_eq!(damaged, [Some(2), Some(7)]);
}

/// Else each machine would put the runs of all others before it, and its own ones behind it, for years.
#[test]
fn a_run_of_a_future_time_is_no_place_for_others() {
    let [one, other] = ["files-future", "files-future-other"].map(Bench::new);
    let far = 100_000_000;
    append(&one, &[6, 10, 11, 12]);
    append(&other, &[0, 1, far, 5, 7]);
    let name = history(&one);
    let new = files(&one).read(&name, &ReadPlace::default()).unwrap();
    let (earlier, later) = new.records.split_at(1);
    files(&other).insert(&name, later.to_vec()).unwrap();
    files(&other).insert(&name, earlier.to_vec()).unwrap();
    assert_eq!(other.ids(), ids(&[0, 1, far, 5, 6, 7, 10, 11, 12].map(example_run)));
}

/// The runs of a store with the runs 5, 6 and 7 after it received one of this time and commit.
fn runs_beside(name: &str, received: &Run) -> Vec<RunId> {
    let [one, other] = [name.to_owned(), format!("{name}-other")].map(|name| Bench::new(&name));
    one.store().append(received).unwrap();
    append(&other, &[5, 6, 7]);
    let name = history(&one);
    let new = files(&one).read(&name, &ReadPlace::default()).unwrap();
    files(&other).insert(&name, new.records).unwrap();
    other.ids()
}

/// As on a machine without a battery, before the network has set its clock.
#[test]
fn a_run_that_is_dated_days_before_its_commit_is_placed_by_the_commit() {
    let mut early = Run { id: RunId::new(1_000, 1), started_ms: 1_000, ..example_run(0) };
    early.revision.order = example_run(6).started_ms / 1_000 + 1;
    let expected = [example_run(5), example_run(6), early.clone(), example_run(7)];
    assert_eq!(runs_beside("files-past", &early), ids(&expected));
}

/// As where the clock of who committed is ahead of that of the machine that measures.
#[test]
fn a_run_that_is_a_little_or_very_long_before_its_commit_is_placed_by_its_own_time() {
    let started_ms = example_run(6).started_ms + 1;
    for (place, committed_s) in [started_ms / 1_000 + 600, 4_102_444_800].into_iter().enumerate() {
        let mut run = Run { id: RunId::new(started_ms, 1), started_ms, ..example_run(0) };
        run.revision.order = committed_s;
        let expected = [example_run(5), example_run(6), run.clone(), example_run(7)];
        assert_eq!(runs_beside(&format!("files-committed-{place}"), &run), ids(&expected));
    }
}

#[test]
fn the_last_correction_of_a_run_is_valid_in_whatever_order_its_lines_arrive() {
    let form = |value: f64, corrected_ms: Option<u64>| {
        let flags = vec![Run::IMPORTED.to_owned()];
        let mut run = Run { corrected_ms, flags, ..example_run(1) };
        run.measurements.iter_mut().for_each(|it| it.value = value);
        run
    };
    // The last one returns to the first value.
    let forms = [form(50.0, None), form(60.0, Some(7)), form(50.0, Some(8))];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let bench = Bench::new("files-correction");
        append(&bench, &[0, 2]);
        for place in order {
            files(&bench).insert_runs(&[forms[place].clone(), forms[place].clone()]).unwrap();
        }
        let text = fs::read_to_string(bench.history_file()).unwrap();
        assert_eq!(text.lines().count(), 5, "each is there once: {text}");
        for limit in [2, 3] {
            let query = Query { limit, ..Query::like(&example_run(1)) };
            let runs = bench.store().load(&query).unwrap().value.runs;
            assert_eq!(runs.len(), limit);
            assert_eq!(runs[limit - 2].corrected_ms, Some(8), "{order:?}");
        }
    }
}

#[test]
fn what_is_appended_while_earlier_records_are_inserted_is_not_lost() {
    let [one, other] = ["files-while", "files-while-other"].map(Bench::new);
    append(&one, &(0..40).collect::<Vec<_>>());
    let name = history(&one);
    let earlier = files(&one).read(&name, &ReadPlace::default()).unwrap().records;
    append(&other, &[100]);
    thread::scope(|scope| {
        for first in [200, 300] {
            let other = &other;
            scope.spawn(move || append(other, &(first..first + 40).collect::<Vec<_>>()));
        }
        for record in earlier {
            let bytes = record.text().len() as u64 + 1;
            let added = files(&other).insert(&name, vec![record]).unwrap();
            assert_eq!(added.added, 1);
            // What others append meanwhile is behind the place, and is sent later.
            assert_eq!(added.place.end, added.begin + bytes);
        }
    });
    let mut found = other.ids();
    assert_eq!(found[..40], ids(&(0..40).map(example_run).collect::<Vec<_>>()));
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 40 + 1 + 2 * 40);
}

#[test]
fn many_that_add_the_same_records_at_once_add_each_once() {
    let [one, other] = ["files-crowd", "files-crowd-other"].map(Bench::new);
    let runs: Vec<Run> = (0..20).map(example_run).collect();
    runs.iter().for_each(|run| one.store().append(run).unwrap());
    let name = history(&one);
    let new = files(&one).read(&name, &ReadPlace::default()).unwrap().records;
    thread::scope(|scope| {
        for first in 0..4 {
            let (files, name, new) = (files(&other), &name, &new);
            scope.spawn(move || {
                new[first..].chunks(3).for_each(|part| drop(files.add(name, part).unwrap()));
            });
        }
    });
    let text = fs::read_to_string(files(&other).path(&name)).unwrap();
    assert_eq!(text.lines().count(), 20);
}

#[test]
fn a_file_of_another_version_is_neither_read_nor_changed() {
    let [one, other] = ["files-version", "files-version-other"].map(Bench::new);
    append(&one, &[0, 1]);
    append(&other, &[0]);
    let (name, file) = (history(&one), other.history_file());
    let text = fs::read_to_string(&file).unwrap() + "{\"v\":200}\n";
    fs::write(&file, &text).unwrap();
    let refused = files(&other).read(&name, &ReadPlace::default()).unwrap_err();
    assert!(matches!(refused, StoreError::OtherVersion { version: 200, .. }));
    let new = files(&one).read(&name, &ReadPlace::default()).unwrap();
    let refused = files(&other).add(&name, &new.records).unwrap_err();
    assert!(matches!(refused, StoreError::OtherVersion { version: 200, .. }));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}
