//! A real PostgreSQL, and what only a database has.
//!
//! `PERFTEST_TEST_POSTGRES` is the address of an empty database, whose user may make tables and roles, as
//! `ci/postgres.sh` starts one. Projects do not see each other, so all tests share it.

use crate::databases::{self, Database, Password};
use crate::fleet::{Fleet, Kind, counts};
use perftest_store::{Digest, Project};
use postgres::types::ToSql;
use postgres::{Client, NoTls};
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
            "SELECT line FROM perftest_record WHERE project = $1 AND file = $2 ORDER BY number",
            &[&project.slug, &databases::FILE],
        );
        rows.unwrap().iter().map(|row| row.get(0)).collect()
    }

    fn replace(&self, project: &Project, text: &str) {
        let file = databases::FILE;
        let mut client = client();
        let delete = "DELETE FROM perftest_record WHERE project = $1 AND file = $2";
        client.execute(delete, &[&project.slug, &file]).unwrap();
        for (line, number) in text.lines().zip(1_i64..) {
            let insert = "INSERT INTO perftest_record \
                          VALUES ($1, $2, $3, encode(sha256(convert_to($4, 'UTF8')), 'hex'), $4) \
                          RETURNING digest";
            let parameters: [&(dyn ToSql + Sync); 4] = [&project.slug, &file, &number, &line];
            let digest: String = client.query_one(insert, &parameters).unwrap().get(0);
            let end =
                "UPDATE perftest_file SET last = $3, mark = $4 WHERE project = $1 AND file = $2";
            client.execute(end, &[&project.slug, &file, &number, &digest]).unwrap();
        }
    }

    fn refuse_writes(&self, project: &Project) {
        let name = Digest::of(project.slug.as_bytes()).hex16();
        let slug = &project.slug;
        client()
            .batch_execute(&format!(
                "ALTER TABLE perftest_record \
                 ADD CONSTRAINT refuse_{name} CHECK (project <> '{slug}') NOT VALID"
            ))
            .unwrap();
    }

    fn empty(&self, project: &Project) {
        for table in ["perftest_record", "perftest_file"] {
            let delete = format!("DELETE FROM {table} WHERE project = $1");
            client().execute(&delete, &[&project.slug]).unwrap();
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
            "INSERT INTO perftest_file VALUES ('', '', 0, '')",
            "UPDATE perftest_file SET last = 0 WHERE project = ''",
            "INSERT INTO perftest_record (project, file, number, digest, line) VALUES ('', '', 1, '', '')",
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
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("\n## PostgreSQL\n").unwrap();
    let (_, rest) = rest.split_once("```sql\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
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
    let fleet = Fleet::new(KIND, "postgres-earlier");
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
    let (code, _, error) = machine.ends("push", &[]);
    assert!(code == 5 && error.contains("a cargo-perftest later than "), "{error}");
}

#[test]
#[ignore = "kills the server of the other tests: ci/postgres.sh runs it alone"]
fn a_postgres_server_that_is_killed_again_and_again_loses_nothing_and_doubles_nothing() {
    let restart = std::env::var("PERFTEST_TEST_POSTGRES_RESTART").unwrap();
    databases::a_server_is_killed_again_and_again(KIND, &restart);
}
