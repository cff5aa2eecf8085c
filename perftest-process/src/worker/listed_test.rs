//! A perf test of an executable, listed for a comparison.

use super::message::{begin_message, finish};
use perftest_core::model::BenchmarkId;

/// One perf test of an executable.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedTest {
    /// The name in the executable's list and in the request to a worker.
    pub name: String,
    /// The ordinary test that runs this one, in an executable of the usual harness.
    pub ordinary: String,
    /// Identity across directories and executables.
    pub benchmark: BenchmarkId,
    /// The former identity, as the author gives it.
    pub formerly: Option<BenchmarkId>,
    /// Whether it is ignored by default.
    pub is_ignored: bool,
    /// The tolerance, if it is set, as a share.
    pub tolerance: Option<f64>,
    /// Whether its verdict is only reported and fails nothing.
    pub is_report_only: bool,
    /// The programs of its package that its body starts: their code is not in the executable. `None` if it starts none.
    pub programs: Option<Vec<String>>,
}

impl ListedTest {
    /// The names in a test runner: one of these is right, and the other names no test.
    pub fn runner_names(&self) -> [&str; 2] {
        [&self.name, &self.ordinary]
    }

    /// Encodes the test as a line, with a line feed before and after it.
    pub fn encode(&self) -> String {
        let mut line = begin_message("test");
        line.put("name", self.name.as_str());
        line.put("ordinary", self.ordinary.as_str());
        line.put("bench", self.benchmark.as_str());
        line.put_known("formerly", self.formerly.as_ref().map(BenchmarkId::as_str));
        line.put("ignored", self.is_ignored);
        line.put_known("tolerance", self.tolerance);
        line.put("report_only", self.is_report_only);
        line.put_known("programs", self.programs.as_deref());
        format!("\n{}", finish(line))
    }
}
