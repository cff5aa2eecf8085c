//! Which tests have the same code on both sides, so that they need no measuring.

use super::{DataFiles, SideDirectory, SideTest};
use perftest_process::{built_libraries, code_of};
use perftest_store::Digest;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

/// Checks whether executables of both sides have the same code, constants, variables and environment.
#[derive(Debug, Default)]
pub(crate) struct CodeCheck {
    /// The build directories of base and head; `None` if they are unknown.
    roots: Option<[PathBuf; 2]>,
    known: BTreeMap<PathBuf, String>,
    /// What differs beside the code.
    data: DataFiles,
}

/// The code of a test is the same on both sides.
#[derive(Debug, Default)]
pub(super) struct SameCode {
    /// A file that differs and that the test may read.
    pub(super) data_file: Option<String>,
}

impl CodeCheck {
    /// A check of what is built on these sides, base and head.
    pub(super) fn new(sides: &[SideDirectory; 2]) -> Self {
        let roots = sides.each_ref().map(|it| it.root.clone());
        Self { roots: Some(roots), ..Self::default() }
    }

    /// The same check where these files differ, too.
    pub(super) fn beside(self, data: DataFiles) -> Self {
        Self { data, ..self }
    }

    /// Returns whether the code is the same. An unreadable executable is never the same as another.
    pub(super) fn same_code(&mut self, base: &SideTest, head: &SideTest) -> Option<SameCode> {
        let code = self.code(base)?;
        let is_same = self.code(head)? == code;
        let data_file = || self.data.of_test(base, head).map(str::to_owned);
        is_same.then(|| SameCode { data_file: data_file() })
    }

    /// Returns digests of the code, constants and variables that a test measures, also in the shared libraries that
    /// cargo built, and of the environment that its configuration and its build script choose; `None` if the code cannot be read, or if the test
    /// starts programs.
    pub(crate) fn code(&mut self, test: &SideTest) -> Option<String> {
        if test.listed.programs.is_some() {
            return None;
        }
        let executable = &test.executable;
        if let Some(code) = self.known.get(&executable.path) {
            return Some(code.clone());
        }
        let variables = executable.environment.iter().chain(executable.chosen_variables());
        let mut environment = text_of(variables);
        self.unify_sides(&mut environment);
        let mut parts = vec![Digest::of(&environment).hex16()];
        let path = &executable.path;
        let libraries = built_libraries(path, path, &executable.library_path());
        for file in [path].into_iter().chain(&libraries) {
            let mut bytes = fs::read(file).ok()?;
            self.unify_sides(&mut bytes);
            parts.push(code_of(&bytes).text);
        }
        let code = parts.join(" ");
        self.known.insert(executable.path.clone(), code.clone());
        Some(code)
    }

    /// Executables and paths contain the directory of their sources, so the head's is replaced by the base's, which is
    /// as long.
    fn unify_sides(&self, bytes: &mut [u8]) {
        if let Some([base, head]) = &self.roots {
            let [base, head] = [base, head].map(|it| it.as_os_str().as_encoded_bytes());
            replace(bytes, head, base);
        }
    }
}

fn text_of<'a>(variables: impl Iterator<Item = (&'a String, &'a OsString)>) -> Vec<u8> {
    let parts = variables.flat_map(|(name, value)| [name.as_bytes(), value.as_encoded_bytes()]);
    parts.flat_map(|part| part.iter().chain(b"\0")).copied().collect()
}

/// Replaces each occurrence by text of the same length.
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    let (Some(first), true) = (old.first(), old.len() == new.len()) else {
        return;
    };
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| byte == first) {
        at += found;
        if bytes[at..].starts_with(old) {
            bytes[at..at + new.len()].copy_from_slice(new);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_same_executable_in_another_environment_is_not_the_same_code() {
        let in_side = |side: &str, name: &str, file: &str| {
            let mut test = SideTest::named("sum");
            test.executable.path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
            let value = format!("/c/{side}/{file}").into();
            test.executable.environment.insert(name.to_owned(), value);
            test
        };
        let sides = ["base", "head"].map(|it| SideDirectory { root: Path::new("/c").join(it) });
        let is_same = |base: &SideTest, head: &SideTest| {
            let codes = [base, head].map(|it| CodeCheck::new(&sides).code(it));
            assert!(codes[0].is_some());
            codes[0] == codes[1]
        };
        let base = in_side("base", "CORPUS", "words");
        assert!(is_same(&base, &in_side("head", "CORPUS", "words")));
        assert!(!is_same(&base, &in_side("head", "CORPUS", "lines")));
        assert!(!is_same(&base, &in_side("head", "WORDS", "words")));
        let built = |side: &str, size: &str| {
            let mut test = in_side(side, "CORPUS", "words");
            let out = format!("/c/{side}/target/build/codec-{side}/out");
            let [list, version] = [format!("{out}/list"), side.len().to_string() + side];
            let variables = [
                ("SIZE", size),
                ("LIST", &list),
                ("OUT_DIR", &out),
                ("CARGO_PKG_VERSION", &version),
            ];
            let variables = variables.map(|(name, value)| (name.to_owned(), value.into()));
            test.executable.package = variables.into();
            test
        };
        assert!(is_same(&built("base", "1000"), &built("head", "1000")));
        assert!(!is_same(&built("base", "1000"), &built("head", "2000")));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_same_executable_with_another_library_of_its_build_is_not_the_same_code() {
        let root = tempfile::tempdir().unwrap();
        let sides = ["base", "head"].map(|it| SideDirectory { root: root.path().join(it) });
        let tests = sides.each_ref().map(|side| {
            let mut test = SideTest::named("sum");
            test.executable.path = side.root.join("target/release/deps/perf");
            fs::create_dir_all(test.executable.path.parent().unwrap()).unwrap();
            fs::copy(std::env::current_exe().unwrap(), &test.executable.path).unwrap();
            test
        });
        let is_same = |libraries: [&str; 2]| {
            for (side, library) in sides.iter().zip(libraries) {
                fs::write(side.root.join("target/release/libc.so.6"), library).unwrap();
            }
            CodeCheck::new(&sides).same_code(&tests[0], &tests[1]).is_some()
        };
        assert!(is_same(["sums", "sums"]));
        assert!(!is_same(["sums", "sums slowly"]));
    }

    #[test]
    fn a_directory_is_replaced_wherever_it_stands() {
        let mut bytes = b"/c/head/x\0/c/hea/c/head".to_vec();
        replace(&mut bytes, b"/c/head", b"/c/base");
        assert_eq!(bytes, b"/c/base/x\0/c/hea/c/base");
        replace(&mut bytes, b"/c/base", b"/c");
        assert_eq!(bytes, b"/c/base/x\0/c/hea/c/base");
    }
}
