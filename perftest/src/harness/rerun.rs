//! The command that runs one test again, as this process was run.

use super::session::Session;
use crate::perf_test::PerfTest;
use perftest_core::list::IntoList;
use perftest_core::model::TargetKind;
use perftest_core::text::Text;
use perftest_core::words::quoted;
use perftest_process::artifact_directory;
use std::path::{Component, Path};

/// The command with the runner, the profile, the target and the package of this process. It selects no other test.
/// Where an ordinary test runs all cases of the function, so does the command. Features are not known here.
///
/// ```text
/// cargo test --release -p codec --test perf -- --exact frame::encode
/// cargo nextest run --release -p codec --test perf -E 'test(=frame::encode)'
/// ```
pub(super) fn rerun_command(session: &Session, test: &PerfTest) -> String {
    let executable = std::env::current_exe().unwrap_or_default();
    let subcommand = match (session.config.is_nextest, test.kind()) {
        (true, TargetKind::Bench) => "nextest bench",
        (true, _) => "nextest run",
        (false, TargetKind::Bench) => "bench",
        (false, _) => "test",
    };
    let mut words = vec!["cargo".to_owned(), subcommand.to_owned()];
    words.extend(build_options(&executable, subcommand));
    if !is_a_workspace(session.directory(test).ancestors()) {
        words.extend(["-p".to_owned(), quoted(test.package).into_owned()]);
    }
    words.extend(selector(test, &executable));
    words.extend(only(&session.names.of(test), session.config.is_nextest));
    words
        .extend(despite_ignore(test, session.config.is_nextest).iter().copied().map(str::to_owned));
    words.iter().joined(" ")
}

/// Returns whether the package in the first of these directories is a workspace for itself, where cargo selects it by
/// itself: it has the lock file. In one of the others, which are above it, another package or workspace may be the one that
/// cargo finds; then that file may be a leftover, and `-p` does no harm.
fn is_a_workspace<'a>(mut directories: impl Iterator<Item = &'a Path>) -> bool {
    let has = |directory: &Path, name: &str| directory.join(name).exists();
    let is_of_cargo = |it: &Path| has(it, "Cargo.toml") || has(it, "Cargo.lock");
    directories.next().is_some_and(|it| has(it, "Cargo.lock")) && !directories.any(is_of_cargo)
}

/// The options that select the test with this name alone.
fn only(name: &str, is_nextest: bool) -> Vec<String> {
    if is_nextest {
        // Source: "Escape sequences" of https://nexte.st/docs/filtersets/reference/
        let escaped = name.replaced("\\", r"\\").replaced(")", r"\)").replaced(",", r"\,");
        let filterset = format!("test(={escaped})");
        return vec!["-E".to_owned(), quoted(&filterset).into_owned()];
    }
    vec!["--".to_owned(), "--exact".to_owned(), quoted(name).into_owned()]
}

/// The options without which the runner leaves out a test with `#[ignore]`. They belong behind those of [`only`].
fn despite_ignore(test: &PerfTest, is_nextest: bool) -> &'static [&'static str] {
    match (test.ignore, is_nextest) {
        (None, _) => &[],
        (Some(_), true) => &["--run-ignored", "all"],
        (Some(_), false) => &["--include-ignored"],
    }
}

/// `--release`, or the profile of another name, and the target that was built for, as the place of the
/// executable has them: `target/[TRIPLE/]PROFILE` is its [artifact directory](artifact_directory).
fn build_options(executable: &Path, subcommand: &str) -> Vec<String> {
    let profile_directory = artifact_directory(executable);
    let name = |path: Option<&Path>| Some(path?.file_name()?.to_str()?.to_owned());
    let profile = name(profile_directory);
    let mut options = match profile.as_deref() {
        // `cargo bench` has this profile without being asked.
        Some("release") if subcommand == "bench" => Vec::new(),
        Some("release") | None => vec!["--release".to_owned()],
        Some("debug") => Vec::new(),
        Some(other) => {
            let option = if subcommand == "test" || subcommand == "bench" {
                "--profile"
            } else {
                "--cargo-profile"
            };
            vec![option.to_owned(), quoted(other).into_owned()]
        }
    };
    // Cargo marks the root of a target directory with this file. A directory in it may be another target
    // directory, whose name is hardly of three parts.
    let is_root = |directory: &Path| directory.join("CACHEDIR.TAG").exists();
    let above = profile_directory.and_then(Path::parent);
    let triple = name(above.filter(|it| it.parent().is_some_and(is_root)));
    if let Some(triple) = triple.filter(|it| it.parts("-").count() >= 3) {
        options.extend(["--target".to_owned(), quoted(&triple).into_owned()]);
    }
    options
}

/// The option that selects the test's target.
fn selector(test: &PerfTest, executable: &Path) -> Vec<String> {
    let is_example = executable.parent().is_some_and(|it| it.ends_with("examples"));
    let option = match test.kind() {
        TargetKind::Library => return vec!["--lib".to_owned()],
        TargetKind::Binary if is_example => "--example",
        TargetKind::Binary => "--bin",
        TargetKind::Test => "--test",
        TargetKind::Bench => "--bench",
    };
    vec![option.to_owned(), quoted(&target_name(test)).into_owned()]
}

