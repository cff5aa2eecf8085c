//! The name of the testbed of tests that run here.

use crate::cargo_environment::variables_of_tests;
use crate::history_directory::here;
use perftest_machine::MachineIdentity;
use perftest_process::CiProvider;
use perftest_store::Digest;

/// `label/fingerprint`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Testbed {
    pub(crate) label: String,
    pub(crate) fingerprint: String,
}

impl Testbed {
    /// Returns the testbed of this machine, under the label that the environment gives.
    pub(crate) fn of_this_machine() -> Self {
        Self::of_machine(&MachineIdentity::of_this_machine())
    }

    /// Returns the testbed of a machine with this identity, under the label that tests here are given.
    pub(crate) fn of_machine(identity: &MachineIdentity) -> Self {
        let variable = variables_of_tests(&here().unwrap_or_default());
        Self::of(identity, |name| variable(name)?.into_string().ok())
    }

    /// Returns the testbed of a machine with this identity, under the label that the variables
    /// give.
    fn of(identity: &MachineIdentity, variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let default_label =
            if CiProvider::from_variables(&variable).is_some() { "ci" } else { "local" };
        Self {
            label: set("PERFTEST_TESTBED").unwrap_or_else(|| default_label.into()),
            fingerprint: Digest::of(identity.fingerprint_text().as_bytes()).hex16(),
        }
    }

    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.label, self.fingerprint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_is_what_was_asked_for_else_whether_this_is_ci() {
        let identity = MachineIdentity::of_this_machine();
        let label = |pairs: &[(&str, &str)]| {
            let value = |name: &str| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            Testbed::of(&identity, value).label
        };
        assert_eq!(label(&[]), "local");
        assert_eq!(label(&[("CI", "false"), ("PERFTEST_TESTBED", "")]), "local");
        assert_eq!(label(&[("CI", "true")]), "ci");
        assert_eq!(label(&[("GITLAB_CI", "true"), ("PERFTEST_TESTBED", "ci-large")]), "ci-large");
    }
}
