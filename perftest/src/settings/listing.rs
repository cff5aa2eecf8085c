//! The effective settings of all tests, with the place of each value.

use super::effective::{SettingOrigin, Settings};
use super::key::{KEYS, Key};
use super::written::percent;
use crate::perf_test::PerfTest;
use perftest_core::list::IntoList;
use perftest_store::JsonObject;
use std::path::Path;

const ATTRIBUTE: &str = "attribute";

/// A test with its settings.
pub(crate) struct SettingsRow {
    test: String,
    settings: Vec<Setting>,
    /// The settings file of its package.
    file: Option<String>,
}

/// One printed setting of a test.
struct Setting {
    name: &'static str,
    value: String,
    from: String,
}

impl SettingsRow {
    /// Lists all settings that count for `test`, and the given keys that only its attribute can
    /// set.
    pub(crate) fn of(test: &PerfTest, settings: &Settings, file: Option<&Path>) -> Self {
        let is_compared = test.rival_name().is_some();
        let keys = KEYS.iter().filter(|key| key.counts_beside_versus || !is_compared);
        let settings = keys.map(|key| {
            let (value, origin) = (key.show)(settings);
            Setting { name: key.name, value, from: from(origin, key) }
        });
        let own = of_attribute(test).into_iter().filter_map(|(name, value)| {
            Some(Setting { name, value: value?, from: ATTRIBUTE.to_owned() })
        });
        Self {
            test: test.listed_name(),
            settings: settings.chain(own).into_list(),
            file: file.map(|path| path.display().to_string()),
        }
    }
}

/// The given keys that influence the verdict and that only an attribute can set.
fn of_attribute(test: &PerfTest) -> [(&'static str, Option<String>); 5] {
    [
        ("curve", test.curve.map(|points| format!("{points:?}"))),
        ("metrics", (!test.metrics.is_empty()).then(|| metrics(test))),
        ("disk_probe", test.disk_probe.then(|| true.to_string())),
        ("versus", test.rival_name().map(str::to_owned)),
        ("formerly", test.former_benchmark().map(|it| it.to_string())),
    ]
}

/// `[wall, cpu, allocs = 1%]`
fn metrics(test: &PerfTest) -> String {
    let tolerance = |name| test.metric_tolerances.iter().find(|(it, _)| it == name);
    let further = test.metrics.iter().map(|name| match tolerance(name) {
        Some((_, share)) => format!("{name} = {}", percent(*share)),
        None => (*name).to_owned(),
    });
    let all: Vec<String> = ["wall".to_owned()].into_iter().chain(further).into_list();
    format!("[{}]", all.iter().joined(", "))
}

/// Formats a table: one line for each test and setting, under a head, with the settings files
/// below.
pub(crate) fn as_table(rows: &[SettingsRow], files: &[&Path]) -> String {
    let head = ["test", "setting", "value", "from"].map(str::to_owned);
    let lines = rows.iter().flat_map(|row| row.settings.iter().map(|it| line(row, it)));
    let lines: Vec<[String; 4]> = [head].into_iter().chain(lines).into_list();
    let width = |column: usize| lines.iter().map(|it| it[column].chars().count()).max();
    let widths = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for [test, setting, value, from] in &lines {
        let [a, b, c] = widths;
        text.push_str(&format!("{test:<a$}  {setting:<b$}  {value:<c$}  {from}\n"));
    }
    let files: Vec<String> = files.iter().map(|path| path.display().to_string()).into_list();
    let files = if files.is_empty() { "none".to_owned() } else { files.iter().joined(", ") };
    text + &format!("\nsettings file: {files}\n")
}

/// Formats one JSON object a line and test.
pub(crate) fn as_json(rows: &[SettingsRow]) -> String {
    rows.iter().map(|row| format!("{}\n", object(row))).joined("")
}

fn line(row: &SettingsRow, setting: &Setting) -> [String; 4] {
    let Setting { name, value, from } = setting;
    [row.test.clone(), (*name).to_owned(), value.clone(), from.clone()]
}

fn object(row: &SettingsRow) -> JsonObject {
    let mut settings = JsonObject::new();
    for Setting { name, value, from } in &row.settings {
        let setting = JsonObject::new().with("value", value.as_str()).with("from", from.as_str());
        settings.put(name, setting);
    }
    let object = JsonObject::new().with("type", "settings").with("v", 1_u32);
    object.with("name", row.test.as_str()).with("settings", settings).with("file", row.file.clone())
}

fn from(origin: &SettingOrigin, key: &Key) -> String {
    match origin {
        SettingOrigin::BuiltIn => "built in".to_owned(),
        SettingOrigin::File { path, line } => format!("{path}:{line}"),
        SettingOrigin::Group(place) => format!("group at {place}"),
        SettingOrigin::Attribute => ATTRIBUTE.to_owned(),
        SettingOrigin::Variable => key.variable(),
    }
}
