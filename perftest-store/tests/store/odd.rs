//! Histories that are whole and odd all the same. `docs/reference/odd-histories.md` has the table.

use crate::bench::{Bench, ids};
use perftest_core::model::{BenchmarkId, Direction, Metric, Run, RunId};
use perftest_store::conformance::{example_run, resealed};
use perftest_store::{
    Listing, Query, Series, Store, StoreError, Which, other_metrics, testbeds_of,
};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// The example runs of these numbers as lines, changed.
fn lines(numbers: &[u64], change: impl Fn(u64, String) -> String) -> String {
    let bench = Bench::new("lines");
    numbers.iter().for_each(|number| bench.store().append(&example_run(*number)).unwrap());
    let text = fs::read_to_string(bench.history_file()).unwrap();
    let changed = numbers.iter().zip(text.lines());
    changed
        .fold(String::new(), |text, (number, line)| text + &resealed(&change(*number, line.into())))
}

fn samples_of(line: &str) -> &str {
    let from = line.find("\"samples\":[").unwrap();
    &line[from..=from + line[from..].find(']').unwrap()]
}

#[test]
fn a_line_with_a_sample_that_cannot_be_costs_only_itself_and_is_named() {
    for sample in ["NaN", "null", "-5", "1e999"] {
        let (bench, file) = Bench::with_one_run("sample");
        let text = lines(&[0, 1, 2], |number, line| match number {
            1 => line.replace(samples_of(&line), &format!("\"samples\":[{sample},58,59,60]")),
            _ => line,
        });
        fs::write(&file, text).unwrap();
        let loaded = bench.store().load(&Query::like(&example_run(0))).unwrap();
        assert_eq!(ids(&loaded.value.runs), ids(&[example_run(0), example_run(2)]), "{sample}");
        let [damage] = &loaded.damaged[..] else {
            panic!("{sample}: {:?}", loaded.damaged);
        };
        assert_eq!(damage.line, 2);
        assert!(damage.to_string().contains("samples"), "{damage}");
    }
}

#[test]
fn samples_of_zero_a_huge_one_and_none_at_all_are_read() {
    for (sample, expected) in [("0", 0.0), ("1e300", 1e300)] {
        let (bench, file) = Bench::with_one_run("extreme");
        let change = |_, line: String| {
            line.replace(samples_of(&line), &format!("\"samples\":[{sample},58,59,60]"))
        };
        fs::write(&file, lines(&[0], change)).unwrap();
        let loaded = bench.store().load(&Query::like(&example_run(0))).unwrap();
        assert_eq!(loaded.value.runs[0].measurements[0].value, expected);
        assert_eq!(loaded.damaged, []);
    }
    let bench = Bench::new("none");
    let none = Run {
        measurements: Vec::new(),
        suspects: Vec::new(),
        on_processor_time: Vec::new(),
        ..example_run(0)
    };
    bench.store().append(&none).unwrap();
    assert_eq!(bench.store().load(&Query::like(&none)).unwrap().value.runs, [none]);
}

#[test]
fn runs_in_another_unit_are_another_history() {
    let bench = Bench::new("unit");
    let in_us = Metric { unit: "us".into(), ..Metric::wall() };
    for number in 0..3 {
        bench.store().append(&Run { metric: in_us.clone(), ..example_run(number) }).unwrap();
    }
    let now = example_run(3);
    assert_eq!(bench.store().load(&Query::like(&now)).unwrap().value.runs, []);
    bench.store().append(&now).unwrap();
    assert_eq!(bench.store().load(&Query::like(&now)).unwrap().value.runs, [now]);
    // The old numbers are kept, and are a history again if the unit comes back.
    let old = Query::like(&Run { metric: in_us, ..example_run(0) });
    assert_eq!(bench.store().load(&old).unwrap().value.runs.len(), 3);
}

#[test]
fn the_order_is_that_of_the_record_where_the_clock_was_set_back() {
    let bench = Bench::new("clock");
    for number in 0..6 {
        let back = Run { started_ms: 10_000 - number, ..example_run(number) };
        bench.store().append(&back).unwrap();
    }
    let query = Query { limit: 3, ..Query::like(&example_run(0)) };
    let expected: Vec<RunId> = (3..6).map(|number| example_run(number).id).collect();
    assert_eq!(ids(&bench.store().load(&query).unwrap().value.runs), expected);
}

/// A line as short as it can be.
fn short_line(number: u64) -> String {
    let Run { benchmark, testbed, config, .. } = example_run(0);
    format!(
        "{{\"kind\":\"run\",\"v\":1,\"id\":\"{:026}\",\"benchmark\":\"{benchmark}\",\"metric\":\"wall\",\
         \"unit\":\"ns\",\"better\":\"lower\",\"testbed\":\"{testbed}\",\"config\":\"{config}\",\
         \"started_ms\":{number},\"iterations\":1,\"samples\":[57],\"counts_for_baseline\":true}}",
        number
    )
}

#[test]
fn of_a_hundred_thousand_runs_only_as_many_are_read_as_are_asked_for() {
    const RUNS: u64 = 100_000;
    const LIMIT: usize = 100;
    let (bench, file) = Bench::with_one_run("long");
    let mut text = String::new();
    for number in 0..RUNS {
        // Reading one line more than is needed fails.
        if number == RUNS - LIMIT as u64 {
            text.push_str("{\"v\":900}\n");
        }
        writeln!(text, "{}", short_line(number)).unwrap();
    }
    fs::write(&file, text).unwrap();
    let query =
        |limit| Query { which: Which::CountedForBaseline, limit, ..Query::like(&example_run(0)) };
    let loaded = bench.store().load(&query(LIMIT)).unwrap();
    let times: Vec<u64> = loaded.value.runs.iter().map(|run| run.started_ms).collect();
    assert!(times.into_iter().eq(RUNS - LIMIT as u64..RUNS));
    assert_eq!(loaded.damaged, []);
    assert!(bench.store().load(&query(LIMIT + 1)).is_err(), "the next line would be refused");
}

