//! The kinds of core of a hybrid processor.

use super::cpu_list;
use super::tree::{Tree, number};
use crate::sensor_answer::SensorAnswer;
use perftest_core::list::IntoList;
use perftest_core::model::CoreKind;
use perftest_core::order::sort;
use std::path::Path;

/// Processors with at least this share of the largest capacity or highest clock are large cores: the clocks of large
/// cores differ between clusters.
const LARGE_SHARE: f64 = 0.90;

/// The kind of each processor; empty where all are of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CoreKinds {
    kinds: Vec<(u32, CoreKind)>,
}

impl CoreKinds {
    /// Reads the two counter units of Intel's hybrid processors, or else the capacities of the
    /// processors. AMD's have the same capacity in Linux, and differ by their highest clocks.
    pub(super) fn discover(tree: &Tree) -> Self {
        let listed = |unit: &str| {
            tree.parse(format!("sys/devices/{unit}/cpus"), cpu_list::parse).unwrap_or_default()
        };
        let (large, small) = (listed("cpu_core"), listed("cpu_atom"));
        if large.is_empty() || small.is_empty() {
            let by_capacity = Self::by_largest(&of_each(tree, "cpu_capacity"));
            return if by_capacity.are_alike() { Self::by_clock(tree) } else { by_capacity };
        }
        let large = large.into_iter().map(|cpu| (cpu, CoreKind::Performance));
        let small = small.into_iter().map(|cpu| (cpu, CoreKind::Efficiency));
        Self { kinds: large.chain(small).into_list() }
    }

    /// Classifies processors by the highest clock of AMD's driver, which boost does not move. More than two of them are
    /// ranks of cores of one kind: older kernels derive them from the ranks.
    fn by_clock(tree: &Tree) -> Self {
        let file = "cpufreq/amd_pstate_max_freq";
        if !tree.has(Path::new("sys/devices/system/cpu/cpu0").join(file)) {
            return Self::default();
        }
        let clocks = of_each(tree, file);
        let mut distinct = clocks.iter().map(|(_, clock)| *clock).into_list();
        sort(&mut distinct);
        distinct.dedup();
        if distinct.len() == 2 { Self::by_largest(&clocks) } else { Self::default() }
    }

    /// Classifies processors by capacity or highest clock: those near the largest are large.
    fn by_largest(capacities: &[(u32, u64)]) -> Self {
        let Some(largest) = capacities.iter().map(|(_, capacity)| *capacity).max() else {
            return Self::default();
        };
        let is_large = |capacity: u64| capacity as f64 >= LARGE_SHARE * largest as f64;
        if capacities.iter().all(|(_, capacity)| is_large(*capacity)) {
            return Self::default();
        }
        let kind = |capacity| match is_large(capacity) {
            true => CoreKind::Performance,
            false => CoreKind::Efficiency,
        };
        Self { kinds: capacities.iter().map(|(cpu, capacity)| (*cpu, kind(*capacity))).into_list() }
    }

