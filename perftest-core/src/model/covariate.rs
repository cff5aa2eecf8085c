//! Influences on a test's time besides its code.

use crate::named;

named! {
    /// An influence on a test's time besides its code, by which its values can be normalised.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Covariate {
        /// Time of the reference kernel: clock and shared cores together.
        Reference = "reference",
        /// The processor's clock.
        Clock = "clock",
        /// Time of the disk probe.
        Disk = "disk",
        /// Load by other processes on the machine.
        Others = "others",
    }
}
