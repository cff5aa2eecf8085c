//! The time stamp counter, if it counts at a constant rate.

use perftest_core::text::Text;
use std::arch::x86_64::{__cpuid, __rdtscp, _mm_lfence, _rdtsc, CpuidResult};
use std::fs;
use std::time::{Duration, Instant};

/// Bit of CPUID leaf 0x8000_0007 EDX: the counter is invariant.
const INVARIANT: u32 = 1 << 8;
/// Bit of CPUID leaf 0x8000_0001 EDX: the ordered read exists.
const ORDERED_READ: u32 = 1 << 27;
/// Two calibrations that differ by more than this share do not describe one rate.
const AGREEMENT: f64 = 2e-4;
/// The names of the clocks that Linux may use; other systems have no such file.
const CLOCKS_OF_THE_KERNEL: &str =
    "/sys/devices/system/clocksource/clocksource0/available_clocksource";
/// Windows of both calibrations. The short ones nearly always agree, within a tenth of the bound.
/// On a busy system, or with a coarse clock, the long ones may.
const WINDOWS_US: [[u64; 2]; 2] = [[250, 500], [1_000, 2_000]];

/// A counter with its rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tsc {
    ns_per_tick: f64,
}

impl Tsc {
    /// Returns the counter of this processor if it is invariant, and two short calibrations against
    /// the monotonic clock agree.
    pub(super) fn calibrate() -> Option<Self> {
        if !is_invariant() || !is_in_step() {
            return None;
        }
        WINDOWS_US.into_iter().find_map(|windows| {
            let [first, second] = windows.map(rate_over);
            let agree = (first / second - 1.0).abs() < AGREEMENT;
            agree.then_some(Self { ns_per_tick: second })
        })
    }

    /// Wall time of `work` in nanoseconds.
    #[inline]
    pub(super) fn time_ns(self, work: impl FnOnce()) -> f64 {
        let start = self.start();
        work();
        self.since_ns(start)
    }

    /// Reads the counter at the beginning of work that no closure can contain.
    #[inline]
    pub(super) fn start(self) -> u64 {
        start_ticks()
    }

    /// Returns the wall time since such a reading, in nanoseconds.
    #[inline]
    pub(super) fn since_ns(self, start: u64) -> f64 {
        end_ticks().wrapping_sub(start) as f64 * self.ns_per_tick
    }
}

/// Whether the counters of all processors agree, as far as the kernel knows: it drops those that do not from its clocks,
/// and a thread that moved would measure the difference.
fn is_in_step() -> bool {
    fs::read_to_string(CLOCKS_OF_THE_KERNEL).map_or(true, |clocks| has_tsc(&clocks))
}

fn has_tsc(clocks: &str) -> bool {
    clocks.words().any(|clock| clock == "tsc")
}

fn is_invariant() -> bool {
    let has =
        |number: u32, bit: u32| leaf(0x8000_0000).eax >= number && leaf(number).edx & bit != 0;
    has(0x8000_0007, INVARIANT) && has(0x8000_0001, ORDERED_READ)
}

// Newer compilers know that the call is safe and call the block unused.
#[allow(unused_unsafe)]
fn leaf(number: u32) -> CpuidResult {
    // SAFETY: every x86-64 processor has the instruction, and it touches no memory.
    unsafe { __cpuid(number) }
}

/// Returns the nanoseconds of a tick over a window of this many microseconds.
fn rate_over(window_us: u64) -> f64 {
    let (start, start_ticks) = paired_reading();
    while start.elapsed() < Duration::from_micros(window_us) {
        std::hint::spin_loop();
    }
    let (end, end_ticks) = paired_reading();
    (end - start).as_nanos() as f64 / end_ticks.wrapping_sub(start_ticks) as f64
}

/// Reads both clocks at nearly the same moment: the try with the narrowest bracket counts.
fn paired_reading() -> (Instant, u64) {
    let tries = (0..8).map(|_| {
        let before = end_ticks();
        let now = Instant::now();
        let after = end_ticks();
        (after.wrapping_sub(before), now, before + after.wrapping_sub(before) / 2)
    });
    let (_, now, ticks) =
        tries.min_by_key(|(width, ..)| *width).unwrap_or((0, Instant::now(), end_ticks()));
    (now, ticks)
}

#[inline]
fn start_ticks() -> u64 {
    // SAFETY: both instructions exist on every x86-64 processor and touch no memory. The fence
    // before keeps earlier work out of the window, the one after keeps the window's work after the
    // read. `a_longer_loop_takes_more_ticks` would notice a counter that does not count.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

#[inline]
fn end_ticks() -> u64 {
    let mut processor = 0;
    // SAFETY: `is_invariant` has checked the bit of the ordered read before any `Tsc` exists. The
    // instruction waits for the window's instructions, and the fence keeps later ones out. It
    // writes the processor's number only to the local variable.
    unsafe {
        let ticks = __rdtscp(&raw mut processor);
        _mm_lfence();
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_the_kernel_has_dropped_is_not_in_step() {
        assert!(has_tsc("tsc kvm-clock \n") && has_tsc("hpet tsc\n"));
        assert!(!has_tsc("hpet acpi_pm \n") && !has_tsc("tsc-early hpet"));
    }

    /// The counter of this processor: on a busy system after some tries.
    fn calibrated() -> Option<Tsc> {
        (0..100).find_map(|_| Tsc::calibrate())
    }

    #[test]
    fn a_counter_that_the_kernel_calls_constant_and_uses_is_calibrated() {
        let has = |file: &str, word: &str| {
            let text = fs::read_to_string(file).unwrap_or_default();
            text.split_whitespace().any(|it| it == word)
        };
        let is_listed = ["nonstop_tsc", "rdtscp"].iter().all(|it| has("/proc/cpuinfo", it));
        assert!(calibrated().is_some() || !is_listed || !has(CLOCKS_OF_THE_KERNEL, "tsc"));
    }

    #[test]
    fn a_longer_loop_takes_more_ticks() {
        let Some(tsc) = calibrated() else { return };
        let spin = |rounds: u64| {
            let best = (0..50).map(|_| {
                tsc.time_ns(|| {
                    (0..rounds).for_each(|round| {
                        std::hint::black_box(round);
                    })
                })
            });
            best.fold(f64::MAX, f64::min)
        };
        assert!(spin(20_000) > 4.0 * spin(1_000));
    }

    #[test]
    fn the_counter_agrees_with_the_monotonic_clock() {
        let Some(tsc) = calibrated() else { return };
        // Both windows contain the same loop, and the same interruptions between their ends; the
        // ratio, not the time, is asserted.
        let ratio = || {
            let start = Instant::now();
            let by_counter = tsc.time_ns(|| {
                while start.elapsed() < Duration::from_millis(5) {
                    std::hint::spin_loop();
                }
            });
            by_counter / start.elapsed().as_nanos() as f64
        };
        let ratios = [(); 5].map(|()| ratio());
        assert!(ratios.iter().any(|ratio| (ratio - 1.0).abs() < 0.2), "{ratios:?}");
    }
}
