//! This process as a worker: it serves measurements of one test to the process that started it.

use crate::Bencher;
use crate::bencher::Driver;
use crate::measure::{Failure, Meter, Routine, tune, wake};
use crate::perf_test::PerfTest;
use perftest_store::protocol::{FromParent, FromWorker, Line};
use std::io::{BufRead, Write};

/// Serves `test` over standard input and output until the parent is satisfied. The failure of
/// the body, if any, is told to the parent.
pub(crate) fn serve(test: &PerfTest, meter: Meter) {
    send(&FromWorker::Hello { benchmark: test.benchmark() });
    if let Err(failure) = measure(test, meter) {
        send(&FromWorker::Failed { why: failure.to_string() });
    }
    // The parent ends this process when it reads that: nothing may be left to clear away.
    send(&FromWorker::Bye);
}

fn measure(test: &PerfTest, meter: Meter) -> Result<(), Failure> {
    let mut driver = WorkerDriver { meter };
    let mut bencher = Bencher::new(&mut driver);
    test.run(&mut bencher)?;
    bencher.finish()
}

struct WorkerDriver {
    meter: Meter,
}

impl Driver for WorkerDriver {
    fn drive(&mut self, routine: &mut dyn Routine) -> Result<(), Failure> {
        // Tuned as any run, whatever number of iterations the parent asks for.
        let tuned = tune(routine, &mut self.meter)?;
        wake(routine, &mut self.meter, tuned.iterations)?;
        send(&FromWorker::Prepared { iterations: tuned.iterations });
        while let Some((count, iterations)) = next_request()? {
            for _ in 0..count {
                let iterations = iterations.unwrap_or(tuned.iterations);
                let measurement = self.meter.measure(routine, iterations)?;
                send(&FromWorker::Measured(measurement));
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
