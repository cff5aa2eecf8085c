//! Messages of a worker.

use super::measured::{
    measurement_of, put_measurement, put_stages, put_values, stages_of, values_of,
};
use super::message::{ProtocolError, begin_message, finish, read_message, unknown_message};
use super::sampling::{SamplingReport, put_report, report_of};
use perftest_core::model::{BenchmarkId, ProcessValue, Take};

/// A message of a worker.
#[derive(Debug, Clone, PartialEq)]
pub enum FromWorker {
    /// The first message: the worker has found the test and begins to prepare it.
    Hello {
        /// The perf test of the worker.
        benchmark: BenchmarkId,
    },
    /// The input is built, the body is warm, and the worker waits for requests.
    Prepared {
        /// Iterations of a batch of the usual length here.
        iterations: u64,
    },
    /// One requested measurement, with its stages.
    Measured(Box<Take>),
    /// The requested iterations were executed.
    Counted {
        /// The processor's count in user space on the thread that ran the iterations, for all of
        /// them together; `None` if it cannot count.
        instructions: Option<u64>,
    },
    /// The samples are in the file.
    Sampled(SamplingReport),
    /// The worker cannot measure; only [`Bye`](Self::Bye) follows.
    Failed {
        /// The reason, in words for the user.
        why: String,
    },
    /// The last message: the worker ends as planned.
    Bye {
        /// Values of the whole process.
        values: Vec<ProcessValue>,
    },
}

