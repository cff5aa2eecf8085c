//! The programs that a worker of an earlier build starts: those of its build, not their successors where cargo builds.

use crate::measure::Failure;
use crate::measure::build_directories::BuildDirectories;
use perftest_process::protocol::OWN_PROGRAMS;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static STAND_INS: OnceLock<StandIns> = OnceLock::new();
/// Whether a command was asked for since.
static ARE_USED: AtomicBool = AtomicBool::new(false);

/// Where a worker of a pair finds the programs of its package.
pub(crate) struct StandIns {
    /// The paths that the compiler knew.
    programs: &'static [&'static str],
    /// The directory of those to start in their place; `None` for these programs themselves.
    directory: Option<PathBuf>,
}

impl StandIns {
    /// `programs` are the paths that the compiler knew, and `directory` is the value of
    /// [`PROGRAMS_VARIABLE`](perftest_process::protocol::PROGRAMS_VARIABLE).
    pub(crate) fn new(programs: &'static [&'static str], directory: &Path) -> Self {
        let is_own = directory == Path::new(OWN_PROGRAMS);
        Self { programs, directory: (!is_own).then(|| directory.to_owned()) }
    }

    /// Fails where the body of an earlier build, which has been called by now, starts programs in a way of its own:
    /// those of today.
    ///
    /// # Errors
    /// [`Failure::Command`].
    pub(crate) fn refuse_bypass() -> Result<(), Failure> {
        let are_kept = STAND_INS.get().is_some_and(|it| it.directory.is_some());
        if !are_kept || ARE_USED.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(Failure::Command(
            "that starts a program is not given to `b.command(..)`, so today's program would run"
                .into(),
        ))
    }

    /// Lets all commands of this process start them.
    pub(crate) fn install(self) {
        // A worker serves one test.
        let _ = STAND_INS.set(self);
    }

    /// Returns the command with these programs. Both processes of a pair start a copy: what a copy does not have, such as
    /// a function that runs before the program does, is then missing on both sides.
    fn command(&self, mut command: Command) -> Result<Command, String> {
        silence(&mut command);
        let same = copy(&command, |word| Ok(word.to_owned()))?;
        let is_copied = format!("{same:#?}") == format!("{command:#?}");
        match (&self.directory, is_copied) {
            (None, true) => Ok(same),
            (None, false) => Ok(command),
            (Some(_), false) => Err(format!(
                "{command:?} cannot start a kept program: only its program, arguments, variables and \
                 directory can be copied"
            )),
            (Some(directory), true) => {
                let program = command.get_program();
                if self.is_named_like_own(program) {
                    return Err(not_kept(program));
                }
                copy(&command, |word| self.stand_in(word, directory))
            }
        }
    }

    /// Whether a program may be one of the package, found in another way than by its path.
    fn is_named_like_own(&self, program: &OsStr) -> bool {
        let name = Path::new(program).file_name();
        let is_like = |own: &&str| Path::new(own).file_name() == name && OsStr::new(own) != program;
        self.programs.iter().any(is_like)
    }

    /// Returns what stands in the place of a word of the command.
    fn stand_in(&self, word: &OsStr, directory: &Path) -> Result<OsString, String> {
        let own = self.programs.iter().find(|own| OsStr::new(own) == word);
        if let Some(name) = own.and_then(|own| Path::new(own).file_name()) {
            return Ok(directory.join(name).into_os_string());
        }
        let is_this = std::env::current_exe().is_ok_and(|this| this == Path::new(word));
        let text = word.to_string_lossy();
        let of_programs = self.programs.iter().filter_map(|own| Path::new(own).parent());
        let is_built = BuildDirectories::new(of_programs).are_named_in(&text);
        if is_built && !is_this { Err(not_kept(word)) } else { Ok(word.to_owned()) }
    }
}

/// Returns a command that starts the programs of this process's build.
///
/// # Errors
/// A message when the command may start another program of the build directory.
pub(super) fn with_stand_ins(command: Command) -> Result<Command, String> {
    ARE_USED.store(true, Ordering::Relaxed);
    match STAND_INS.get() {
        Some(stand_ins) => stand_ins.command(command),
        None => Ok(command),
    }
}

fn not_kept(word: &OsStr) -> String {
    format!("names {word:?} of the build directory, which is not kept")
}

/// Returns a command with another word in the place of each.
fn copy(
    command: &Command,
    word: impl Fn(&OsStr) -> Result<OsString, String>,
) -> Result<Command, String> {
    let mut copy = Command::new(word(command.get_program())?);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut copy, command.get_program());
    for argument in command.get_args() {
        copy.arg(word(argument)?);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => copy.env(name, word(value)?),
            None => copy.env_remove(name),
        };
    }
    if let Some(directory) = command.get_current_dir() {
        copy.current_dir(directory);
    }
    silence(&mut copy);
    Ok(copy)
}

/// The streams are set when the process starts, whatever the command has.
fn silence(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;

    const OWN: &[&str] = &["/target/release/encoder", "/target/release/packer"];

    fn kept(command: Command) -> Result<String, String> {
        let stand_ins = StandIns::new(OWN, Path::new("/kept"));
        stand_ins.command(command).map(|command| format!("{command:?}"))
    }

    fn command(words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        command
    }

    #[test]
    fn a_program_of_the_package_is_the_kept_one_wherever_the_command_has_its_path() {
        let started = kept(command(&["/target/release/encoder", "--fast"])).unwrap();
        assert!(started.contains(r#""/kept/encoder""#) && started.contains("--fast"), "{started}");
        let wrapped = kept(command(&["taskset", "1", "/target/release/packer"])).unwrap();
        assert!(wrapped.contains(r#"taskset"#) && wrapped.contains("/kept/packer"), "{wrapped}");
        let mut by_variable = command(&["sh", "-c", "$PACKER"]);
        by_variable.env("PACKER", "/target/release/packer");
        assert!(kept(by_variable).unwrap().contains("/kept/packer"));
    }

    #[test]
    fn a_program_from_elsewhere_starts_as_it_is() {
        let elsewhere = command(&["git", "log", "encoder"]);
        assert_eq!(kept(command(&["git", "log", "encoder"])), Ok(format!("{elsewhere:?}")));
        let this = std::env::current_exe().unwrap();
        let started = kept(Command::new(&this)).unwrap();
        assert!(started.contains(&*this.to_string_lossy()), "{started}");
    }

    #[test]
    fn what_may_be_a_program_of_another_build_is_refused() {
        for words in [
            &["encoder"][..],
            &["target/release/encoder"],
            &["/target/release/viewer"],
            &["sh", "-c", "/target/release/encoder | cat"],
        ] {
            let refused = kept(command(words)).unwrap_err();
            assert!(refused.ends_with("of the build directory, which is not kept"), "{refused}");
        }
    }

    #[test]
    fn a_command_that_cannot_be_copied_is_refused_and_its_counterpart_starts_it_as_it_is() {
        let mut cleared = command(&["/target/release/encoder"]);
        cleared.env_clear();
        assert!(kept(cleared).unwrap_err().contains("cannot start a kept program"));
        let mut renamed = command(&["/target/release/encoder"]);
        renamed.arg0("e");
        let as_it_is = format!("{renamed:?}");
        let own = StandIns::new(OWN, Path::new(OWN_PROGRAMS)).command(renamed).unwrap();
        assert_eq!(format!("{own:?}"), as_it_is);
    }
}
