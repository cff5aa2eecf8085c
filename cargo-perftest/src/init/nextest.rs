//! Configures nextest to run nothing beside performance tests.

use toml_edit::{DocumentMut, InlineTable, Item, TomlError, table, value};

/// The group of the tests.
const GROUP: &str = "perf";

/// Returns the configuration with the settings of the target; `None` if it has them already.
///
/// # Errors
/// When the configuration is not valid TOML.
pub(super) fn with_group(text: &str, target: &str) -> Result<Option<String>, TomlError> {
    let document: DocumentMut = text.parse()?;
    let binary = format!("binary({target})");
    if names_target(&document, &binary) {
        return Ok(None);
    }
    // A target may be named `perf-tests`, a module may not.
    let module = target.replace('-', "_");
    let mut text = with_max_threads(document).to_string();
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&format!(
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
    ));
    // Overrides in another notation cannot be continued like this.
    text.parse::<DocumentMut>().map(|_| Some(text))
}

fn with_max_threads(mut document: DocumentMut) -> DocumentMut {
    let groups = document.entry("test-groups").or_insert_with(table);
    if let Some(groups) = groups.as_table_like_mut() {
        let alone = || value(InlineTable::from_iter([("max-threads", 1)]));
        groups.entry(GROUP).or_insert_with(alone);
    }
    document
}

/// Returns whether an override of any profile is for this target, as `binary(perf)`.
fn names_target(document: &DocumentMut, binary: &str) -> bool {
    let profiles = document.get("profile").and_then(Item::as_table_like);
    let profiles = profiles.into_iter().flat_map(|it| it.iter());
    profiles.filter_map(|(_, profile)| profile.get("overrides")).any(|overrides| {
        let in_tables = overrides.as_array_of_tables().into_iter().flatten();
        let in_tables = in_tables.filter_map(|it| it.get("filter")?.as_str());
        let inline = overrides.as_array().into_iter().flatten();
        let inline = inline.filter_map(|it| it.as_inline_table()?.get("filter")?.as_str());
        in_tables.chain(inline).any(|it| it.contains(binary))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str) -> String {
        with_group(text, "perf").unwrap().unwrap()
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
            assert_eq!(with_group(&after, "perf").unwrap(), None);
        }
    }

    #[test]
    fn an_override_for_several_targets_counts() {
        let several = "[[profile.ci.overrides]]\nfilter = 'binary(perf) | binary(slow)'\n";
        assert_eq!(with_group(several, "perf").unwrap(), None);
    }

    #[test]
    fn overrides_in_one_line_are_not_continued() {
        assert!(with_group("profile.default.overrides = [{ filter = 'all()' }]", "perf").is_err());
    }

    /// People copy from the page.
    #[test]
    fn the_documentation_has_the_same_lines() {
        let page = include_str!("../../../docs/guide/4-ci.md");
        for line in added("").lines().filter(|line| !line.is_empty()) {
            assert!(page.lines().any(|it| it == line), "{line}");
        }
    }
}
