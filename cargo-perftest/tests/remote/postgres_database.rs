//! A real PostgreSQL, and what only a database has.
//!
//! `PERFTEST_TEST_POSTGRES` is the address of an empty database, whose user may make tables and roles, as
//! `ci/postgres.sh` starts one. Projects do not see each other, so all tests share it.

use crate::fleet::{Fleet, Kind, counts, ids};
use perftest_store::{Digest, Project};
use postgres::types::ToSql;
use postgres::{Client, NoTls};
use std::process::Command;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Makes both roles of the page, unless they are there.
const ROLES: &str = "\
    DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$; \
    DO $$ BEGIN CREATE ROLE writer LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$; ";
/// The file of the example's history.
const FILE: &str = "runs/local-7f3a2b.2334f36d/codec-frame-encode.159e77d7.jsonl";

/// The address of the database, whose tables are there.
pub(crate) fn address() -> String {
    static TABLES: Once = Once::new();
    TABLES.call_once(|| {
        let fleet = Fleet::new(Kind::Directory, "postgres-tables");
        let made = fleet.machine("owner").run(&["setup-remote", &server()]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    });
    server()
}

fn server() -> String {
    std::env::var("PERFTEST_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!("there is no server: run these tests with ci/postgres.sh, or without the feature `postgres`")
    })
}

fn client() -> Client {
    Client::connect(&server(), NoTls).unwrap()
}

/// The lines of the example's history.
pub(crate) fn lines(project: &Project) -> Vec<String> {
    let rows = client().query(
        "SELECT line FROM perftest_record WHERE project = $1 AND file = $2 ORDER BY number",
        &[&project.slug, &FILE],
    );
    rows.unwrap().iter().map(|row| row.get(0)).collect()
}

/// Changes the example's history by hand.
pub(crate) fn change(project: &Project, change: impl FnOnce(String) -> String) {
    let text = change(lines(project).iter().map(|line| format!("{line}\n")).collect());
    let mut client = client();
    let delete = "DELETE FROM perftest_record WHERE project = $1 AND file = $2";
    client.execute(delete, &[&project.slug, &FILE]).unwrap();
    for (line, number) in text.lines().zip(1_i64..) {
        let insert = "INSERT INTO perftest_record \
                      VALUES ($1, $2, $3, encode(sha256(convert_to($4, 'UTF8')), 'hex'), $4) \
                      RETURNING digest";
        let parameters: [&(dyn ToSql + Sync); 4] = [&project.slug, &FILE, &number, &line];
        let digest: String = client.query_one(insert, &parameters).unwrap().get(0);
        let end = "UPDATE perftest_file SET last = $3, mark = $4 WHERE project = $1 AND file = $2";
        client.execute(end, &[&project.slug, &FILE, &number, &digest]).unwrap();
    }
}

/// Makes the table refuse new records of this project.
pub(crate) fn refuse_writes(project: &Project) {
    let name = Digest::of(project.slug.as_bytes()).hex16();
    let slug = &project.slug;
    client()
        .batch_execute(&format!(
            "ALTER TABLE perftest_record ADD CONSTRAINT refuse_{name} CHECK (project <> '{slug}') NOT VALID"
        ))
        .unwrap();
}

pub(crate) fn empty(project: &Project) {
    for table in ["perftest_record", "perftest_file"] {
        let delete = format!("DELETE FROM {table} WHERE project = $1");
        client().execute(&delete, &[&project.slug]).unwrap();
    }
}

#[test]
fn tables_are_printed_before_they_are_made_and_made_once() {
    let fleet = Fleet::new(Kind::Postgres, "postgres-dry");
    let machine = fleet.machine("one");
    let printed = machine.run(&["setup-remote", &machine.address, "--dry-run"]).stdout;
    let printed = String::from_utf8(printed).unwrap();
    assert!(printed.contains("CREATE TABLE IF NOT EXISTS perftest_record"), "{printed}");
    assert!(machine.run(&["setup-remote", &machine.address]).status.success());
}

/// The tables of the first version, with one record.
const FIRST_TABLES: &str = "\
DROP SCHEMA IF EXISTS earlier CASCADE;
CREATE SCHEMA earlier;
SET search_path TO earlier;
CREATE TABLE perftest_version (version integer PRIMARY KEY);
CREATE TABLE perftest_file (
    project text NOT NULL,
    file text NOT NULL,
    last bigint NOT NULL,
    mark text NOT NULL,
    PRIMARY KEY (project, file)
);
CREATE TABLE perftest_record (
    project text NOT NULL,
    file text NOT NULL,
    number bigint NOT NULL,
    digest text NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (project, file, number),
    UNIQUE (project, file, digest)
);
INSERT INTO perftest_version VALUES (1);
";

