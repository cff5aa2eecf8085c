//! The measurements of a run as flat keys: one list for each property.
//!
//! Keys of columns are short, like those of conditions, because most keys of a line are columns.

use super::line::ToJson;
use super::{Fields, JsonLine, LineError};
use crate::lens::{Lens, lens};
use perftest_core::list::IntoList;
use perftest_core::model::{CoreKind, Measurement, Run};
use perftest_core::rounding::rounded;

type MeasurementLens<T> = Lens<Measurement, Option<T>>;

/// An optional property of a measurement beside its value.
enum MeasurementColumn {
    /// A time of all iterations in whole nanoseconds, written per iteration.
    Time(MeasurementLens<u64>),
    /// A number in its own unit.
    Plain(MeasurementLens<f64>),
}

/// Keys, columns, and the number of stored significant digits.
const COLUMNS: &[(&str, MeasurementColumn, usize)] = &[
    ("cpu", MeasurementColumn::Time(lens!(process_cpu_ns)), 6),
    ("tcpu", MeasurementColumn::Time(lens!(thread_cpu_ns)), 6),
    ("ghz", MeasurementColumn::Plain(lens!(probes.clock_ghz)), 4),
    ("ref", MeasurementColumn::Plain(lens!(probes.reference_ns)), 4),
    ("disk", MeasurementColumn::Plain(lens!(probes.disk_ns)), 4),
    ("others", MeasurementColumn::Plain(lens!(probes.others_cpus)), 3),
];

impl MeasurementColumn {
    fn of(&self, measurement: &Measurement) -> Option<f64> {
        match self {
            Self::Time(at) => {
                (at.of)(measurement).map(|all_ns| all_ns as f64 / measurement.iterations as f64)
            }
            Self::Plain(at) => *(at.of)(measurement),
        }
    }

    fn set(&self, measurement: &mut Measurement, value: Option<f64>) {
        match self {
            Self::Time(at) => {
                let iterations = measurement.iterations as f64;
                let all_ns = value.map(|each_ns| (each_ns * iterations).round() as u64);
                *(at.of_mut)(measurement) = all_ns;
            }
            Self::Plain(at) => *(at.of_mut)(measurement) = value,
        }
    }
}

pub(super) fn put_measurements(line: &mut JsonLine, run: &Run) {
    let measurements = run.measurements.as_slice();
    let iterations: Vec<u64> = measurements.iter().map(|it| it.iterations).into_list();
    let first = iterations.first().copied().unwrap_or(1);
    line.put("iterations", first);
    if iterations.iter().any(|it| *it != first) {
        line.put("iterations_each", iterations.as_slice());
    }
    let value = |it: &Measurement| rounded(it.value, Measurement::SIGNIFICANT_DIGITS);
    let values: Vec<f64> = measurements.iter().map(value).into_list();
    line.put("samples", values.as_slice());
    for (key, column, digits) in COLUMNS {
        let rounded = |value| rounded(value, *digits);
        put_column(line, key, measurements, |it| column.of(it).map(rounded));
    }
    put_column(line, "core", measurements, |it| it.core_kind.map(CoreKind::name));
    line.put_list("disturbed_samples", &run.suspects);
    line.put_list("apart_samples", &run.apart);
    line.put_list("on_processor_time_samples", &run.on_processor_time);
    line.put("warm_up", run.warm_up);
}

/// Adds a property of each measurement, unless no measurement has it.
fn put_column<T: ToJson>(
    line: &mut JsonLine,
    key: &'static str,
    measurements: &[Measurement],
    known: impl Fn(&Measurement) -> Option<T>,
) {
    let column: Vec<Option<T>> = measurements.iter().map(known).into_list();
    if column.iter().any(Option::is_some) {
        line.put(key, column.as_slice());
    }
}

/// Decodes the values alone.
pub(super) fn values_of(fields: &Fields<'_>) -> Result<Vec<f64>, LineError> {
    let values: Vec<f64> = fields.need("samples")?;
    match values.iter().find(|value| **value < 0.0) {
        Some(value) => {
            let why = format!("key `samples` holds {value}, and nothing measures below zero");
            Err(LineError::Damaged(why))
        }
        None => Ok(values),
    }
}

