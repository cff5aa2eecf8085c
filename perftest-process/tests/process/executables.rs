//! Executables that are kept, against damage, crowds and full disks.

use crate::bench::Bench;
use perftest_process::{Executables, KeptExecutable, Launch, UnpackedExecutable, code_of_file};
use perftest_store::conformance::resealed;
use perftest_store::{Project, StoreError};
use std::env::consts::EXE_SUFFIX;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

struct KeptExecutables {
    bench: Bench,
    store: Executables,
    hash: String,
    launch: Launch,
}

fn open(root: &Path) -> Executables {
    Executables::open(root, &Project { name: "codec".into(), slug: "codec.0".into() })
}

fn this_executable() -> (PathBuf, String) {
    let path = std::env::current_exe().unwrap();
    let hash = code_of_file(&path, &[], None).unwrap().executable;
    (path, hash)
}

impl KeptExecutables {
    /// This test executable, kept.
    fn new(name: &str) -> Self {
        let bench = Bench::new(name);
        let store = open(&bench.root);
        let (path, hash) = this_executable();
        let launch = Launch {
            target: "perftest-process::process".into(),
            directory: "/work/codec \"1\"".into(),
            arguments: vec!["--exact".into(), "a b".into()],
            variables: vec!["HOME".into(), "PATH".into()],
        };
        assert!(store.keep(&path, &[], &hash, &launch).unwrap());
        Self { bench, store, hash, launch }
    }

    fn file(&self, extension: &str) -> PathBuf {
        self.bench.root.join(format!("v1/codec.0/executables/{}.{extension}", self.hash))
    }

    fn unpack_error(&self) -> StoreError {
        self.store
            .find(&self.hash)
            .unwrap()
            .unwrap()
            .unpack_beside(&self.bench.root.join("perf"))
            .unwrap_err()
    }
}

