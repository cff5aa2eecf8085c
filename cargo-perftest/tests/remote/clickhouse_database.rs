//! A real ClickHouse server.
//!
//! `PERFTEST_TEST_CLICKHOUSE` is the address of a server without tables, as `ci/clickhouse.sh` starts one. Its user
//! `owner` may do everything. Each project has a database of its own.

use crate::databases::{self, Database, FILE, PASSWORD_OF_THE_PAGE, Password};
use crate::fleet::{Fleet, Kind, TESTBED, ids};
use hmac_sha256::Hash;
use perftest_store::{Digest, Project};
use perftest_tests::Outcome;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Mutex;
use std::thread;

pub(crate) const KIND: Kind = Kind::Database(&ClickHouseDatabase);

/// The only database that the users of the page may use.
const DATABASE_OF_THE_PAGE: &str = "perf";

struct ClickHouseDatabase;

fn server() -> String {
    std::env::var("PERFTEST_TEST_CLICKHOUSE").unwrap_or_else(|_| {
        panic!("there is no server: run these tests with ci/clickhouse.sh, or without the feature `clickhouse`")
    })
}

/// The name of the database of a project.
fn name(project: &Project) -> String {
    format!("perf_{}", Digest::of(project.slug.as_bytes()).hex16())
}

/// Runs a statement in this database as the owner.
fn run(database: &str, statement: &str) -> String {
    run_as(database, "owner", "", statement).unwrap_or_else(|text| panic!("{statement}: {text}"))
}

fn run_as(database: &str, user: &str, password: &str, statement: &str) -> Result<String, String> {
    let (_, rest) =
        server().split_once("//owner@").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let (host, _) = rest.split_once('/').unwrap();
    let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None).build();
    let agent = ureq::Agent::from(config);
    let question = agent.post(format!("http://{host}/?database={database}"));
    let question = question.header("X-ClickHouse-User", user).header("X-ClickHouse-Key", password);
    let mut answer = question.send(statement).unwrap();
    let status = answer.status();
    let text = answer.body_mut().with_config().limit(1 << 30).read_to_string().unwrap();
    if status.is_success() { Ok(text) } else { Err(text) }
}

/// Makes a database with tables. Returns its address.
fn make_database(name: &str) -> String {
    let server = server();
    let (place, _) = server.rsplit_once('/').unwrap();
    let address = format!("{place}/{name}");
    run("default", &format!("CREATE DATABASE {name}"));
    databases::make_tables(&address);
    address
}

impl Database for ClickHouseDatabase {
    fn address(&self, project: &Project) -> String {
        static MADE: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
        let name = name(project);
        let mut made = MADE.lock().unwrap();
        made.entry(name.clone()).or_insert_with(|| make_database(&name)).clone()
    }

    fn gone(&self) -> &'static str {
        "clickhouse+http://bot@127.0.0.1:9/perf"
    }

    fn lines(&self, project: &Project) -> Vec<String> {
        let rows = run(
            &name(project),
            &format!(
                "SELECT line FROM perftest_record FINAL WHERE file = '{FILE}' ORDER BY number FORMAT JSONEachRow"
            ),
        );
        let line = |row: &str| {
            let row: Value = serde_json::from_str(row).unwrap();
            row["line"].as_str().unwrap().to_owned()
        };
        rows.lines().map(line).collect()
    }

    fn replace(&self, project: &Project, text: &str) {
        let others =
            format!("SELECT * FROM perftest_record WHERE file != '{FILE}' FORMAT JSONEachRow");
        let others = run(&name(project), &others);
        self.empty(project);
        let mut rows = format!("INSERT INTO perftest_record FORMAT JSONEachRow\n{others}");
        for (line, number) in text.lines().zip(1_u64..) {
            let digest = *Hash::hash(line.as_bytes()).first_chunk().unwrap();
            let digest = u64::from_be_bytes(digest);
            let row = json!({"project": project.slug, "file": FILE, "number": number, "digest": digest, "line": line});
            rows += &format!("{row}\n");
        }
        run(&name(project), &rows);
    }

    /// A table of this kind only shows the rows of others.
    fn refuse_writes(&self, project: &Project) {
        let name = name(project);
        run(&name, "RENAME TABLE perftest_record TO kept");
        run(
            &name,
            &format!("CREATE TABLE perftest_record AS kept ENGINE = Merge({name}, '^kept$')"),
        );
    }

    fn empty(&self, project: &Project) {
        run(&name(project), "TRUNCATE TABLE perftest_record");
    }

    /// `ci/clickhouse-server.sh` takes the users from the page: this server has no statements for it.
    fn address_with_users_of_the_page(&self) -> String {
        run("default", "CREATE TABLE of_others (number UInt64) ENGINE = Memory");
        make_database(DATABASE_OF_THE_PAGE)
    }

    fn run_as(&self, user: &str, statement: &str) -> Result<(), String> {
        run_as(DATABASE_OF_THE_PAGE, user, PASSWORD_OF_THE_PAGE, statement).map(drop)
    }

    fn forbidden(&self) -> &'static [&'static str] {
        &[
            "TRUNCATE TABLE perftest_record",
            "ALTER TABLE perftest_record DELETE WHERE 1",
            "ALTER TABLE perftest_record ADD COLUMN other String",
            "RENAME TABLE perftest_record TO other",
            "DROP TABLE perftest_record",
            "CREATE TABLE other (number UInt64) ENGINE = Memory",
            "CREATE DATABASE other",
            "SET allow_ddl = 1",
            "SET readonly = 0",
            "SELECT * FROM default.of_others",
            "INSERT INTO default.of_others VALUES (1)",
        ]
    }

    fn of_a_push(&self) -> &'static [&'static str] {
        &["INSERT INTO perftest_record (project, line) VALUES ('', '')"]
    }

    fn address_of_other_version(&self, project: &Project) -> String {
        run(&name(project), "INSERT INTO perftest_version VALUES (200)");
        self.address(project)
    }

    fn password(&self) -> Password {
        Password {
            variable: "CLICKHOUSE_PASSWORD",
            file_variable: "CLICKHOUSE_PASSWORD_FILE",
            file: "r1ght\n",
        }
    }
}

