//! This process as a worker: it serves measurements of one test to the process that started it.

use crate::Bencher;
use crate::bencher::Driver;
use crate::measure::{Failure, Meter, Routine, tune, wake};
use crate::own_metric::OwnMetric;
use crate::registry::Descriptor;
use perftest_core::model::ProcessValue;
use perftest_store::protocol::{FromParent, FromWorker, Line};
use std::io::{BufRead, Write};

/// Serves `test` over standard input and output until the parent is satisfied. The failure of
/// the body, if any, is told to the parent.
pub(crate) fn serve(test: &Descriptor, meter: Meter) {
    send(&FromWorker::Hello { benchmark: test.benchmark() });
    let values = measure(test, meter).unwrap_or_else(|failure| {
        send(&FromWorker::Failed { why: failure.to_string() });
        Vec::new()
    });
    // The parent ends this process when it reads that: nothing may be left to clear away.
    send(&FromWorker::Bye { values });
}

fn measure(test: &Descriptor, meter: Meter) -> Result<Vec<ProcessValue>, Failure> {
    let mut driver = WorkerDriver { meter, values: Vec::new() };
    let mut bencher = Bencher::new(&mut driver);
    (test.run)(&mut bencher)?;
    let own = bencher.finish()?.into_iter().map(|OwnMetric { value, .. }| value);
    Ok(driver.values.into_iter().chain(own).collect())
}

struct WorkerDriver {
    meter: Meter,
    /// What is known once.
    values: Vec<ProcessValue>,
}

impl Driver for WorkerDriver {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        // Tuned as any run, whatever number of iterations the parent asks for.
        let tuned = tune(routine, &mut self.meter)?;
        self.values = self.meter.count_allocations(routine, tuned.iterations)?;
        wake(routine, &mut self.meter, tuned.iterations)?;
        send(&FromWorker::Prepared { iterations: tuned.iterations });
        while let Some((count, iterations)) = next_request()? {
            for _ in 0..count {
                let iterations = iterations.unwrap_or(tuned.iterations);
                let take = self.meter.take(routine, iterations)?;
                send(&FromWorker::Measured(Box::new(take)));
            }
        }
        Ok(())
    }
}

/// The next request, or `None` when the parent has no more or is gone.
fn next_request() -> Result<Option<(u32, Option<u64>)>, Failure> {
    let lost = |why: String| Failure::Disconnected(why);
    loop {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        if read.map_err(|error| lost(error.to_string()))? == 0 {
            return Ok(None);
        }
        match FromParent::decode(&line).map_err(|error| lost(error.to_string()))? {
            Line::Message(FromParent::Measure { count, iterations }) => {
                return Ok(Some((count, iterations)));
            }
            Line::Message(FromParent::Bye) => return Ok(None),
            Line::Stray => {}
        }
    }
}

/// Writes past the capture of libtest. A parent that is gone needs no answer.
fn send(message: &FromWorker) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(message.encode().as_bytes()).and_then(|()| out.flush());
}
