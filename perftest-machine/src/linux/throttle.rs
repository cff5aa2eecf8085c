//! The kernel's counters of thermal throttling; Intel processors outside virtual machines.
//!
//! Each processor has a counter of its core and one of its package. An event of a core is counted
//! on each of its hardware threads, one of a package on each of its processors: within such a
//! group the maximum counts, never the sum. Over the groups the sum of events counts, because the
//! maximum would hide the event of a core that had fewer of them before. Times do not add up: cores
//! that are throttled at once lose the time of one. Of a time, the largest increase of a group since
//! the look before counts.
//!
//! Only the packages of processors that this process may use count: work on another socket heats
//! that one.

use super::allowed_cpus;
use super::tree::{Tree, number};
use crate::sensor_answer::{SensorAnswer, reading};
use perftest_core::list::IntoList;
use perftest_core::model::ThrottleState;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The counters, by what they count for.
#[derive(Debug, Clone)]
pub(super) struct Throttle {
    cores: Vec<CounterGroup>,
    packages: Vec<CounterGroup>,
    seen: Arc<Mutex<SeenCounts>>,
}

/// Directories with the counters of processors that count the same events.
type CounterGroup = Vec<PathBuf>;

/// What the looks so far have read.
#[derive(Debug, Default)]
struct SeenCounts {
    /// The newest value of each counter. The files of an unplugged processor vanish, and their last
    /// values still count.
    newest: Vec<(PathBuf, u64)>,
    /// The largest increases added up, by the name of the counter.
    times_ms: Vec<(&'static str, u64)>,
}

/// The value of a group's counter, and its increase since the look before.
#[derive(Debug, Clone, Copy)]
struct Count {
    value: u64,
    rise: u64,
}

impl Throttle {
    /// Looks for the counters of every processor that is online, in the packages that this process may use.
    pub(super) fn discover(tree: &Tree) -> Self {
        let cpus = tree.numbered("sys/devices/system/cpu", "cpu", "").into_iter();
        let cpus = cpus.filter(|(_, cpu)| tree.has(cpu.join("thermal_throttle")));
        let package = |cpu: &Path| text_or_path(tree, cpu, "topology/physical_package_id");
        let cpus = cpus.map(|(number, cpu)| (number, package(&cpu), cpu)).into_list();
        let allowed = allowed_cpus::read(tree);
        let is_allowed = |cpu: u32| allowed.as_ref().is_none_or(|all| all.contains(&cpu));
        let own = cpus.iter().filter(|(number, ..)| is_allowed(*number));
        let mut own = own.map(|(_, package, _)| package).into_list();
        own.dedup();
        // A damaged list has none of them.
        let is_own = |package: &String| own.is_empty() || own.contains(&package);
        let cpus = cpus.iter().filter(|(_, package, _)| is_own(package));
        let core = |cpu: &Path| text_or_path(tree, cpu, "topology/thread_siblings_list");
        Self {
            cores: group(cpus.clone().map(|(_, _, cpu)| (core(cpu), cpu.as_path()))),
            packages: group(cpus.map(|(_, package, cpu)| (package.clone(), cpu.as_path()))),
            seen: Arc::default(),
        }
    }

    /// Reads the events since boot, and times in which something was throttled, of which only the increase has a meaning.
    /// The kernel adds the time when an event ends, and keeps it since version 5.6.
    pub(super) fn read(&self, tree: &Tree) -> ThrottleState {
        // Of two looks at once the later one must not store what it read before the other.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (cores, packages) = (&self.cores, &self.packages);
        ThrottleState {
            package_events: reading(seen.events(tree, packages, "package_throttle_count")),
            package_ms: reading(seen.time_ms(tree, packages, "package_throttle_total_time_ms")),
            core_events: reading(seen.events(tree, cores, "core_throttle_count")),
            core_ms: reading(seen.time_ms(tree, cores, "core_throttle_total_time_ms")),
            ..ThrottleState::default()
        }
    }
}

impl SeenCounts {
    /// The sum over the groups of the largest counter in each.
    fn events(&mut self, tree: &Tree, groups: &[CounterGroup], counter: &str) -> SensorAnswer<u64> {
        let counts = self.counts(tree, groups, counter)?;
        Ok(counts.iter().fold(0, |sum, count| sum.saturating_add(count.value)))
    }

