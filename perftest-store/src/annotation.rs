//! What is kept beside the runs.

use crate::{Digest, StoreError};
use perftest_core::model::{Acceptance, Judgement, Model};

/// What is kept beside the runs of a project.
#[derive(Debug, Clone, Copy)]
pub enum Annotation<'a> {
    /// An acceptance. One that was given with the same id before is replaced.
    Acceptance(&'a Acceptance),
    /// Takes an acceptance back, from now on: what was written stays written. An id that was never
    /// given changes nothing.
    Revocation {
        /// The acceptance's id.
        acceptance_id: &'a str,
        /// When, in milliseconds since 1970.
        at_ms: u64,
    },
    /// What rules found. Those of one test on one testbed that stand side by side are written at once,
    /// all or none of them.
    Judgements(&'a [Judgement]),
    /// A version of a rule.
    Model(&'a Model),
    /// The context that runs refer to by [`Run::context`](perftest_core::model::Run::context). The first
    /// one with a hash stays.
    Context {
        /// 16 lower-case hex digits.
        hash: &'a str,
        /// The context, as JSON.
        json: &'a str,
    },
}

/// A context's hash is part of a file name, so it is nothing but a hash.
pub(crate) fn check_context_hash(hash: &str) -> Result<(), StoreError> {
    if Digest::is_hex16(hash) {
        return Ok(());
    }
    let why = format!("`{hash}` is no context: that is 16 lower-case hex digits");
    Err(StoreError::Invalid { why })
}
