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

/// A setting with a fixed set of values, each with its name.
pub(super) trait Choice: Copy + PartialEq + 'static {
    const ALL: &'static [(&'static str, Self)];
}

impl Choice for OnRed {
    const ALL: &'static [(&'static str, Self)] = &[("fail", Self::Fail), ("report", Self::Report)];
}

impl Choice for OnImproved {
    const ALL: &'static [(&'static str, Self)] = &[("pass", Self::Pass), ("fail", Self::Fail)];
}

impl Choice for OnUnclear {
    const ALL: &'static [(&'static str, Self)] = &[("pass", Self::Pass), ("fail", Self::Fail)];
}

impl Choice for OnUnjudged {
    const ALL: &'static [(&'static str, Self)] =
        &[("pass", Self::Pass), ("fail", Self::Fail), ("fail-in-ci", Self::FailInCi)];
}

impl Choice for OnDebug {
    const ALL: &'static [(&'static str, Self)] =
        &[("smoke", Self::Smoke), ("measure", Self::Measure), ("fail", Self::Fail)];
}

impl Choice for Learn {
    const ALL: &'static [(&'static str, Self)] =
        &[("at-once", Self::AtOnce), ("one-per-run", Self::OnePerRun)];
}

/// Returns the choice of this name.
#[inline(never)]
pub(super) fn choice<T: Choice>(name: &str) -> Option<T> {
    T::ALL.iter().find(|(it, _)| *it == name).map(|(_, choice)| *choice)
}

/// Returns the name of a choice.
#[inline(never)]
pub(super) fn name_of<T: Choice>(choice: &T) -> String {
    T::ALL.iter().find(|(_, it)| it == choice).map_or("", |(name, _)| name).to_owned()
}
