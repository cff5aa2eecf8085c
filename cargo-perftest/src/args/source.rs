//! Where a command reads the history.

use crate::remote::GivenAddress;

/// Where the history is read.
#[derive(Debug, clap::Args)]
pub(crate) struct SourceOptions {
    /// Read the history of a remote, and change nothing: `dir:PATH`, `git:BRANCH` of the remote `origin`, or the
    /// address of a database [default: the store].
    #[arg(long, value_name = "ADDRESS", conflicts_with = "store")]
    pub(crate) remote: Option<GivenAddress>,
}
