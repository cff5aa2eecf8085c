//! The machine of a session, with the testbed of its runs.

use perftest_core::text::Text;
use perftest_machine::{Epoch, MachineIdentity, Sensors};
use perftest_store::Digest;
use std::sync::Arc;

/// The machine, inspected once.
pub(crate) struct Machine {
    pub sensors: Arc<Sensors>,
    pub identity: MachineIdentity,
    pub epoch: Epoch,
    /// `label/fingerprint`
    pub testbed: String,
}

impl Machine {
    /// Inspects this machine. `label` is the first part of the name of its testbed.
    pub(super) fn inspect(label: &str) -> Self {
        let identity = MachineIdentity::of_this_machine();
        let fingerprint = Digest::of(identity.fingerprint_text().as_bytes()).hex16();
        Self {
            sensors: Arc::new(Sensors::of_this_machine()),
            testbed: format!("{label}/{fingerprint}"),
            identity,
            epoch: Epoch::of_this_machine(),
        }
    }

    /// Processors this process may use, or the share of them that a quota leaves.
    pub(super) fn cpus(&self) -> f64 {
        let quota = self.identity.quota_milli_cpus.map(|milli| milli as f64 / 1e3);
        quota.map_or(self.allowed_cpus(), |quota| quota.min(self.allowed_cpus()))
    }

    /// The testbed of a run in the history of `testbed`: this machine, at the speed of the history. Where testbeds
    /// share a history, its name is that of one of them.
    pub(super) fn testbed_at_speed_of(&self, testbed: &str) -> String {
        match testbed.cut('@') {
            Some((_, speed)) => format!("{}@{speed}", self.testbed),
            None => self.testbed.clone(),
        }
    }

    /// Processors that this process may use at a time, whatever the average quota.
    pub(super) fn allowed_cpus(&self) -> f64 {
        f64::from(self.identity.allowed_cpus)
    }

    /// Returns the number of threads, or 1 where cores differ: other work may leave only small ones to some of them.
    pub(super) fn threads_on_cores_alike(&self, threads: u16) -> u16 {
        if self.identity.core_kinds.is_some() { 1 } else { threads }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_bounds_the_processors_on_average_and_not_those_at_a_time() {
        let mut machine = Machine::inspect("local");
        let identity = &mut machine.identity;
        (identity.usable_cpus, identity.allowed_cpus) = (4, 64);
        identity.quota_milli_cpus = Some(3_500);
        assert_eq!((machine.cpus(), machine.allowed_cpus()), (3.5, 64.0));
    }

    #[test]
    fn where_cores_differ_threads_have_none_that_are_surely_alike() {
        let mut machine = Machine::inspect("local");
        machine.identity.core_kinds = None;
        assert_eq!(machine.threads_on_cores_alike(4), 4);
        machine.identity.core_kinds = Some("P4+E8".into());
        assert_eq!(machine.threads_on_cores_alike(4), 1);
    }
}