#[test]
#[ignore = "kills the server of the other tests: ci/clickhouse.sh runs it alone"]
fn a_clickhouse_server_that_is_killed_again_and_again_loses_nothing_and_doubles_nothing() {
    let restart = std::env::var("PERFTEST_TEST_CLICKHOUSE_RESTART").unwrap();
    databases::a_server_is_killed_again_and_again(KIND, &restart);
}

#[test]
fn a_row_that_is_there_twice_keeps_no_history_cut() {
    let fleet = Fleet::new(KIND, "clickhouse-twice");
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    one.append(0..150);
    one.push();
    other.exchange("pull", &["--newest", "20", "--testbed", TESTBED]);
    let twice = "INSERT INTO perftest_record SELECT * FROM perftest_record WHERE number = 150";
    run(&name(&one.project()), twice);
    assert_eq!(other.check().code, Some(2));
    other.pull();
    assert_eq!((other.check().code, other.ids()), (Some(0), ids(0..150)));
}

/// Answers one request with this text, and returns the request.
fn answer_once(answer: String) -> (u16, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut request = vec![0; 64 * 1024];
        let count = client.read(&mut request).unwrap();
        client.write_all(answer.as_bytes()).unwrap();
        String::from_utf8_lossy(&request[..count]).into_owned()
    });
    (port, server)
}

fn push_to(port: u16) -> (Option<i32>, String) {
    let fleet = Fleet::new(Kind::Directory, "clickhouse-answer");
    let address = format!("clickhouse+http://bot@127.0.0.1:{port}/perf");
    let mut tool = fleet.machine("one").command(&["push", &address]);
    Outcome::of(tool.env("CLICKHOUSE_PASSWORD", "s3cret")).in_all()
}

#[test]
fn a_clickhouse_server_that_points_elsewhere_is_not_followed_with_the_password() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let place = elsewhere.local_addr().unwrap();
    for status in ["301 Moved Permanently", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let head = format!("HTTP/1.1 {status}\r\nLocation: http://{place}/\r\n");
        let (port, server) = answer_once(format!("{head}Content-Length: 0\r\n\r\n"));
        let (code, text) = push_to(port);
        assert!(server.join().unwrap().contains("s3cret"));
        assert_eq!(code, Some(5), "{text}");
        assert!(text.contains(status) && !text.contains("s3cret"), "{text}");
    }
    assert!(elsewhere.accept().is_err());
}

#[test]
fn a_clickhouse_server_that_repeats_the_request_does_not_get_the_password_printed() {
    for status in ["200 OK", "403 Forbidden", "500 Internal Server Error"] {
        let body = "Code: 516. DB::Exception: X-ClickHouse-Key: s3cret is wrong";
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len());
        let (port, server) = answer_once(head + body);
        let (code, text) = push_to(port);
        server.join().unwrap();
        assert_eq!(code, Some(5), "{text}");
        assert!(text.contains("X-ClickHouse-Key") && !text.contains("s3cret"), "{text}");
    }
}

#[test]
fn a_clickhouse_server_that_never_answers_is_an_error_and_loses_no_run() {
    let fleet = Fleet::new(Kind::Directory, "clickhouse-silent");
    let (port, _server) = databases::silent_server();
    databases::check_silent_server(&fleet, &format!("clickhouse+http://bot@127.0.0.1:{port}/perf"));
}

#[test]
fn a_clickhouse_server_that_stops_in_the_middle_of_an_answer_is_an_error() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n1";
    let (port, server) = answer_once(head.to_owned());
    let (code, text) = push_to(port);
    server.join().unwrap();
    assert!(code == Some(5) && text.contains("the database cannot be used"), "{text}");
}

#[test]
fn a_clickhouse_server_that_falls_silent_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut request = vec![0; 64 * 1024];
        assert!(client.read(&mut request).unwrap() > 0);
        let body = "1\n";
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        client.write_all((head + body).as_bytes()).unwrap();
        // The next questions, and the end of the connection.
        while client.read(&mut request).is_ok_and(|count| count > 0) {}
    });
    let (code, text) = push_to(port);
    server.join().unwrap();
    assert_eq!(code, Some(5), "{text}");
    assert!(
        text.contains("it sent nothing for 60 s; ") && text.contains("no run is lost"),
        "{text}"
    );
}
