//! Adds the dependency and the test target to a package's manifest.

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, table, value};

/// The source of the dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Dependency {
    /// The published version.
    Version(&'static str),
    /// A directory.
    Path(String),
    /// The workspace's dependency.
    Workspace,
}

impl Dependency {
    fn in_manifest(&self) -> Item {
        let (key, text): (&str, Value) = match self {
            Self::Version(version) => return value(*version),
            Self::Path(path) => ("path", path.into()),
            Self::Workspace => ("workspace", true.into()),
        };
        value(InlineTable::from_iter([(key, text)]))
    }
}

/// Adds the dependency to a manifest.
pub(super) fn add_dependency(manifest: &mut DocumentMut, dependency: &Dependency) {
    // Cargo ignores the older spelling beside the other one.
    let key = spelling(manifest, ["dev-dependencies", "dev_dependencies"]);
    let dependencies = manifest.entry(key).or_insert_with(table);
    if let Some(dependencies) = dependencies.as_table_like_mut() {
        dependencies.insert("perftest", dependency.in_manifest());
    }
}

/// Returns the spelling of a key that the manifest has; the first one if it has none.
fn spelling<'a>(manifest: &DocumentMut, [current, older]: [&'a str; 2]) -> &'a str {
    let is_older = !manifest.contains_key(current) && manifest.contains_key(older);
    if is_older { older } else { current }
}

/// Lets cargo go on to find the tests of a package in edition 2015 when its manifest gets the first target in `tests/`.
/// In later editions it does so by itself.
pub(super) fn find_tests(manifest: &mut DocumentMut) {
    if !manifest.contains_key("test") {
        let key = spelling(manifest, ["package", "project"]);
        if let Some(package) = manifest[key].as_table_like_mut() {
            package.entry("autotests").or_insert_with(|| value(true));
        }
    }
}

/// Adds a target in `tests/` that has a `main` of its own to a manifest.
pub(super) fn add_target(manifest: &mut DocumentMut, name: &str) {
    let targets = manifest.entry("test");
    let targets = targets.or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    match targets {
        Item::ArrayOfTables(targets) => {
            let is_it = |target: &Table| target.get("name").and_then(Item::as_str) == Some(name);
            if !targets.iter().any(is_it) {
                targets.push(Table::from_iter([("name", value(name))]));
            }
            if let Some(target) = targets.iter_mut().find(|it| is_it(it)) {
                target.insert("harness", value(false));
            }
        }
        Item::Value(Value::Array(targets)) => {
            let harness: Value = false.into();
            targets.push(InlineTable::from_iter([("name", name.into()), ("harness", harness)]));
        }
        _ => {}
    }
}

/// Returns whether the manifest has a target in `tests/` of this name with a `main` of its own.
pub(super) fn has_target(manifest: &toml::Table, name: &str) -> bool {
    let targets = manifest.get("test").and_then(toml::Value::as_array);
    targets.into_iter().flatten().any(|target| {
        let harness = target.get("harness").and_then(toml::Value::as_bool);
        target.get("name").and_then(toml::Value::as_str) == Some(name) && harness == Some(false)
    })
}

/// Returns whether a workspace's manifest has perftest as a dependency for its members.
pub(super) fn workspace_has_perftest(manifest: &toml::Table) -> bool {
    let workspace = manifest.get("workspace").and_then(|it| it.get("dependencies"));
    workspace.and_then(|it| it.get("perftest")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, change: impl FnOnce(&mut DocumentMut)) -> String {
        let mut manifest = text.parse().unwrap();
        change(&mut manifest);
        manifest.to_string()
    }

    fn with_dependency(text: &str, dependency: &Dependency) -> String {
        changed(text, |manifest| add_dependency(manifest, dependency))
    }

    fn both(text: &str, dependency: &Dependency) -> String {
        changed(&with_dependency(text, dependency), |manifest| add_target(manifest, "perf"))
    }

    #[test]
    fn comments_and_order_stay() {
        let before = "[package] # ours\nname = \"a\"\n\n[dev-dependencies]\n# for files\ntempfile = \"3\"\n\n\
                      [[test]]\nname = \"other\"\n\n[profile.release]\nlto = true\n";
        let after = "[package] # ours\nname = \"a\"\n\n[dev-dependencies]\n# for files\ntempfile = \"3\"\n\
                     perftest = \"0.1\"\n\n[[test]]\nname = \"other\"\n\n[[test]]\nname = \"perf\"\n\
                     harness = false\n\n[profile.release]\nlto = true\n";
        assert_eq!(both(before, &Dependency::Version("0.1")), after);
    }

    #[test]
    fn odd_shapes_are_continued_in_their_way() {
        let inline =
            "test = [{ name = \"other\" }]\ndev-dependencies.a = \"1\"\n[package]\nname = \"a\"\n";
        let after = both(inline, &Dependency::Workspace);
        let parsed: toml::Table = after.parse().unwrap();
        assert!(has_target(&parsed, "perf"), "{after}");
        assert_eq!(parsed["dev-dependencies"]["perftest"]["workspace"], true.into(), "{after}");
        let own_table = "[package]\nname = \"a\"\n[dev-dependencies.a]\nversion = \"1\"\n";
        let after = both(own_table, &Dependency::Path("../perftest".into()));
        let parsed: toml::Table = after.parse().unwrap();
        assert_eq!(parsed["dev-dependencies"]["perftest"]["path"], "../perftest".into(), "{after}");
        assert_eq!(parsed["dev-dependencies"]["a"]["version"], "1".into(), "{after}");
    }

    #[test]
    fn a_target_with_the_usual_harness_gets_its_own_main() {
        let half = "[[test]]\nname = \"perf\"\nrequired-features = [\"x\"]\n";
        assert!(!has_target(&half.parse().unwrap(), "perf"));
        let whole = changed(half, |manifest| add_target(manifest, "perf"));
        assert_eq!(whole, format!("{half}harness = false\n"));
    }

    #[test]
    fn the_older_spelling_of_a_table_is_continued_unless_there_is_the_newer_one() {
        let older = "[dev_dependencies]\ntempfile = \"3\"\n";
        let after = with_dependency(older, &Dependency::Version("0.1"));
        assert_eq!(after, format!("{older}perftest = \"0.1\"\n"));
        let both = format!("{older}\n[dev-dependencies]\nrand = \"0.9\"\n");
        let after = with_dependency(&both, &Dependency::Version("0.1"));
        assert_eq!(after, format!("{both}perftest = \"0.1\"\n"));
    }

    #[test]
    fn cargo_goes_on_to_find_tests_unless_the_manifest_lists_them() {
        for before in ["[package]\nname = \"a\"\n", "[project]\nname = \"a\"\n"] {
            assert_eq!(changed(before, find_tests), format!("{before}autotests = true\n"));
        }
        for listed in ["[package]\nautotests = false\n", "[package]\n\n[[test]]\nname = \"a\"\n"] {
            assert_eq!(changed(listed, find_tests), listed);
        }
    }

    #[test]
    fn a_workspace_may_set_where_perftest_comes_from() {
        let has = |text: &str| workspace_has_perftest(&text.parse().unwrap());
        assert!(has("[workspace.dependencies]\nperftest = '0.1'"));
        assert!(
            !has("[workspace.dependencies]\nother = '0.1'")
                && !has("[dependencies]\nperftest = '1'")
        );
    }
}
