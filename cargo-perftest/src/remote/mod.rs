//! Places where many machines share the history of a project.
//!
//! A remote keeps the same files of records as a store. What is sent is what the remote was not sent before,
//! and a record is added once, however often it is sent. The store of this machine stays the truth: a remote
//! that is gone loses no run and changes no verdict.

mod address;
mod baseline_runs;
#[cfg(feature = "clickhouse")]
mod clickhouse;
#[cfg(any(feature = "clickhouse", feature = "postgres"))]
mod database;
mod directory;
mod error;
mod exchange;
mod exchange_result;
mod git;
mod interface;
mod lines_ahead;
mod newest_runs;
#[cfg(feature = "postgres")]
mod postgres;
mod pull;
mod push;
mod same_place;
mod sync_state;
#[cfg(any(feature = "clickhouse-tls", feature = "postgres-tls"))]
mod tls;
mod whole_files;

pub(crate) use address::{GivenAddress, RemoteAddress};
pub(crate) use exchange::{Exchange, show_only_words};
pub(crate) use pull::PullScope;

#[cfg(any(test, not(all(feature = "clickhouse", feature = "postgres"))))]
use crate::exit::CommandError;
use crate::exit::Result;
use directory::DirectoryRemote;
use error::RemoteError;
use git::GitRemote;
use interface::{Batch, EachFile, ReadRequest, Remote};
use lines_ahead::LinesAhead;
use perftest_store::{JsonlStore, LineStore, Project, Store};
use std::path::Path;
use std::sync::Arc;
pub(crate) use sync_state::SyncState;

/// Opens the remote at this address for the project around the directory `here`.
fn open(address: &RemoteAddress, project: &Project, here: &Path) -> Result<Box<dyn Remote>> {
    Ok(match address {
        RemoteAddress::Directory(path) => Box::new(DirectoryRemote::open(path, project)?),
        RemoteAddress::Git { branch } => Box::new(GitRemote::open(here, branch, project)?),
        #[cfg(feature = "postgres")]
        RemoteAddress::Postgres { url } => Box::new(postgres::PostgresRemote::open(url, project)?),
        #[cfg(feature = "clickhouse")]
        RemoteAddress::ClickHouse { url } => {
            Box::new(clickhouse::ClickHouseRemote::open(url, project)?)
        }
        #[cfg(not(all(feature = "clickhouse", feature = "postgres")))]
        other => return Err(no_client(other)),
    })
}

/// A history whose lines are on another machine, and asked for many at once.
pub(crate) type FarHistory = LineStore<LinesAhead>;

/// The history of a remote, for commands that change nothing.
pub(crate) struct RemoteHistory {
    pub(crate) store: Arc<dyn Store>,
    /// The same, unless its files are near.
    pub(crate) far: Option<Arc<FarHistory>>,
}

/// Opens the history of a remote.
///
/// # Errors
/// When the remote cannot be reached, or a directory does not exist.
pub(crate) fn open_history(
    address: &RemoteAddress,
    project: &Project,
    here: &Path,
) -> Result<RemoteHistory> {
    if let RemoteAddress::Directory(path) = address {
        // Its files are near: they are read where they are.
        let directory = DirectoryRemote::open(path, project)?;
        if let Some(missing) = directory.missing_place() {
            return Err(RemoteError::new(missing).into());
        }
        return Ok(RemoteHistory { store: Arc::new(JsonlStore::open(path, project)), far: None });
    }
    let far = Arc::new(LineStore::new(LinesAhead::of(open(address, project, here)?)));
    Ok(RemoteHistory { store: Arc::clone(&far) as Arc<dyn Store>, far: Some(far) })
}

/// Returns the statements that make the tables of a remote; `None` if it needs none.
pub(crate) fn tables(address: &RemoteAddress) -> Result<Option<&'static str>> {
    match address {
        RemoteAddress::Directory(_) | RemoteAddress::Git { .. } => Ok(None),
        #[cfg(feature = "postgres")]
        RemoteAddress::Postgres { .. } => Ok(Some(postgres::TABLES)),
        #[cfg(feature = "clickhouse")]
        RemoteAddress::ClickHouse { .. } => Ok(Some(clickhouse::TABLES)),
        #[cfg(not(all(feature = "clickhouse", feature = "postgres")))]
        other => Err(no_client(other)),
    }
}

/// Makes the tables of a remote that needs some. Changes nothing where they are.
pub(crate) fn make_tables(address: &RemoteAddress) -> Result<()> {
    match address {
        #[cfg(feature = "postgres")]
        RemoteAddress::Postgres { url } => postgres::make_tables(url),
        #[cfg(feature = "clickhouse")]
        RemoteAddress::ClickHouse { url } => clickhouse::make_tables(url),
        _ => Ok(()),
    }
}

/// Names the feature of this tool that knows the database at this address.
#[cfg(any(test, not(all(feature = "clickhouse", feature = "postgres"))))]
fn no_client(address: &RemoteAddress) -> CommandError {
    let feature = match address {
        RemoteAddress::ClickHouse { .. } => "clickhouse",
        _ => "postgres",
    };
    CommandError::Usage(format!(
        "this cargo-perftest does not know this kind of database: cargo install cargo-perftest --locked \
         --features {feature}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_this_tool_does_not_know_is_refused_with_its_feature() {
        for (address, feature) in [
            ("postgres://bot@db.example.org/perf", "--features postgres"),
            ("clickhouse+http://bot@db.example.org:8123/perf", "--features clickhouse"),
        ] {
            let refusal = no_client(&address.parse().unwrap());
            assert!(
                matches!(&refusal, CommandError::Usage(text) if text.contains(feature)),
                "{refusal:?}"
            );
        }
    }
}
