//! Tables of a PostgreSQL database.

mod lines;
mod password;
#[cfg(feature = "postgres-tls")]
mod tls;

use super::RemoteError;
use super::address::{NO_POSTGRES_PASSWORD, SslMode};
use super::database::{
    GIVE_RIGHTS, MAKE_TABLES, check_tables, no_tls, other_format, refuse_later_tables,
};
use super::interface::{Batch, Remote, Wanted};
use crate::exit::CommandError;
use perftest_process::sha256_hex;
use perftest_store::line::LineError;
use perftest_store::{
    AddedRecords, Damage, LinePage, LinesWanted, NewRecords, Project, ReadPlace, Record,
    RecordFile, RecordFileName,
};
use postgres::error::SqlState;
use postgres::{Client, Config, NoTls, Transaction};
use std::str::FromStr;
use std::time::Duration;

/// The statements that make the tables. Those of an earlier version are brought up to date.
pub(super) const TABLES: &str = "\
CREATE TABLE IF NOT EXISTS perftest_version (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS perftest_file (
    project text NOT NULL,
    file text NOT NULL,
    last bigint NOT NULL,
    mark text NOT NULL,
    PRIMARY KEY (project, file)
);
CREATE TABLE IF NOT EXISTS perftest_record (
    project text NOT NULL,
    file text NOT NULL,
    number bigint NOT NULL,
    digest text NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (project, file, number),
    UNIQUE (project, file, digest)
);
ALTER TABLE perftest_record ADD COLUMN IF NOT EXISTS metric text;
ALTER TABLE perftest_record ADD COLUMN IF NOT EXISTS summary text;
INSERT INTO perftest_version
    SELECT 2 WHERE NOT EXISTS (SELECT FROM perftest_version);
UPDATE perftest_version SET version = 2 WHERE version = 1;
";

/// The version of the tables. The second has summaries beside the lines.
const VERSION: u32 = 2;
/// What to do without the right password.
const SET_PASSWORD: &str = "; set PGPASSWORD, or write ~/.pgpass";
/// What to do where the server's certificate is of an unknown authority.
const TRUST_AUTHORITY: &str =
    "; set SSL_CERT_FILE to a file with the certificate of the authority that the server has";
/// What to do where the server wants TLS.
const ENCRYPT: &str = "; add ?sslmode=verify-full to the address";
const LONGEST_CONNECT: Duration = Duration::from_secs(10);
/// Most records of a file that are read together.
const MOST_RECORDS: i64 = 5_000;

/// A database whose tables [`TABLES`] made.
pub(super) struct PostgresRemote {
    client: Client,
    project: String,
}

impl PostgresRemote {
    /// Connects to a database.
    ///
    /// # Errors
    /// When the server cannot be reached, refuses the user, or has other tables than these.
    pub(super) fn open(url: &str, project: &Project) -> Result<Self, CommandError> {
        let mut client = connect(url)?;
        check_tables(version_of_tables(&mut client)?, VERSION)?;
        Ok(Self { client, project: project.slug.clone() })
    }

    fn read_one(
        &mut self,
        wanted: &Wanted,
    ) -> Result<Result<NewRecords, RemoteError>, RemoteError> {
        let Wanted { name, place } = wanted;
        let (file, mut place) = (name.as_str(), place.clone());
        let known = "SELECT 1 FROM perftest_record \
                     WHERE project = $1 AND file = $2 AND number = $3 AND digest = $4";
        let parameters: [&(dyn postgres::types::ToSql + Sync); 4] =
            [&self.project, &file, &number(place.end), &place.mark];
        if self.client.query_opt(known, &parameters).map_err(failure)?.is_none() {
            place = ReadPlace::default();
        }
        let rows = self.client.query(
            "SELECT number, digest, line FROM perftest_record \
             WHERE project = $1 AND file = $2 AND number > $3 ORDER BY number LIMIT $4",
            &[&self.project, &file, &number(place.end), &MOST_RECORDS],
        );
        let mut new = NewRecords { place, ..NewRecords::default() };
        for row in rows.map_err(failure)? {
            let (number, mark, line): (i64, String, &str) = (row.get(0), row.get(1), row.get(2));
            let end = u64::try_from(number).unwrap_or(0);
            match Record::of_text(name, line, new.records.last()) {
                Ok(record) => new.records.push(record),
                Err(LineError::Damaged(why)) => {
                    new.damaged.push(Damage { file: file.into(), line: end, why });
                }
                Err(LineError::OtherVersion(version)) => {
                    return Ok(Err(other_format(file, version)));
                }
            }
            new.place = ReadPlace { end, mark };
        }
        Ok(Ok(new))
    }
}