    /// Whether all cores are of one kind.
    pub(super) fn are_alike(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns the kind of a processor's core.
    pub(super) fn of(&self, cpu: SensorAnswer<u32>) -> SensorAnswer<CoreKind> {
        if self.kinds.is_empty() {
            return Err("all cores are of one kind".to_owned());
        }
        let cpu = cpu?;
        let unknown = || format!("the kind of processor {cpu} is unknown");
        value_of(&self.kinds, cpu).copied().ok_or_else(unknown)
    }

    /// The processors of a kind, ascending.
    pub(super) fn cpus(&self, kind: CoreKind) -> Vec<u32> {
        let of_kind = self.kinds.iter().filter(|(_, its)| *its == kind);
        let mut cpus: Vec<u32> = of_kind.map(|(cpu, _)| *cpu).into_list();
        sort(&mut cpus);
        cpus
    }

    /// The kinds with their counts, and with the parts of their processors where those are known:
    /// `P4+E8`, `P2(0x41/0xd0b)+E6(0x41/0xd05)`. `None` where all are of one kind.
    pub(super) fn describe(&self, parts: &[(u32, String)]) -> Option<String> {
        let kinds = [CoreKind::Performance, CoreKind::Efficiency];
        let text = kinds.iter().map(|kind| self.describe_kind(*kind, parts)).joined("+");
        (!self.kinds.is_empty()).then_some(text)
    }

    fn describe_kind(&self, kind: CoreKind, parts: &[(u32, String)]) -> String {
        let cpus = self.cpus(kind);
        let mut parts: Vec<&str> =
            cpus.iter().filter_map(|cpu| value_of(parts, *cpu)).map(String::as_str).into_list();
        sort(&mut parts);
        parts.dedup();
        let parts = parts.iter().joined(",");
        let count = format!("{}{}", kind.name(), cpus.len());
        if parts.is_empty() { count } else { format!("{count}({parts})") }
    }
}

fn value_of<T>(of_cpus: &[(u32, T)], cpu: u32) -> Option<&T> {
    of_cpus.iter().find(|(its, _)| *its == cpu).map(|(_, value)| value)
}

/// Reads a number that is in a file of each processor, such as the capacity that the scheduler assigns.
fn of_each(tree: &Tree, file: &str) -> Vec<(u32, u64)> {
    let cpus = tree.numbered("sys/devices/system/cpu", "cpu", "").into_iter();
    cpus.filter_map(|(cpu, path)| Some((cpu, tree.parse(path.join(file), number).ok()?)))
        .into_list()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    fn with_capacities(capacities: [u64; 4]) -> CoreKinds {
        CoreKinds::by_largest(&(0..).zip(capacities).collect::<Vec<_>>())
    }

    #[test]
    fn the_largest_capacity_makes_a_large_core() {
        let kinds = with_capacities([446, 446, 871, 1024]);
        assert_eq!(kinds.of(Ok(3)), Ok(CoreKind::Performance));
        assert_eq!(kinds.of(Ok(2)), Ok(CoreKind::Efficiency));
        assert_eq!(kinds.describe(&[]).as_deref(), Some("P1+E3"));
        assert_eq!(kinds.of(Ok(4)).unwrap_err().to_string(), "the kind of processor 4 is unknown");
    }

    #[test]
    fn large_cores_of_several_clocks_are_all_large() {
        let kinds = with_capacities([530, 530, 988, 1024]);
        assert_eq!(kinds.cpus(CoreKind::Performance), [2, 3]);
        assert_eq!(kinds.cpus(CoreKind::Efficiency), [0, 1]);
        assert!(with_capacities([1009, 1009, 1024, 1024]).are_alike());
    }

    #[test]
    fn clocks_by_rank_make_no_kinds() {
        let machine = FakeMachine::empty();
        let kinds = |khz: [u32; 4]| {
            for (cpu, khz) in (0..).zip(khz) {
                let file = format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/amd_pstate_max_freq");
                machine.write(&file, &format!("{khz}\n"));
            }
            CoreKinds::discover(&machine.tree())
        };
        assert!(kinds([5_100_000, 4_900_000, 4_600_000, 4_300_000]).are_alike());
        let hybrid = kinds([5_100_000, 5_100_000, 3_300_000, 3_300_000]);
        assert_eq!(hybrid.describe(&[]).as_deref(), Some("P2+E2"));
    }

    #[test]
    fn one_capacity_is_one_kind() {
        let kinds = with_capacities([1024; 4]);
        assert_eq!(kinds.of(Ok(0)).unwrap_err().to_string(), "all cores are of one kind");
        assert_eq!(kinds.describe(&[]), None);
    }

    #[test]
    fn kinds_are_reported_with_their_parts() {
        let parts = ["0x41/0xd05", "0x41/0xd05", "0x41/0xd0b", "0x41/0xd44"].map(String::from);
        let parts: Vec<(u32, String)> = (0..).zip(parts).collect();
        let text = with_capacities([446, 446, 871, 1024]).describe(&parts);
        assert_eq!(text.as_deref(), Some("P1(0x41/0xd44)+E3(0x41/0xd05,0x41/0xd0b)"));
    }

    #[test]
    fn without_its_counter_units_a_hybrid_is_known_by_capacity() {
        let machine = FakeMachine::load("intel_hybrid");
        let listed = CoreKinds::discover(&machine.tree());
        machine.remove("sys/devices/cpu_atom");
        assert_eq!(CoreKinds::discover(&machine.tree()), listed);
        assert_eq!(listed.describe(&[]).as_deref(), Some("P4+E8"));
    }
}
