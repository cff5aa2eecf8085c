//! Results of a worker as keys of a message: measurements, their stages, and values of the whole
//! process. Each property of stages and values is one list.

use super::message::ProtocolError;
use perftest_core::list::IntoList;
use perftest_core::model::{CoreKind, Direction, Measurement, Metric, ProcessValue, StageTime};
use perftest_store::lens::{Lens, lens};
use perftest_store::line::{Fields, JsonLine, LineError};

/// Optional properties of a measurement: keys and fields.
const COUNTS: &[(&str, Lens<Measurement, Option<u64>>)] = &[
    ("thread_cpu_ns", lens!(thread_cpu_ns)),
    ("process_cpu_ns", lens!(process_cpu_ns)),
    ("wait_ns", lens!(wait_ns)),
    ("apart_ns", lens!(apart_ns)),
    ("involuntary_switches", lens!(involuntary_switches)),
    ("voluntary_switches", lens!(voluntary_switches)),
    ("major_faults", lens!(major_faults)),
    ("minor_faults", lens!(minor_faults)),
];

const PROBES: &[(&str, Lens<Measurement, Option<f64>>)] = &[
    ("clock_ghz", lens!(probes.clock_ghz)),
    ("reference_ns", lens!(probes.reference_ns)),
    ("disk_ns", lens!(probes.disk_ns)),
    ("others_cpus", lens!(probes.others_cpus)),
];

pub(super) fn put_measurement(line: &mut JsonLine, measurement: &Measurement) {
    line.put("start_ns", measurement.start_ns);
    line.put("iterations", measurement.iterations);
    line.put("wall_ns", measurement.wall_ns);
    line.put("value", measurement.value);
    for (key, count) in COUNTS {
        line.put_known(key, *(count.of)(measurement));
    }
    for (key, probe) in PROBES {
        line.put_known(key, *(probe.of)(measurement));
    }
    line.put_known("core_kind", measurement.core_kind.map(CoreKind::name));
}

pub(super) fn measurement_of(fields: &Fields<'_>) -> Result<Measurement, ProtocolError> {
    let mut measurement = Measurement {
        start_ns: fields.need("start_ns")?,
        iterations: fields.need("iterations")?,
        wall_ns: fields.need("wall_ns")?,
        value: fields.need("value")?,
        ..Measurement::default()
    };
    for (key, count) in COUNTS {
        *(count.of_mut)(&mut measurement) = fields.get(key)?;
    }
    for (key, probe) in PROBES {
        *(probe.of_mut)(&mut measurement) = fields.get(key)?;
    }
    let kind = fields.get::<String>("core_kind")?;
    measurement.core_kind = kind.and_then(|name| CoreKind::from_name(&name));
    Ok(measurement)
}

/// Optional properties of a stage.
const USED: &[(&str, Lens<StageTime, Option<u64>>)] = &[
    ("stage_thread_cpu_ns", lens!(thread_cpu_ns)),
    ("stage_process_cpu_ns", lens!(process_cpu_ns)),
    ("stage_involuntary_switches", lens!(involuntary_switches)),
    ("stage_voluntary_switches", lens!(voluntary_switches)),
];

pub(super) fn put_stages(line: &mut JsonLine, stages: &[StageTime]) {
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
    let calls: Vec<u64> = fields.list("stage_calls", count)?.unwrap_or_default();
    let walls_ns: Vec<f64> = fields.list("stage_wall_ns", count)?.unwrap_or_default();
    let times = names.into_iter().zip(calls).zip(walls_ns);
    let mut stages: Vec<StageTime> = times
        .map(|((name, calls), wall_ns)| StageTime { name, calls, wall_ns, ..StageTime::default() })
        .into_list();
    for (key, used) in USED {
        let known: Vec<Option<u64>> = fields.list(key, count)?.unwrap_or_default();
        for (stage, value) in stages.iter_mut().zip(known) {
            *(used.of_mut)(stage) = value;
        }
    }
    Ok(stages)
}

pub(super) fn put_values(line: &mut JsonLine, values: &[ProcessValue]) {
    line.put_list("metrics", &names(values, |it| &it.metric.name));
    line.put_list("units", &names(values, |it| &it.metric.unit));
    line.put_list("better", &names(values, |it| it.metric.direction.name()));
    line.put_list("values", &column(values, |it| it.value));
}

pub(super) fn values_of(fields: &Fields<'_>) -> Result<Vec<ProcessValue>, ProtocolError> {
    let names: Vec<String> = fields.get_or_default("metrics")?;
    let count = names.len();
    let units: Vec<String> = fields.list("units", count)?.unwrap_or_default();
    let better: Vec<String> = fields.list("better", count)?.unwrap_or_default();
    let values: Vec<f64> = fields.list("values", count)?.unwrap_or_default();
    let directions = better.iter().map(|name| {
        let unknown = || LineError::Damaged(format!("`{name}` is neither lower nor higher"));
        Direction::from_name(name).ok_or_else(unknown)
    });
    let metrics = names.into_iter().zip(units).zip(directions);
    let value = |(((name, unit), direction), value)| {
        let metric = Metric { name, unit, direction: direction? };
        Ok(ProcessValue { metric, value })
    };
    metrics.zip(values).map(value).into_list_of_ok()
}

fn names<T>(all: &[T], name: impl Fn(&T) -> &str) -> Vec<&str> {
    all.iter().map(name).into_list()
}

fn column<T, V>(all: &[T], value: impl Fn(&T) -> V) -> Vec<V> {
    all.iter().map(value).into_list()
}
