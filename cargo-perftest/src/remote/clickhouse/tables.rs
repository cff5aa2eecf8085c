//! The tables of a server, and their version.

use super::server::Server;
use crate::remote::RemoteError;
use crate::remote::database::{check_tables, refuse_other_tables};

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

/// Makes the tables.
///
/// # Errors
/// When the user may not make tables, or another tool has made them.
pub(super) fn make(server: &Server) -> Result<(), RemoteError> {
    let are_there = server.rows("EXISTS TABLE perftest_version", |[it]| it.parse().ok())?;
    if are_there.first() == Some(&1) {
        refuse_other_tables(version(server)?, VERSION)?;
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
    let rows = server.rows("SELECT max(version) FROM perftest_version", |[it]| it.parse().ok())?;
    Ok(rows.first().copied().filter(|version| *version > 0))
}
