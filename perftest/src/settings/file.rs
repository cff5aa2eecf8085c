//! `perftest.toml`: settings of a whole package or workspace.
//!
//! ```text
//! [defaults]
//! tolerance = "8%"
//!
//! [[override]]
//! filter = "codec::frame::*"
//! budget = "10s"
//!
//! [profile.ci.defaults]
//! on_unclear = "fail"
//! ```

use super::effective::{LayerFrom, SettingOrigin};
use super::key::KEYS;
use super::layer::Layer;
use crate::misspelt::{MOST_WRONG, distance};
use perftest_core::list::IntoList;
use perftest_core::model::BenchmarkPattern;
use perftest_process::{describe_no_toml, settings_file, settings_text};
use std::path::{Path, PathBuf};
use toml_span::value::{Key, Table, ValueInner};
use toml_span::{Span, Value};

/// Tables of `cargo perftest check`, which reads them itself: they are no settings of tests.
const OF_THE_TOOL: [&str; 2] = ["threshold", "suppress"];

/// Describes a filter.
const FILTER: &str = "the whole name of a test as `cargo perftest history` or its result line prints it, or \
                      the common beginning of several names and one * behind it: filter = \"my-crate::frame::*\"";

const KNOWN: &str = "defaults, override, profile, threshold and suppress";

/// A parsed settings file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SettingsFile {
    pub(crate) path: PathBuf,
    base: FileSettings,
    profiles: Vec<(String, FileSettings)>,
}

/// The content of the file, or of one of its profiles.
#[derive(Debug, Clone, PartialEq, Default)]
struct FileSettings {
    defaults: Vec<KeyValue>,
    /// In file order: the first override that fits the test and sets a key counts.
    overrides: Vec<Override>,
}

/// Settings of the tests that a filter matches.
#[derive(Debug, Clone, PartialEq)]
struct Override {
    filter: BenchmarkPattern,
    /// The line of the filter.
    line: usize,
    parts: Vec<KeyValue>,
}

/// A key with its value, and its line.
#[derive(Debug, Clone, PartialEq)]
struct KeyValue {
    layer: Layer,
    line: usize,
}

