//! Time in which some task waited for a resource.
//!
//! The tasks are those of this process's control group where the kernel counts by group (version 2): on a large
//! machine some task of somebody always waits. Else they are those of the machine.

use super::quota::unified_group;
use super::tree::{Tree, number};
use crate::sensor_answer::reading;
use perftest_core::model::PressureState;
use perftest_core::text::Text;
use std::path::PathBuf;

/// Where the times are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pressure {
    cpu: PathBuf,
    memory: PathBuf,
    io: PathBuf,
}

impl Pressure {
    /// Looks for the files.
    pub(super) fn discover(tree: &Tree) -> Self {
        let group = unified_group(tree);
        let file = |resource: &str| {
            let of_group = group.as_ref().map(|group| group.join(format!("{resource}.pressure")));
            let of_group = of_group.filter(|file| tree.parse(file, parse_us).is_ok());
            of_group.unwrap_or_else(|| format!("proc/pressure/{resource}").into())
        };
        Self { cpu: file("cpu"), memory: file("memory"), io: file("io") }
    }

    /// Reads the times so far; absent on kernels without pressure stall information.
    pub(super) fn read(&self, tree: &Tree) -> PressureState {
        let us = |path: &PathBuf| reading(tree.parse(path, parse_us));
        PressureState { cpu_us: us(&self.cpu), memory_us: us(&self.memory), io_us: us(&self.io) }
    }
}

/// The total of the line `some`; the line `full` counts time in which nothing ran at all.
fn parse_us(text: &str) -> Option<u64> {
    let line = text.each_line().find_map(|line| line.strip_prefix("some "))?;
    line.words().find_map(|field| number(field.strip_prefix("total=")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    #[test]
    fn in_a_container_its_own_tasks_count_and_not_those_of_the_machine() {
        let machine = FakeMachine::load("container_cgroup2_quota");
        let all = |us| format!("some avg10=99.00 avg60=99.00 avg300=99.00 total={us}\n");
        machine.write("proc/pressure/cpu", &all(9_000_000));
        machine.write("proc/pressure/memory", &all(4_000));
        let state = machine.sensors().look().pressure;
        assert_eq!((state.cpu_us.get(), state.memory_us.get()), (Some(55_012), Some(4_000)));
        machine.write("proc/self/cgroup", "0::/user.slice/session-2.scope\n");
        machine.write("sys/fs/cgroup/user.slice/session-2.scope/cpu.pressure", &all(7));
        assert_eq!(machine.sensors().look().pressure.cpu_us.get(), Some(7));
        machine.write("proc/self/cgroup", "4:cpu:/docker/0123\n");
        assert_eq!(machine.sensors().look().pressure.cpu_us.get(), Some(9_000_000));
    }

    #[test]
    fn the_total_of_some_counts() {
        let text = "some avg10=88.40 avg60=51.20 avg300=14.10 total=127356789\n\
            full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";
        assert_eq!(parse_us(text), Some(127_356_789));
    }

    #[test]
    fn damage_is_no_time() {
        for text in ["", "full total=5\n", "some avg10=0.00\n", "some total=-1\n", "some total="] {
            assert_eq!(parse_us(text), None, "{text}");
        }
    }
}