impl FromWorker {
    /// Encodes the message as a line, with a line feed before and after it.
    ///
    /// A measurement with a value that is not finite becomes a failure.
    pub fn encode(&self) -> String {
        let mut line = begin_message(self.name());
        match self {
            Self::Hello { benchmark } => line.put("bench", benchmark.as_str()),
            Self::Prepared { iterations } => line.put("iterations", *iterations),
            Self::Measured(take) => {
                put_measurement(&mut line, &take.measurement);
                put_stages(&mut line, &take.stages);
            }
            Self::Counted { instructions } => line.put_known("instructions", *instructions),
            Self::Sampled(report) => put_report(&mut line, report),
            Self::Failed { why } => line.put("why", why.as_str()),
            Self::Bye { values } => put_values(&mut line, values),
        }
        format!("\n{}", finish(line))
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "hello",
            Self::Prepared { .. } => "prepared",
            Self::Measured(_) => "measured",
            Self::Counted { .. } => "counted",
            Self::Sampled(_) => "sampled",
            Self::Failed { .. } => "failed",
            Self::Bye { .. } => "bye",
        }
    }

    /// Decodes one line, with or without its end. `None` for output of the body.
    ///
    /// # Errors
    /// When the line is a message of another version or an incomplete one.
    pub fn decode(line: &str) -> Result<Option<Self>, ProtocolError> {
        let Some((kind, fields)) = read_message(line)? else {
            return Ok(None);
        };
        let message = match kind.as_str() {
            "hello" => {
                let benchmark = BenchmarkId::from_recorded(fields.need::<String>("bench")?);
                Self::Hello { benchmark }
            }
            "prepared" => Self::Prepared { iterations: fields.need("iterations")? },
            "measured" => Self::Measured(Box::new(Take {
                measurement: measurement_of(&fields)?,
                stages: stages_of(&fields)?,
            })),
            "counted" => Self::Counted { instructions: fields.get("instructions")? },
            "sampled" => Self::Sampled(report_of(&fields)?),
            "failed" => Self::Failed { why: fields.need("why")? },
            "bye" => Self::Bye { values: values_of(&fields)? },
            other => return Err(unknown_message(other)),
        };
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{CoreKind, Direction, Measurement, Metric, Probes, StageTime};
    use std::time::Duration;

    fn full() -> Measurement {
        Measurement {
            start_ns: u64::MAX,
            iterations: 4_000,
            wall_ns: 1_234_567.890_123,
            value: 0.1 + 0.2,
            thread_cpu_ns: Some(1),
            process_cpu_ns: Some(2),
            wait_ns: Some(4),
            apart_ns: Some(6),
            involuntary_switches: Some(0),
            voluntary_switches: Some(3),
            major_faults: Some(5),
            minor_faults: Some(u64::MAX),
            core_kind: Some(CoreKind::Efficiency),
            probes: Probes {
                clock_ghz: Some(4.098_765_432_1),
                reference_ns: Some(812.5),
                disk_ns: Some(1e6 / 3.0),
                others_cpus: Some(0.1 + 0.2),
            },
        }
    }

    fn of_value(value: f64) -> Take {
        Take { measurement: Measurement::of_value(value), stages: Vec::new() }
    }

    fn whole() -> Take {
        let short = StageTime {
            name: "lex \"it\"".into(),
            calls: 4_000,
            wall_ns: 0.1 + 0.2,
            ..StageTime::default()
        };
        let long = StageTime {
            name: "parse".into(),
            thread_cpu_ns: Some(1),
            process_cpu_ns: Some(2),
            involuntary_switches: Some(0),
            voluntary_switches: Some(3),
            ..short.clone()
        };
        Take { measurement: full(), stages: vec![short, long] }
    }

    fn sampled() -> SamplingReport {
        SamplingReport {
            records: 1,
            lost: 2,
            threads: 3,
            refused_threads: 4,
            unsampled_threads: 5,
            iterations: 6,
            time: Duration::from_nanos(7),
            cpu_ns: 8,
            sampled_ns: vec![0.1 + 0.2],
            unsampled_ns: vec![1e-9, 2.0],
            unsampled_whole_ns: vec![1e-9, 3.0],
            iterations_by_ns: vec![(7, 8), (u64::MAX, 9)],
        }
    }

    fn values() -> Vec<ProcessValue> {
        let ratio = Metric { name: "ratio".into(), unit: "".into(), direction: Direction::Higher };
        vec![
            ProcessValue { metric: Metric::allocations(), value: 1e6 / 3.0 },
            ProcessValue { metric: ratio, value: 0.5 },
        ]
    }

    #[test]
    fn every_message_of_a_worker_reads_back_exactly() {
        for message in [
            FromWorker::Hello { benchmark: BenchmarkId::from_recorded("a::\"ü\n") },
            FromWorker::Prepared { iterations: u64::MAX },
            FromWorker::Measured(Box::new(whole())),
            FromWorker::Measured(Box::new(of_value(1e-9))),
            FromWorker::Counted { instructions: Some(u64::MAX) },
            FromWorker::Counted { instructions: None },
            FromWorker::Sampled(SamplingReport::default()),
            FromWorker::Sampled(sampled()),
            FromWorker::Failed { why: "two\nlines".into() },
            FromWorker::Bye { values: Vec::new() },
            FromWorker::Bye { values: values() },
        ] {
            let text = message.encode();
            let line = text.strip_prefix('\n').unwrap().strip_suffix('\n').unwrap();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(FromWorker::decode(line), Ok(Some(message)));
        }
    }

    #[test]
    fn an_executable_that_knows_no_stages_and_no_further_values_is_understood() {
        let measured = "{\"perftest\":4,\"say\":\"measured\",\"start_ns\":0,\"iterations\":1,\
                        \"wall_ns\":2.0,\"value\":2.0}";
        let plain = FromWorker::Measured(Box::new(of_value(2.0)));
        assert_eq!(FromWorker::decode(measured), Ok(Some(plain)));
        let bye = FromWorker::Bye { values: Vec::new() };
        let said = "{\"perftest\":4,\"say\":\"bye\"}";
        assert_eq!(FromWorker::decode(said), Ok(Some(bye)));
    }

    #[test]
    fn a_stage_without_its_time_is_no_stage() {
        let text = FromWorker::Measured(Box::new(whole())).encode();
        let short = text.replace("\"stage_calls\":[4000,4000]", "\"stage_calls\":[4000]");
        assert_ne!(short, text);
        assert!(FromWorker::decode(&short).unwrap_err().to_string().contains("stage_calls"));
    }

    #[test]
    fn half_a_line_of_the_body_swallows_no_message() {
        let output = format!("progress 50%{}", FromWorker::Bye { values: Vec::new() }.encode());
        let lines: Vec<_> = output.lines().map(|line| FromWorker::decode(line).unwrap()).collect();
        assert_eq!(lines, [None, Some(FromWorker::Bye { values: Vec::new() })]);
    }

    #[test]
    fn what_the_body_prints_is_stray() {
        for line in ["", "hello", "{}", "{\"perftest\":\"mine\"}", "[1]", "7", "\u{0}\u{1b}[0m"] {
            assert_eq!(FromWorker::decode(line), Ok(None), "{line}");
        }
    }

    #[test]
    fn another_version_is_refused_with_a_way_out() {
        let error = FromWorker::decode("{\"perftest\":1,\"say\":\"bye\"}").unwrap_err().to_string();
        assert!(error.contains("version 1") && error.contains("run the test again"), "{error}");
    }

    #[test]
    fn a_message_cut_short_is_no_stray_line() {
        let text = FromWorker::Measured(Box::new(whole())).encode();
        let cut = &text.trim()[..40];
        assert!(FromWorker::decode(cut).is_err(), "{cut}");
        let unknown = FromWorker::decode("{\"perftest\":4,\"say\":\"sing\"}").unwrap_err();
        assert!(unknown.to_string().contains("sing"));
    }

    #[test]
    fn a_value_that_is_no_number_is_a_failure_and_not_a_broken_line() {
        let text = FromWorker::Measured(Box::new(of_value(f64::NAN))).encode();
        match FromWorker::decode(&text).unwrap() {
            Some(FromWorker::Failed { why }) => {
                assert!(why.contains("value") || why.contains("wall_ns"))
            }
            other => panic!("{other:?}"),
        }
    }
}
