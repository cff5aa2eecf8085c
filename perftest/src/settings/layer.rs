//! The settings that one place gives a test.

use super::choices::{Learn, OnDebug, OnImproved, OnRed, OnUnclear};
use perftest_core::model::OnUnjudged;
use std::time::Duration;

/// Each setting, or `None` where the place does not set it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Layer {
    /// The smallest slowdown that matters, as a share; above 0 and at most 9.
    pub tolerance: Option<f64>,
    /// The time until the verdict.
    pub budget: Option<Duration>,
    /// The longest time that an iteration may take.
    pub limit: Option<Duration>,
    /// The effect of a red verdict.
    pub on_red: Option<OnRed>,
    /// The effect of an improvement.
    pub on_improved: Option<OnImproved>,
    /// The effect of an unclear end.
    pub on_unclear: Option<OnUnclear>,
    /// The effect of a missing verdict or record.
    pub on_unjudged: Option<OnUnjudged>,
    /// The longest time in which a body may end no batch.
    pub timeout: Option<Duration>,
    /// The largest number of measurements in the first process.
    pub max_measurements: Option<u32>,
    /// What an unoptimised build does.
    pub on_debug: Option<OnDebug>,
    /// How a test without a baseline gets one.
    pub learn: Option<Learn>,
}

impl Layer {
    /// A layer without any setting.
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
