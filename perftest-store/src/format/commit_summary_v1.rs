//! The older runs of a commit as one line.

use super::environment_v1::tags_of;
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
    let mut run = Run::blank(id, benchmark, decode_metric(fields)?);
    run.testbed = fields.need("testbed")?;
    fields.fill("config", &mut run.config)?;
    run.started_ms = fields.need("started_ms")?;
    run.revision = revision_of(fields)?;
    run.measurements = deciles.into_iter().map(Measurement::of_value).into_list();
    fields.fill("attempt", &mut run.attempt)?;
    run.environment.distrusted = tags_of(fields, "distrusted")?;
    fields.fill("marks", &mut run.flags)?;
    run.flags.push(Run::SUMMARY.to_owned());
    Ok(run)
}
