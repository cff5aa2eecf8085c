//! Settings with a fixed set of values.

use perftest_core::named;

named! {
    /// How a test ends after a verdict that fails it by default.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OnRed {
        /// It fails.
        Fail = "fail",
        /// It passes with any verdict, and the verdict is printed.
        Report = "report",
    }
}

named! {
    /// How a test ends that has become faster.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OnImproved {
        /// It passes.
        Pass = "pass",
        /// It fails until the better level is accepted.
        Fail = "fail",
    }
}

named! {
    /// How a test ends whose budget ends without a clear answer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OnUnclear {
        /// The test passes with a note.
        Pass = "pass",
        /// It fails.
        Fail = "fail",
    }
}

named! {
    /// What a test does in a build without optimisation.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OnDebug {
        /// It runs the body once.
        Smoke = "smoke",
        /// It is measured like any other; its runs have a history of their own.
        Measure = "measure",
        /// It fails.
        Fail = "fail",
    }
}

named! {
    /// How a test without a baseline gets one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Learn {
        /// The first run measures in several fresh processes for a provisional baseline.
        AtOnce = "at-once",
        /// Each run adds one value.
        OnePerRun = "one-per-run",
    }
}
