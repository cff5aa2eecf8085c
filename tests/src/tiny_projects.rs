//! Writes a workspace of tiny packages and builds it, once.

use crate::{Invocation, Outcome};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Executables by package and target.
type Executables = BTreeMap<(String, String), PathBuf>;

/// Packages that are built otherwise among the others, which spares compiling all dependencies again:
/// one that is not optimised, though it has no debug assertions, one that has them and is, and one that is optimised as a
/// single unit, where the compiler moves more into its callers.
const BUILT_OTHERWISE: &str = "[profile.release.package.unoptimised]\nopt-level = 0\n\
                               [profile.release.package.asserting]\ndebug-assertions = true\n\
                               [profile.release.package.series]\ncodegen-units = 1\n";

/// Profiles in which the linker orders crates and their units otherwise.
const LINKED_OTHERWISE: &str = "[profile.thin]\ninherits = \"release\"\nlto = \"thin\"\n\
                                [profile.fat]\ninherits = \"release\"\nlto = \"fat\"\ncodegen-units = 16\n";

/// What the tests build without a user's profile: optimised within each unit alone, and dependencies
/// only a little, which spares half of the time; not those that only the compiler runs. The examples have
/// the dependencies as users build them.
pub const PROFILE: &str = "[profile.release]
lto = \"off\"
[profile.release.package]
\"*\" = { opt-level = 1 }
perftest-macros = { opt-level = 0 }
proc-macro2 = { opt-level = 0 }
quote = { opt-level = 0 }
syn = { opt-level = 0 }
";

/// The configuration of cargo for what the tests build: functions aligned, as `cargo perftest doctor`
/// advises and `cargo perftest compare` does by itself, so that all share the same dependencies.
pub const ALIGNED: &str = "[build]\nrustflags = [\"-C\", \"llvm-args=-align-all-functions=6\"]\n";

/// What makes code of the packages slower: a build of its own, because the same machine code is
/// never called slower.
const SLOWED: &str =
    "bodies/slowed,cased/slowed,contended/slowed,measured/slowed,ratcheted/slowed,series/slowed";

thread_local! {
    /// Held from a test's first use of the projects until its thread ends.
    static TURN: OnceCell<File> = const { OnceCell::new() };
}

/// Tiny packages that use `perftest`, as one workspace outside of ours with a target directory
/// of its own: the dependencies are compiled once.
///
/// One test builds and measures at a time, in whatever process it is: who uses them first waits for
/// its turn, and has it until its thread ends.
#[derive(Debug)]
pub struct TinyProjects {
    /// What the packages look like, one directory a package.
    sources: PathBuf,
    /// The workspace they are copied to.
    root: PathBuf,
    optimised: OnceLock<Executables>,
    slowed: OnceLock<Executables>,
}

impl TinyProjects {
    /// The packages in `sources`, to be built below `home`. A package's manifest is called
    /// `package.toml` there, so that no tool takes it for a member of our own workspace.
    pub fn new(sources: &Path, home: &Path) -> Self {
        Self {
            sources: sources.to_owned(),
            root: home.join("tiny-projects"),
            optimised: OnceLock::new(),
            slowed: OnceLock::new(),
        }
    }

    /// A test binary as `cargo test --release` builds it.
    ///
    /// # Panics
    /// When the packages do not compile, or have no such target.
    #[track_caller]
    pub fn binary(&self, package: &str, target: &str) -> Invocation {
        self.invocation(self.optimised(), package, target)
    }

    /// The same test binary of slower code: the variable `SLOW` has how much slower.
    ///
    /// # Panics
    /// As [`binary`](Self::binary).
    #[track_caller]
    pub fn slowed(&self, package: &str, target: &str) -> Invocation {
        self.invocation(self.slow(), package, target)
    }

    /// A test binary of a package that is built alone, by cargo with these arguments.
    ///
    /// # Panics
    /// As [`binary`](Self::binary).
    #[track_caller]
    pub fn built_by(&self, arguments: &[&str], package: &str) -> impl Fn(&str) -> Invocation {
        let cargo = self.cargo(package).args(&arguments[..1]);
        let cargo = cargo.args(&["--message-format=json-render-diagnostics"]);
        let built = executables(&cargo.args(&arguments[1..]).run());
        move |target| self.invocation(&built, package, target)
    }