#[test]
fn a_kept_executable_runs_again_and_is_gone_when_it_is_dropped() {
    let kept = KeptExecutables::new("exe-runs");
    let found = kept.store.find(&kept.hash).unwrap().unwrap();
    assert_eq!(found.launch, kept.launch);
    let unpacked = found.unpack_beside(&kept.bench.root.join("perf")).unwrap();
    let path = unpacked.path().to_owned();
    let listed = Command::new(&path).args(["--list", "--format", "terse"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("a_kept_executable_runs_again"), "{listed}");
    drop(unpacked);
    assert!(!path.exists());
}

#[test]
fn an_unpacked_executable_has_a_name_of_the_same_length() {
    let kept = KeptExecutables::new("exe-name");
    let found = kept.store.find(&kept.hash).unwrap().unwrap();
    let unpacked = |name: &str| {
        let present = kept.bench.root.join(name);
        let unpacked = found.unpack_beside(&present).unwrap();
        assert_eq!(unpacked.path().parent(), present.parent());
        unpacked.path().file_name().unwrap().len()
    };
    for name in ["perf-0123456789abcdef", "performance_of_all-0123456789abcdef"] {
        let name = format!("{name}{EXE_SUFFIX}");
        let lengths = [unpacked(&name), unpacked(&name)];
        assert_eq!(lengths, [name.len(); 2], "{name}");
    }
    assert!(unpacked("perf") > "perf".len(), "there is no room for a name of its own");
}

#[test]
fn an_executable_is_written_once_and_takes_less_room_than_it_has() {
    let kept = KeptExecutables::new("exe-once");
    let (path, hash) = this_executable();
    let packed = fs::metadata(kept.file("lz4")).unwrap();
    assert!(packed.len() < fs::metadata(&path).unwrap().len());
    assert!(!kept.store.keep(&path, &[], &hash, &kept.launch).unwrap());
    assert_eq!(fs::metadata(kept.file("lz4")).unwrap().modified().ok(), packed.modified().ok());
}

#[test]
fn nothing_is_created_by_asking() {
    let bench = Bench::new("exe-asking");
    assert_eq!(open(&bench.root).find("0123456789abcdef").unwrap(), None);
    assert_eq!(fs::read_dir(&bench.root).unwrap().count(), 0);
}

#[test]
fn a_digest_that_is_none_is_refused_and_names_no_file() {
    let bench = Bench::new("exe-name");
    for hash in ["", "../../../../etc/passwd", "0123456789ABCDEF"] {
        let error = open(&bench.root).find(hash).unwrap_err();
        assert!(matches!(error, StoreError::Invalid { .. }), "{error:?}");
    }
}

#[test]
fn an_executable_that_was_rebuilt_meanwhile_is_not_kept_under_the_old_name() {
    let bench = Bench::new("exe-rebuilt");
    let (path, _) = this_executable();
    let other = "0123456789abcdef";
    assert!(!open(&bench.root).keep(&path, &[], other, &Launch::default()).unwrap());
    assert_eq!(open(&bench.root).find(other).unwrap(), None);
}

#[test]
fn damaged_bytes_are_reported_with_their_file_and_never_run() {
    let kept = KeptExecutables::new("exe-damage");
    let file = kept.file("lz4");
    let whole = fs::read(&file).unwrap();
    for damage in [0, 1, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        // One byte may be of a reference to an equal place.
        bytes[damage..].iter_mut().take(64).for_each(|byte| *byte ^= 0x10);
        fs::write(&file, &bytes).unwrap();
        let error = kept.unpack_error();
        assert!(error.to_string().contains(&file.display().to_string()), "{error}");
        fs::write(&file, &whole[..damage]).unwrap();
        assert!(matches!(kept.unpack_error(), StoreError::Unreadable { .. }), "cut at {damage}");
    }
    fs::remove_file(&file).unwrap();
    assert!(matches!(kept.unpack_error(), StoreError::Unreadable { .. }));
    let left = fs::read_dir(&kept.bench.root).unwrap().flatten();
    let left =
        left.filter(|it| it.file_name().to_string_lossy().starts_with(UnpackedExecutable::PREFIX));
    assert_eq!(left.count(), 0);
}

#[test]
fn without_a_cryptographic_digest_an_executable_never_runs_and_is_kept_again() {
    let kept = KeptExecutables::new("exe-former");
    let file = kept.file("json");
    let whole = fs::read_to_string(&file).unwrap();
    let digest = whole.split("\"digest\":\"").nth(1).unwrap().split('"').next().unwrap();
    for former in ["", &kept.hash] {
        fs::write(&file, whole.replace(digest, former)).unwrap();
        assert!(matches!(kept.store.find(&kept.hash), Err(StoreError::Unreadable { .. })));
    }
    let (path, hash) = this_executable();
    assert!(kept.store.keep(&path, &[], &hash, &kept.launch).unwrap());
    assert_eq!(fs::read_to_string(&file).unwrap(), whole);
}

/// Why an executable does not run after `spoil` was done to its store.
#[cfg(unix)]
fn why_untrusted(name: &str, spoil: impl Fn(&KeptExecutables, &Path)) -> String {
    let kept = KeptExecutables::new(name);
    spoil(&kept, kept.file("lz4").parent().unwrap());
    let error = kept.unpack_error();
    let left = fs::read_dir(&kept.bench.root).unwrap().flatten();
    let left =
        left.filter(|it| it.file_name().to_string_lossy().starts_with(UnpackedExecutable::PREFIX));
    assert_eq!(left.count(), 0);
    error.to_string()
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
fn move_behind_link(path: &Path) {
    let elsewhere = path.with_file_name("elsewhere");
    fs::rename(path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(elsewhere, path).unwrap();
}

#[test]
#[cfg(unix)]
fn what_others_can_write_never_runs() {
    let open_to_all = |path: &Path| set_mode(path, 0o777);
    let directory = why_untrusted("exe-open", |_, directory| open_to_all(directory));
    assert!(directory.contains("(mode 777): chmod go-w '"), "{directory}");
    for extension in ["json", "lz4"] {
        let file = why_untrusted("exe-open-file", |kept, _| open_to_all(&kept.file(extension)));
        assert!(file.contains(extension) && file.contains("others can write it"), "{file}");
    }
}

#[test]
#[cfg(unix)]
fn what_is_a_link_never_runs() {
    let directory = why_untrusted("exe-link", |_, directory| move_behind_link(directory));
    assert!(directory.contains("it is no directory itself"), "{directory}");
    let file = why_untrusted("exe-link-file", |kept, _| move_behind_link(&kept.file("lz4")));
    assert!(file.contains("it is a symbolic link"), "{file}");
}

/// Only root can give a file away.
#[test]
#[cfg(unix)]
fn what_belongs_to_another_user_never_runs() {
    use std::os::unix::fs::chown;
    let bench = Bench::new("exe-given-away");
    if chown(&bench.root, Some(12_345), None).is_err() {
        return;
    }
    let why = why_untrusted("exe-foreign", |_, directory| {
        chown(directory, Some(12_345), None).unwrap();
    });
    assert!(why.contains("it belongs to user 12345, and this process runs as user 0"), "{why}");
}

#[test]
#[cfg(unix)]
fn no_other_user_can_enter_where_executables_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let kept = KeptExecutables::new("exe-private");
    let directory = kept.file("lz4").parent().unwrap().to_owned();
    assert_eq!(fs::metadata(directory).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
#[cfg(unix)]
fn a_file_that_is_refused_is_written_again_by_the_next_good_run() {
    let kept = KeptExecutables::new("exe-refused");
    let (path, hash) = this_executable();
    let open_to_all = |path: &Path| set_mode(path, 0o666);
    let open_to_group = |path: &Path| set_mode(path, 0o664);
    for (spoil, extension) in [
        (&open_to_group as &dyn Fn(&Path), "json"),
        (&open_to_all, "json"),
        (&open_to_all, "lz4"),
        (&move_behind_link, "lz4"),
    ] {
        spoil(&kept.file(extension));
        assert!(!kept.store.renew(&hash), "{extension}");
        kept.unpack_error();
        assert!(kept.store.keep(&path, &[], &hash, &kept.launch).unwrap());
        let found = kept.store.find(&hash).unwrap().unwrap();
        assert!(found.unpack_beside(&kept.bench.root.join("perf")).is_ok());
    }
}

#[test]
#[cfg(unix)]
fn in_a_directory_that_others_can_write_no_good_run_writes_the_files_again() {
    let kept = KeptExecutables::new("exe-refused-directory");
    // As on a mount that knows no modes.
    set_mode(&kept.file("lz4"), 0o666);
    set_mode(kept.file("lz4").parent().unwrap(), 0o777);
    let (path, hash) = this_executable();
    assert!(!kept.store.keep(&path, &[], &hash, &kept.launch).unwrap());
}

#[test]
fn a_damaged_description_is_reported_and_the_next_good_run_writes_it_again() {
    let kept = KeptExecutables::new("exe-description");
    let file = kept.file("json");
    let whole = fs::read_to_string(&file).unwrap();
    for text in ["", "no object", &whole[..whole.len() / 2], "{\"v\":1,\"kind\":\"executable\"}\n"]
    {
        fs::write(&file, text).unwrap();
        let error = kept.store.find(&kept.hash).unwrap_err();
        assert!(matches!(error, StoreError::Unreadable { .. }), "{error:?}");
    }
    let (path, hash) = this_executable();
    assert!(kept.store.keep(&path, &[], &hash, &kept.launch).unwrap());
    assert_eq!(fs::read_to_string(&file).unwrap(), whole);
}

#[test]
fn an_absurd_size_is_refused_before_any_memory_is_taken() {
    let kept = KeptExecutables::new("exe-absurd");
    let file = kept.file("json");
    let text = fs::read_to_string(&file).unwrap();
    let bytes = text.split("\"bytes\":").nth(1).unwrap().split(',').next().unwrap();
    for absurd in [u64::MAX, KeptExecutable::LARGEST_BYTES + 1] {
        let size = format!("\"bytes\":{absurd}");
        let absurd = resealed(&text.replace(&format!("\"bytes\":{bytes}"), &size));
        fs::write(&file, absurd).unwrap();
        assert!(kept.unpack_error().to_string().contains("too many"));
    }
}

#[test]
fn many_at_once_keep_it_whole() {
    let bench = Bench::new("exe-crowd");
    let (path, hash) = this_executable();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (root, path, hash) = (&bench.root, &path, &hash);
            scope.spawn(move || open(root).keep(path, &[], hash, &Launch::default()).unwrap());
        }
    });
    let found = open(&bench.root).find(&hash).unwrap().unwrap();
    let copies: Vec<_> =
        (0..4).map(|_| found.unpack_beside(&bench.root.join("perf")).unwrap()).collect();
    let mut paths: Vec<&Path> = copies.iter().map(|copy| copy.path()).collect();
    paths.dedup();
    assert_eq!(paths.len(), 4, "each has a file of its own");
}

#[test]
fn a_place_that_cannot_be_written_is_reported_and_leaves_nothing() {
    let bench = Bench::new("exe-unwritable");
    let root = bench.root.join("file");
    fs::write(&root, "in the way").unwrap();
    let (path, hash) = this_executable();
    let error = open(&root).keep(&path, &[], &hash, &Launch::default()).unwrap_err();
    assert!(matches!(error, StoreError::Unwritable { .. }), "{error:?}");
}

const ROOT: &str = "PERFTEST_TEST_ROOT";

/// Keeps this executable in a process with the umask of another user.
#[test]
#[ignore = "a process that the other test starts"]
fn keep_under_an_umask() {
    let Some(root) = std::env::var_os(ROOT).map(PathBuf::from) else {
        return;
    };
    let (path, hash) = this_executable();
    assert!(open(&root).keep(&path, &[], &hash, &Launch::default()).unwrap());
}

#[test]
#[cfg(unix)]
fn what_is_kept_under_any_umask_runs() {
    let (path, hash) = this_executable();
    for umask in ["002", "000"] {
        let bench = Bench::new("exe-umask");
        let script = "umask $1; exec \"$0\" --ignored --exact executables::keep_under_an_umask";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).arg(&path).arg(umask).env(ROOT, bench.root.as_path());
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let kept = open(&bench.root).find(&hash).unwrap().unwrap();
        let unpacked = kept.unpack_beside(&bench.root.join("perf"));
        assert!(unpacked.is_ok(), "{umask}: {unpacked:?}");
    }
}