impl SettingsFile {
    /// Returns the nearest file in `directory` and its parents, up to `root`; `None` without one.
    ///
    /// # Errors
    /// A message with file and line when it cannot be read.
    pub(super) fn nearest(directory: &Path, root: &Path) -> Result<Option<Self>, String> {
        let Some(path) = settings_file(directory, root) else {
            return Ok(None);
        };
        Self::parse(&path, &settings_text(&path)?).map(Some)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, String> {
        let reader = TableReader { path, text };
        let root = toml_span::parse(text)
            .map_err(|error| reader.wrong(error.span, &describe_no_toml(&error)))?;
        let Some(root) = root.as_table() else {
            return Err(reader.wrong(root.span, "settings are tables"));
        };
        let mut file =
            Self { path: path.to_owned(), base: FileSettings::default(), profiles: Vec::new() };
        for (key, value) in root {
            match key.name.as_ref() {
                "profile" => file.profiles = reader.profiles(key, value)?,
                of_the_tool if OF_THE_TOOL.contains(&of_the_tool) => {}
                _ => reader.content(key, value, &mut file.base, KNOWN)?,
            }
        }
        Ok(file)
    }

    /// The names of the file's profiles.
    pub(super) fn profiles(&self) -> impl Iterator<Item = &str> {
        self.profiles.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the layers for a test under a profile, the strongest first: overrides before
    /// defaults, and in both the profile first. `fits` returns whether a filter matches the test.
    pub(super) fn layers(
        &self,
        profile: Option<&str>,
        fits: impl Fn(&BenchmarkPattern) -> bool,
    ) -> Vec<LayerFrom> {
        let overrides = self.contents(profile).flat_map(|content| &content.overrides);
        let fitting = overrides.filter(|it| fits(&it.filter)).flat_map(|it| &it.parts);
        let defaults = self.contents(profile).flat_map(|content| &content.defaults);
        fitting.chain(defaults).map(|part| self.layer_from(part)).into_list()
    }

    /// The filters in force under a profile, with their lines.
    pub(super) fn filters(
        &self,
        profile: Option<&str>,
    ) -> impl Iterator<Item = (usize, &BenchmarkPattern)> {
        let overrides = self.contents(profile).flat_map(|content| &content.overrides);
        overrides.map(|it| (it.line, &it.filter))
    }

    /// The content of the profile, then the content outside all profiles.
    fn contents(&self, profile: Option<&str>) -> impl Iterator<Item = &FileSettings> {
        let profile = self.profiles.iter().find(|(name, _)| Some(name.as_str()) == profile);
        profile.map(|(_, content)| content).into_iter().chain([&self.base])
    }

    fn layer_from(&self, part: &KeyValue) -> LayerFrom {
        let name = self.path.file_name().unwrap_or_default();
        let path = name.to_string_lossy().into_owned();
        LayerFrom { origin: SettingOrigin::File { path, line: part.line }, layer: part.layer }
    }
}

/// Reads the tables of one file, and adds the line to an error.
struct TableReader<'a> {
    path: &'a Path,
    text: &'a str,
}

impl TableReader<'_> {
    fn profiles(
        &self,
        key: &Key<'_>,
        value: &Value<'_>,
    ) -> Result<Vec<(String, FileSettings)>, String> {
        let mut profiles = Vec::new();
        for (name, profile) in self.table(key, value)? {
            let mut content = FileSettings::default();
            for (key, value) in self.table(name, profile)? {
                self.content(key, value, &mut content, "defaults and override")?;
            }
            profiles.push((name.name.clone().into_owned(), content));
        }
        Ok(profiles)
    }

    /// Reads one table of a content; `known` lists the allowed tables.
    fn content(
        &self,
        key: &Key<'_>,
        value: &Value<'_>,
        content: &mut FileSettings,
        known: &str,
    ) -> Result<(), String> {
        match key.name.as_ref() {
            "defaults" => {
                content.defaults = self.parts(&mut self.table(key, value)?.iter())?;
            }
            "override" => content.overrides = self.overrides(key, value)?,
            unknown => {
                let why = format!("unknown table `{unknown}`; the tables here are {known}");
                return Err(self.wrong(key.span, &why));
            }
        }
        Ok(())
    }

    fn overrides(&self, key: &Key<'_>, value: &Value<'_>) -> Result<Vec<Override>, String> {
        let Some(array) = value.as_array() else {
            return Err(self.wrong(key.span, "there may be several: write [[override]]"));
        };
        array.iter().map(|value| self.an_override(key, value)).into_list_of_ok()
    }

    fn an_override(&self, key: &Key<'_>, value: &Value<'_>) -> Result<Override, String> {
        let table = self.table(key, value)?;
        let first = table.keys().map(|key| key.span).min_by_key(|span| span.start);
        let Some(filter) = table.get("filter") else {
            let why = format!("an override needs a filter: {FILTER}");
            return Err(self.wrong(first.unwrap_or(value.span), &why));
        };
        let mut settings = table.iter().filter(|(key, _)| key.name != "filter");
        Ok(Override {
            filter: self.filter(filter)?,
            line: self.line(filter.span),
            parts: self.parts(&mut settings)?,
        })
    }

    /// A filter that can match some test.
    fn filter(&self, value: &Value<'_>) -> Result<BenchmarkPattern, String> {
        let text = value.as_str().unwrap_or_default();
        let beginning = text.strip_suffix('*').unwrap_or(text);
        if text.is_empty() || beginning.contains('*') {
            let why = format!("the filter \"{text}\" matches no test: it is {FILTER}");
            return Err(self.wrong(value.span, &why));
        }
        Ok(BenchmarkPattern::new(text))
    }

