//! What all databases have, and no other remote: tables, users, and a server that is killed.

use crate::fleet::{Fleet, Kind, TESTBED, counts, ids};
use perftest_store::conformance::resealed;
use perftest_store::{Digest, Project};
use perftest_tests::Outcome;
use std::fs;
use std::net::TcpListener;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The file of the example's history.
pub(crate) const FILE: &str = "runs/local-7f3a2b.2334f36d/codec-frame-encode.159e77d7.jsonl";

/// A real server. Its addresses begin with the user `owner`.
pub(crate) trait Database: Sync {
    /// The address of tables for this project.
    fn address(&self, project: &Project) -> String;
    /// An address where nobody listens.
    fn gone(&self) -> &'static str;
    /// The lines of the example's history.
    fn lines(&self, project: &Project) -> Vec<String>;
    /// Replaces the example's history by hand.
    fn replace(&self, project: &Project, text: &str);
    /// Makes the table refuse new records of this project.
    fn refuse_writes(&self, project: &Project);
    /// Deletes all records of this project.
    fn empty(&self, project: &Project);
    /// Makes the users `reader` and `writer` by what `docs/reference/remotes.md` has for them, and nothing else. Returns
    /// the address of the tables that are theirs.
    fn address_with_users_of_the_page(&self) -> String;
    /// Runs a statement in this database as a user of the page.
    fn run_as(&self, user: &str, statement: &str) -> Result<(), String>;
    /// Statements that neither of these users may run.
    fn forbidden(&self) -> &'static [&'static str];
    /// Statements of a push, which the reader may not run.
    fn of_a_push(&self) -> &'static [&'static str];
    /// The address of tables with version 200.
    fn address_of_other_version(&self, project: &Project) -> String;
    /// Where the password of the user `guarded` comes from: `r1ght`.
    fn password(&self) -> Password;
}

/// Where a password comes from.
pub(crate) struct Password {
    pub(crate) variable: &'static str,
    pub(crate) file_variable: &'static str,
    /// The text of the file.
    pub(crate) file: &'static str,
}

fn database(fleet: &Fleet) -> &'static dyn Database {
    match fleet.kind {
        Kind::Database(database) => database,
        _ => panic!("the check is for databases alone"),
    }
}

pub(crate) fn make_tables(address: &str) {
    let fleet = Fleet::new(Kind::Directory, "tables");
    fleet.machine("owner").run(&["setup-remote", address]).ended_with(0);
}

/// The password that both users have on the page.
pub(crate) const PASSWORD_OF_THE_PAGE: &str = "SECRET";

fn address_of_user(address: &str, user: &str) -> String {
    assert!(address.contains("//owner@"), "{address}");
    address.replace("//owner@", &format!("//{user}@"))
}

pub(crate) fn tables_are_printed_before_they_are_made_and_made_once(fleet: &Fleet) {
    let machine = fleet.machine("one");
    let printed = machine.run(&["setup-remote", &machine.address, "--dry-run"]);
    printed.prints(&["CREATE TABLE IF NOT EXISTS perftest_record"]);
    machine.append([0]);
    machine.push();
    machine.run(&["setup-remote", &machine.address]).ended_with(0);
    assert_eq!(fleet.lines().len(), 1);
}

pub(crate) fn the_rights_of_the_page_are_enough_and_a_reader_learns_what_a_push_needs(
    fleet: &Fleet,
) {
    let [mut writer, mut reader, mut other] =
        ["writer", "reader", "other"].map(|name| fleet.machine(name));
    let database = database(fleet);
    let address = database.address_with_users_of_the_page();
    let variable = database.password().variable;
    for (machine, user) in
        [(&mut writer, "writer"), (&mut reader, "reader"), (&mut other, "writer")]
    {
        machine.address = address_of_user(&address, user);
        machine.environment = vec![(variable, PASSWORD_OF_THE_PAGE)];
    }
    writer.append([0]);
    assert_eq!(counts(&writer.push()), [1, 0, 0]);
    assert_eq!(counts(&writer.exchange("push", &["--again"])), [0, 1, 0]);
    assert_eq!(counts(&reader.pull()), [1, 0, 0]);
    reader.append([1]);
    let (code, _, error) = reader.ends("push", &[]);
    assert_eq!(code, 5);
    assert!(error.contains("rights that docs/reference/remotes.md lists"), "{error}");
    // The writer pulls, too, and there is nothing but its own run.
    assert_eq!(counts(&other.pull()), [1, 0, 0]);
    for (user, machine) in [("reader", &reader), ("writer", &writer)] {
        let (code, _, error) = machine.ends("setup-remote", &[]);
        assert_eq!(code, 5, "{user}: {error}");
        for statement in database.forbidden() {
            assert!(database.run_as(user, statement).is_err(), "{user}: {statement}");
        }
    }
    for statement in database.of_a_push() {
        assert!(database.run_as("reader", statement).is_err(), "{statement}");
        assert_eq!(database.run_as("writer", statement), Ok(()), "{statement}");
    }
}

