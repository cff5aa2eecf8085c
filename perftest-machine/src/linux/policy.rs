//! The kernel's policies for the clock of processors: directories with the clock and the settings.

use super::frequency;
use super::tree::{Tree, number};
use crate::sensor_answer::SensorAnswer;
use perftest_core::list::IntoList;
use perftest_core::text::Text;
use std::path::{Path, PathBuf};

/// The policies of a machine. Virtual machines usually have none, because the kernel does not scale
/// their clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Policies {
    /// By their first processor.
    all: Vec<(u32, PathBuf)>,
    /// The processors of each, in the same order.
    cpus: Vec<Vec<u32>>,
}

impl Policies {
    /// Looks for the policies.
    pub(super) fn discover(tree: &Tree) -> Self {
        let all = tree.numbered("sys/devices/system/cpu/cpufreq", "policy", "");
        let cpus = all.iter().map(|(_, policy)| cpus_of(tree, policy)).into_list();
        Self { all, cpus }
    }

    /// The first policy.
    pub(super) fn first(&self) -> SensorAnswer<&Path> {
        let absence = || "the system reports no processor clock".to_owned();
        self.all.first().map(|(_, policy)| policy.as_path()).ok_or_else(absence)
    }

    /// Finds the policy of a processor by the kernel's link, or else by the policy's list or name:
    /// copies of a system's files often lack links.
    pub(super) fn of(&self, tree: &Tree, cpu: SensorAnswer<u32>) -> SensorAnswer<PathBuf> {
        self.first()?;
        let cpu = cpu?;
        let link = PathBuf::from(format!("sys/devices/system/cpu/cpu{cpu}/cpufreq"));
        if tree.has(&link) {
            return Ok(link);
        }
        let mut policies = self.all.iter().zip(&self.cpus);
        let own = policies.find(|((first, _), cpus)| *first == cpu || cpus.contains(&cpu));
        Ok(own.map_or(link, |((_, policy), _)| policy.clone()))
    }

    /// Returns the processor with the highest clock, as an estimate of the busy one.
    pub(super) fn fastest(&self, tree: &Tree) -> SensorAnswer<u32> {
        let khz = |policy: &PathBuf| frequency::read_khz(tree, policy).ok();
        let clocks = self.all.iter().filter_map(|(cpu, policy)| Some((khz(policy)?, *cpu)));
        // The first of equals: `max_by_key` would give the last.
        let fastest = clocks.rev().max_by_key(|(khz, _)| *khz);
        fastest.map(|(_, cpu)| cpu).ok_or_else(|| "no processor reports its clock".to_owned())
    }
}

/// The processors of a policy: those that are online (`affected_cpus`) and all (`related_cpus`).
fn cpus_of(tree: &Tree, policy: &Path) -> Vec<u32> {
    let lists = ["affected_cpus", "related_cpus"];
    let lists = lists.into_iter().filter_map(|list| tree.parse(policy.join(list), parse_cpus).ok());
    lists.flatten().into_list()
}

/// Processors with spaces between: `0 1 2 3`.
fn parse_cpus(text: &str) -> Option<Vec<u32>> {
    text.words().map(number).into_list_of_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    #[test]
    fn without_links_a_processor_is_in_the_policy_that_lists_it() {
        let machine = FakeMachine::empty();
        let policies = "sys/devices/system/cpu/cpufreq";
        machine.write(&format!("{policies}/policy0/related_cpus"), "0 1 2 3\n");
        machine.write(&format!("{policies}/policy4/affected_cpus"), "4 5\n");
        machine.write(&format!("{policies}/policy4/related_cpus"), "4 5 6\n");
        machine.write(&format!("{policies}/policy7/scaling_governor"), "performance\n");
        let tree = machine.tree();
        let found = Policies::discover(&tree);
        for (cpu, first) in [(0, 0), (3, 0), (5, 4), (6, 4), (7, 7)] {
            let policy = PathBuf::from(format!("{policies}/policy{first}"));
            assert_eq!(found.of(&tree, Ok(cpu)), Ok(policy), "{cpu}");
        }
        let missing = PathBuf::from("sys/devices/system/cpu/cpu8/cpufreq");
        assert_eq!(found.of(&tree, Ok(8)), Ok(missing));
    }
}