    /// Reads each setting by itself.
    fn parts<'t, 'de: 't>(
        &self,
        settings: &mut dyn Iterator<Item = (&'t Key<'de>, &'t Value<'de>)>,
    ) -> Result<Vec<KeyValue>, String> {
        let mut parts = Vec::new();
        for (key, value) in settings {
            let name = key.name.as_ref();
            let known = KEYS.iter().find(|it| it.name == name).ok_or_else(|| {
                self.wrong(key.span, &format!("unknown key `{name}`{}", advice(name)))
            })?;
            let mut layer = Layer::SILENT;
            known.read(&text_of(value), &mut layer).map_err(|takes| {
                self.wrong(key.span, &format!("the value of `{name}` cannot be read: {takes}"))
            })?;
            parts.push(KeyValue { layer, line: self.line(key.span) });
        }
        Ok(parts)
    }

    fn table<'v, 'de>(
        &self,
        key: &Key<'_>,
        value: &'v Value<'de>,
    ) -> Result<&'v Table<'de>, String> {
        let why = || self.wrong(key.span, &format!("`{key}` is a table of settings"));
        value.as_table().ok_or_else(why)
    }

    fn wrong(&self, place: Span, why: &str) -> String {
        format!("{}:{}: {why}", self.path.display(), self.line(place))
    }

    fn line(&self, place: Span) -> usize {
        let before = self.text.as_bytes().iter().take(place.start);
        1 + before.count_where(|byte| **byte == b'\n')
    }
}

/// Suggests a replacement for an unknown key.
fn advice(key: &str) -> String {
    if key == "filter" {
        return ": a filter belongs into [[override]]".to_owned();
    }
    let distances = KEYS.iter().map(|known| (distance(key, known.name), known.name));
    match distances.min() {
        Some((wrong, known)) if wrong <= MOST_WRONG => format!(": did you mean `{known}`?"),
        _ => {
            let known: Vec<&str> = KEYS.iter().map(|known| known.name).into_list();
            format!("; the keys are {}", known.iter().joined(", "))
        }
    }
}

