//! Compares texts with the schemas of `docs/reference/schema`, by tools that `ci/install-tools.sh` installs.

use serde_json::Value;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Asserts that each of these values fits the schema.
///
/// # Panics
/// When one does not; in CI also where the tool is missing.
pub fn assert_json_conforms(schema: &str, values: &[Value]) {
    let texts = TempDir::new().expect("a temporary directory");
    let mut command = Command::new("jsonschema");
    command.arg(file(schema));
    for (number, value) in values.iter().enumerate() {
        command.arg("--instance").arg(write(&texts, &number.to_string(), &value.to_string()));
    }
    // Without an instance it would read one from standard input.
    if !values.is_empty() {
        assert_finds_nothing(&mut command);
    }
}

/// Asserts that this XML fits the schema.
///
/// # Panics
/// When it does not; in CI also where the tool is missing.
pub fn assert_xml_conforms(schema: &str, text: &str) {
    let texts = TempDir::new().expect("a temporary directory");
    let mut command = Command::new("xmllint");
    command.args(["--noout", "--nonet", "--schema"]).arg(file(schema));
    assert_finds_nothing(command.arg(write(&texts, "text", text)));
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
fn assert_finds_nothing(command: &mut Command) {
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            assert!(env::var_os("CI").is_none(), "not installed: {command:?}");
            return eprintln!(
                "compared with no schema, because this is not installed: {command:?}"
            );
        }
        output => output.expect("the tool starts"),
    };
    let [out, errors] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    assert!(output.status.success(), "{command:?}: {out}{errors}");
}
