//! More threads than processors.

use super::session::Session;
use crate::perf_test::PerfTest;
use perftest_core::model::{MachineState, Note, Reading};

/// The note on a test whose threads cannot all run at once.
pub(super) fn crowding(session: &Session, test: &PerfTest) -> Option<Note> {
    note(test.threads(), session.machine().cpus())
}

/// Returns a look without the waits for a processor, where the threads of the test wait for each other.
pub(super) fn without_own_waits(
    state: MachineState,
    session: &Session,
    test: &PerfTest,
) -> MachineState {
    match crowding(session, test) {
        Some(_) => without_cpu_pressure(state),
        None => state,
    }
}

fn without_cpu_pressure(mut state: MachineState) -> MachineState {
    state.pressure.cpu_us = Reading::absent("the threads of the test wait for each other");
    state
}

fn note(threads: u16, processors: f64) -> Option<Note> {
    let threads = u32::from(threads);
    (threads > 1 && f64::from(threads) > processors)
        .then_some(Note::TooFewProcessors { threads, processors })
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{Environment, PressureState, Tag};
    use perftest_core::words::describe_note;

    #[test]
    fn threads_that_wait_for_each_other_are_no_load_by_others() {
        let state = |cpu_us| MachineState {
            pressure: PressureState { cpu_us: Reading::Value(cpu_us), ..PressureState::default() },
            ..MachineState::default()
        };
        let loaded = Environment::between(state(0), state(3_900_000));
        assert_eq!(loaded.tags, [Tag::Loaded]);
        let crowded = Environment::between(state(0), without_cpu_pressure(state(3_900_000)));
        assert_eq!(crowded.tags, []);
    }

    #[test]
    fn threads_that_have_no_processor_each_are_noted() {
        assert_eq!(note(2, 2.0), None);
        assert_eq!(note(1, 1.0), None);
        assert_eq!(note(1, 0.5), None, "a lone thread takes turns with none");
        let words = |threads, cpus| describe_note(&note(threads, cpus).unwrap());
        assert_eq!(words(4, 2.0), "its 4 threads took turns on 2 processors");
        assert_eq!(words(2, 1.5), "its 2 threads took turns on 1.5 processors");
    }
}