    #[track_caller]
    fn invocation(&self, executables: &Executables, package: &str, target: &str) -> Invocation {
        let executable = executables.get(&(package.to_owned(), target.to_owned()));
        let executable = executable.unwrap_or_else(|| panic!("{package} has no target {target}"));
        Invocation::new(executable, &self.root.join(package)).env("XDG_RUNTIME_DIR", &self.root)
    }

    /// The directory that the test binaries are in.
    ///
    /// # Panics
    /// When the packages do not compile.
    pub fn directory_of_binaries(&self) -> &Path {
        let executable = self.optimised().values().next();
        executable.and_then(|it| it.parent()).expect("there is a test binary")
    }

    /// Cargo in the directory of a package.
    ///
    /// # Panics
    /// When the packages do not compile.
    pub fn cargo(&self, package: &str) -> Invocation {
        self.optimised();
        self.cargo_in(&self.root.join(package))
    }

    fn optimised(&self) -> &Executables {
        self.wait_for_turn();
        self.optimised.get_or_init(|| {
            self.write().unwrap_or_else(|error| panic!("{}: {error}", self.root.display()));
            self.build(&[])
        })
    }

    fn slow(&self) -> &Executables {
        self.optimised();
        self.slowed.get_or_init(|| self.build(&["--features", SLOWED]))
    }

    #[track_caller]
    fn build(&self, features: &[&str]) -> Executables {
        let arguments = ["test", "--release", "--workspace", "--no-run"];
        let built = self.cargo_in(&self.root).args(&arguments).args(features);
        executables(&built.args(&["--message-format=json-render-diagnostics"]).run())
    }

    fn wait_for_turn(&self) {
        let path = self.root.join("turn.lock");
        let wait = || {
            let lock = fs::create_dir_all(&self.root).and_then(|()| File::create(&path));
            let locked = lock.and_then(|file| file.lock().map(|()| file));
            locked.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        TURN.with(|turn| {
            turn.get_or_init(wait);
        });
    }

    fn cargo_in(&self, directory: &Path) -> Invocation {
        Invocation::new(env!("CARGO"), directory)
            .env("XDG_RUNTIME_DIR", &self.root)
            .env("CARGO_TARGET_DIR", self.root.join("target"))
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TERM_COLOR", "never")
    }

    fn write(&self) -> io::Result<()> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
        let mut members = Vec::new();
        for package in fs::read_dir(&self.sources)? {
            let package = package?;
            copy_changed(&package.path(), &self.root.join(package.file_name()))?;
            members.push(package.file_name().to_string_lossy().into_owned());
        }
        members.sort();
        let manifest = format!(
            "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n[workspace.dependencies]\n\
             perftest = {{ path = {:?} }}\n{PROFILE}{BUILT_OTHERWISE}{LINKED_OTHERWISE}",
            workspace.join("perftest")
        );
        write_changed(&self.root.join("Cargo.toml"), manifest.as_bytes())?;
        fs::create_dir_all(self.root.join(".cargo"))?;
        write_changed(&self.root.join(".cargo/config.toml"), ALIGNED.as_bytes())?;
        // The versions that our workspace has are there without a network.
        fs::copy(workspace.join("Cargo.lock"), self.root.join("Cargo.lock")).map(drop)
    }
}

#[track_caller]
fn executables(built: &Outcome) -> Executables {
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let messages = built.stdout.lines().map(|line| {
        serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"))
    });
    messages.filter_map(|message| executable(&message)).collect()
}

fn executable(message: &Value) -> Option<((String, String), PathBuf)> {
    let executable = message["executable"].as_str()?;
    // A program is built beside its tests.
    let is_program = message["target"]["kind"][0] == "bin" && message["profile"]["test"] == false;
    if is_program {
        return None;
    }
    let package = Path::new(message["manifest_path"].as_str()?).parent()?.file_name()?;
    let target = message["target"]["name"].as_str()?;
    Some(((package.to_string_lossy().into_owned(), target.to_owned()), executable.into()))
}

/// Copies a package. What has not changed keeps its time, so that cargo need not build it again.
fn copy_changed(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() {
            copy_changed(&entry.path(), &to.join(&name))?;
        } else {
            let name = if name == "package.toml" { "Cargo.toml".into() } else { name };
            write_changed(&to.join(name), &fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

fn write_changed(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    fs::write(path, content)
}
