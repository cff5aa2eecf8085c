//! The power limit of the processor package. It explains a clock that falls half a minute after the
//! load began without heat or a throttle event.

use super::tree::{Tree, number};
use crate::sensor_answer::SensorAnswer;
use std::path::PathBuf;

/// The long-term limit of the first package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PowerLimit {
    /// The beginning of the names of its files.
    files: Option<PathBuf>,
}

impl PowerLimit {
    /// Finds the limit by the names of zones and limits; their numbers mean nothing.
    pub(super) fn discover(tree: &Tree) -> Self {
        let reads = |path: PathBuf, name: &str| {
            tree.read(path).is_ok_and(|text| text.trim().starts_with(name))
        };
        let zones = tree.numbered("sys/class/powercap", "intel-rapl:", "");
        let mut zones = zones.into_iter().map(|(_, zone)| zone);
        let package = zones.find(|zone| reads(zone.join("name"), "package-"));
        let files = package.and_then(|zone| {
            let limits = tree.numbered(&zone, "constraint_", "_name");
            let mut limits = limits.into_iter();
            let (number, _) = limits.find(|(_, name)| reads(name.clone(), "long_term"))?;
            Some(zone.join(format!("constraint_{number}")))
        });
        Self { files }
    }

    /// The limit.
    pub(super) fn read_uw(&self, tree: &Tree) -> SensorAnswer<u64> {
        self.read(tree, "power_limit_uw")
    }

    /// The time over which the power is averaged.
    pub(super) fn read_window_us(&self, tree: &Tree) -> SensorAnswer<u64> {
        self.read(tree, "time_window_us")
    }

    fn read(&self, tree: &Tree, file: &str) -> SensorAnswer<u64> {
        let files = self.files.as_ref().ok_or_else(|| "no power limits".to_owned())?;
        tree.parse(format!("{}_{file}", files.display()), number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    #[test]
    fn zone_and_limit_are_known_by_name() {
        let machine = FakeMachine::empty();
        let files = [
            ("intel-rapl:0/name", "psys\n"),
            ("intel-rapl:0:0/name", "package-9\n"),
            ("intel-rapl:1/name", "package-0\n"),
            ("intel-rapl:1/constraint_0_name", "short_term\n"),
            ("intel-rapl:1/constraint_1_name", "long_term\n"),
            ("intel-rapl:1/constraint_1_power_limit_uw", "15000000\n"),
        ];
        for (path, content) in files {
            machine.write(&format!("sys/class/powercap/{path}"), content);
        }
        let tree = machine.tree();
        let limit = PowerLimit::discover(&tree);
        assert_eq!(limit.read_uw(&tree), Ok(15_000_000));
        let reason = limit.read_window_us(&tree).unwrap_err().to_string();
        assert!(reason.ends_with("constraint_1_time_window_us does not exist"), "{reason}");
    }
}
