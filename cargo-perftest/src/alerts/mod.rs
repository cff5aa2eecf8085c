//! Alerts of the rules in `perftest.toml` over the histories of the store.

mod alert_status;
mod judgement_writer;
mod status_reason;
mod table;
mod watch;
mod watch_result;

pub(crate) use alert_status::AlertStatus;
pub(crate) use table::{alert_as_json, alert_table, check_as_json, folded_lines};
pub(crate) use watch::{Scope, Watch, acknowledgements, runs_of_live_alerts};
pub(crate) use watch_result::{OtherRuns, WatchResult};

use judgement_writer::{JudgementWriter, StoredJudgements};
use status_reason::StatusReason;
