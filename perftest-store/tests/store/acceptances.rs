//! The reviewed file of acceptances.

use crate::bench::Bench;
use perftest_core::model::{Acceptance, Acknowledgement, BenchmarkId, BenchmarkPattern, RunId};
use perftest_store::AcceptanceFile;
use std::fs;

/// The end of 31 January 2027, in UTC.
const END_OF_JANUARY_MS: u64 = 1_801_440_000_000;

fn entry(id: &str) -> Acceptance {
    Acceptance {
        id: id.into(),
        benchmark: BenchmarkPattern::new("codec::frame::*"),
        testbed: "*".into(),
        max_ratio: 1.12,
        reason: "checksums are \"on\" now".into(),
        given_ms: 1_767_225_600_000,
        until_ms: Some(END_OF_JANUARY_MS),
    }
}

fn project(bench: &Bench) -> AcceptanceFile {
    AcceptanceFile::in_root(&bench.root)
}

#[test]
fn an_entry_is_one_flat_line_with_its_end_as_a_day() {
    let bench = Bench::new("accept-line");
    let file = project(&bench);
    assert_eq!(file.path(), bench.root.join("perf-accept.jsonl"));
    assert_eq!(file.load().unwrap().value, []);
    file.add(&entry("A")).unwrap();
    let endless = Acceptance { until_ms: None, testbed: String::new(), ..entry("B") };
    file.add(&endless).unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    let expected = "{\"v\":1,\"kind\":\"accept\",\"id\":\"A\",\"benchmark\":\"codec::frame::*\",\
        \"testbed\":\"*\",\"max_ratio\":1.12,\"reason\":\"checksums are \\\"on\\\" now\",\
        \"given_ms\":1767225600000,\"until\":\"2027-01-31\"}";
    assert_eq!(text.lines().next(), Some(expected));
    assert_eq!(file.load().unwrap().value, [entry("A"), endless]);
}

/// The line of an entry that was revoked.
fn tombstone(of: &str) -> String {
    format!("{{\"v\":1,\"kind\":\"tombstone\",\"of\":\"{of}\",\"given_ms\":7}}\n")
}

#[test]
fn an_end_that_is_no_days_end_is_kept_to_the_millisecond() {
    let bench = Bench::new("accept-ms");
    let file = project(&bench);
    let entry = Acceptance { until_ms: Some(END_OF_JANUARY_MS + 1), ..entry("A") };
    file.add(&entry).unwrap();
    assert_eq!(file.load().unwrap().value, [entry]);
}

#[test]
fn a_byte_order_mark_before_a_line_is_no_damage() {
    let bench = Bench::new("accept-mark");
    let file = project(&bench);
    ["A", "B"].iter().for_each(|id| file.add(&entry(id)).unwrap());
    let text = fs::read_to_string(file.path()).unwrap();
    let (first, second) = text.split_once('\n').unwrap();
    let marked = |line: &str| format!("\u{feff}{line}");
    fs::write(file.path(), format!("{}\r\n{}", marked(first), marked(second))).unwrap();
    let loaded = file.load().unwrap();
    assert_eq!((loaded.value, loaded.damaged), (vec![entry("A"), entry("B")], vec![]));
    assert!(file.revoke("A", 7).unwrap());
    let revoked = format!("{}{}", tombstone("A"), marked(second));
    assert_eq!(fs::read_to_string(file.path()).unwrap(), revoked);
}

#[test]
fn a_damaged_line_is_reported_and_costs_only_itself() {
    let bench = Bench::new("accept-damage");
    let file = project(&bench);
    file.add(&entry("A")).unwrap();
    let line = fs::read_to_string(file.path()).unwrap();
    let bad = [
        "<<<<<<< ours\n".to_owned(),
        line.replace("1.12", "0.9"),
        line.replace("2027-01-31", "2027-02-31"),
        line.replace("\"v\":1", "\"v\":2"),
        line.replace("\"given_ms\":", "\"when\":"),
    ];
    let good = line.replace("\"A\"", "\"B\"");
    fs::write(file.path(), format!("{line}\n{}{}", bad.concat(), good.trim_end())).unwrap();
    let loaded = file.load().unwrap();
    let ids: Vec<&str> = loaded.value.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, ["A", "B"]);
    let output: Vec<(u64, &str)> =
        loaded.damaged.iter().map(|damage| (damage.line, damage.why.as_str())).collect();
    let parts = [
        "JSON",
        "above 1",
        "a day such as",
        "another version of perftest (format 2)",
        "`given_ms` is missing",
    ];
    assert_eq!(output.len(), parts.len(), "{output:?}");
    for ((nth, part), (line, why)) in (3..).zip(parts).zip(output) {
        assert_eq!(line, nth);
        assert!(why.contains(part), "{part} in {why}");
    }

    file.add(&entry("C")).unwrap();
    assert_eq!(file.load().unwrap().value.len(), 3, "the line without its end got it first");
}

#[test]
fn revoking_an_entry_leaves_every_other_byte() {
    let bench = Bench::new("accept-revoke");
    let file = project(&bench);
    file.add(&entry("A")).unwrap();
    let before = format!("{}not ours\r\n\n", fs::read_to_string(file.path()).unwrap());
    fs::write(file.path(), &before).unwrap();
    file.add(&entry("B")).unwrap();
    assert!(file.revoke("B", 7).unwrap());
    let after = format!("{before}{}", tombstone("B"));
    assert_eq!(fs::read_to_string(file.path()).unwrap(), after);
    assert!(!file.revoke("B", 7).unwrap());
    assert!(file.revoke("A", 7).unwrap());
    let both = format!("{}not ours\r\n\n{}", tombstone("A"), tombstone("B"));
    assert_eq!(fs::read_to_string(file.path()).unwrap(), both);
    assert_eq!(file.load().unwrap().value, []);
}

