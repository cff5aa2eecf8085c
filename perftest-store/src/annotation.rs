//! Data that a store keeps beside the runs.

use crate::TestbedDecision;
use perftest_core::model::{Acceptance, Correction, Judgement, Model};

/// Data that a store keeps beside the runs of a project.
#[derive(Debug, Clone, Copy)]
pub enum Annotation<'a> {
    /// An acceptance. It replaces an earlier one with the same id.
    Acceptance(&'a Acceptance),
    /// A decision about a testbed.
    Testbed(&'a TestbedDecision),
    /// Revokes an acceptance or a decision about a testbed from now on; the written lines stay. An unknown id
    /// changes nothing.
    Revocation {
        /// The id of what is revoked.
        of: &'a str,
        /// The time, in milliseconds since 1970.
        at_ms: u64,
    },
    /// Results of rules. Adjacent ones of one test on one testbed are written together, all or
    /// none.
    Judgements(&'a [Judgement]),
    /// The values of a run are replaced. Judgements of it and of later runs of its history, made up to then, do not
    /// count any more.
    Correction(&'a Correction),
    /// A version of a rule.
    Model(&'a Model),
    /// The context that runs refer to by [`Run::context`](perftest_core::model::Run::context). The
    /// first one with a hash stays.
    Context {
        /// 16 lower-case hex digits.
        hash: &'a str,
        /// The context, as JSON.
        json: &'a str,
    },
}
