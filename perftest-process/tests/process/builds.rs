//! Builds that are kept: a test executable with the programs that its tests start.

use crate::bench::Bench;
use perftest_core::model::{CodeState, ProgramCode};
use perftest_process::{Executables, Launch, UnpackedExecutable, code_of_file};
use perftest_store::Project;
use std::fs;
use std::path::PathBuf;

/// This test executable, kept as an executable and as its own programs.
struct KeptBuilds {
    bench: Bench,
    store: Executables,
    code: CodeState,
}

impl KeptBuilds {
    fn new(name: &str, programs: &[&str]) -> Self {
        let bench = Bench::new(name);
        let project = Project { name: "codec".into(), slug: "codec.0".into() };
        let store = Executables::open(&bench.root, &project);
        let path = std::env::current_exe().unwrap();
        let code = code_of_file(&path, &[], None).unwrap();
        assert!(store.keep(&path, &[], &code.executable, &Launch::default()).unwrap());
        let program = |file: &&str| {
            let executable = code.executable.clone();
            ProgramCode { file: (*file).to_owned(), executable }
        };
        let programs = programs.iter().map(program).collect();
        Self { bench, store, code: CodeState { programs, ..code } }
    }

    /// A directory for test executables, where cargo would have built `files`.
    fn place(&self, files: &[String]) -> PathBuf {
        let place = self.bench.root.join("release/deps");
        fs::create_dir_all(&place).unwrap();
        files.iter().for_each(|file| fs::write(place.with_file_name(file), "").unwrap());
        place
    }
}

#[test]
fn programs_are_unpacked_beside_each_other_under_their_names_and_gone_when_dropped() {
    let kept = KeptBuilds::new("build-runs", &["client", "server"]);
    let build = kept.store.find_build(&kept.code).unwrap();
    let place = kept.place(&[]);
    let unpacked = build.unpack_beside(&place.join("perf"), &[]).unwrap();
    let own = fs::read(std::env::current_exe().unwrap()).unwrap();
    let directory = unpacked.directory_of_programs().to_owned();
    assert_eq!(directory.parent(), Some(place.as_path()));
    for file in [directory.join("client"), directory.join("server"), unpacked.executable().into()] {
        assert!(fs::read(&file).unwrap() == own, "{}", file.display());
    }
    drop(unpacked);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
}

#[test]
fn a_build_one_of_whose_programs_is_not_kept_is_none() {
    let mut kept = KeptBuilds::new("build-lacks", &["client"]);
    kept.code.programs[0].executable = "0123456789abcdef".into();
    assert!(kept.store.find_build(&kept.code).is_none());
    kept.code.programs.clear();
    assert!(kept.store.find_build(&kept.code).is_some());
}

#[test]
fn a_name_that_leads_elsewhere_is_refused_and_nothing_is_left() {
    for name in ["../client", "/tmp/client", "..", "a/b"] {
        let kept = KeptBuilds::new("build-name", &[name]);
        let place = kept.place(&[]);
        let error = kept
            .store
            .find_build(&kept.code)
            .unwrap()
            .unpack_beside(&place.join("perf"), &[])
            .unwrap_err();
        assert!(error.contains("is no name of a program"), "{name}: {error}");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0, "{name}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_build_that_needs_a_library_that_cargo_built_does_not_run() {
    let kept = KeptBuilds::new("build-library", &["client"]);
    let build = kept.store.find_build(&kept.code).unwrap();
    let executable = fs::File::open(std::env::current_exe().unwrap()).unwrap();
    let libraries = perftest_process::elf::Elf::open(executable).unwrap().needed_libraries();
    let c = libraries.iter().find(|library| library.starts_with("libc.")).unwrap();
    let error =
        build.unpack_beside(&kept.place(std::slice::from_ref(c)).join("perf"), &[]).unwrap_err();
    assert_eq!(error, format!("it needs {c} of its build, which is not kept"));
    let place = kept.place(&[]);
    fs::remove_file(place.with_file_name(c)).unwrap();
    let of_build_script = kept.bench.root.join("release/build/zlib-1f/out");
    fs::create_dir_all(&of_build_script).unwrap();
    fs::write(of_build_script.join(c), "").unwrap();
    assert!(build.unpack_beside(&place.join("perf"), &[]).is_ok());
    assert_eq!(build.unpack_beside(&place.join("perf"), &[of_build_script]).unwrap_err(), error);
}

#[test]
#[cfg(target_os = "linux")]
fn a_build_with_a_library_that_cargo_built_is_kept_as_one_that_does_not_run() {
    let kept = KeptBuilds::new("build-with-library", &[]);
    let place = kept.place(&["libc.so.6".to_owned()]);
    let path = place.join("perf");
    fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
    let code = code_of_file(&path, &[], None).unwrap();
    assert_ne!(code.executable, kept.code.executable);
    assert!(kept.store.keep(&path, &[], &code.executable, &Launch::default()).unwrap());
    let error =
        kept.store.find_build(&code).unwrap().unpack_beside(&place.join("perf"), &[]).unwrap_err();
    assert_eq!(error, "it needs libc.so.6 of its build, which is not kept");
}

#[test]
#[cfg(target_os = "linux")]
fn programs_that_an_ended_process_left_are_removed() {
    let kept = KeptBuilds::new("build-left", &["client"]);
    let place = kept.place(&[]);
    // No process has so high a number.
    let left = place.join(format!("{}programs-{}-0", UnpackedExecutable::PREFIX, u32::MAX));
    fs::create_dir(&left).unwrap();
    fs::write(left.join("client"), "left").unwrap();
    let unpacked =
        kept.store.find_build(&kept.code).unwrap().unpack_beside(&place.join("perf"), &[]).unwrap();
    assert!(!left.exists() && unpacked.executable().exists());
}
