//! Influences on a test's time besides its code.

/// An influence on a test's time besides its code, by which its values can be normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covariate {
    /// Time of the reference kernel: clock and shared cores together.
    Reference,
    /// The processor's clock.
    Clock,
    /// Time of the disk probe.
    Disk,
    /// Load by other processes on the machine.
    Others,
}

impl Covariate {
    /// All covariates.
    pub const ALL: [Self; 4] = [Self::Reference, Self::Clock, Self::Disk, Self::Others];

    /// The stable name used in records.
    ///
    /// ```
    /// use perftest_core::model::Covariate;
    /// assert_eq!(Covariate::from_name(Covariate::Disk.name()), Some(Covariate::Disk));
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Clock => "clock",
            Self::Disk => "disk",
            Self::Others => "others",
        }
    }

    /// The covariate with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|covariate| covariate.name() == name)
    }
}
