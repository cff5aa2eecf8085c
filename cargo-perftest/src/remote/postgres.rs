//! Tables of a PostgreSQL database.

mod add_records;
mod lines;
mod password;
mod read_records;
mod session;
mod tables;
#[cfg(feature = "postgres-tls")]
mod tls;

use super::RemoteError;
use super::address::{NO_POSTGRES_PASSWORD, SslMode};
use super::database::{
    GIVE_RIGHTS, LONGEST_CONNECT, LONGEST_FIRST_ANSWER, MAKE_TABLES, no_tls, unusable,
};
use super::interface::{Batch, EachFile, ReadRequest, Remote};
use crate::exit::{CommandError, Result};
use perftest_process::sha256_hex;
use perftest_store::{
    AddedRecords, LinePage, LinesWanted, NewRecords, Project, RecordFile, RecordFileName,
};
use session::{PostgresSession, unsigned, value};
use std::error::Error as _;
use std::str::FromStr;
pub(super) use tables::TABLES;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Config, Error, NoTls};

/// What to do without the right password.
const SET_PASSWORD: &str = "; set PGPASSWORD, or write ~/.pgpass";
/// What to do where the server's certificate is of an unknown authority.
const TRUST_AUTHORITY: &str =
    "; set SSL_CERT_FILE to a file with the certificate of the authority that the server has";
/// What to do where the server wants TLS.
const ENCRYPT: &str = "; add ?sslmode=verify-full to the address";
/// What to do where another machine holds a file.
const PUSH_LATER: &str = "; another machine is pushing to the same files: push again later";
/// The id of the file `wanted.file` of the project `$1`. No join: the server keeps the order of what is wanted, and
/// sorts no lines on its disk.
const FILE_ID: &str = "(SELECT id FROM perftest_file WHERE project = $1 AND file = wanted.file)";
/// Digits of the SHA-256 of a line that are its identity in its file: 16 bytes.
const DIGEST_DIGITS: usize = 32;

/// A database whose tables [`TABLES`] made.
pub(super) struct PostgresRemote {
    session: PostgresSession,
    project: String,
}

impl PostgresRemote {
    /// Connects to a database.
    ///
    /// # Errors
    /// When the server cannot be reached, refuses the user, or has other tables than these.
    pub(super) fn open(url: &str, project: &Project) -> Result<Self> {
        let mut session = connect(url)?;
        tables::check(&mut session)?;
        Ok(Self { session, project: project.slug.clone() })
    }
}

impl Remote for PostgresRemote {
    fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
        let rows = self.session.rows(
            "SELECT file, last FROM perftest_file WHERE project = $1 AND last > 0 ORDER BY file",
            &[&self.project],
        )?;
        let mut files = Vec::new();
        for row in rows {
            let name = RecordFileName::parse(value(&row, 0)?);
            let bytes = unsigned(&row, 1)?;
            files.extend(name.map(|name| RecordFile { name, bytes }));
        }
        Ok(files)
    }

    fn read(&mut self, wanted: &[ReadRequest]) -> EachFile<NewRecords> {
        read_records::read(&mut self.session, &self.project, wanted)
    }

    fn lines(&mut self, wanted: &[LinesWanted]) -> EachFile<LinePage> {
        let pages = lines::lines(&mut self.session, &self.project, wanted)?;
        Ok(pages.into_iter().map(Ok).collect())
    }

    fn add(&mut self, batches: &[Batch]) -> EachFile<AddedRecords> {
        add_records::add(&mut self.session, &self.project, batches)
    }
}

/// Makes the tables.
///
/// # Errors
/// When the server cannot be reached, the user may not make tables, or another tool has made them.
pub(super) fn make_tables(url: &str) -> Result<()> {
    Ok(tables::make(&mut connect(url)?)?)
}

fn connect(url: &str) -> Result<PostgresSession> {
    let mode = SslMode::of(url).map_err(CommandError::Usage)?;
    if mode == SslMode::Verified && cfg!(not(feature = "postgres-tls")) {
        return Err(no_tls("postgres-tls"));
    }
    // The client knows no other name for an encrypted connection.
    let address = url.replace("sslmode=verify-full", "sslmode=require");
    // Without its options: one of them may be a secret.
    let place = url.split('?').next().unwrap_or_default();
    let mut config = Config::from_str(&address).map_err(|error| {
        RemoteError::new(format!("{place} is no address of a database: {error}"))
    })?;
    // Only the client knows all ways to write one.
    if config.get_password().is_some() {
        return Err(RemoteError::new(NO_POSTGRES_PASSWORD).into());
    }
    if let Some(password) = password::of(&config)? {
        config.password(password);
    }
    config.application_name("perftest");
    let longest = config.get_connect_timeout().copied();
    config.connect_timeout(longest.unwrap_or(LONGEST_CONNECT));
    let longest = longest.unwrap_or(LONGEST_FIRST_ANSWER);
    #[cfg(feature = "postgres-tls")]
    if mode == SslMode::Verified {
        return Ok(PostgresSession::connect(&config, tls::connector()?, longest)?);
    }
    Ok(PostgresSession::connect(&config, NoTls, longest)?)
}

fn digest_of(line: &str) -> String {
    let mut digest = sha256_hex(line.as_bytes());
    digest.truncate(DIGEST_DIGITS);
    digest
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn failure(error: Error) -> RemoteError {
    let Some(problem) = error.as_db_error() else {
        let cause = error.source().map_or(String::new(), |it| format!(": {it}"));
        let next = if cause.contains("password missing") {
            SET_PASSWORD
        } else if cause.contains("UnknownIssuer") {
            TRUST_AUTHORITY
        } else {
            ""
        };
        return unusable(format!("{error}{cause}{next}"));
    };
    let next = match problem.code() {
        code if *code == SqlState::UNDEFINED_TABLE => MAKE_TABLES,
        code if *code == SqlState::INSUFFICIENT_PRIVILEGE => GIVE_RIGHTS,
        code if *code == SqlState::INVALID_PASSWORD => SET_PASSWORD,
        code if *code == SqlState::LOCK_NOT_AVAILABLE => PUSH_LATER,
        _ if problem.message().ends_with("no encryption") => ENCRYPT,
        _ => "",
    };
    RemoteError::new(format!("the database refuses: {}{next}", problem.message()))
}
