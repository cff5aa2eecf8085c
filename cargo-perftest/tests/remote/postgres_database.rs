//! A real PostgreSQL, and what only a database has.
//!
//! `PERFTEST_TEST_POSTGRES` is the address of an empty database, whose user may make tables and roles, as
//! `ci/postgres.sh` starts one. Projects do not see each other, so all tests share it.

use crate::databases::{self, Database, Password};
use crate::fleet::{Fleet, Kind, Machine, TESTBED, counts};
use perftest_store::{Digest, Project};
use postgres::types::ToSql;
use postgres::{Client, NoTls, Transaction};
use std::fs;
use std::sync::Once;

pub(crate) const KIND: Kind = Kind::Database(&PostgresDatabase);

fn server() -> String {
    std::env::var("PERFTEST_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!("there is no server: run these tests with ci/postgres.sh, or without the feature `postgres`")
    })
}

fn client() -> Client {
    Client::connect(&server(), NoTls).unwrap()
}

struct PostgresDatabase;

impl Database for PostgresDatabase {
    fn address(&self, _: &Project) -> String {
        static TABLES: Once = Once::new();
        TABLES.call_once(|| databases::make_tables(&server()));
        server()
    }

    fn gone(&self) -> &'static str {
        "postgres://bot@127.0.0.1:9/perf"
    }

    fn lines(&self, project: &Project) -> Vec<String> {
        let rows = client().query(
            "SELECT line FROM perftest_record JOIN perftest_file ON file_id = id \
             WHERE project = $1 AND file = $2 ORDER BY number",
            &[&project.slug, &databases::FILE],
        );
        rows.unwrap().iter().map(|row| row.get(0)).collect()
    }

    fn replace(&self, project: &Project, text: &str) {
        let mut client = client();
        let id = "SELECT id FROM perftest_file WHERE project = $1 AND file = $2";
        let id: i32 = client.query_one(id, &[&project.slug, &databases::FILE]).unwrap().get(0);
        client.execute("DELETE FROM perftest_record WHERE file_id = $1", &[&id]).unwrap();
        for (line, number) in text.lines().zip(1_i64..) {
            let insert = "INSERT INTO perftest_record (file_id, number, digest, line) \
                          VALUES ($1, $2, substring(sha256(convert_to($3, 'UTF8')) FOR 16), $3) \
                          RETURNING encode(digest, 'hex')";
            let parameters: [&(dyn ToSql + Sync); 3] = [&id, &number, &line];
            let digest: String = client.query_one(insert, &parameters).unwrap().get(0);
            let end = "UPDATE perftest_file SET last = $2, mark = $3 WHERE id = $1";
            client.execute(end, &[&id, &number, &digest]).unwrap();
        }
    }

    fn refuse_writes(&self, project: &Project) {
        let name = Digest::of(project.slug.as_bytes()).hex16();
        let slug = &project.slug;
        client()
            .batch_execute(&format!(
                "ALTER TABLE perftest_file \
                 ADD CONSTRAINT refuse_{name} CHECK (project <> '{slug}') NOT VALID"
            ))
            .unwrap();
    }

    fn empty(&self, project: &Project) {
        for delete in [
            "DELETE FROM perftest_record WHERE file_id IN (SELECT id FROM perftest_file WHERE project = $1)",
            "DELETE FROM perftest_file WHERE project = $1",
        ] {
            client().execute(delete, &[&project.slug]).unwrap();
        }
    }

    fn address_with_users_of_the_page(&self) -> String {
        let address = other_database("with_users");
        let mut owner = Client::connect(&address, NoTls).unwrap();
        owner.batch_execute(&rights_of_the_page()).unwrap();
        address
    }

    fn run_as(&self, user: &str, statement: &str) -> Result<(), String> {
        let address = address_of_database("with_users");
        let address = address.replace("//owner@", &format!("//{user}@"));
        let mut client = Client::connect(&address, NoTls).unwrap();
        client.batch_execute(statement).map_err(|error| error.to_string())
    }

    fn forbidden(&self) -> &'static [&'static str] {
        &[
            "INSERT INTO perftest_version VALUES (7)",
            "UPDATE perftest_version SET version = 7",
            "DELETE FROM perftest_file",
            "UPDATE perftest_record SET line = ''",
            "DELETE FROM perftest_record",
            "TRUNCATE perftest_record",
            "ALTER TABLE perftest_record ADD COLUMN other text",
            "DROP TABLE perftest_record",
            "CREATE TABLE other (number integer)",
            "CREATE ROLE other",
        ]
    }

    fn of_a_push(&self) -> &'static [&'static str] {
        &[
            "INSERT INTO perftest_file (project, file, last, mark) VALUES ('', '', 0, '')",
            "SELECT FROM perftest_file WHERE project = '' FOR UPDATE",
            "UPDATE perftest_file SET last = 0 WHERE project = ''",
            "INSERT INTO perftest_record (file_id, number, digest, line) VALUES (0, 1, '', '')",
        ]
    }

    fn address_of_other_version(&self, _: &Project) -> String {
        let address = other_database("other_version");
        let mut other = Client::connect(&address, NoTls).unwrap();
        other.batch_execute("UPDATE perftest_version SET version = 200").unwrap();
        address
    }

    fn password(&self) -> Password {
        client().batch_execute("ALTER ROLE guarded PASSWORD 'r1ght'").unwrap();
        Password {
            variable: "PGPASSWORD",
            file_variable: "PGPASSFILE",
            file: "*:*:*:guarded:r1ght\n",
        }
    }
}

