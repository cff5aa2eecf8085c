//! The kernel's policies for the clock of processors: directories with the clock and the settings.

use super::absence::Absence;
use super::frequency;
use super::tree::Tree;
use std::path::{Path, PathBuf};

/// The policies of a machine; it has none where the kernel does not scale the clock, which is the
/// rule in virtual machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Policies {
    /// By their first processor.
    all: Vec<(u32, PathBuf)>,
}

impl Policies {
    /// Looks for the policies.
    pub(super) fn discover(tree: &Tree) -> Self {
        Self { all: tree.numbered("sys/devices/system/cpu/cpufreq", "policy", "") }
    }

    /// The first policy.
    pub(super) fn first(&self) -> Result<&Path, Absence> {
        let absence = || Absence::because("the system reports no processor clock");
        self.all.first().map(|(_, policy)| policy.as_path()).ok_or_else(absence)
    }

    /// The policy of a processor, by the link that the kernel keeps beside it, or else by the name
    /// of the policy: copies of a system's files often leave links out.
    pub(super) fn of(&self, tree: &Tree, cpu: Result<u32, Absence>) -> Result<PathBuf, Absence> {
        self.first()?;
        let cpu = cpu?;
        let link = PathBuf::from(format!("sys/devices/system/cpu/cpu{cpu}/cpufreq"));
        if tree.has(&link) {
            return Ok(link);
        }
        let own = self.all.iter().find(|(first, _)| *first == cpu);
        Ok(own.map_or(link, |(_, policy)| policy.clone()))
    }

    /// The processor with the highest clock: the one that works, where files of a system do not
    /// tell which one it is.
    pub(super) fn fastest(&self, tree: &Tree) -> Result<u32, Absence> {
        let khz = |policy: &PathBuf| frequency::read_khz(tree, policy).ok();
        let clocks = self.all.iter().filter_map(|(cpu, policy)| Some((khz(policy)?, *cpu)));
        // The first of equals: `max_by_key` would give the last.
        let fastest = clocks.rev().max_by_key(|(khz, _)| *khz);
        fastest.map(|(_, cpu)| cpu).ok_or_else(|| Absence::because("no processor tells its clock"))
    }
}
