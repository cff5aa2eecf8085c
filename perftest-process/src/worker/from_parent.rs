//! Messages to a worker, of the process that started it.

use super::message::{ProtocolError, begin_message, finish, read_message, unknown_message};
use super::sampling::{SamplingPlan, plan_of, put_plan};

/// Largest number of measurements in a request, more than any test needs.
pub const MOST_MEASUREMENTS: u32 = 100_000;

/// A message of the process that started a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromParent {
    /// Take measurements.
    Measure {
        /// The number of measurements.
        count: u32,
        /// Iterations of each; `None` lets the worker choose.
        iterations: Option<u64>,
    },
    /// Execute the iterations once, and count the instructions.
    Count {
        /// The number of iterations.
        iterations: u64,
    },
    /// Take the samples of a profile.
    Sample(SamplingPlan),
    /// End.
    Bye,
}

impl FromParent {
    /// Encodes the message as a line with its end.
    pub fn encode(&self) -> String {
        finish(match self {
            Self::Measure { count, iterations } => {
                let mut line = begin_message("measure");
                line.put("count", *count);
                line.put_known("iterations", *iterations);
                line
            }
            Self::Count { iterations } => {
                let mut line = begin_message("count");
                line.put("iterations", *iterations);
                line
            }
            Self::Sample(plan) => {
                let mut line = begin_message("sample");
                put_plan(&mut line, plan);
                line
            }
            Self::Bye => begin_message("bye"),
        })
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
            "measure" => {
                let (count, iterations) = (fields.need("count")?, fields.get("iterations")?);
                if count > MOST_MEASUREMENTS {
                    let why = format!(
                        "{count} measurements were asked for at once; a worker process takes at \
                         most {MOST_MEASUREMENTS}"
                    );
                    return Err(ProtocolError::new(why));
                }
                Self::Measure { count, iterations }
            }
            "count" => Self::Count { iterations: fields.need("iterations")? },
            "sample" => Self::Sample(plan_of(&fields)?),
            "bye" => Self::Bye,
            other => return Err(unknown_message(other)),
        };
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::sampling::SampledClock;
    use std::time::Duration;

    #[test]
    fn every_message_of_a_parent_reads_back_exactly() {
        for message in [
            FromParent::Measure { count: 30, iterations: None },
            FromParent::Measure { count: 1, iterations: Some(u64::MAX) },
            FromParent::Count { iterations: u64::MAX },
            FromParent::Sample(SamplingPlan {
                clock: SampledClock::Cpu,
                rate_hz: 199,
                time: Duration::from_millis(2_500),
                threads: "pool \"1\"".into(),
            }),
            FromParent::Bye,
        ] {
            let line = message.encode();
            assert!(line.ends_with('\n'));
            assert_eq!(FromParent::decode(&line), Ok(Some(message)));
        }
    }
}
