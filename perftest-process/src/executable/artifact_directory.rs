//! Where cargo puts what a build with one profile makes.

use std::path::Path;

/// Returns the directory of the profile that this test executable was built with, such as `target/release`; `None` for
/// an executable in none of the directories that cargo has for tests: `deps` or `examples` of the profile, or
/// `build/PACKAGE/HASH/out` of it. The programs of the package are elsewhere if `build.build-dir` is set.
///
/// ```
/// # use std::path::Path;
/// let artifacts = |executable| perftest_process::artifact_directory(Path::new(executable));
/// assert_eq!(artifacts("/w/target/release/deps/perf-1f"), Some(Path::new("/w/target/release")));
/// assert_eq!(artifacts("/usr/bin/perf"), None);
/// ```
pub fn artifact_directory(executable: &Path) -> Option<&Path> {
    let mut directories = executable.ancestors().skip(1);
    let own = directories.next()?;
    if own.ends_with("deps") || own.ends_with("examples") {
        return directories.next();
    }
    let build = directories.nth(2).filter(|it| own.ends_with("out") && it.ends_with("build"))?;
    build.parent()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layout_of_a_build_directory_has_its_profile() {
        let release = Some(Path::new("/w/target/release"));
        for executable in ["deps/perf-1f", "examples/demo-1f", "build/codec/0804/out/perf-1f"] {
            let executable = Path::new("/w/target/release").join(executable);
            assert_eq!(artifact_directory(&executable), release, "{}", executable.display());
        }
    }

    #[test]
    fn an_executable_elsewhere_has_none() {
        for executable in ["perf-1f", "out/perf-1f", "/w/release/perf", "/w/built/codec/0804/out/a"]
        {
            assert_eq!(artifact_directory(Path::new(executable)), None, "{executable}");
        }
    }
}
