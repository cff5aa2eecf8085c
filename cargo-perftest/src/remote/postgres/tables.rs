//! The tables of a database, and their version.

use super::session::{PostgresSession, value};
use crate::remote::RemoteError;
use crate::remote::database::{check_tables, refuse_other_tables};

/// The statements that make the tables. Each statement changes nothing where its table is there.
pub(in crate::remote) const TABLES: &str = "\
CREATE TABLE IF NOT EXISTS perftest_version (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS perftest_file (
    project text NOT NULL,
    file text NOT NULL,
    last bigint NOT NULL,
    mark text NOT NULL,
    id integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    PRIMARY KEY (project, file)
);
CREATE TABLE IF NOT EXISTS perftest_record (
    file_id integer NOT NULL,
    number bigint NOT NULL,
    digest bytea NOT NULL,
    line text NOT NULL,
    metric text,
    summary text,
    PRIMARY KEY (file_id, number),
    UNIQUE (file_id, digest)
);
INSERT INTO perftest_version
    SELECT 3 WHERE NOT EXISTS (SELECT FROM perftest_version);
";

/// The version of the tables.
const VERSION: u32 = 3;

/// Makes the tables.
///
/// # Errors
/// When the user may not make tables, or another tool has made them.
pub(super) fn make(session: &mut PostgresSession) -> Result<(), RemoteError> {
    let are_there = session.rows("SELECT to_regclass('perftest_version') IS NOT NULL", &[])?;
    if are_there.first().map_or(Ok(false), |row| value(row, 0))? {
        refuse_other_tables(version(session)?, VERSION)?;
    }
    session.run_to_the_end(TABLES)
}

/// # Errors
/// When there are no tables, or those of another version.
pub(super) fn check(session: &mut PostgresSession) -> Result<(), RemoteError> {
    check_tables(version(session)?, VERSION)
}

fn version(session: &mut PostgresSession) -> Result<Option<u32>, RemoteError> {
    let rows = session.rows("SELECT max(version) FROM perftest_version", &[])?;
    let version: Option<i32> = rows.first().map_or(Ok(None), |row| value(row, 0))?;
    Ok(version.and_then(|version| u32::try_from(version).ok()))
}
