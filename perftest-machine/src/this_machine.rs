//! The machine this runs on, read by the readers of its system.

use crate::epoch::Epoch;
use crate::identity::MachineIdentity;
#[cfg(any(target_os = "linux", all(test, unix)))]
use crate::linux::{Tree, read_epoch, read_identity};
#[cfg(any(target_os = "linux", all(test, unix)))]
use std::path::PathBuf;

impl MachineIdentity {
    /// The identity of the machine this runs on.
    pub fn of_this_machine() -> Self {
        #[cfg(target_os = "linux")]
        let identity = Self::below("/");
        #[cfg(not(target_os = "linux"))]
        let identity = crate::portable::identity_by_sysinfo();
        #[cfg(target_os = "macos")]
        let identity = crate::macos::complete(identity);
        #[cfg(windows)]
        let identity = crate::windows::complete(identity);
        identity
    }

    /// Reads the identity of the machine whose files are below `root`.
    /// Architecture and operating system are those of this program.
    #[cfg(any(target_os = "linux", all(test, unix)))]
    pub fn below(root: impl Into<PathBuf>) -> Self {
        read_identity(&Tree::new(root))
    }
}

impl Epoch {
    /// The epoch of the machine this runs on.
    pub fn of_this_machine() -> Self {
        #[cfg(target_os = "linux")]
        let epoch = Self::below("/");
        #[cfg(not(target_os = "linux"))]
        let epoch = Self::unread();
        epoch
    }

    /// The epoch of the machine whose files are below `root`.
    #[cfg(any(target_os = "linux", all(test, unix)))]
    pub fn below(root: impl Into<PathBuf>) -> Self {
        read_epoch(&Tree::new(root))
    }
}
