//! Encrypted connections to a real PostgreSQL, whose certificate is for 127.0.0.1.
//!
//! `PERFTEST_TEST_POSTGRES_CERTIFICATES` is the directory with the certificates of its authority and of another one, as
//! `ci/postgres.sh` makes them. The user `encrypted` may only connect over TLS, and has the password `r1ght`.

use crate::fleet::{Fleet, Machine};
use crate::postgres_database::KIND;
use perftest_tests::Outcome;
use std::env;
use std::path::PathBuf;

fn certificate(name: &str) -> PathBuf {
    PathBuf::from(env::var_os("PERFTEST_TEST_POSTGRES_CERTIFICATES").unwrap()).join(name)
}

/// Code and output of a push that trusts this authority, or the public ones.
fn push(machine: &Machine, address: &str, trusted: Option<&str>) -> (Option<i32>, String) {
    let mut tool = machine.command(&["push", address]);
    tool.env("PGPASSWORD", "r1ght").env_remove("SSL_CERT_FILE");
    if let Some(trusted) = trusted {
        tool.env("SSL_CERT_FILE", certificate(trusted));
    }
    Outcome::of(&mut tool).in_all()
}

fn machine(fleet: &Fleet) -> Machine {
    let mut machine = fleet.machine("one");
    machine.append([0]);
    assert!(machine.address.contains("@127.0.0.1:"), "{}", machine.address);
    machine.address = machine.address.replace("//owner@", "//encrypted@");
    machine
}

#[test]
fn a_postgres_server_of_a_trusted_authority_is_used_over_tls() {
    let fleet = Fleet::new(KIND, "postgres-tls");
    let machine = machine(&fleet);
    for mode in ["verify-full", "require"] {
        let address = format!("{}?sslmode={mode}", machine.address);
        let (code, text) = push(&machine, &address, Some("authority.pem"));
        assert_eq!(code, Some(0), "{mode}: {text}");
    }
    assert_eq!(fleet.lines().len(), 1);
}

#[test]
fn a_postgres_server_of_another_authority_is_refused_in_every_mode() {
    let fleet = Fleet::new(KIND, "postgres-other-authority");
    let machine = machine(&fleet);
    for mode in ["verify-full", "require"] {
        for trusted in [Some("other.pem"), None] {
            let address = format!("{}?sslmode={mode}", machine.address);
            let (code, text) = push(&machine, &address, trusted);
            assert_eq!(code, Some(5), "{text}");
            assert!(text.contains("invalid peer certificate: UnknownIssuer"), "{text}");
            assert!(text.contains("set SSL_CERT_FILE to a file with"), "{text}");
        }
    }
    assert_eq!(fleet.lines().len(), 0);
}

#[test]
fn a_postgres_server_with_another_name_is_refused_in_every_mode() {
    let fleet = Fleet::new(KIND, "postgres-other-name");
    let machine = machine(&fleet);
    for mode in ["verify-full", "require"] {
        let address = machine.address.replace("@127.0.0.1:", "@localhost:");
        let address = format!("{address}?sslmode={mode}");
        let (code, text) = push(&machine, &address, Some("authority.pem"));
        assert_eq!(code, Some(5), "{text}");
        assert!(text.contains("not valid for name"), "{text}");
    }
}

#[test]
fn without_tls_a_postgres_server_is_used_as_before_and_one_that_wants_it_names_the_option() {
    let fleet = Fleet::new(KIND, "postgres-no-tls");
    let machine = machine(&fleet);
    for options in ["", "?sslmode=disable"] {
        let (code, text) = push(&machine, &format!("{}{options}", machine.address), None);
        assert_eq!(code, Some(5), "{text}");
        assert!(text.contains("; add ?sslmode=verify-full to the address"), "{text}");
        let address = machine.address.replace("//encrypted@", "//owner@");
        let (code, text) = push(&machine, &format!("{address}{options}"), None);
        assert_eq!(code, Some(0), "{text}");
    }
    assert_eq!(fleet.lines().len(), 1);
}

#[test]
fn a_file_without_certificates_is_named() {
    let fleet = Fleet::new(KIND, "postgres-no-certificates");
    let machine = machine(&fleet);
    let address = format!("{}?sslmode=verify-full", machine.address);
    let (code, text) = push(&machine, &address, Some("none.pem"));
    assert_eq!(code, Some(5), "{text}");
    assert!(text.contains("the certificates in SSL_CERT_FILE="), "{text}");
}
