//! More threads than processors.

use super::session::Session;
use crate::perf_test::PerfTest;

/// What to say of a test whose threads cannot all run at once.
pub(super) fn crowding(session: &Session, test: &PerfTest) -> Option<String> {
    remark(test.threads(), session.machine().cpus())
}

fn remark(threads: u16, cpus: f64) -> Option<String> {
    let plural = if cpus == 1.0 { "processor" } else { "processors" };
    (f64::from(threads) > cpus)
        .then(|| format!("its {threads} threads took turns on {cpus} {plural}"))
}

#[cfg(test)]
mod tests {
    use super::remark;

    #[test]
    fn threads_that_have_no_processor_each_are_reported_of() {
        assert_eq!(remark(2, 2.0), None);
        assert_eq!(remark(1, 1.0), None);
        assert_eq!(remark(4, 2.0).unwrap(), "its 4 threads took turns on 2 processors");
        assert_eq!(remark(2, 1.5).unwrap(), "its 2 threads took turns on 1.5 processors");
    }
}
