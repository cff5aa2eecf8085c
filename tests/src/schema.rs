//! Compares texts with the schemas of `docs/reference/schema`, by tools that `ci/install-tools.sh` installs.

use serde_json::Value;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Compares files with the first one.
const COMPARE_JSON: &str = "
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit(NOT_INSTALLED)
schema, *values = [json.load(open(file)) for file in sys.argv[1:]]
for value in values:
    jsonschema.validate(value, schema)
";
/// The exit code of a tool that lacks its library, and of a shell that lacks a tool.
const NOT_INSTALLED: i32 = 127;

/// Asserts that each of these values fits the schema.
///
/// # Panics
/// When one does not; in CI also where the tool is missing.
pub fn assert_json_conforms(schema: &str, values: &[Value]) {
    let texts = TempDir::new().expect("a temporary directory");
    let script = COMPARE_JSON.replace("NOT_INSTALLED", &NOT_INSTALLED.to_string());
    let mut command = Command::new("python3");
    command.args(["-c", &script]).arg(file(schema));
    for (number, value) in values.iter().enumerate() {
        command.arg(write(&texts, &number.to_string(), &value.to_string()));
    }
    assert_finds_nothing("jsonschema for Python", &mut command);
}

/// Asserts that this XML fits the schema.
///
/// # Panics
/// When it does not; in CI also where the tool is missing.
pub fn assert_xml_conforms(schema: &str, text: &str) {
    let texts = TempDir::new().expect("a temporary directory");
    let mut command = Command::new("xmllint");
    command.args(["--noout", "--nonet", "--schema"]).arg(file(schema));
    assert_finds_nothing("xmllint", command.arg(write(&texts, "text", text)));
}

fn file(schema: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/schema").join(schema)
}

fn write(directory: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = directory.path().join(name);
    fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path
}

#[expect(clippy::print_stderr, reason = "where nothing is compared, nobody believes that it was")]
fn assert_finds_nothing(tool: &str, command: &mut Command) {
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        output => Some(output.expect("the tool starts")),
    };
    match output.filter(|it| it.status.code() != Some(NOT_INSTALLED)) {
        Some(output) => {
            let [out, errors] =
                [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
            assert!(output.status.success(), "{command:?}: {out}{errors}");
        }
        None => {
            assert!(env::var_os("CI").is_none(), "{tool} is not installed");
            eprintln!("compared with no schema, because {tool} is not installed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn what_does_not_fit_a_schema_is_found() {
        let tool = Command::new("python3").args(["-c", "import jsonschema"]).output();
        if tool.is_ok_and(|it| it.status.success()) {
            let refused = catch_unwind(|| assert_json_conforms("bmf.schema.json", &[Value::Null]));
            assert!(refused.is_err());
        }
    }
}
