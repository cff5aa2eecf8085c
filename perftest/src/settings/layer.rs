//! What one place says about a test.

use super::choices::{Learn, OnDebug, OnImproved, OnRed, OnUnclear};
use perftest_core::model::OnUnjudged;
use std::time::Duration;

/// Each setting, or nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Layer {
    /// The smallest degradation that matters, as a share; above 0 and at most 9.
    pub tolerance: Option<f64>,
    /// The time until the verdict.
    pub budget: Option<Duration>,
    /// The time of an iteration that may never be exceeded.
    pub limit: Option<Duration>,
    /// What a red verdict means.
    pub on_red: Option<OnRed>,
    /// What an improvement means.
    pub on_improved: Option<OnImproved>,
    /// What an unclear end means.
    pub on_unclear: Option<OnUnclear>,
    /// What a test does that could not be judged or recorded.
    pub on_unjudged: Option<OnUnjudged>,
    /// The longest time in which a body may give no sign.
    pub timeout: Option<Duration>,
    /// Most measurements in the first process.
    pub max_measurements: Option<u32>,
    /// What an unoptimised build does.
    pub on_debug: Option<OnDebug>,
    /// How a test without a baseline gets one.
    pub learn: Option<Learn>,
}

impl Layer {
    /// Nothing of anything.
    pub const SILENT: Self = Self {
        tolerance: None,
        budget: None,
        limit: None,
        on_red: None,
        on_improved: None,
        on_unclear: None,
        on_unjudged: None,
        timeout: None,
        max_measurements: None,
        on_debug: None,
        learn: None,
    };
}
