//! The older runs of a commit as one line.

use super::run_v1::{decode_metric, revision_of};
use super::{Fields, LineError};
use perftest_core::list::IntoList;
use perftest_core::model::{BenchmarkId, Measurement, Run, RunId};

/// The kind of the line.
pub(crate) const SUMMARY: &str = "summary";

/// Decodes a summary as a run that counts for nothing, whose measurements are the deciles.
pub(crate) fn decode_summary(fields: &Fields<'_>) -> Result<Run, LineError> {
    let id = RunId::from_recorded(fields.need::<String>("id")?);
    let benchmark = BenchmarkId::from_recorded(fields.need::<String>("benchmark")?);
    let deciles: Vec<f64> = fields.need("deciles")?;
    Ok(Run {
        testbed: fields.need("testbed")?,
        config: fields.get_or_default("config")?,
        started_ms: fields.need("started_ms")?,
        revision: revision_of(fields)?,
        measurements: deciles.into_iter().map(Measurement::of_value).into_list(),
        flags: vec![Run::SUMMARY.to_owned()],
        ..Run::blank(id, benchmark, decode_metric(fields)?)
    })
}
