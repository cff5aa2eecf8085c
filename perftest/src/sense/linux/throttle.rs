//! The kernel's counters of thermal throttling; Intel processors outside virtual machines.
//!
//! Each processor has a counter of its core and one of its package. An event of a core is counted
//! on each of its hardware threads, one of a package on each of its processors: within such a
//! group the maximum counts, never the sum. Over the groups the sum counts, because the maximum
//! would hide the event of a core that had fewer of them before. A core and its package throttled
//! together therefore count twice.

use super::absence::Absence;
use super::tree::{Tree, number};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The counters, by what they count for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Throttle {
    cores: Vec<Group>,
    packages: Vec<Group>,
}

/// Directories with the counters of processors that count the same events.
type Group = Vec<PathBuf>;

impl Throttle {
    /// Looks for the counters of every processor that is online.
    pub(super) fn discover(tree: &Tree) -> Self {
        let counters: Vec<_> = tree
            .numbered("sys/devices/system/cpu", "cpu", "")
            .into_iter()
            .map(|(_, cpu)| cpu)
            .filter(|cpu| tree.has(cpu.join("thermal_throttle")))
            .collect();
        Self {
            cores: group(tree, &counters, "topology/thread_siblings_list"),
            packages: group(tree, &counters, "topology/physical_package_id"),
        }
    }

    /// Throttle events since boot.
    pub(super) fn read_events(&self, tree: &Tree) -> Result<u64, Absence> {
        self.total(tree, "throttle_count").ok_or_else(|| self.absence("throttle events"))
    }

    /// Time throttled since boot, of cores and packages together. The kernel adds it when an
    /// event ends, and keeps it since version 5.6.
    pub(super) fn read_ms(&self, tree: &Tree) -> Result<u64, Absence> {
        self.total(tree, "throttle_total_time_ms").ok_or_else(|| self.absence("throttle times"))
    }

    fn total(&self, tree: &Tree, counter: &str) -> Option<u64> {
        let cores = sum(tree, &self.cores, &format!("core_{counter}"));
        let packages = sum(tree, &self.packages, &format!("package_{counter}"));
        cores.into_iter().chain(packages).reduce(u64::saturating_add)
    }

    fn absence(&self, what: &str) -> Absence {
        match self.cores.is_empty() {
            true => Absence::because("no thermal throttle counters"),
            false => Absence::because(format!("the kernel counts no {what}")),
        }
    }
}

/// The counters of the processors, grouped by the text of a file beside them. A processor
/// without that file is a group of its own.
fn group(tree: &Tree, cpus: &[PathBuf], topology: &str) -> Vec<Group> {
    let mut groups = BTreeMap::<String, Group>::new();
    for cpu in cpus {
        let key = tree.read(cpu.join(topology)).unwrap_or_else(|_| cpu.display().to_string());
        groups.entry(key).or_default().push(cpu.join("thermal_throttle"));
    }
    groups.into_values().collect()
}

/// The sum over the groups of the largest counter in each; `None` when no counter answers.
fn sum(tree: &Tree, groups: &[Group], counter: &str) -> Option<u64> {
    let read = |directory: &PathBuf| read_counter(tree, directory, counter);
    let largest = |group: &Group| group.iter().filter_map(read).max();
    groups.iter().filter_map(largest).reduce(u64::saturating_add)
}

fn read_counter(tree: &Tree, directory: &Path, counter: &str) -> Option<u64> {
    tree.parse(directory.join(counter), number).ok()
}
