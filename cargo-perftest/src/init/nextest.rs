//! Configures nextest to run nothing beside performance tests.

use super::addition::Addition;
use toml::{Table, Value};
use toml_edit::{DocumentMut, InlineTable, TomlError, table, value};

/// The group of the tests.
const GROUP: &str = "perf";

/// The keys without which other tests run beside performance tests, or warnings are hidden.
const NEEDED: [(&str, &str); 2] =
    [("threads-required", "\"num-test-threads\""), ("success-output", "\"final\"")];

/// Adds the settings of the target to the configuration.
///
/// # Errors
/// When the configuration is not valid TOML.
pub(super) fn with_group(text: &str, target: &str) -> Result<Addition, TomlError> {
    let document: DocumentMut = text.parse()?;
    let binary = format!("binary({target})");
    let config: Table = text.parse().unwrap_or_default();
    if let Some(missing) = missing_settings(&config, &binary) {
        return Ok(if missing.is_empty() {
            Addition::There
        } else {
            Addition::ByHand(format!(
                "nextest has settings for {binary}, and some are missing; set {} in \
                 .config/nextest.toml",
                missing.join(" and ")
            ))
        });
    }
    // A target may be named `perf-tests`, a module may not.
    let module = target.replace('-', "_");
    let mut text = with_max_threads(document).to_string();
    if !text.is_empty() {
        text.push('\n');
    }
    let settings = format!(
        r#"[[profile.default.overrides]]
# The target with perf tests, and modules of that name in `src/`.
filter = "{binary} | test(/(^|::){module}::/)"
test-group = "{GROUP}"
# Alone, and not only the single one of its group.
threads-required = "num-test-threads"
# What a passing test prints: recorded, unclear, unstable, a warning about the machine.
success-output = "final"
# Waiting for the measuring lock counts.
slow-timeout = {{ period = "120s" }}
# A retry of a red continues with its evidence; nothing is won by it.
retries = 0
"#
    );
    text.push_str(&settings);
    Ok(match text.parse::<DocumentMut>() {
        Ok(_) => Addition::Added(text),
        Err(_) => Addition::ByHand(format!(
            "`profile`, its overrides or `test-groups` are in brackets in .config/nextest.toml; add a group \
             `{GROUP}` with max-threads = 1 and this override by hand: {}",
            in_one_line(&settings)
        )),
    })
}

/// Returns the settings of a table as one in braces, without comments.
fn in_one_line(settings: &str) -> String {
    let is_setting = |line: &&str| !line.starts_with(['[', '#']);
    let settings: Vec<&str> = settings.lines().filter(is_setting).collect();
    format!("{{ {} }}", settings.join(", "))
}

fn with_max_threads(mut document: DocumentMut) -> DocumentMut {
    let groups = document.entry("test-groups").or_insert_with(table);
    if let Some(groups) = groups.as_table_like_mut() {
        let alone = || value(InlineTable::from_iter([("max-threads", 1)]));
        groups.entry(GROUP).or_insert_with(alone);
    }
    document
}

