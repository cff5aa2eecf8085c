//! The doctor's own thresholds, with their reasons.
//!
//! What forbids a verdict by the sensors is the core's to say
//! ([`Environment::between`](perftest_core::model::Environment::between)); here is only what it
//! leaves open.

/// Share of the used processor time that the host took. The tests set stolen measurements aside;
/// beyond a fifth of them a run has no verdict.
pub(super) const UNFIT_STEAL: f64 = 0.20;

/// Share of the processors that others use. Beyond a half a test waits for a processor, or shares
/// its core and its caches, most of the time.
pub(super) const UNFIT_OTHERS: f64 = 0.50;

/// Processors that others use. From here on a slow test with a thread pool is no evidence against its code.
pub(super) const BUSY_OTHERS_CPUS: f64 = 0.25;

/// Share of the processors that others use: below it a test on one thread hardly notices, and threads may have room beside
/// them. A convention, as in the tests: of two processors it is the number above.
pub(super) const BUSY_OTHERS: f64 = 0.125;

/// Cycles that the reference kernel needs over its usual number: the tests' own bound.
pub(super) const CONTENDED_CYCLES: f64 = 1.05;

/// The quantile of the readings that counts as undisturbed. Not the very best: one clock reading
/// that is too low makes a number of cycles that no other reading comes near.
pub(super) const UNDISTURBED: f64 = 0.05;

/// Share of contended readings that costs noticeable time: those measurements are taken again.
pub(super) const CONTENDED_SHARE: f64 = 0.10;

/// A clock is steady while all but a twentieth of its readings stay above this share of the
/// middle one: below it the tests set a measurement aside.
pub(super) const STEADY_CLOCK: f64 = 0.95;

/// The system's clock and the counted one agree within this share; a claimed base clock does not.
pub(super) const CLOCKS_AGREE: f64 = 0.10;

/// Charge below which many laptops slow down by themselves, percent.
pub(super) const LOW_BATTERY_PERCENT: u64 = 25;

/// Share of a core from which a process is named: less hardly moves a test to another core.
pub(super) const BUSY_PROCESS_CORES: f64 = 0.05;

/// Share of the memory from which a process is named: a few of these leave little to the tests.
pub(super) const BUSY_MEMORY_SHARE: f64 = 0.20;
