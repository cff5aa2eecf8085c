//! The written form: one flat JSON object a line, one module for each kind.

mod checksum;
mod commit_summary_v1;
#[cfg(any(test, feature = "merge"))]
mod commit_summary_writer_v1;
mod day;
mod decimal;
mod environment_v1;
mod event_v1;
mod evidence_v1;
mod fields;
mod json;
mod judgement_v1;
mod key_index;
mod line;
mod measurements_v1;
mod notes;
mod quiet_v1;
mod reading_field_v1;
#[cfg(any(test, feature = "merge"))]
mod record;
mod run_center_v1;
#[cfg(any(test, feature = "merge"))]
mod run_summary_v1;
mod run_v1;
mod scan;
mod text;
mod version;

pub use checksum::check_sum;
#[cfg(any(test, feature = "conformance"))]
pub use checksum::resealed;
pub(crate) use commit_summary_v1::{SUMMARY, decode_summary};
#[cfg(any(test, feature = "merge"))]
pub(crate) use commit_summary_writer_v1::encode_summary;
pub(crate) use event_v1::EventLine;
pub use fields::{Fields, FromJson, LineError};
pub use json::JsonObject;
pub(crate) use judgement_v1::{
    JudgementRecord, decode_judgements, decode_model, encode_correction, encode_judgements,
    encode_model,
};
pub(crate) use line::written;
pub use line::{JsonLine, NotFinite, ToJson};
#[cfg(any(test, feature = "merge"))]
pub(crate) use record::{check_record, has_unknown_verdict, refuse_nul};
pub(crate) use run_center_v1::decode_run_center;
#[cfg(any(test, feature = "merge"))]
pub use run_summary_v1::RunSummary;
pub(crate) use run_v1::{decode_metric, decode_run, encode_run};
pub use version::{SCHEMA, check_version};
pub(crate) use version::{has_our_version, is_plain};