/// The name of the target, whose crate has `_` for each `-`: that of a file or directory of its sources,
/// or of the package. Where none fits, cargo takes `?` for the letter that is not known.
fn target_name(test: &PerfTest) -> String {
    let krate = test.module_path.parts("::").next().unwrap_or_default();
    let stem = |part: Component<'_>| {
        let stem = Path::new(part.as_os_str()).file_stem()?;
        stem.to_str().map(str::to_owned)
    };
    let parts = Path::new(test.place.file).components().filter_map(stem);
    let mut candidates = parts.chain([test.package.to_owned()]);
    let found = candidates.find(|it| it.replaced("-", "_") == krate);
    found.unwrap_or_else(|| krate.replaced("_", "?"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf_test::tests::descriptor;
    use crate::registry::{Descriptor, Place};
    use std::fs;

    fn test_in(file: &'static str, module_path: &'static str, kind: TargetKind) -> PerfTest {
        let descriptor = descriptor(module_path, "encode");
        let descriptor = Descriptor {
            place: Place::new(file, 1),
            target: kind,
            package: "my-codec",
            ..descriptor
        };
        PerfTest::all_of(Box::leak(Box::new(descriptor))).remove(0)
    }

    fn selected(file: &'static str, module_path: &'static str, kind: TargetKind) -> String {
        selector(&test_in(file, module_path, kind), Path::new("/t/release/deps/x")).join(" ")
    }

    #[test]
    fn a_target_is_selected_by_the_name_that_cargo_knows() {
        let test = TargetKind::Test;
        assert_eq!(selected("tests/perf.rs", "perf::frame", test), "--test perf");
        assert_eq!(selected("tests/perf-fast.rs", "perf_fast", test), "--test perf-fast");
        assert_eq!(selected("tests/perf-fast/main.rs", "perf_fast", test), "--test perf-fast");
        assert_eq!(selected("tests/other.rs", "perf_fast", test), "--test 'perf?fast'");
        assert_eq!(selected("src/frame.rs", "my_codec::frame", TargetKind::Library), "--lib");
        assert_eq!(selected("src/main.rs", "my_codec", TargetKind::Binary), "--bin my-codec");
        assert_eq!(selected("benches/x.rs", "x", TargetKind::Bench), "--bench x");
    }

    #[test]
    fn a_test_is_selected_without_those_whose_names_begin_like_its_own() {
        let only = |name, is_nextest| only(name, is_nextest).join(" ");
        assert_eq!(only("frame::encode", false), "-- --exact frame::encode");
        assert_eq!(only("fill::Vec<u8>::10", false), "-- --exact 'fill::Vec<u8>::10'");
        assert_eq!(only("encode::10", true), "-E 'test(=encode::10)'");
        assert_eq!(only(r"fill::(u8, \)", true), r"-E 'test(=fill::(u8\, \\\))'");
    }

    #[test]
    fn a_test_that_is_ignored_is_selected_though_it_is() {
        let of = |ignore| {
            let descriptor = Descriptor { ignore, ..descriptor("perf", "encode") };
            PerfTest::all_of(Box::leak(Box::new(descriptor))).remove(0)
        };
        let ignored = of(Some("takes a minute"));
        assert_eq!(despite_ignore(&ignored, false), ["--include-ignored"]);
        assert_eq!(despite_ignore(&ignored, true), ["--run-ignored", "all"]);
        assert!(despite_ignore(&of(None), false).is_empty());
    }

    #[test]
    fn a_lock_file_that_was_left_in_a_member_makes_it_no_workspace() {
        let root = tempfile::tempdir().expect("there is room for a directory");
        let member = root.path().join("crates/codec");
        fs::create_dir_all(&member).expect("a directory can be made");
        // What is above the directory of this test is the machine's.
        let is_it = || is_a_workspace(member.ancestors().take(3));
        assert!(!is_it());
        fs::write(member.join("Cargo.lock"), "").expect("a file can be written");
        assert!(is_it());
        for of_workspace in ["Cargo.toml", "Cargo.lock"] {
            let file = root.path().join(of_workspace);
            fs::write(&file, "").expect("a file can be written");
            assert!(!is_it(), "{of_workspace}");
            fs::remove_file(file).expect("a file can be removed");
        }
    }

    #[test]
    fn profile_and_target_are_read_from_the_place_of_the_executable() {
        let root = tempfile::tempdir().expect("there is room for a directory");
        fs::write(root.path().join("CACHEDIR.TAG"), "").expect("a file can be written");
        let options = |place: &str, subcommand: &str| {
            build_options(&root.path().join(place), subcommand).join(" ")
        };
        assert_eq!(options("release/deps/perf-1f", "test"), "--release");
        assert_eq!(options("release/deps/perf-1f", "bench"), "");
        assert_eq!(options("debug/deps/perf-1f", "test"), "");
        assert_eq!(options("perf/deps/perf-1f", "test"), "--profile perf");
        assert_eq!(options("perf/deps/perf-1f", "nextest run"), "--cargo-profile perf");
        let in_other_layout = "build/codec/0804/out/perf-1f";
        assert_eq!(options(&format!("release/{in_other_layout}"), "test"), "--release");
        let for_musl = "x86_64-unknown-linux-musl/release/deps/perf-1f";
        let expected = "--release --target x86_64-unknown-linux-musl";
        assert_eq!(options(for_musl, "nextest run"), expected);
        let for_musl = format!("x86_64-unknown-linux-musl/release/{in_other_layout}");
        assert_eq!(options(&for_musl, "nextest run"), expected);
        assert_eq!(options("other/release/deps/perf-1f", "test"), "--release");
    }

    #[test]
    fn an_executable_elsewhere_was_built_as_cargo_releases() {
        assert_eq!(build_options(Path::new("perf-1f"), "test"), ["--release"]);
    }
}
