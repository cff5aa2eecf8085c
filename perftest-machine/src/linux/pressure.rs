//! Time in which some task waited for a resource.

use super::tree::{Tree, number};
use crate::sensor_answer::reading;
use perftest_core::model::PressureState;

/// Reads the times since boot; absent on kernels without pressure stall information.
pub(super) fn read(tree: &Tree) -> PressureState {
    let us = |path: &str| reading(tree.parse(path, parse_us));
    PressureState {
        cpu_us: us("proc/pressure/cpu"),
        memory_us: us("proc/pressure/memory"),
        io_us: us("proc/pressure/io"),
    }
}

/// The total of the line `some`; the line `full` counts time in which nothing ran at all.
fn parse_us(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    line.split_whitespace().find_map(|field| number(field.strip_prefix("total=")?))
}

#[cfg(test)]
mod tests {
    use super::*;

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
