//! Failures of a test's body.

use std::fmt;

/// The reason why the body of a perf test has no measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(hidden)]
pub enum Failure {
    /// It returned `Err`, with the error's text.
    Returned(String),
    /// It panicked, with the message.
    Panicked(String),
    /// It never measured anything.
    NothingMeasured,
    /// It called `iter` more than once.
    MeasuredTwice,
    /// One of its series cannot be judged, with the reason and the way out.
    Series(String),
    /// The history of one of its series cannot be read, with the reason and the way out.
    History(String),
    /// Its cases are invalid, with the reason.
    Cases(String),
    /// It measured only zeros, in this many iterations.
    NoTime(u64),
    /// `iter_custom` returned an impossible time, with the reason.
    ImpossibleTime(String),
    /// A process that it started could not be measured, with its name and the reason.
    Command(String),
    /// The threads of its routine could not run, with the reason.
    Threads(String),
    /// The compared function failed, with the reason.
    Rival(String),
    /// It called `iter_async` in a test that is not async.
    NotAsync,
    /// It ended, or its runtime did, before `iter_async` had measured.
    Abandoned,
    /// The instructions of its routine cannot be counted.
    Uncountable,
    /// The samples of a profile could not be taken, with the reason.
    Sampling(String),
    /// A worker process lost the connection to its parent.
    Disconnected(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned(error) => write!(f, "the body returned an error: {error}"),
            Self::Panicked(message) => write!(f, "the body panicked: {message}"),
            Self::NothingMeasured => f.write_str(
                "the body never called `iter`, or another method that measures, or it did not await \
                 `iter_async`, so nothing was measured; call `bencher.iter(|| ..)` once",
            ),
            Self::MeasuredTwice => f.write_str(
                "the body called `iter` twice; one perf test measures one routine: \
                 split it into two",
            ),
            Self::Series(why) | Self::History(why) | Self::Cases(why) => f.write_str(why),
            Self::NoTime(iterations) => write!(
                f,
                "the closure of `iter_custom` returned no time for {iterations} iterations; call \
                 the routine that often and return how long all calls took together"
            ),
            Self::ImpossibleTime(why) => write!(
                f,
                "the closure of `iter_custom` returned {why}; take a monotonic clock and return how \
                 long all calls took together"
            ),
            Self::Command(why) => write!(f, "the command {why}"),
            Self::Threads(why) => write!(f, "the threads that the routine runs on {why}"),
            Self::Rival(why) => f.write_str(why),
            Self::Uncountable => f.write_str(
                "the body measures with `b.command(..)` or `b.iter_custom(..)`, whose instructions \
                 cannot be counted",
            ),
            Self::Sampling(why) => write!(f, "the sampler {why}"),
            Self::NotAsync => f.write_str(
                "`iter_async` was called in a body that is not async; write \
                 #[perf_test(runtime = ..)] above an `async fn`",
            ),
            Self::Abandoned => f.write_str(
                "the body, or its runtime, ended before `iter_async` had measured; await \
                 `iter_async` to its end, without a time-out, and let the runtime block until \
                 the future is ready",
            ),
            Self::Disconnected(why) => write!(f, "the measuring process lost its parent: {why}"),
        }
    }
}