/// Keeps this executable in a process whose files may not grow beyond a limit.
#[test]
#[ignore = "a process that the other test starts"]
fn keep_without_room() {
    let Some(root) = std::env::var_os(ROOT).map(PathBuf::from) else {
        return;
    };
    let (path, hash) = this_executable();
    let error = open(&root).keep(&path, &[], &hash, &Launch::default()).unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_without_room_keeps_nothing_half() {
    let bench = Bench::new("exe-full");
    // The shell limits the size of files to 10 blocks, and lets a write beyond it fail.
    let script =
        "trap '' XFSZ; ulimit -f 10; exec \"$0\" --ignored --exact executables::keep_without_room";
    let (path, hash) = this_executable();
    let output =
        Command::new("sh").args(["-c", script]).arg(&path).env(ROOT, bench.root.as_path()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(open(&bench.root).find(&hash).unwrap(), None);
    let left: Vec<_> =
        fs::read_dir(bench.root.join("v1/codec.0/executables")).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "the lock and nothing else: {left:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn what_ended_processes_left_unpacked_is_removed_and_what_others_run_stays() {
    let kept = KeptExecutables::new("exe-left");
    let place = |process: u32| {
        let name = format!("{}{process}-0", UnpackedExecutable::PREFIX);
        kept.bench.root.join(name)
    };
    // No process has so high a number.
    let (left, running) = (place(u32::MAX), place(std::process::id()));
    for file in [&left, &running] {
        fs::write(file, "").expect("a file can be written");
    }
    let executable = kept.store.find(&kept.hash).expect("it is kept").expect("it is kept");
    let unpacked =
        executable.unpack_beside(&kept.bench.root.join("perf")).expect("it can be unpacked");
    assert!(unpacked.path().exists() && running.exists() && !left.exists());
}

#[test]
fn files_of_others_beside_the_executable_stay_whatever_their_names_and_their_age() {
    let kept = KeptExecutables::new("exe-others");
    let process = u32::MAX;
    let names = ["release", "2026-07.tar", &format!("{process}-0-x"), &format!("x-{process}-0")];
    let files = names.map(|it| kept.bench.root.join([UnpackedExecutable::PREFIX, it].concat()));
    for file in &files {
        let long_ago = SystemTime::now() - Duration::from_secs(1 << 20);
        File::create(file).unwrap().set_modified(long_ago).unwrap();
    }
    let executable = kept.store.find(&kept.hash).unwrap().unwrap();
    executable.unpack_beside(&kept.bench.root.join("perf")).unwrap();
    assert!(files.iter().all(|file| file.exists()));
}