/// `git merge-file --union` keeps the lines of both sides where one of them revoked the last entry.
#[test]
fn a_revoked_entry_stays_revoked_where_a_merge_brings_its_line_back() {
    let bench = Bench::new("accept-union");
    let file = project(&bench);
    let text = || fs::read_to_string(file.path()).unwrap();
    ["X", "A"].iter().for_each(|id| file.add(&entry(id)).unwrap());
    let base = text();
    file.add(&entry("B")).unwrap();
    let added = text();
    fs::write(file.path(), &base).unwrap();
    file.revoke("A", 7).unwrap();
    let names = ["ours", "base", "theirs"].map(|name| bench.root.join(name));
    names.iter().zip([&text(), &base, &added]).for_each(|(path, text)| {
        fs::write(path, text).unwrap();
    });
    let mut git = std::process::Command::new("git");
    let merged = git.args(["merge-file", "--union", "-p"]).args(&names).output().unwrap();
    assert!(merged.status.success(), "{merged:?}");
    let merged = String::from_utf8(merged.stdout).unwrap();
    assert!(merged.contains("\"id\":\"A\""), "{merged}");
    fs::write(file.path(), merged).unwrap();
    let standing = file.load().unwrap().value;
    assert_eq!(standing.into_iter().map(|it| it.id).collect::<Vec<_>>(), ["X", "B"]);
}

#[test]
fn an_acknowledged_alert_is_a_line_beside_the_acceptances() {
    let bench = Bench::new("acknowledged");
    let file = project(&bench);
    let known = Acknowledgement {
        id: "B".into(),
        threshold: "latency".into(),
        benchmark: BenchmarkId::from_recorded("codec::frame::encode"),
        metric: "wall".into(),
        testbed: "local/7f3a2b".into(),
        branch: "main".into(),
        opened_by: RunId::from_recorded("R1"),
        opened_at: "a1b2c3d4".into(),
        given_after: RunId::from_recorded("R2"),
        value: 71.25,
        reason: "waits for \"checksums\"".into(),
        by: "Ada".into(),
        given_ms: 1_767_225_600_000,
    };
    file.add(&entry("A")).unwrap();
    file.acknowledge(&known).unwrap();
    file.add(&entry("C")).unwrap();
    let unknown = Acknowledgement {
        branch: String::new(),
        opened_at: String::new(),
        by: String::new(),
        id: "D".into(),
        ..known.clone()
    };
    file.acknowledge(&unknown).unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    let expected = "{\"v\":1,\"kind\":\"acknowledge\",\"id\":\"B\",\"benchmark\":\"codec::frame::encode\",\
        \"threshold\":\"latency\",\"metric\":\"wall\",\"testbed\":\"local/7f3a2b\",\"branch\":\"main\",\
        \"commit\":\"a1b2c3d4\",\"run\":\"R1\",\"after\":\"R2\",\"value\":71.25,\
        \"reason\":\"waits for \\\"checksums\\\"\",\"by\":\"Ada\",\"given_ms\":1767225600000}";
    assert_eq!(text.lines().nth(1), Some(expected));
    assert_eq!(file.acknowledgements().unwrap().value, [known, unknown.clone()]);
    let accepted: Vec<String> = file.load().unwrap().value.into_iter().map(|it| it.id).collect();
    assert_eq!(accepted, ["A", "C"]);
    assert!(file.revoke("B", 7).unwrap());
    assert_eq!(file.acknowledgements().unwrap().value, [unknown]);
    assert_eq!(
        fs::read_to_string(file.path()).unwrap(),
        text.replace(&format!("{expected}\n"), &tombstone("B"))
    );
}

#[test]
fn what_is_no_text_is_named_with_the_way_out() {
    let bench = Bench::new("accept-binary");
    let file = project(&bench);
    fs::write(file.path(), [0xff, 0xfe]).unwrap();
    let error = file.load().unwrap_err().to_string();
    assert!(error.contains("perf-accept.jsonl") && error.contains("restore it"), "{error}");
}

#[test]
fn of_acceptances_that_are_given_at_once_none_is_lost() {
    const AT_ONCE: usize = 4;
    const EACH: usize = 25;
    let bench = Bench::new("accept-crowd");
    let file = project(&bench);
    std::thread::scope(|scope| {
        for giver in 0..AT_ONCE {
            let file = &file;
            let give = move |number| file.add(&entry(&format!("{giver}-{number}"))).unwrap();
            scope.spawn(move || (0..EACH).for_each(give));
        }
    });
    assert_eq!(file.load().unwrap().value.len(), AT_ONCE * EACH);
    std::thread::scope(|scope| {
        for giver in 0..AT_ONCE {
            let file = &file;
            let take_back =
                move |number| assert!(file.revoke(&format!("{giver}-{number}"), 7).unwrap());
            scope.spawn(move || (1..EACH).for_each(take_back));
        }
    });
    assert_eq!(file.load().unwrap().value.len(), AT_ONCE);
}