#[test]
fn the_other_units_of_a_metric_are_found_however_a_line_is_spelled() {
    let bench = Bench::new("units");
    let wall = example_run(0);
    let in_us = Metric { unit: "us".into(), ..Metric::wall() };
    let more = Metric { direction: Direction::Higher, ..Metric::wall() };
    bench.store().append(&Run { metric: Metric::allocations(), ..wall.clone() }).unwrap();
    bench.store().append(&Run { metric: in_us.clone(), ..example_run(1) }).unwrap();
    bench.store().append(&Run { metric: more.clone(), ..example_run(2) }).unwrap();
    bench.store().append(&example_run(3)).unwrap();
    let of = |metric: Metric| {
        let (benchmark, testbed) = (wall.benchmark.clone(), wall.testbed.clone());
        Series { benchmark, formerly: None, testbed, metric }
    };
    let [allocations, series] = [Metric::allocations(), Metric::wall()].map(of);
    let found = || other_metrics(&bench.store(), &series).unwrap();
    assert_eq!(found(), [more.clone(), in_us.clone()]);
    assert_eq!(other_metrics(&bench.store(), &allocations).unwrap(), []);
    // With a blank behind each colon, as other writers have it, and with a damaged line.
    let file = bench.history_file();
    let text = fs::read_to_string(&file).unwrap();
    let text: String =
        text.lines().map(|line| resealed(&line.replace("\":\"", "\": \""))).collect();
    fs::write(&file, format!("{text}{{\"v\":1,damaged\n")).unwrap();
    assert_eq!(found(), [more, in_us]);
}

#[test]
fn a_file_that_cannot_be_read_hides_no_other_history_from_a_listing() {
    let (bench, file) = Bench::with_one_run("listing");
    let other = BenchmarkId::from_recorded("codec::other");
    bench.store().append(&Run { benchmark: other.clone(), ..example_run(1) }).unwrap();
    let whole = bench.store().list(None).unwrap();
    assert!(whole.series.value.len() == 2 && whole.unreadable.is_empty());
    fs::write(&file, "name,value\n").unwrap();
    let listing = bench.store().list(None).unwrap();
    let listed: Vec<&BenchmarkId> = listing.series.value.iter().map(|it| &it.benchmark).collect();
    assert_eq!(listed, [&other]);
    let unreadable = |listing: Listing| -> Vec<PathBuf> {
        let path = |error| match error {
            StoreError::Unreadable { path, .. } => path,
            other => panic!("{other}"),
        };
        listing.unreadable.into_iter().map(path).collect()
    };
    assert_eq!(unreadable(listing), std::slice::from_ref(&file));
    let of = |benchmark| unreadable(bench.store().list(Some(benchmark)).unwrap());
    assert_eq!((of(&example_run(0).benchmark), of(&other)), (vec![file], vec![]));
    assert!(bench.store().list(None).unwrap().whole().is_err());
}

#[test]
fn a_copy_of_a_file_beside_it_is_no_second_history() {
    let (bench, file) = Bench::with_one_run("copies");
    fs::copy(&file, file.with_extension("old.jsonl")).unwrap();
    let testbed = file.parent().unwrap();
    let other_testbed = testbed.with_file_name("local-7f3a2b.old");
    fs::create_dir(&other_testbed).unwrap();
    fs::copy(&file, other_testbed.join(file.file_name().unwrap())).unwrap();
    let Run { benchmark, testbed, .. } = example_run(0);
    let listed = bench.store().list(None).unwrap().whole().unwrap().value;
    assert_eq!(listed.len(), 1, "{listed:?}");
    let of_one = bench.store().list(Some(&benchmark)).unwrap().whole().unwrap().value;
    assert_eq!(of_one, listed);
    assert_eq!(testbeds_of(&bench.store(), &benchmark).unwrap(), [testbed]);
}

#[test]
fn what_is_asked_of_one_test_does_not_depend_on_the_files_of_others() {
    let (bench, broken) = Bench::with_one_run("one_test");
    let other = Run { benchmark: BenchmarkId::from_recorded("codec::other"), ..example_run(1) };
    bench.store().append(&other).unwrap();
    fs::write(&broken, "name,value\n").unwrap();
    let Run { benchmark, testbed, id, metric, .. } = other;
    assert_eq!(bench.store().metrics(&benchmark, &testbed, Some(&id)).unwrap(), [metric]);
    assert_eq!(testbeds_of(&bench.store(), &benchmark).unwrap(), std::slice::from_ref(&testbed));
    let of_broken = example_run(0).benchmark;
    assert!(bench.store().metrics(&of_broken, &testbed, Some(&id)).is_err());
    assert!(testbeds_of(&bench.store(), &of_broken).is_err());
}

#[test]
fn a_line_of_a_hundred_megabytes_is_damage_like_any_other() {
    let (bench, file) = Bench::with_one_run("endless");
    let whole = fs::read_to_string(&file).unwrap();
    // Who copies the line once for each block of it takes minutes.
    fs::write(&file, [whole.as_bytes(), &vec![b'x'; 100_000_000]].concat()).unwrap();
    let loaded = bench.store().load(&Query::like(&example_run(0))).unwrap();
    assert_eq!((ids(&loaded.value.runs), loaded.damaged.len()), (ids(&[example_run(0)]), 1));
    bench.store().append(&example_run(1)).unwrap();
    assert_eq!(bench.ids().len(), 2);
}
