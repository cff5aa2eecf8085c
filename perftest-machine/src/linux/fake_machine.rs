//! A machine made of files: the trees of `tests/fixtures/sysfs`, laid out in a directory.

use super::{sensors::Sensors, tree::Tree};
use serde_json::{Map, Value};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A tree of files that lives as long as this value.
pub(super) struct FakeMachine {
    root: TempDir,
    description: Value,
}

impl FakeMachine {
    /// A machine without any file.
    pub(super) fn empty() -> Self {
        Self { root: tempfile::tempdir().unwrap(), description: Value::Null }
    }

    /// The machine of a fixture, as it is before a measurement.
    pub(super) fn load(name: &str) -> Self {
        let text = fs::read_to_string(fixtures().join(format!("{name}.json"))).unwrap();
        let machine = Self { description: serde_json::from_str(&text).unwrap(), ..Self::empty() };
        machine.overlay(machine.description["files"].as_object().unwrap());
        for (link, target) in machine.description["links"].as_object().unwrap() {
            machine.link(link, target.as_str().unwrap());
        }
        machine.link_policies();
        for path in machine.description["root_only"].as_array().unwrap() {
            machine.forbid(path.as_str().unwrap());
        }
        machine
    }

    /// Names of the fixtures.
    pub(super) fn names() -> Vec<String> {
        let files = fs::read_dir(fixtures()).unwrap().map(|file| file.unwrap().path());
        let machines = files.filter(|path| path.extension().is_some_and(|kind| kind == "json"));
        let mut names: Vec<_> =
            machines.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        names.sort();
        names
    }

    /// Changes the files to those of a state after the measurement.
    pub(super) fn enter(&self, state: &str) {
        self.overlay(self.description["states"][state].as_object().unwrap());
    }

    /// Changes the files back to those before the measurement.
    pub(super) fn leave(&self, state: &str) {
        let before = &self.description["files"];
        for path in self.description["states"][state].as_object().unwrap().keys() {
            match before[path].as_str() {
                Some(content) => self.write(path, content),
                None => self.remove(path),
            }
        }
    }

    /// Names of the states of the fixture.
    pub(super) fn states(&self) -> Vec<String> {
        self.description["states"].as_object().unwrap().keys().cloned().collect()
    }

    /// The values that a reader must return, for the machine itself and for each state.
    pub(super) fn expectations(&self) -> &Map<String, Value> {
        self.description["expect"].as_object().unwrap()
    }

    /// Writes files in which the calling thread runs on this processor.
    pub(super) fn runs_on(&self, cpu: u32) {
        let zeros = " 0".repeat(35);
        self.write("proc/thread-self/stat", &format!("7 (test) R{zeros} {cpu} 0 0\n"));
    }

    /// Writes a file.
    pub(super) fn write(&self, path: &str, content: &str) {
        let path = self.root.path().join(path);
        // Hundreds of files are in few directories, so most directories exist already.
        if fs::write(&path, content).is_err() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }

    /// Writes a file that is no text.
    pub(super) fn write_bytes(&self, path: &str, content: &[u8]) {
        fs::write(self.root.path().join(path), content).unwrap();
    }

    /// Makes a symbolic link.
    pub(super) fn link(&self, path: &str, target: &str) {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    /// Makes a file readable for the administrator alone.
    fn forbid(&self, path: &str) {
        fs::set_permissions(self.root.path().join(path), Permissions::from_mode(0o000)).unwrap();
    }

    /// Removes a file or a directory.
    pub(super) fn remove(&self, path: &str) {
        let path = self.root.path().join(path);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }

    /// Every file of the fixture.
    pub(super) fn files(&self) -> Vec<String> {
        self.description["files"].as_object().unwrap().keys().cloned().collect()
    }

    /// The files for a reader.
    pub(super) fn tree(&self) -> Tree {
        Tree::new(self.root.path())
    }

    /// The directory of the files.
    pub(super) fn root(&self) -> &Path {
        self.root.path()
    }

    /// All sensors of the machine.
    pub(super) fn sensors(&self) -> Sensors {
        Sensors::below(self.root.path())
    }

    /// Adds the kernel's link from each processor to its policy, which a fixture may leave out.
    fn link_policies(&self) {
        let tree = self.tree();
        for (cpu, _) in tree.numbered("sys/devices/system/cpu/cpufreq", "policy", "") {
            let link = format!("sys/devices/system/cpu/cpu{cpu}/cpufreq");
            if !tree.has(&link) {
                self.link(&link, &format!("../cpufreq/policy{cpu}"));
            }
        }
    }

    fn overlay(&self, files: &Map<String, Value>) {
        for (path, content) in files {
            match content.as_str() {
                Some(content) => self.write(path, content),
                None => self.remove(path),
            }
        }
    }
}

/// Where the fixtures are.
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sysfs")
}
