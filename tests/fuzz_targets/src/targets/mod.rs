//! The targets, one a file.

mod collection;
mod conformance_cases;
mod decisions;
mod exchange;
mod executables;
mod git_files;
mod history;
mod messages;
mod options;
mod profiles;
mod remotes;
mod results;
mod sample_file;
#[cfg(target_os = "linux")]
mod sensors;
mod settings_files;
mod tables;
mod testbeds;

/// A reader under attack.
#[derive(Debug, Clone, Copy)]
pub struct FuzzTarget {
    /// Also that of the directory with its kept inputs.
    pub name: &'static str,
    /// Takes any bytes, and panics where something is wrong.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[FuzzTarget] = &[
    FuzzTarget { name: "collection", run: collection::run },
    FuzzTarget { name: "conformance_cases", run: conformance_cases::run },
    FuzzTarget { name: "decisions", run: decisions::run },
    FuzzTarget { name: "exchange", run: exchange::run },
    FuzzTarget { name: "executables", run: executables::run },
    FuzzTarget { name: "git_files", run: git_files::run },
    FuzzTarget { name: "history", run: history::run },
    FuzzTarget { name: "messages", run: messages::run },
    FuzzTarget { name: "options", run: options::run },
    FuzzTarget { name: "profiles", run: profiles::run },
    FuzzTarget { name: "remotes", run: remotes::run },
    FuzzTarget { name: "results", run: results::run },
    FuzzTarget { name: "sample_file", run: sample_file::run },
    #[cfg(target_os = "linux")]
    FuzzTarget { name: "sensors", run: sensors::run },
    FuzzTarget { name: "settings_files", run: settings_files::run },
    FuzzTarget { name: "tables", run: tables::run },
    FuzzTarget { name: "testbeds", run: testbeds::run },
];
