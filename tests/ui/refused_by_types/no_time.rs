//! Constants that are no time.
use perftest::{perf_group, perf_test};
use std::time::Duration;

const NOTHING: Duration = Duration::ZERO;

#[perf_test(budget = NOTHING)]
fn budget() {}

#[perf_test(limit = Duration::ZERO)]
fn limit() {}

#[perf_group(limit = Duration::MAX)]
mod group {}
