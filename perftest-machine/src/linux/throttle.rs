//! The kernel's counters of thermal throttling; Intel processors outside virtual machines.
//!
//! Each processor has a counter of its core and one of its package. An event of a core is counted
//! on each of its hardware threads, one of a package on each of its processors: within such a
//! group the maximum counts, never the sum. Over the groups the sum counts, because the maximum
//! would hide the event of a core that had fewer of them before.

use super::tree::{Tree, number};
use crate::sensor_answer::{SensorAnswer, reading};
use perftest_core::list::IntoList;
use perftest_core::model::ThrottleState;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The counters, by what they count for.
#[derive(Debug, Clone)]
pub(super) struct Throttle {
    cores: Vec<CounterGroup>,
    packages: Vec<CounterGroup>,
    /// The newest value of each counter. The files of an unplugged processor vanish, and their last
    /// values still count.
    newest: Arc<Mutex<Vec<(PathBuf, u64)>>>,
}

/// Directories with the counters of processors that count the same events.
type CounterGroup = Vec<PathBuf>;

impl Throttle {
    /// Looks for the counters of every processor that is online.
    pub(super) fn discover(tree: &Tree) -> Self {
        let counters: Vec<_> = tree
            .numbered("sys/devices/system/cpu", "cpu", "")
            .into_iter()
            .map(|(_, cpu)| cpu)
            .filter(|cpu| tree.has(cpu.join("thermal_throttle")))
            .into_list();
        Self {
            cores: group(tree, &counters, "topology/thread_siblings_list"),
            packages: group(tree, &counters, "topology/physical_package_id"),
            newest: Arc::default(),
        }
    }

    /// Reads the events since boot, and the time since boot in which something was throttled. The kernel adds the time
    /// when an event ends, and keeps it since version 5.6.
    pub(super) fn read(&self, tree: &Tree) -> ThrottleState {
        let sum = |groups: &[CounterGroup], counter| reading(self.sum(tree, groups, counter));
        ThrottleState {
            package_events: sum(&self.packages, "package_throttle_count"),
            package_ms: sum(&self.packages, "package_throttle_total_time_ms"),
            core_events: sum(&self.cores, "core_throttle_count"),
            core_ms: sum(&self.cores, "core_throttle_total_time_ms"),
            ..ThrottleState::default()
        }
    }

    /// The sum over the groups of the largest counter in each.
    fn sum(&self, tree: &Tree, groups: &[CounterGroup], counter: &str) -> SensorAnswer<u64> {
        if groups.is_empty() {
            return Err("no thermal throttle counters".to_owned());
        }
        let largest = |group: &CounterGroup| self.largest(tree, group, counter);
        let sum = groups.iter().filter_map(largest).reduce(u64::saturating_add);
        sum.ok_or_else(|| format!("the kernel keeps no {counter}"))
    }

    /// Returns the largest counter of a group, or its last value before all its processors went
    /// offline.
    fn largest(&self, tree: &Tree, group: &CounterGroup, counter: &str) -> Option<u64> {
        let read = |directory: &PathBuf| tree.parse(directory.join(counter), number).ok();
        let now = group.iter().filter_map(read).max();
        let is_online = group.iter().any(|directory| !tree.entries(directory).is_empty());
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let key = group.first()?.join(counter);
        let known = newest.iter_mut().find(|(its, _)| *its == key).map(|(_, value)| value);
        match (now, known) {
            (Some(now), Some(known)) => *known = now,
            (Some(now), None) => newest.push((key, now)),
            (None, Some(known)) if !is_online => return Some(*known),
            (None, _) => {}
        }
        now
    }
}

/// The counters of the processors, grouped by the text of a file beside them. A processor
/// without that file is a group of its own.
fn group(tree: &Tree, cpus: &[PathBuf], topology: &str) -> Vec<CounterGroup> {
    let mut groups = Vec::<(String, CounterGroup)>::new();
    for cpu in cpus {
        let key = tree.read(cpu.join(topology)).unwrap_or_else(|_| cpu.display().to_string());
        let counters = cpu.join("thermal_throttle");
        match groups.iter_mut().find(|(its, _)| *its == key) {
            Some((_, group)) => group.push(counters),
            None => groups.push((key, vec![counters])),
        }
    }
    groups.into_iter().map(|(_, group)| group).into_list()
}