pub(super) fn measurements_of(fields: &Fields<'_>) -> Result<Vec<Measurement>, LineError> {
    let values = values_of(fields)?;
    let iterations = match fields.list("iterations_each", values.len())? {
        Some(iterations) => iterations,
        None => vec![fields.need::<u64>("iterations")?; values.len()],
    };
    let measurement = |(value, iterations): (f64, u64)| Measurement {
        iterations,
        wall_ns: value * iterations as f64,
        ..Measurement::of_value(value)
    };
    let mut measurements: Vec<Measurement> =
        values.into_iter().zip(iterations).map(measurement).into_list();
    for (key, column, _) in COLUMNS {
        let known = fields.list(key, measurements.len())?.unwrap_or_default();
        for (measurement, value) in measurements.iter_mut().zip(known) {
            column.set(measurement, value);
        }
    }
    let kinds: Vec<Option<String>> = fields.list("core", measurements.len())?.unwrap_or_default();
    for (measurement, kind) in measurements.iter_mut().zip(kinds) {
        measurement.core_kind = kind.and_then(|name| CoreKind::from_name(&name));
    }
    Ok(measurements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use perftest_core::model::Probes;

    fn written(measurements: Vec<Measurement>) -> String {
        let run = Run {
            measurements,
            suspects: Vec::new(),
            on_processor_time: Vec::new(),
            ..example_run(0)
        };
        let mut line = JsonLine::new();
        put_measurements(&mut line, &run);
        line.finish().unwrap()
    }

    fn read(line: &str) -> Result<Vec<Measurement>, LineError> {
        measurements_of(&Fields::parse(line.as_bytes())?)
    }

    #[test]
    fn values_keep_six_digits() {
        let back = read(&written(vec![Measurement::of_value(71.234_567_89)])).unwrap();
        assert_eq!(back[0].value, 71.234_6);
    }

    #[test]
    fn what_is_known_of_no_measurement_takes_no_room() {
        let line = written(vec![Measurement::of_value(57.0); 2]);
        assert_eq!(line, "{\"iterations\":1,\"samples\":[57,57],\"warm_up\":2}\n");
    }

    #[test]
    fn what_is_known_of_one_measurement_is_null_for_the_others() {
        let plain = Measurement::of_value(57.0);
        let known = Measurement {
            process_cpu_ns: Some(60),
            core_kind: Some(CoreKind::Efficiency),
            probes: Probes { clock_ghz: Some(4.1), ..Probes::default() },
            ..plain
        };
        let line = written(vec![plain, known]);
        for list in ["\"cpu\":[null,60]", "\"ghz\":[null,4.1]", "\"core\":[null,\"E\"]"] {
            assert!(line.contains(list), "{line}");
        }
        assert_eq!(read(&line).unwrap(), [plain, known]);
    }

    #[test]
    fn processor_time_is_written_for_one_iteration_and_read_for_all() {
        let known = Measurement {
            iterations: 4_000,
            wall_ns: 228_000.0,
            process_cpu_ns: Some(912_345),
            thread_cpu_ns: Some(227_998),
            ..Measurement::of_value(57.0)
        };
        let line = written(vec![known]);
        assert!(line.contains("\"cpu\":[228.086],\"tcpu\":[56.9995]"), "{line}");
        let back = read(&line).unwrap()[0];
        assert_eq!((back.process_cpu_ns, back.thread_cpu_ns), (Some(912_344), Some(227_998)));
    }

    #[test]
    fn a_list_of_another_length_than_the_samples_is_damage() {
        for (key, list) in [("iterations_each", "[1]"), ("ghz", "[4.1,4,4]"), ("core", "[\"P\"]")] {
            let line = format!("{{\"iterations\":1,\"samples\":[57,58],\"{key}\":{list}}}");
            let length = list.split(',').count();
            let why = format!("key `{key}` should be a list of length 2, but has length {length}");
            assert_eq!(read(&line), Err(LineError::Damaged(why)));
        }
    }

    #[test]
    fn a_sample_that_cannot_be_is_damage() {
        for sample in ["NaN", "null", "1e400", "inf", "\"57\"", ""] {
            let line = format!("{{\"iterations\":1,\"samples\":[57,{sample}]}}");
            let Err(LineError::Damaged(why)) = read(&line) else {
                panic!("{sample} was read");
            };
            assert!(why.contains("a list of numbers"), "{why}");
        }
        let Err(LineError::Damaged(why)) = read("{\"iterations\":1,\"samples\":[57,-5]}") else {
            panic!("a negative sample was read");
        };
        assert!(why.contains("holds -5"), "{why}");
    }

    #[test]
    fn zero_and_the_largest_numbers_are_samples() {
        let line = "{\"iterations\":2,\"samples\":[0,-0.0,1e308]}";
        let values: Vec<f64> = read(line).unwrap().iter().map(|it| it.value).collect();
        assert_eq!(values, [0.0, 0.0, 1e308]);
        let none = read("{\"iterations\":1,\"samples\":[]}").unwrap();
        assert_eq!(none, []);
    }

    #[test]
    fn a_list_of_something_else_is_damage() {
        let line = "{\"iterations\":1,\"samples\":[57],\"ref\":[\"fast\"]}";
        let why = "key `ref` should be a list of numbers, but is [\"fast\"]";
        assert_eq!(read(line), Err(LineError::Damaged(why.into())));
    }
}
