//! The tables of a database, and their versions.

use super::session::{PostgresSession, value};
use crate::remote::RemoteError;
use crate::remote::database::{check_tables, refuse_later_tables};

/// The statements that make the tables. Those of an earlier version are brought up to date, with the rights that users
/// have. Their rows are written once more, so this needs room for a second copy.
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
DO $$ BEGIN
    IF (SELECT max(version) < 3 FROM perftest_version) THEN
        ALTER TABLE perftest_record
            ADD COLUMN IF NOT EXISTS metric text,
            ADD COLUMN IF NOT EXISTS summary text;
        ALTER TABLE perftest_file ADD COLUMN id integer GENERATED ALWAYS AS IDENTITY UNIQUE;
        CREATE FUNCTION pg_temp.id_of(text, text) RETURNS integer LANGUAGE sql STABLE
            AS 'SELECT id FROM perftest_file WHERE project = $1 AND file = $2';
        ALTER TABLE perftest_record
            DROP CONSTRAINT perftest_record_pkey,
            DROP CONSTRAINT perftest_record_project_file_digest_key,
            ALTER COLUMN file TYPE integer USING pg_temp.id_of(project, file),
            ALTER COLUMN digest TYPE bytea USING substring(decode(digest, 'hex') FOR 16),
            DROP COLUMN project;
        ALTER TABLE perftest_record RENAME COLUMN file TO file_id;
        ALTER TABLE perftest_record
            ADD PRIMARY KEY (file_id, number),
            ADD UNIQUE (file_id, digest);
        UPDATE perftest_version SET version = 3;
    END IF;
END $$;
";

/// The version of the tables. The second has summaries beside the lines, the third names each file once.
const VERSION: u32 = 3;

/// Makes the tables, or brings those of an earlier version up to date.
///
/// # Errors
/// When the user may not make tables, or a later tool has made them.
pub(super) fn make(session: &mut PostgresSession) -> Result<(), RemoteError> {
    let are_there = session.rows("SELECT to_regclass('perftest_version') IS NOT NULL", &[])?;
    if are_there.first().map_or(Ok(false), |row| value(row, 0))? {
        refuse_later_tables(version(session)?, VERSION)?;
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
