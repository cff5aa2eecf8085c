//! Settings that are one of a few words.

use perftest_core::model::OnUnjudged;

/// What a test does after a verdict that it does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnRed {
    /// It fails.
    Fail,
    /// It passes, whatever the verdict is, which is printed.
    Report,
}

/// What a test does that has become faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnImproved {
    /// It passes.
    Pass,
    /// It fails until the better level is accepted.
    Fail,
}

/// What an unclear end of the budget means for the test runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnclear {
    /// The test passes with a note.
    Pass,
    /// It fails.
    Fail,
}

/// What a build without optimisation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDebug {
    /// It runs the body once.
    Smoke,
    /// It measures as any other; its runs have a history of their own.
    Measure,
    /// It fails.
    Fail,
}

/// How a test without a baseline gets one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learn {
    /// The first run measures in several fresh processes: a provisional baseline.
    AtOnce,
    /// Each run counts as one.
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

/// What a test does that could not be judged or recorded.
pub(super) const ON_UNJUDGED: [(&str, OnUnjudged); 3] =
    [("pass", OnUnjudged::Pass), ("fail", OnUnjudged::Fail), ("fail-in-ci", OnUnjudged::FailInCi)];

/// The choice of this name.
pub(super) fn choice<T: Copy>(all: &[(&str, T)], name: &str) -> Option<T> {
    all.iter().find(|(it, _)| *it == name).map(|(_, choice)| *choice)
}

/// The name of a choice.
pub(super) fn name_of<T: PartialEq>(all: &[(&'static str, T)], choice: &T) -> &'static str {
    all.iter().find(|(_, it)| it == choice).map_or("", |(name, _)| name)
}
