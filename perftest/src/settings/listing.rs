//! The effective settings of all tests, and where each value comes from.

use super::effective::{Origin, Settings};
use super::key::{KEYS, Key};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// A test and its settings.
pub(crate) struct Row {
    pub test: String,
    pub settings: Settings,
}

/// A table: one line a test and setting, under a head, with the settings file below.
pub(crate) fn as_table(rows: &[Row], file: Option<&PathBuf>) -> String {
    let head = ["test", "setting", "value", "from"].map(str::to_owned);
    let lines = rows.iter().flat_map(|row| KEYS.iter().map(|key| line(row, key)));
    let lines: Vec<[String; 4]> = [head].into_iter().chain(lines).collect();
    let width = |column: usize| lines.iter().map(|it| it[column].chars().count()).max();
    let widths = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for [test, setting, value, from] in &lines {
        let [a, b, c] = widths;
        text.push_str(&format!("{test:<a$}  {setting:<b$}  {value:<c$}  {from}\n"));
    }
    let file = file.map_or("none".to_owned(), |path| path.display().to_string());
    text + &format!("\nsettings file: {file}\n")
}

/// One JSON object a line and test.
pub(crate) fn as_json(rows: &[Row], file: Option<&PathBuf>) -> String {
    let file = file.map(|path| path.display().to_string());
    rows.iter().map(|row| format!("{}\n", object(row, file.as_deref()))).collect()
}

fn line(row: &Row, key: &Key) -> [String; 4] {
    let (value, origin) = (key.show)(&row.settings);
    [row.test.clone(), key.name.to_owned(), value, from(origin, key)]
}

fn object(row: &Row, file: Option<&str>) -> Value {
    let mut settings = Map::new();
    for key in &KEYS {
        let (value, origin) = (key.show)(&row.settings);
        settings.insert(key.name.to_owned(), json!({ "value": value, "from": from(origin, key) }));
    }
    json!({ "type": "settings", "v": 1, "name": row.test, "settings": settings, "file": file })
}

fn from(origin: &Origin, key: &Key) -> String {
    match origin {
        Origin::BuiltIn => "built in".to_owned(),
        Origin::File { path, line } => format!("{path}:{line}"),
        Origin::Group(place) => format!("group at {place}"),
        Origin::Attribute => "attribute".to_owned(),
        Origin::Variable => key.variable(),
    }
}
