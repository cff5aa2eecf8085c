//! What the rules of the core make of recorded noise: `recorded_noise` over the fixtures, read as
//! a user reads its table.

#![allow(clippy::unwrap_used)] // A test fails with the text of the error.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/noise").join(name)
}

fn recorded_noise(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_recorded_noise")).args(arguments).output().unwrap()
}

/// A line of the table, by the names of its columns.
struct Row(BTreeMap<String, String>);

impl Row {
    /// The first number of a cell.
    fn number(&self, column: &str) -> f64 {
        let cell = &self.0[column];
        let number = cell.split(['%', ' ']).next().unwrap();
        number.parse().unwrap_or_else(|_| panic!("{column} is {cell}"))
    }
}

/// The lines of the table over a recording, by the names of their workloads.
fn rows(recording: &Path) -> BTreeMap<String, Row> {
    let output = recorded_noise(&[Path::new("--markdown"), recording]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).unwrap();
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let names = cells(table.lines().next().unwrap());
    let rows = table.lines().skip(2).map(|line| names.iter().cloned().zip(cells(line)).collect());
    rows.map(|row: BTreeMap<_, _>| (row["workload"].clone(), Row(row))).collect()
}

/// A copy of a recording with each line of samples changed, in a directory that lives as long.
fn changed(name: &str, change: impl Fn(usize, &mut [String])) -> (TempDir, PathBuf) {
    let text = fs::read_to_string(fixture(name)).unwrap();
    let mut lines = text.lines();
    let mut copy = vec![lines.next().unwrap().to_owned()];
    copy.extend(lines.enumerate().map(|(index, line)| {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        change(index, &mut cells);
        cells.join(",")
    }));
    let directory = TempDir::new().unwrap();
    let file = directory.path().join(name);
    fs::write(&file, copy.join("\n")).unwrap();
    (directory, file)
}

#[test]
fn on_a_busy_machine_filtering_and_normalising_bring_processes_together() {
    let rows = rows(&fixture("real4_busy.csv"));
    for (workload, share) in [("sort10k", 0.5), ("hash64k", 0.2)] {
        let (raw, normalised) = (rows[workload].number("raw"), rows[workload].number("normalised"));
        assert!(normalised < share * raw, "{workload}: {raw} -> {normalised}");
        assert!(rows[workload].0["by"].starts_with("the reference kernel 20"), "{workload}");
    }
    assert!(rows["json"].number("normalised") < rows["json"].number("raw"));
}

#[test]
fn a_workload_that_does_not_follow_the_machine_is_left_alone() {
    let rows = rows(&fixture("real4_busy.csv"));
    assert_eq!(rows["btree3k"].0["by"], "-");
    assert_eq!(rows["btree3k"].0["normalised"], rows["btree3k"].0["clean"]);
}

#[test]
fn beside_a_neighbour_on_the_core_what_is_left_lies_closer_together() {
    let rows = rows(&fixture("real4_idle.csv"));
    for workload in ["sort10k", "hash64k", "json"] {
        let row = &rows[workload];
        assert!(row.number("clean") < row.number("raw"), "{workload}");
        assert!(row.number("normalised") < row.number("clean"), "{workload}");
        assert!(row.number("contended") > row.number("interrupted"), "{workload}");
    }
}

#[test]
fn a_machine_whose_processors_are_taken_interrupts_and_little_else() {
    for name in ["cpu1ms_hog_on_each_core.csv", "cpu1ms_busy_builds_a.csv"] {
        let row = &rows(&fixture(name))["mix"];
        let others = ["stolen", "contended", "slow clock"].map(|column| row.number(column));
        assert!(row.number("interrupted") > 5.0 * others.iter().sum::<f64>(), "{name}");
        assert!(row.number("within: clean") < row.number("within: raw") / 5.0, "{name}");
    }
}

#[test]
fn no_sample_beside_a_reference_that_is_an_eighth_slower_is_usable() {
    const REFERENCE: usize = 9;
    let (_directory, file) = changed("real4_busy.csv", |index, cells| {
        // The last quarter of each process: contention is held to last for a while.
        if index % 200 >= 150 {
            let reference_ns: f64 = cells[REFERENCE].parse().unwrap();
            cells[REFERENCE] = (1.12 * reference_ns).round().to_string();
        }
    });
    let before = rows(&fixture("real4_busy.csv"));
    for (workload, row) in rows(&file) {
        let usable = row.number("usable");
        assert!(usable <= 75.0, "{workload}: {usable}%");
        assert!(before[&workload].number("usable") > usable, "{workload}");
        assert!(usable > 20.0, "{workload}: {usable}%");
    }
}

#[test]
fn a_bad_line_is_reported_with_its_file_and_number() {
    let (_directory, file) = changed("real4_idle.csv", |index, cells| {
        if index == 40 {
            cells[3] = "fast".into();
        }
    });
    let output = recorded_noise(&[&file]);
    let answer = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        answer.contains("real4_idle.csv:42: wall_ns is `fast`, which is no number"),
        "{answer}"
    );
}

#[test]
fn without_anything_to_read_it_prints_its_usage() {
    let empty = TempDir::new().unwrap();
    for (arguments, expected) in [
        (vec![], "usage: "),
        (vec![Path::new("--html")], "usage: "),
        (vec![empty.path()], "no .csv"),
    ] {
        let output = recorded_noise(&arguments);
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{arguments:?}");
    }
}