impl Remote for PostgresRemote {
    fn files(&mut self) -> Result<Vec<RecordFile>, RemoteError> {
        let rows = self.client.query(
            "SELECT file, last FROM perftest_file WHERE project = $1 AND last > 0 ORDER BY file",
            &[&self.project],
        );
        let file = |row: &postgres::Row| {
            let name = RecordFileName::parse(row.get(0))?;
            Some(RecordFile { name, bytes: u64::try_from(row.get::<_, i64>(1)).ok()? })
        };
        Ok(rows.map_err(failure)?.iter().filter_map(file).collect())
    }

    fn read(
        &mut self,
        wanted: &[Wanted],
    ) -> Result<Vec<Result<NewRecords, RemoteError>>, RemoteError> {
        wanted.iter().map(|it| self.read_one(it)).collect()
    }

    fn lines(
        &mut self,
        wanted: &[LinesWanted],
    ) -> Result<Vec<Result<LinePage, RemoteError>>, RemoteError> {
        let pages = lines::lines(&mut self.client, &self.project, wanted).map_err(failure)?;
        Ok(pages.into_iter().map(Ok).collect())
    }

    fn add(
        &mut self,
        batches: &[Batch],
    ) -> Result<Vec<Result<AddedRecords, RemoteError>>, RemoteError> {
        let mut transaction = self.client.transaction().map_err(failure)?;
        let mut results = Vec::new();
        // In the order of names, so that two machines never wait for each other.
        for batch in batches {
            results.push(add_to(&mut transaction, &self.project, batch).map_err(failure)?);
        }
        transaction.commit().map_err(failure)?;
        Ok(results)
    }
}

/// Adds records to one file, which no other transaction changes until this one ends.
fn add_to(
    transaction: &mut Transaction<'_>,
    project: &str,
    Batch { name, records }: &Batch,
) -> Result<Result<AddedRecords, RemoteError>, postgres::Error> {
    let row = transaction.query_one(
        "INSERT INTO perftest_file VALUES ($1, $2, 0, '') \
         ON CONFLICT (project, file) DO UPDATE SET last = perftest_file.last RETURNING last, mark",
        &[&project, &name.as_str()],
    )?;
    let (begin, mark): (i64, String) = (row.get(0), row.get(1));
    let newest = transaction.query_opt(
        "SELECT line FROM perftest_record WHERE project = $1 AND file = $2 AND number = $3",
        &[&project, &name.as_str(), &begin],
    )?;
    let newest = newest.map(|row| Record::of_text(name, row.get(0), None));
    if let Some(Err(LineError::OtherVersion(version))) = newest {
        return Ok(Err(other_format(name.as_str(), version)));
    }
    let lines: Vec<&str> = records.iter().map(|record| record.text()).collect();
    let digests: Vec<String> = lines.iter().map(|line| sha256_hex(line.as_bytes())).collect();
    let (metrics, summaries): (Vec<Option<String>>, Vec<Option<String>>) =
        records.iter().map(|it| it.summary().map(|it| (it.metric, it.line)).unzip()).unzip();
    let added = transaction.query(
        "INSERT INTO perftest_record (project, file, number, digest, line, metric, summary) \
         SELECT $1, $2, $3 + place, digest, line, metric, summary \
         FROM unnest($4::text[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY \
         AS new (digest, line, metric, summary, place) \
         ON CONFLICT (project, file, digest) DO NOTHING RETURNING number, digest",
        &[&project, &name.as_str(), &begin, &digests, &lines, &metrics, &summaries],
    )?;
    let newest = added.iter().map(|row| (row.get::<_, i64>(0), row.get::<_, String>(1))).max();
    let (last, mark) = newest.unwrap_or((begin, mark));
    transaction.execute(
        "UPDATE perftest_file SET last = $3, mark = $4 WHERE project = $1 AND file = $2",
        &[&project, &name.as_str(), &last, &mark],
    )?;
    let place = |number: i64| u64::try_from(number).unwrap_or(0);
    Ok(Ok(AddedRecords {
        added: added.len(),
        known: records.len() - added.len(),
        begin: place(begin),
        place: ReadPlace { end: place(last), mark },
    }))
}