/// Returns the needed settings that the default profile has not for this target, given as `binary(perf)`; `None` if no
/// override of the profile names the target. Other profiles inherit from this one.
fn missing_settings(config: &Table, binary: &str) -> Option<Vec<String>> {
    let profile = config.get("profile")?.get("default")?;
    let names_target = |it: &&Value| {
        let filter = it.get("filter").and_then(Value::as_str);
        filter.is_some_and(|filter| filter.contains(binary))
    };
    let overrides = profile.get("overrides")?.as_array()?;
    let overrides: Vec<&Value> = overrides.iter().filter(names_target).collect();
    if overrides.is_empty() {
        return None;
    }
    // The first one that has a key decides.
    let is_set = |key: &str| {
        let setting = overrides.iter().copied().chain([profile]).find_map(|it| it.get(key));
        setting.is_some_and(|setting| setting.as_str() != Some("never"))
    };
    let missing = NEEDED.into_iter().filter(|(key, _)| !is_set(key));
    Some(missing.map(|(key, value)| format!("{key} = {value}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str) -> String {
        match with_group(text, "perf").unwrap() {
            Addition::Added(after) => after,
            other => panic!("{other:?} for {text}"),
        }
    }

    #[test]
    fn settings_that_are_there_stay_and_a_second_call_adds_nothing() {
        for before in [
            "",
            "# ours\n[profile.default]\nretries = 2\n",
            "[test-groups]\nserial = { max-threads = 1 }\n\n[profile.ci]\nfail-fast = false\n",
            "[test-groups.perf]\nmax-threads = 2\n",
            "[[profile.default.overrides]]\nfilter = 'test(slow)'\n[profile.ci]\nretries = 1\n",
        ] {
            let after = added(before);
            let (old, new): (toml::Table, toml::Table) =
                (before.parse().unwrap(), after.parse().unwrap());
            for line in before.lines() {
                assert!(after.contains(line), "{line} in\n{after}");
            }
            assert!(new["test-groups"]["perf"]["max-threads"].is_integer(), "{after}");
            let overrides = |it: &toml::Table| -> usize {
                let profile = it.get("profile").and_then(|it| it.get("default"));
                profile.and_then(|it| it.get("overrides")?.as_array()).map_or(0, Vec::len)
            };
            assert_eq!(overrides(&new), overrides(&old) + 1, "{after}");
            assert_eq!(with_group(&after, "perf").unwrap(), Addition::There);
        }
    }

    const OF_SEVERAL: &str =
        "[[profile.default.overrides]]\nfilter = 'binary(perf) | binary(slow)'\n";

    #[test]
    fn an_override_for_several_targets_counts() {
        let several = format!("{OF_SEVERAL}threads-required = 2\nsuccess-output = 'immediate'\n");
        assert_eq!(with_group(&several, "perf").unwrap(), Addition::There);
        let of_profile = "[profile.default]\nsuccess-output = 'final'\nthreads-required = 4\n";
        let inherited = format!("{of_profile}{OF_SEVERAL}");
        assert_eq!(with_group(&inherited, "perf").unwrap(), Addition::There);
    }

    #[test]
    fn an_override_of_another_profile_does_not_count() {
        let other = "[[profile.ci.overrides]]\nfilter = 'binary(perf)'\n";
        assert!(added(other).contains("[[profile.default.overrides]]"));
    }

    #[test]
    fn an_override_without_a_needed_key_is_left_to_a_person_with_the_key() {
        for (lines, missing) in [
            ("", "set threads-required = \"num-test-threads\" and success-output = \"final\" in "),
            ("threads-required = 2\n", "missing; set success-output = \"final\" in "),
            (
                "threads-required = 2\nsuccess-output = 'never'\n",
                "set success-output = \"final\" in ",
            ),
            ("success-output = 'final'\n", "set threads-required = \"num-test-threads\" in "),
        ] {
            match with_group(&format!("{OF_SEVERAL}{lines}"), "perf").unwrap() {
                Addition::ByHand(why) => assert!(why.contains(missing), "{why}"),
                other => panic!("{other:?} for {lines}"),
            }
        }
    }

    #[test]
    fn overrides_in_one_line_are_left_to_a_person_with_the_override() {
        for before in [
            "profile.default.overrides = [{ filter = 'all()' }]",
            "[profile.default]\noverrides = [{ filter = 'test(slow)', retries = 2 }]\n",
            "profile = { default = { retries = 2 } }",
        ] {
            let Addition::ByHand(why) = with_group(before, "perf").unwrap() else {
                panic!("{before} is continued");
            };
            let (_, override_) = why.split_once("by hand: ").unwrap();
            let by_hand = format!(
                "test-groups.perf = {{ max-threads = 1 }}\nprofile.default.overrides = [{override_}]"
            );
            assert_eq!(with_group(&by_hand, "perf").unwrap(), Addition::There, "{why}");
        }
        assert!(with_group("profile.default = ", "perf").is_err());
    }

    /// People copy from the page.
    #[test]
    fn the_documentation_has_the_same_lines() {
        let page = include_str!("../../../docs/guide/4-ci.md");
        let lines = added("");
        let lines: Vec<&str> = lines.lines().filter(|line| !line.is_empty()).collect();
        assert!(lines.len() >= 3, "{lines:?}");
        for line in lines {
            assert!(page.lines().any(|it| it == line), "{line}");
        }
    }
}