pub(crate) fn a_run_of_each_of_many_tests_is_sent_and_would_be_received(fleet: &Fleet) {
    const TESTS: u64 = 2_500;
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    let module = "module_with_a_long_name::".repeat(4);
    one.append([0]);
    let line = fs::read_to_string(one.history_file()).unwrap();
    let directory = one.history_file().parent().unwrap().to_owned();
    fs::remove_file(one.history_file()).unwrap();
    for number in 0..TESTS {
        let name = format!("{module}test{number}");
        let text = resealed(&line.replacen("codec::frame::encode", &name, 1));
        let hash = Digest::of(name.as_bytes()).hex8();
        let file = format!("{}.{hash}.jsonl", &name.replace("::", "-")[..80]);
        fs::write(directory.join(file), text).unwrap();
    }
    assert_eq!(counts(&one.push()), [TESTS, 0, 0]);
    assert_eq!(counts(&one.exchange("push", &["--again"])), [0, TESTS, 0]);
    // Writing so many files would take longer than all of this.
    let would = other.exchange("pull", &["--dry-run", "--testbed", TESTBED]);
    assert_eq!(counts(&would), [TESTS, 0, 0]);
}

pub(crate) fn a_password_on_the_command_line_is_refused_and_not_repeated(fleet: &Fleet) {
    let machine = fleet.machine("one");
    let address = machine.address.replace("//owner@", "//owner:s3cret@");
    let (code, text) = machine.run(&["push", &address]).in_all();
    assert_eq!(code, Some(2));
    let variable = database(fleet).password().variable;
    assert!(text.contains(variable) && !text.contains("s3cret"), "{text}");
}

pub(crate) fn a_wrong_password_is_refused_and_not_repeated(fleet: &Fleet) {
    let machine = fleet.machine("one");
    let Password { variable, file_variable, .. } = database(fleet).password();
    let address = address_of_user(&machine.address, "guarded");
    machine.append([0]);
    for command in ["push", "pull", "sync", "setup-remote"] {
        for password in [None, Some("wr0ng"), Some("wr0ng ключ\\'\"$")] {
            let mut tool = machine.command(&[command, &address]);
            tool.env_remove(file_variable).env_remove(variable);
            tool.envs(password.map(|password| (variable, password)));
            let (code, text) = Outcome::of(&mut tool).in_all();
            assert_eq!(code, Some(5), "{text}");
            assert!(text.contains(&format!("set {variable}")), "{text}");
            assert!(!text.contains("wr0ng"), "{text}");
        }
    }
    assert_eq!((machine.ids(), fleet.lines().len()), (ids([0]), 0));
}

pub(crate) fn a_password_comes_from_the_environment_or_from_a_file_that_others_cannot_read(
    fleet: &Fleet,
) {
    let machine = fleet.machine("one");
    let Password { variable, file_variable, file } = database(fleet).password();
    let address = address_of_user(&machine.address, "guarded");
    let path = fleet.root.path().join("passwords");
    fs::write(&path, file).unwrap();
    let command = |name: &str, value: &str| {
        let mut tool = machine.command(&["push", &address]);
        Outcome::of(tool.env_remove(variable).env(name, value)).in_all()
    };
    let (code, text) = command(variable, "r1ght");
    assert_eq!(code, Some(0), "{text}");
    for (mode, expected) in [("644", 5), ("600", 0)] {
        assert!(Command::new("chmod").arg(mode).arg(&path).status().unwrap().success());
        let (code, text) = command(file_variable, path.to_str().unwrap());
        assert_eq!(code, Some(expected), "{text}");
        assert_eq!(text.contains("others can read the passwords"), expected == 5, "{text}");
        assert!(!text.contains("r1ght"), "{text}");
    }
}

pub(crate) fn tables_of_another_version_are_refused_and_left_as_they_are(fleet: &Fleet) {
    let mut machine = fleet.machine("one");
    machine.append([0]);
    machine.address = database(fleet).address_of_other_version(&machine.project());
    for command in ["setup-remote", "push", "pull", "sync"] {
        let (code, _, error) = machine.ends(command, &[]);
        assert_eq!(code, 5, "{error}");
        for part in [
            "the tables have version 200, and this tool knows version ",
            "a cargo-perftest later than ",
        ] {
            assert!(error.contains(part), "{error}");
        }
    }
    assert_eq!((machine.ids(), fleet.lines().len()), (ids([0]), 0));
}

/// A server that accepts connections and never answers. Returns its port; it ends when the listener is dropped.
pub(crate) fn silent_server() -> (u16, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    // The system accepts for it.
    (listener.local_addr().unwrap().port(), listener)
}

pub(crate) fn check_silent_server(fleet: &Fleet, address: &str) {
    let machine = fleet.machine("one");
    machine.append([0]);
    thread::scope(|scope| {
        for command in [&["push"][..], &["pull"], &["setup-remote"], &["rank", "--remote"]] {
            let machine = &machine;
            scope.spawn(move || {
                let refused = machine.run(&[command, &[address]].concat()).ended_with(5);
                refused.warns(&["it sent nothing for "]);
            });
        }
    });
    assert_eq!(machine.ids(), ids([0]));
}

/// Two machines push while the server is killed. `restart` is a program that kills and starts it.
pub(crate) fn a_server_is_killed_again_and_again(kind: Kind, restart: &str) {
    const KILLS: u64 = 6;
    let fleet = Fleet::new(kind, "killed");
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
            assert!(Command::new(restart).status().unwrap().success());
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
