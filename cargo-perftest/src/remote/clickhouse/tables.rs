//! The tables of a server, and their version.

use super::server::Server;
use crate::remote::RemoteError;
use crate::remote::database::{check_tables, refuse_later_tables};
use serde::Deserialize;

/// The statements that make the tables. Each statement changes nothing where its table is there.
pub(in crate::remote) const TABLES: &str = "\
CREATE TABLE IF NOT EXISTS perftest_version (
    version UInt32
) ENGINE = ReplacingMergeTree() ORDER BY version;
CREATE TABLE IF NOT EXISTS perftest_record (
    project String,
    file String,
    number UInt64,
    digest UInt64,
    line String,
    metric String,
    summary String
) ENGINE = ReplacingMergeTree() ORDER BY (project, file, digest) SETTINGS index_granularity = 1024;
INSERT INTO perftest_version
    SELECT 1 FROM system.one WHERE (SELECT count() FROM perftest_version) = 0;
";

/// The version of the tables.
const VERSION: u32 = 1;
#[derive(Deserialize)]
struct VersionRow {
    version: u32,
}

/// Whether a table is there: 1 or 0.
#[derive(Deserialize)]
struct ExistsRow {
    result: u8,
}

/// Makes the tables.
///
/// # Errors
/// When the user may not make tables, or a later tool has made them.
pub(super) fn make(server: &Server) -> Result<(), RemoteError> {
    let are_there: Vec<ExistsRow> = server.rows("EXISTS TABLE perftest_version")?;
    if are_there.first().is_some_and(|row| row.result == 1) {
        refuse_later_tables(version(server)?, VERSION)?;
    }
    for statement in TABLES.split(";\n").filter(|statement| !statement.is_empty()) {
        server.run(statement)?;
    }
    Ok(())
}

/// # Errors
/// When there are no tables, or those of another version.
pub(super) fn check(server: &Server) -> Result<(), RemoteError> {
    check_tables(version(server)?, VERSION)
}

fn version(server: &Server) -> Result<Option<u32>, RemoteError> {
    let rows: Vec<VersionRow> =
        server.rows("SELECT max(version) AS version FROM perftest_version")?;
    Ok(rows.first().map(|row| row.version).filter(|version| *version > 0))
}
