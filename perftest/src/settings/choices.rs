//! Settings with a fixed set of values.

use perftest_core::model::OnUnjudged;

/// How a test ends after a verdict that fails it by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnRed {
    /// It fails.
    Fail,
    /// It passes with any verdict, and the verdict is printed.
    Report,
}

/// How a test ends that has become faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnImproved {
    /// It passes.
    Pass,
    /// It fails until the better level is accepted.
    Fail,
}

/// How a test ends whose budget ends without a clear answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnclear {
    /// The test passes with a note.
    Pass,
    /// It fails.
    Fail,
}

/// What a test does in a build without optimisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDebug {
    /// It runs the body once.
    Smoke,
    /// It is measured like any other; its runs have a history of their own.
    Measure,
    /// It fails.
    Fail,
}

/// How a test without a baseline gets one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learn {
    /// The first run measures in several fresh processes for a provisional baseline.
    AtOnce,
    /// Each run adds one value.
    OnePerRun,
}

impl Learn {
    pub(super) const ALL: [(&str, Self); 2] =
        [("at-once", Self::AtOnce), ("one-per-run", Self::OnePerRun)];
}

impl OnRed {
    pub(super) const ALL: [(&str, Self); 2] = [("fail", Self::Fail), ("report", Self::Report)];
}

impl OnImproved {
    pub(super) const ALL: [(&str, Self); 2] = [("pass", Self::Pass), ("fail", Self::Fail)];
}

impl OnUnclear {
    pub(super) const ALL: [(&str, Self); 2] = [("pass", Self::Pass), ("fail", Self::Fail)];
}

impl OnDebug {
    pub(super) const ALL: [(&str, Self); 3] =
        [("smoke", Self::Smoke), ("measure", Self::Measure), ("fail", Self::Fail)];
}

/// What a test does that got no verdict or no record.
pub(super) const ON_UNJUDGED: [(&str, OnUnjudged); 3] =
    [("pass", OnUnjudged::Pass), ("fail", OnUnjudged::Fail), ("fail-in-ci", OnUnjudged::FailInCi)];

/// Returns the choice of this name.
#[inline(never)]
pub(super) fn choice<T: Copy>(all: &[(&str, T)], name: &str) -> Option<T> {
    all.iter().find(|(it, _)| *it == name).map(|(_, choice)| *choice)
}

/// Returns the name of a choice.
#[inline(never)]
pub(super) fn name_of<T: PartialEq>(all: &[(&'static str, T)], choice: &T) -> &'static str {
    all.iter().find(|(_, it)| it == choice).map_or("", |(name, _)| name)
}