fn address_of_database(name: &str) -> String {
    let server = server();
    let (place, _) = server.rsplit_once('/').unwrap();
    format!("{place}/{name}")
}

/// Makes a database with tables: the other tests use those of the first one. Returns its address.
fn other_database(name: &str) -> String {
    client().batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    let address = address_of_database(name);
    databases::make_tables(&address);
    address
}

/// The statements of `docs/reference/remotes.md`.
fn rights_of_the_page() -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/remotes.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("\n## PostgreSQL\n").unwrap();
    let (_, rest) = rest.split_once("```sql\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn a_postgres_server_that_never_answers_is_an_error_and_loses_no_run() {
    let fleet = Fleet::new(Kind::Directory, "postgres-silent");
    let (port, _server) = databases::silent_server();
    databases::check_silent_server(
        &fleet,
        &format!("postgres://bot@127.0.0.1:{port}/perf?connect_timeout=1"),
    );
}

/// Holds the files of this machine's project.
fn holding<'a>(client: &'a mut Client, machine: &Machine) -> Transaction<'a> {
    let mut transaction = client.transaction().unwrap();
    let lock = "SELECT FROM perftest_file WHERE project = $1 FOR UPDATE";
    transaction.execute(lock, &[&machine.project().slug]).unwrap();
    transaction
}

#[test]
fn a_file_that_a_vanished_machine_holds_in_postgres_is_not_waited_for_without_end() {
    let fleet = Fleet::new(KIND, "postgres-lock");
    let mut machine = fleet.machine("one");
    machine.address += "?options=-clock_timeout%3D1s";
    machine.append([0]);
    machine.push();
    machine.append([1]);
    // Another machine that vanished holds the file.
    let mut client = client();
    let transaction = holding(&mut client, &machine);
    let (code, _, error) = machine.ends("push", &[]);
    assert!(code == 5 && error.contains("another machine is pushing to the same files"), "{error}");
    transaction.rollback().unwrap();
    assert_eq!(counts(&machine.push()), [1, 0, 0]);
}

#[test]
fn a_postgres_server_that_falls_silent_is_an_error_and_is_not_asked_again() {
    let fleet = Fleet::new(KIND, "postgres-falls-silent");
    let mut machine = fleet.machine("one");
    // The server itself waits longer for the lock.
    machine.address += "?options=-clock_timeout%3D600s";
    machine.append([0]);
    machine.push();
    machine.append([1]);
    let mut client = client();
    let transaction = holding(&mut client, &machine);
    let (code, _, error) = machine.ends("sync", &["--testbed", TESTBED]);
    assert_eq!(code, 5, "{error}");
    assert!(error.contains("it sent nothing for 60 s; "), "{error}");
    assert!(error.contains("no run is lost"), "{error}");
    drop(transaction);
    assert_eq!(counts(&machine.push()), [1, 0, 0]);
}

#[test]
#[ignore = "kills the server of the other tests: ci/postgres.sh runs it alone"]
fn a_postgres_server_that_is_killed_again_and_again_loses_nothing_and_doubles_nothing() {
    let restart = std::env::var("PERFTEST_TEST_POSTGRES_RESTART").unwrap();
    databases::a_server_is_killed_again_and_again(KIND, &restart);
}
