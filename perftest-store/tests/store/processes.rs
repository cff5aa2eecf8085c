//! Many processes at once, and processes that die.

use crate::bench::{Bench, open};
use perftest_core::model::RunId;
use perftest_store::conformance::example_run;
use perftest_store::{Damage, Query, Store};
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const ROOT: &str = "PERFTEST_TEST_ROOT";
const FIRST: &str = "PERFTEST_TEST_FIRST";
const COUNT: &str = "PERFTEST_TEST_COUNT";

/// The body of a writer process: appends runs and acknowledges each on its standard output.
#[test]
#[ignore = "a process that the other tests start"]
fn writer() {
    let Some(root) = std::env::var_os(ROOT) else {
        return;
    };
    let number = |name| -> u64 { std::env::var(name).unwrap().parse().unwrap() };
    let store = open(&PathBuf::from(root));
    for ordinal in number(FIRST)..number(FIRST) + number(COUNT) {
        store.append(&example_run(ordinal)).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "kept {ordinal}").unwrap();
        out.flush().unwrap();
    }
}

fn start_writer(root: &Path, first: u64, count: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "processes::writer", "--nocapture"])
        .env(ROOT, root)
        .env(FIRST, first.to_string())
        .env(COUNT, count.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The ordinal that a line of a writer acknowledges.
fn acknowledged(line: &str) -> Option<u64> {
    line.rsplit_once("kept ")?.1.parse().ok()
}

#[test]
fn sixteen_processes_lose_nothing() {
    const PROCESSES: u64 = 16;
    const RUNS: u64 = 50;
    let bench = Bench::new("crowd");
    let writers: Vec<Child> =
        (0..PROCESSES).map(|it| start_writer(&bench.root, it * 1000, RUNS)).collect();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let kept = bench.ids();
    assert_eq!(kept.len() as u64, PROCESSES * RUNS);
    for process in 0..PROCESSES {
        let own = (0..RUNS).map(|it| example_run(process * 1000 + it).id);
        let own: Vec<RunId> = own.collect();
        let in_order: Vec<&RunId> = kept.iter().filter(|id| own.contains(id)).collect();
        assert!(in_order.into_iter().eq(own.iter()), "the order of process {process}");
    }
}

#[test]
fn a_killed_writer_loses_nothing_it_acknowledged() {
    const KILLS: u64 = 50;
    let bench = Bench::new("killed");
    let mut promised = Vec::new();
    for kill in 0..KILLS {
        let mut writer = start_writer(&bench.root, kill * 1000, 900);
        let lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        // Each writer dies at another point of its work.
        let until = usize::try_from(kill % 5 + 1).unwrap();
        let mut kept = lines.map_while(Result::ok).filter_map(|line| acknowledged(&line));
        promised.extend(kept.by_ref().take(until));
        writer.kill().unwrap();
        promised.extend(kept);
        writer.wait().unwrap();
    }
    assert!(promised.len() as u64 >= KILLS);
    let query = Query { limit: usize::MAX, ..Query::like(&example_run(0)) };
    let loaded = bench.store().load(&query).unwrap();
    let kept: HashSet<RunId> = loaded.value.runs.into_iter().map(|run| run.id).collect();
    let lost = promised.into_iter().filter(|ordinal| !kept.contains(&example_run(*ordinal).id));
    assert_eq!(lost.collect::<Vec<_>>(), [0; 0]);
    // The system may end a killed writer's call between two pages. Such a line was not acknowledged, and
    // costs only itself.
    let is_torn = |damage: &Damage| damage.why.contains("it was cut short");
    assert!(loaded.damaged.iter().all(is_torn), "{:?}", loaded.damaged);
    assert!(loaded.damaged.len() as u64 <= KILLS, "{:?}", loaded.damaged);
}
