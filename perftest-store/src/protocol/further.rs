//! What a worker says beside its measurements: stages, and what is known once. One list for each
//! thing known of them.

use super::ProtocolError;
use crate::format::{Fields, FromJson, JsonLine as Json, LineError};
use crate::lens::{Lens, lens};
use perftest_core::model::{Direction, Metric, ProcessValue, StageTime};

/// What may be known of a stage.
const USED: &[(&str, Lens<StageTime, Option<u64>>)] = &[
    ("stage_thread_cpu_ns", lens!(thread_cpu_ns)),
    ("stage_process_cpu_ns", lens!(process_cpu_ns)),
    ("stage_involuntary_switches", lens!(involuntary_switches)),
    ("stage_voluntary_switches", lens!(voluntary_switches)),
];

pub(super) fn put_stages(line: &mut Json, stages: &[StageTime]) {
    line.put_list("stages", &names(stages, |stage| &stage.name));
    line.put_list("stage_calls", &column(stages, |stage| stage.calls));
    line.put_list("stage_wall_ns", &column(stages, |stage| stage.wall_ns));
    for (key, used) in USED {
        let known = column(stages, |stage| *(used.of)(stage));
        if known.iter().any(Option::is_some) {
            line.put(key, known.as_slice());
        }
    }
}

pub(super) fn stages_of(fields: &Fields<'_>) -> Result<Vec<StageTime>, ProtocolError> {
    let names: Vec<String> = fields.get_or_default("stages")?;
    let count = names.len();
    let calls: Vec<u64> = list(fields, "stage_calls", count)?.unwrap_or_default();
    let walls_ns: Vec<f64> = list(fields, "stage_wall_ns", count)?.unwrap_or_default();
    let times = names.into_iter().zip(calls).zip(walls_ns);
    let mut stages: Vec<StageTime> = times
        .map(|((name, calls), wall_ns)| StageTime { name, calls, wall_ns, ..StageTime::default() })
        .collect();
    for (key, used) in USED {
        let known: Vec<Option<u64>> = list(fields, key, count)?.unwrap_or_default();
        for (stage, value) in stages.iter_mut().zip(known) {
            *(used.of_mut)(stage) = value;
        }
    }
    Ok(stages)
}

pub(super) fn put_values(line: &mut Json, values: &[ProcessValue]) {
    line.put_list("metrics", &names(values, |it| &it.metric.name));
    line.put_list("units", &names(values, |it| &it.metric.unit));
    line.put_list("better", &names(values, |it| it.metric.direction.name()));
    line.put_list("values", &column(values, |it| it.value));
}

pub(super) fn values_of(fields: &Fields<'_>) -> Result<Vec<ProcessValue>, ProtocolError> {
    let names: Vec<String> = fields.get_or_default("metrics")?;
    let count = names.len();
    let units: Vec<String> = list(fields, "units", count)?.unwrap_or_default();
    let better: Vec<String> = list(fields, "better", count)?.unwrap_or_default();
    let values: Vec<f64> = list(fields, "values", count)?.unwrap_or_default();
    let directions = better.iter().map(|name| {
        let unknown = || LineError::Damaged(format!("`{name}` is neither lower nor higher"));
        Direction::from_name(name).ok_or_else(unknown)
    });
    let metrics = names.into_iter().zip(units).zip(directions);
    let value = |(((name, unit), direction), value)| {
        let metric = Metric { name, unit, direction: direction? };
        Ok(ProcessValue { metric, value })
    };
    metrics.zip(values).map(value).collect()
}

fn names<T>(all: &[T], name: impl Fn(&T) -> &str) -> Vec<&str> {
    all.iter().map(name).collect()
}

fn column<T, V>(all: &[T], value: impl Fn(&T) -> V) -> Vec<V> {
    all.iter().map(value).collect()
}

/// A list beside the names, where it is written.
fn list<T>(fields: &Fields<'_>, key: &str, count: usize) -> Result<Option<Vec<T>>, LineError>
where
    Vec<T>: FromJson,
{
    let list: Option<Vec<T>> = fields.get(key)?;
    match list.as_ref().map(Vec::len).filter(|length| *length != count) {
        Some(length) => {
            Err(LineError::Damaged(format!("{count} names, but {length} values in `{key}`")))
        }
        None => Ok(list),
    }
}