/// A value in the form of an environment variable; a number keeps its point.
fn text_of(value: &Value<'_>) -> String {
    match value.as_ref() {
        ValueInner::String(text) => text.clone().into_owned(),
        ValueInner::Integer(number) => number.to_string(),
        ValueInner::Float(number) => format!("{number:?}"),
        ValueInner::Boolean(flag) => flag.to_string(),
        ValueInner::Array(_) | ValueInner::Table(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::effective::effective;
    use perftest_core::model::BenchmarkId;
    use perftest_process::SETTINGS_FILE;

    const EXAMPLE: &str = r#"
[defaults]
tolerance = 1.08

[[override]]
filter = "codec::frame::*"
tolerance = "20%"
budget = "10s"

[[override]]
filter = "codec::*"
tolerance = "30%"
limit = "50ms"

[profile.ci.defaults]
on_unclear = "fail"
tolerance = 0.5

[[profile.ci.override]]
filter = "codec::frame::encode"
budget = "1m"
"#;

    fn parse(text: &str) -> Result<SettingsFile, String> {
        SettingsFile::parse(Path::new("perftest.toml"), text)
    }

    fn of(profile: Option<&str>, test: &str) -> crate::settings::Settings {
        let file = parse(EXAMPLE).unwrap();
        let test = BenchmarkId::from_recorded(test);
        effective(&file.layers(profile, |filter| filter.matches(&test)))
    }

    fn line(line: usize) -> SettingOrigin {
        SettingOrigin::File { path: "perftest.toml".into(), line }
    }

    #[test]
    fn of_all_that_fits_a_test_the_first_override_counts_key_by_key() {
        let settings = of(None, "codec::frame::encode");
        assert_eq!((settings.tolerance.value.share(), settings.tolerance.origin), (0.2, line(7)));
        assert_eq!(
            (settings.limit.value.map(|it| it.as_millis()), settings.limit.origin),
            (Some(50), line(13))
        );
        assert_eq!(of(None, "other::test").tolerance.origin, line(3));
    }

    #[test]
    fn a_profile_is_stronger_than_the_rest_of_its_kind_and_weaker_than_an_override() {
        let settings = of(Some("ci"), "codec::frame::encode");
        assert_eq!((settings.budget.value.as_secs(), settings.budget.origin), (60, line(21)));
        assert_eq!(settings.tolerance.value.share(), 0.2);
        assert_eq!(of(Some("ci"), "other::test").tolerance.value.share(), 0.5);
        assert_eq!(of(None, "other::test").on_unclear.origin, SettingOrigin::BuiltIn);
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line_and_what_there_is() {
        for (text, line, layer_from) in [
            (
                "[defaults]\ntolerence = \"5%\"",
                2,
                "unknown key `tolerence`: did you mean `tolerance`?",
            ),
            ("[defaults]\nspeed = 1", 2, "unknown key `speed`; the keys are tolerance, budget"),
            ("[defaults]\nfilter = \"a::*\"", 2, "a filter belongs into [[override]]"),
            ("[defaults]\n\ntolerance = 5", 3, "a percentage"),
            ("[defaults]\nbudget = [1]", 2, "a time such as"),
            (
                "[default]\nbudget = \"1s\"",
                1,
                "defaults, override, profile, threshold and suppress",
            ),
            ("defaults = 1", 1, "is a table"),
            ("[override]\nfilter = \"a\"", 1, "[[override]]"),
            ("[[override]]\nbudget = \"1s\"", 2, "needs a filter"),
            ("[[override]]\nfilter = \"a::*::x\"", 2, "one * behind it"),
            ("[[override]]\nlimit = \"1s\"\nfilter = \"*::x*\"", 3, "matches no test"),
            ("[[override]]\nfilter = \"\"", 2, "the filter \"\" matches no test"),
            ("[[override]]\nfilter = 5", 2, "result line prints"),
            ("[profile.ci]\nbudget = \"1s\"", 2, "defaults and override"),
            (
                "[defaults]\nbudget = 1s",
                2,
                "this is no TOML that tests can read: invalid number. Write texts",
            ),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.starts_with(&format!("perftest.toml:{line}: ")), "{message}");
            assert!(message.contains(layer_from), "{message}");
        }
    }

    #[test]
    fn the_tables_of_the_tool_are_passed_over_and_stand_in_no_profile() {
        let file = parse(
            "[[threshold]]\nname = 1\nwhatever = []\n[[suppress]]\n[defaults]\nbudget = \"1s\"",
        );
        let settings = effective(&file.unwrap().layers(None, |_| true));
        assert_eq!(settings.budget.value.as_secs(), 1);
        let message = parse("[[profile.ci.threshold]]\nname = \"a\"").unwrap_err();
        assert!(message.contains("unknown table `threshold`"), "{message}");
    }

    #[test]
    fn the_nearest_file_counts_and_none_above_the_root() {
        let root = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(root.path()).unwrap();
        let package = root.join("workspace/package");
        std::fs::create_dir_all(&package).unwrap();
        let nearest =
            |root: &Path| SettingsFile::nearest(&package, root).unwrap().map(|it| it.path);
        let write =
            |directory: &Path| std::fs::write(directory.join(SETTINGS_FILE), "[defaults]").unwrap();
        assert_eq!(nearest(&root), None);
        write(&root);
        assert_eq!(nearest(&root.join("workspace")), None);
        assert_eq!(nearest(&root), Some(root.join(SETTINGS_FILE)));
        write(&package);
        assert_eq!(nearest(&root), Some(package.join(SETTINGS_FILE)));
    }
}