#[test]
fn tables_of_an_earlier_version_are_brought_up_to_date_and_their_records_are_read() {
    let fleet = Fleet::new(Kind::Postgres, "postgres-earlier");
    let mut machine = fleet.machine("one");
    machine.append(0..3);
    machine.push();
    let mut client = client();
    client.batch_execute(FIRST_TABLES).unwrap();
    let slug = machine.project().slug;
    for statement in [
        "INSERT INTO perftest_file SELECT * FROM public.perftest_file WHERE project = $1",
        "INSERT INTO perftest_record \
         SELECT project, file, number, digest, line FROM public.perftest_record WHERE project = $1",
    ] {
        client.execute(statement, &[&slug]).unwrap();
    }
    machine.address = format!("{}?options=-csearch_path%3Dearlier", server());
    machine.append([3]);
    for question in [&["push", &machine.address][..], &["rank", "--remote", &machine.address]] {
        let output = machine.run(question);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(5), "{error}");
        assert!(error.contains("version 1") && error.contains("setup-remote"), "{error}");
    }
    for _ in 0..2 {
        let made = machine.run(&["setup-remote", &machine.address]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    machine.forget_exchanges();
    assert_eq!(counts(&machine.push()), [1, 3, 0]);
    // Three records have no summary.
    let has_summary = "SELECT count(summary) FROM perftest_record WHERE project = $1";
    assert_eq!(client.query_one(has_summary, &[&slug]).unwrap().get::<_, i64>(0), 1);
    let asked = |source: &[&str]| machine.run(&[&["rank", "--json"], source].concat()).stdout;
    assert_eq!(asked(&["--remote", &machine.address]), asked(&[]));
    // Where there is a summary, the line itself does not travel.
    let unread = "UPDATE perftest_record SET line = 'unread' WHERE summary IS NOT NULL";
    assert_eq!(client.execute(unread, &[]).unwrap(), 1);
    assert_eq!(asked(&["--remote", &machine.address]), asked(&[]));
    client.execute("UPDATE perftest_version SET version = 3", &[]).unwrap();
    for command in ["setup-remote", "push"] {
        let (code, _, error) = machine.ends(command, &[]);
        assert!(code == 5 && error.contains("use the tool that made them"), "{error}");
    }
}

#[test]
fn the_rights_of_the_page_are_enough_and_a_reader_learns_what_a_push_needs() {
    let fleet = Fleet::new(Kind::Postgres, "postgres-rights");
    let [mut writer, mut reader] = ["writer", "reader"].map(|name| fleet.machine(name));
    client().batch_execute(&format!("{ROLES}{}", rights_of_the_page())).unwrap();
    let (_, host) = reader.address.split_once('@').unwrap();
    writer.address = format!("postgres://writer@{host}");
    reader.address = format!("postgres://reader@{host}");
    writer.append([0]);
    assert_eq!(counts(&writer.push()), [1, 0, 0]);
    assert_eq!(counts(&writer.exchange("push", &["--again"])), [0, 1, 0]);
    assert_eq!(counts(&reader.pull()), [1, 0, 0]);
    reader.append([1]);
    let (code, _, error) = reader.ends("push", &[]);
    assert_eq!(code, 5);
    assert!(error.contains("permission denied") && error.contains("rights"), "{error}");
}

/// The statements of `docs/reference/remotes.md`.
fn rights_of_the_page() -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/remotes.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```sql\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn a_password_on_the_command_line_is_refused_and_not_repeated() {
    let fleet = Fleet::new(Kind::Postgres, "postgres-password");
    let output = fleet.machine("one").run(&["push", "postgres://bot:s3cret@127.0.0.1:9/perf"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("PGPASSWORD"), "{error}");
}

#[test]
#[ignore = "kills the server of the other tests: ci/postgres.sh runs it alone"]
fn a_server_that_is_killed_again_and_again_loses_nothing_and_doubles_nothing() {
    const KILLS: u64 = 6;
    let fleet = Fleet::new(Kind::Postgres, "postgres-killed");
    let restart = std::env::var("PERFTEST_TEST_POSTGRES_RESTART").unwrap();
    let machines = [0, 1].map(|number| fleet.machine(&format!("machine-{number}")));
    let is_over = AtomicBool::new(false);
    let sent = thread::scope(|scope| {
        let senders = [(&machines[0], 0), (&machines[1], 100_000)].map(|(machine, first)| {
            let is_over = &is_over;
            scope.spawn(move || {
                let mut next = first;
                while !is_over.load(Ordering::Relaxed) {
                    machine.append([next]);
                    // Whether it can be sent or not.
                    machine.ends("push", &[]);
                    next += 1;
                }
                first..next
            })
        });
        for kill in 0..KILLS {
            // Some are in the middle of a recovery, and some in the middle of pushes.
            thread::sleep(Duration::from_millis(67 * kill));
            assert!(Command::new(&restart).status().unwrap().success());
        }
        is_over.store(true, Ordering::Relaxed);
        senders.map(|sender| sender.join().unwrap())
    });
    machines.iter().for_each(|machine| drop(machine.push()));
    let expected = ids(sent.into_iter().flatten());
    let last = fleet.machine("last");
    last.pull();
    assert_eq!(last.ids(), expected);
    assert_eq!(fleet.lines().len(), expected.len());
}
