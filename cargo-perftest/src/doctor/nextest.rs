//! Whether nextest shows what passing performance tests print.

use super::{Finding, Severity};
use toml::{Table, Value};

/// `config` is the text of nextest's configuration; without one it is not known whether nextest is used.
pub(super) fn nextest(config: Option<&str>) -> Option<Finding> {
    // nextest itself refuses what is no TOML.
    let config: Table = config?.parse().ok()?;
    if shows_passing_output(&config) {
        return None;
    }
    let fact = "nextest hides what passing tests print";
    let effect = "warnings, and results that are unclear or unstable, are not seen";
    let finding = Finding::new(Severity::Note, "nextest", fact, effect);
    Some(finding.advise("run cargo perftest init --nextest"))
}

fn shows_passing_output(config: &Table) -> bool {
    let profiles = config.get("profile").and_then(Value::as_table);
    profiles.into_iter().flat_map(Table::values).any(|profile| {
        let overrides = profile.get("overrides").and_then(Value::as_array).into_iter().flatten();
        [profile].into_iter().chain(overrides).any(|settings| {
            let shown = settings.get("success-output").and_then(Value::as_str);
            shown.is_some_and(|when| when != "never")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_that_hides_passing_tests_gets_the_command_that_mends_it() {
        for hides in ["", "[profile.ci]\nretries = 2\n", "profile.default.success-output = 'never'"]
        {
            let finding = nextest(Some(hides)).unwrap();
            assert_eq!(finding.severity, Severity::Note);
            assert!(finding.advice.ends_with("cargo perftest init --nextest"), "{hides}");
        }
    }

    #[test]
    fn a_profile_or_an_override_that_shows_them_is_enough_and_no_configuration_is_no_finding() {
        for shows in [
            "[profile.ci]\nsuccess-output = 'immediate'",
            "[[profile.default.overrides]]\nfilter = 'binary(perf)'\nsuccess-output = 'final'",
        ] {
            assert_eq!(nextest(Some(shows)), None, "{shows}");
        }
        assert_eq!(nextest(None), None);
        assert_eq!(nextest(Some("no = toml =")), None);
    }
}
