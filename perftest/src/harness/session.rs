//! What all tests of one process share: made once, when the first test is about to be measured.

use super::isolation::Isolation;
use crate::config::{Config, Mode, StorePlace};
use crate::measure::{Meter, Stopwatch};
use crate::provenance::{self, Context, config_hash, entropy};
use crate::registry::Descriptor;
use crate::sense::{MachineIdentity, Sensors};
use once_cell::sync::OnceCell;
use perftest_core::model::{CodeState, Revision, RunId};
use perftest_store::{Digest, JsonlStore, Project, Store};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// One invocation of this test binary.
pub(crate) struct Session {
    pub config: Config,
    pub isolation: Isolation,
    pub id: String,
    stopwatch: OnceCell<Stopwatch>,
    store: OnceCell<Option<Box<dyn Store>>>,
    machine: OnceCell<Machine>,
    provenance: OnceCell<Provenance>,
    throttling_seen: AtomicBool,
    missing_baseline_seen: AtomicBool,
}

/// The machine, looked at once.
pub(crate) struct Machine {
    pub sensors: Sensors,
    pub identity: MachineIdentity,
    /// `label/fingerprint`
    pub testbed: String,
}

/// Where this process's code comes from, found out once.
pub(crate) struct Provenance {
    pub project: Project,
    pub revision: Revision,
    pub code: CodeState,
}

impl Session {
    /// A session under this configuration. Nothing is opened, read or calibrated yet.
    pub(crate) fn new(config: Config, isolation: Isolation) -> Self {
        let own_id = || RunId::new(now_ms(), entropy()).to_string();
        let id = if config.session.is_empty() { own_id() } else { config.session.clone() };
        Self {
            config,
            isolation,
            id,
            stopwatch: OnceCell::new(),
            store: OnceCell::new(),
            machine: OnceCell::new(),
            provenance: OnceCell::new(),
            throttling_seen: AtomicBool::new(false),
            missing_baseline_seen: AtomicBool::new(false),
        }
    }

    /// Whether a body is run once without a verdict, and why.
    pub(crate) fn smoke(&self, test: &Descriptor) -> Option<&'static str> {
        match self.config.mode {
            Mode::Smoke => Some("PERFTEST_MODE=smoke"),
            Mode::Auto if !test.optimised => Some("unoptimised build; use cargo test --release"),
            Mode::Auto | Mode::Measure => None,
        }
    }

    /// A calibrated meter, for the thread that measures.
    pub(crate) fn meter(&self) -> Meter {
        Meter::new(self.stopwatch())
    }

    /// The clock and what it costs, measured once.
    pub(crate) fn stopwatch(&self) -> Stopwatch {
        *self.stopwatch.get_or_init(|| Stopwatch::calibrate(self.config.clock))
    }

    pub(crate) fn machine(&self) -> &Machine {
        self.machine.get_or_init(|| {
            let identity = MachineIdentity::of_this_machine();
            let fingerprint = Digest::of(identity.fingerprint_text().as_bytes()).hex16();
            Machine {
                sensors: Sensors::of_this_machine(),
                testbed: format!("{}/{}", self.config.testbed, &fingerprint[..6]),
                identity,
            }
        })
    }

    pub(crate) fn provenance(&self, test: &Descriptor) -> &Provenance {
        self.provenance.get_or_init(|| {
            let directory = package_directory(test);
            let revision = provenance::ask_git(&directory);
            Provenance {
                project: Project::discover(&directory),
                code: provenance::of_this_executable(),
                revision: revision.answer(),
            }
        })
    }

    /// The store, or `None` when it is switched off.
    ///
    /// # Errors
    /// When it cannot be opened; asked again, it is tried again.
    pub(crate) fn store(&self, test: &Descriptor) -> Result<Option<&dyn Store>, String> {
        let opened = self.store.get_or_try_init(|| self.open(test))?;
        Ok(opened.as_deref())
    }

    fn open(&self, test: &Descriptor) -> Result<Option<Box<dyn Store>>, String> {
        let root = match &self.config.store {
            StorePlace::Off => return Ok(None),
            StorePlace::At(directory) => directory.clone(),
            StorePlace::Default | StorePlace::ReadOnly => default_place()?,
        };
        let project = &self.provenance(test).project;
        Ok(Some(Box::new(JsonlStore::open(&root, project))))
    }

    /// Whether anything may be recorded.
    pub(crate) fn records(&self) -> bool {
        !matches!(self.config.store, StorePlace::Off | StorePlace::ReadOnly)
    }

    /// Whether throttling is met for the first time: it is warned of once a session.
    pub(crate) fn is_first_throttling(&self) -> bool {
        !self.throttling_seen.swap(true, Ordering::Relaxed)
    }

    /// Whether a missing baseline is met for the first time where that is worth a warning: in CI,
    /// where a gate that compares with nothing guards nothing.
    pub(crate) fn is_first_missing_baseline_in_ci(&self) -> bool {
        !self.config.ci.is_empty() && !self.missing_baseline_seen.swap(true, Ordering::Relaxed)
    }

    /// The context of this process, kept beside its runs.
    pub(crate) fn context(&self, test: &Descriptor) -> Context {
        Context::of(&self.machine().identity, &self.stopwatch().describe(), test.optimised)
    }

    /// Hash of what makes this test's runs comparable.
    pub(crate) fn config_hash(&self, test: &Descriptor) -> String {
        config_hash(test.optimised)
    }
}

/// Milliseconds since the Unix epoch.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// The platform's state directory, which survives `cargo clean`.
fn default_place() -> Result<PathBuf, String> {
    let directories = directories::ProjectDirs::from("", "", "perftest").ok_or(
        "no home directory to keep the history in; \
         set PERFTEST_STORE to a directory, or to `off`",
    )?;
    Ok(directories.state_dir().unwrap_or(directories.data_local_dir()).to_owned())
}

/// Where cargo runs the package from; where it was built, if it runs without cargo.
fn package_directory(test: &Descriptor) -> PathBuf {
    let running = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    running.unwrap_or_else(|| Path::new(test.manifest_dir).to_owned())
}
