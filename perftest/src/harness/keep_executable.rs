//! Keeps this executable after a good run, so that a slower build can be measured beside it.

use super::lock;
use super::session::Session;
use crate::event::Event;
use crate::perf_test::PerfTest;
use crate::sink::Sink;
use perftest_core::list::IntoList;
use perftest_core::order::sort;
use perftest_process::Launch;
use std::time::Duration;

/// Longest wait for other measuring processes: the next good run keeps the executable instead.
const PATIENCE: Duration = Duration::from_millis(100);

/// Keeps this executable if one of its tests was good. Compression takes a moment, so this runs
/// after the verdicts are printed, when no test measures. An error here fails no test.
pub(crate) fn keep_if_good(session: &Session, test: &PerfTest, sink: &mut dyn Sink) {
    if !session.take_found_good() || !session.records() {
        return;
    }
    let hash = &session.provenance(test).code.executable;
    let Some(executables) = session.executables(test).filter(|it| !it.renew(hash)) else {
        return;
    };
    let Ok(_alone) = lock::acquire(&test.listed_name(), PATIENCE) else {
        return;
    };
    let Ok(executable) = std::env::current_exe() else {
        return;
    };
    if let Err(error) = executables.keep(&executable, hash, &launch(test)) {
        sink.take(&Event::Remark(&format!(
            "This executable is not kept for later comparisons: {error}"
        )));
    }
}

fn launch(test: &PerfTest) -> Launch {
    let krate = test.module_path.split("::").next().unwrap_or_default();
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut variables: Vec<String> = names.filter(|it| !it.starts_with("PERFTEST_")).into_list();
    sort(&mut variables);
    Launch {
        target: test.kind().target_name(test.package, krate),
        directory: std::env::current_dir().unwrap_or_default(),
        arguments: std::env::args().skip(1).into_list(),
        variables,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf_test::tests::descriptor;
    use crate::registry::Descriptor;
    use perftest_core::model::TargetKind;

    #[test]
    fn executables_of_one_name_and_of_different_kinds_are_kept_apart() {
        let target = |target, module_path| {
            let descriptor = Descriptor { target, ..descriptor(module_path, "encode") };
            launch(&PerfTest::all_of(Box::leak(Box::new(descriptor))).remove(0)).target
        };
        assert_eq!(target(TargetKind::Library, "codec::frame"), "codec");
        assert_eq!(target(TargetKind::Binary, "codec::frame"), "codec::bin::codec");
        assert_eq!(target(TargetKind::Test, "perf::frame"), "codec::perf");
        assert_eq!(target(TargetKind::Bench, "perf::frame"), "codec::bench::perf");
    }
}