    /// The largest increases of a group, added up over the looks.
    fn time_ms(
        &mut self,
        tree: &Tree,
        groups: &[CounterGroup],
        counter: &'static str,
    ) -> SensorAnswer<u64> {
        let counts = self.counts(tree, groups, counter)?;
        let largest = counts.iter().map(|count| count.rise).max().unwrap_or(0);
        match self.times_ms.iter_mut().find(|(its, _)| *its == counter) {
            Some((_, time_ms)) => {
                *time_ms = time_ms.saturating_add(largest);
                Ok(*time_ms)
            }
            None => {
                self.times_ms.push((counter, 0));
                Ok(0)
            }
        }
    }

    /// Returns the counts of the groups that have one.
    fn counts(
        &mut self,
        tree: &Tree,
        groups: &[CounterGroup],
        counter: &str,
    ) -> SensorAnswer<Vec<Count>> {
        if groups.is_empty() {
            return Err("no thermal throttle counters".to_owned());
        }
        let counts = groups.iter().filter_map(|group| self.count(tree, group, counter)).into_list();
        let absence = || format!("the kernel keeps no {counter}");
        if counts.is_empty() { Err(absence()) } else { Ok(counts) }
    }

    /// Returns the largest counter of a group, or its last value before all its processors went
    /// offline.
    fn count(&mut self, tree: &Tree, group: &CounterGroup, counter: &str) -> Option<Count> {
        let read = |directory: &PathBuf| tree.parse(directory.join(counter), number::<u64>).ok();
        let now = group.iter().filter_map(read).max();
        let is_online = group.iter().any(|directory| !tree.entries(directory).is_empty());
        let key = group.first()?.join(counter);
        let known = self.newest.iter_mut().find(|(its, _)| *its == key).map(|(_, value)| value);
        let rise = match (now, known) {
            (Some(now), Some(known)) => now.saturating_sub(std::mem::replace(known, now)),
            (Some(now), None) => {
                self.newest.push((key, now));
                0
            }
            (None, Some(known)) if !is_online => return Some(Count { value: *known, rise: 0 }),
            (None, _) => 0,
        };
        now.map(|value| Count { value, rise })
    }
}

/// The counters of processors, grouped by a text of each.
fn group<'a>(cpus: impl Iterator<Item = (String, &'a Path)>) -> Vec<CounterGroup> {
    let mut groups = Vec::<(String, CounterGroup)>::new();
    for (key, cpu) in cpus {
        let counters = cpu.join("thermal_throttle");
        match groups.iter_mut().find(|(its, _)| *its == key) {
            Some((_, group)) => group.push(counters),
            None => groups.push((key, vec![counters])),
        }
    }
    groups.into_iter().map(|(_, group)| group).into_list()
}

/// The text of a file beside a processor. A processor without that file is a group of its own.
fn text_or_path(tree: &Tree, cpu: &Path, file: &str) -> String {
    tree.read(cpu.join(file)).unwrap_or_else(|_| cpu.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    #[test]
    fn two_looks_at_once_count_a_time_once() {
        let machine = FakeMachine::empty();
        let directory = "sys/devices/system/cpu/cpu0/thermal_throttle";
        let write = |ms: u64| {
            // A file that is written in place is empty for a moment.
            machine.write(&format!("{directory}/new"), &format!("{ms}\n"));
            let directory = machine.root().join(directory);
            let file = directory.join("core_throttle_total_time_ms");
            std::fs::rename(directory.join("new"), file).unwrap();
        };
        write(0);
        let (tree, throttle) = (machine.tree(), Throttle::discover(&machine.tree()));
        let core_ms = || throttle.read(&tree).core_ms.get().unwrap();
        assert_eq!(core_ms(), 0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..5_000).map(|_| core_ms()).max());
            }
            (1..=5_000).for_each(write);
        });
        assert_eq!(core_ms(), 5_000);
    }
}
