//! The variables of its package that cargo sets while a test runs.

use serde_json::Value;
use std::ffi::OsString;

/// The directory of the outputs of a build script.
pub(super) const OUT_DIR: &str = "OUT_DIR";

/// What a build says about the packages of its tests.
#[derive(Debug)]
pub(super) struct PackageVariables<'a> {
    /// Cargo's messages of the build.
    pub(super) messages: &'a [Value],
    /// The output of `cargo metadata`.
    pub(super) metadata: &'a Value,
}

impl PackageVariables<'_> {
    /// Returns the variables of the test executable in this message of the build.
    ///
    /// Source: The Cargo Book, Environment Variables, those that cargo sets for crates, as far as `cargo test` sets them
    /// at run time.
    pub(super) fn of(&self, artifact: &Value) -> Vec<(String, OsString)> {
        let package = &artifact["package_id"];
        let described = self.metadata["packages"].as_array().into_iter().flatten();
        let described = described.filter(|it| it["id"] == *package).flat_map(of_manifest);
        let of_package = || self.messages.iter().filter(|it| it["package_id"] == *package);
        let of_script: Vec<_> = of_package().flat_map(of_build_script).collect();
        // The script also ran for the host, with other features: it is not known whose value is the test's.
        let is_known = |(name, value): &(String, String)| {
            of_script.iter().all(|(other, it)| other != name || it == value)
        };
        let of_script = of_script.iter().filter(|it| is_known(it)).cloned();
        let kind = artifact["target"]["kind"][0].as_str();
        // Tests inside of a library or program get none.
        let has_programs = matches!(kind, Some("test" | "bench"));
        let programs = of_package().filter(|_| has_programs).filter_map(program);
        // A build script changes nothing that cargo says itself.
        let variables = of_script.chain(described).chain(programs);
        variables.map(|(name, value)| (name, value.into())).collect()
    }
}

/// Returns what cargo says of a package in its manifest.
fn of_manifest(package: &Value) -> Vec<(String, String)> {
    const FIELDS: [&str; 9] = [
        "name",
        "version",
        "description",
        "homepage",
        "repository",
        "license",
        "license_file",
        "rust_version",
        "readme",
    ];
    let text = |field: &Value| field.as_str().unwrap_or_default().to_owned();
    let fields = FIELDS.map(|field| (field.to_uppercase(), text(&package[field])));
    let authors = package["authors"].as_array().into_iter().flatten().map(text);
    let authors = ("AUTHORS".to_owned(), authors.collect::<Vec<_>>().join(":"));
    let variables = fields.into_iter().chain([authors]).chain(parts_of(&text(&package["version"])));
    let variables = variables.map(|(name, value)| (format!("CARGO_PKG_{name}"), value));
    let manifest = ("CARGO_MANIFEST_PATH".to_owned(), text(&package["manifest_path"]));
    variables.chain([manifest]).collect()
}

/// Returns the parts of a version: `1.2.3-rc.1+build`.
fn parts_of(version: &str) -> [(String, String); 4] {
    let version = version.split('+').next().unwrap_or_default();
    let (numbers, pre) = version.split_once('-').unwrap_or((version, ""));
    let mut numbers = numbers.split('.');
    let mut part = |name: &str| (name.to_owned(), numbers.next().unwrap_or_default().to_owned());
    let numbers = ["VERSION_MAJOR", "VERSION_MINOR", "VERSION_PATCH"].map(&mut part);
    let [major, minor, patch] = numbers;
    [major, minor, patch, ("VERSION_PRE".to_owned(), pre.to_owned())]
}

/// Returns what a build script has set; empty for other messages.
fn of_build_script(message: &Value) -> Vec<(String, String)> {
    let set = message["env"].as_array().into_iter().flatten();
    let set = set.filter_map(|it| Some((it[0].as_str()?.to_owned(), it[1].as_str()?.to_owned())));
    let directory = message["out_dir"].as_str().map(|it| (OUT_DIR.to_owned(), it.to_owned()));
    set.chain(directory).collect()
}

/// Returns the variable for a program of the package that was built.
fn program(message: &Value) -> Option<(String, String)> {
    let is_program = message["target"]["kind"][0] == "bin" && message["profile"]["test"] == false;
    let name = message["target"]["name"].as_str().filter(|_| is_program)?;
    Some((format!("CARGO_BIN_EXE_{name}"), message["executable"].as_str()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn script(package: &str, word: &str) -> Value {
        json!({ "reason": "build-script-executed", "package_id": package,
                "env": [["WORD", word], ["SIZE", "1000"], ["CARGO_PKG_NAME", "changed"]],
                "out_dir": format!("/t/{word}/out") })
    }

    fn variables(kind: &str) -> Vec<(String, OsString)> {
        let bin = |package: &str, test: bool| {
            json!({ "package_id": package, "profile": { "test": test }, "executable": "/t/codec",
                    "target": { "kind": ["bin"], "name": "codec" } })
        };
        let messages = [
            script("other", "theirs"),
            script("codec", "ours"),
            bin("other", false),
            bin("codec", true),
            bin("codec", false),
        ];
        let metadata = json!({ "packages": [
            { "id": "other", "name": "other" },
            { "id": "codec", "name": "codec", "version": "1.2.3-rc.1+build", "license": null,
              "authors": ["A", "B"], "manifest_path": "/w/codec/Cargo.toml" },
        ]});
        let build = PackageVariables { messages: &messages, metadata: &metadata };
        build.of(&json!({ "package_id": "codec", "target": { "kind": [kind], "name": "perf" } }))
    }

    #[test]
    fn a_test_gets_the_variables_of_its_own_package() {
        let variables = variables("test");
        for (name, value) in [
            ("CARGO_PKG_NAME", "codec"),
            ("CARGO_PKG_VERSION", "1.2.3-rc.1+build"),
            ("CARGO_PKG_VERSION_MINOR", "2"),
            ("CARGO_PKG_VERSION_PATCH", "3"),
            ("CARGO_PKG_VERSION_PRE", "rc.1"),
            ("CARGO_PKG_AUTHORS", "A:B"),
            ("CARGO_PKG_LICENSE", ""),
            ("CARGO_MANIFEST_PATH", "/w/codec/Cargo.toml"),
            ("WORD", "ours"),
            ("OUT_DIR", "/t/ours/out"),
            ("CARGO_BIN_EXE_codec", "/t/codec"),
        ] {
            let last = variables.iter().rfind(|(it, _)| it == name);
            assert_eq!(last, Some(&(name.to_owned(), value.into())));
        }
    }

    #[test]
    fn what_two_runs_of_a_build_script_disagree_about_is_not_set() {
        let messages = [script("codec", "hosts"), script("codec", "ours")];
        let build = PackageVariables { messages: &messages, metadata: &json!({}) };
        let variables = build.of(&json!({ "package_id": "codec" }));
        let has = |name: &str| variables.iter().any(|(it, _)| it == name);
        assert!(has("SIZE") && !has("WORD") && !has("OUT_DIR"), "{variables:?}");
    }

    #[test]
    fn tests_inside_of_a_library_get_no_programs() {
        let is_program = |(name, _): &(String, OsString)| name.starts_with("CARGO_BIN_EXE_");
        assert!(!variables("lib").iter().any(is_program));
    }
}