/// Makes the tables, or brings those of an earlier version up to date.
///
/// # Errors
/// When the server cannot be reached, the user may not make tables, or a later tool has made them.
pub(super) fn make_tables(url: &str) -> Result<(), CommandError> {
    let mut client = connect(url)?;
    let are_there = "SELECT to_regclass('perftest_version') IS NOT NULL";
    if client.query_one(are_there, &[]).map_err(failure)?.get(0) {
        refuse_later_tables(version_of_tables(&mut client)?, VERSION)?;
    }
    Ok(client.batch_execute(TABLES).map_err(failure)?)
}

fn version_of_tables(client: &mut Client) -> Result<Option<u32>, RemoteError> {
    let row = client.query_one("SELECT max(version) FROM perftest_version", &[]);
    let version: Option<i32> = row.map_err(failure)?.get(0);
    Ok(version.and_then(|version| u32::try_from(version).ok()))
}

fn connect(url: &str) -> Result<Client, CommandError> {
    let mode = SslMode::of(url).map_err(CommandError::Usage)?;
    if mode == SslMode::Verified && cfg!(not(feature = "postgres-tls")) {
        return Err(no_tls("postgres-tls"));
    }
    // The client knows no other name for an encrypted connection.
    let address = url.replace("sslmode=verify-full", "sslmode=require");
    let mut config = Config::from_str(&address)
        .map_err(|error| RemoteError::new(format!("{url} is no address of a database: {error}")))?;
    // Only the client knows all ways to write one.
    if config.get_password().is_some() {
        return Err(RemoteError::new(NO_POSTGRES_PASSWORD).into());
    }
    if let Some(password) = password::of(&config)? {
        config.password(password);
    }
    config.connect_timeout(LONGEST_CONNECT).application_name("perftest");
    #[cfg(feature = "postgres-tls")]
    if mode == SslMode::Verified {
        return Ok(config.connect(tls::connector()?).map_err(failure)?);
    }
    Ok(config.connect(NoTls).map_err(failure)?)
}

fn number(end: u64) -> i64 {
    i64::try_from(end).unwrap_or(i64::MAX)
}

fn failure(error: postgres::Error) -> RemoteError {
    let Some(problem) = error.as_db_error() else {
        let cause = std::error::Error::source(&error).map_or(String::new(), |it| format!(": {it}"));
        let next = if cause.contains("password missing") {
            SET_PASSWORD
        } else if cause.contains("UnknownIssuer") {
            TRUST_AUTHORITY
        } else {
            ""
        };
        return RemoteError::new(format!("the database cannot be used: {error}{cause}{next}"));
    };
    let next = match problem.code() {
        code if *code == SqlState::UNDEFINED_TABLE => MAKE_TABLES,
        code if *code == SqlState::INSUFFICIENT_PRIVILEGE => GIVE_RIGHTS,
        code if *code == SqlState::INVALID_PASSWORD => SET_PASSWORD,
        _ if problem.message().ends_with("no encryption") => ENCRYPT,
        _ => "",
    };
    RemoteError::new(format!("the database refuses: {}{next}", problem.message()))
}
