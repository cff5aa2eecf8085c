//! Whether the processor was throttled between two states, and what its clock shows of it.

use super::{Environment, MachineState, Reading, Tag};

/// The kernel counts throttled time in milliseconds; below this it is a spike. The number is a convention.
const THROTTLED_MS: u64 = 10;
/// A clock this far down beside a counted event means that throttling continues. A convention.
const SLOWED: f64 = 0.97;
/// A clock this far down is reported. Source: of 5,000 readings of the clock in a recorded process at most 0.4% are
/// below 0.95 of their median.
const SLOW_CLOCK: f64 = 0.95;
/// A clock this far down makes numbers incomparable. Source: at most 0.2% of these readings are below it.
const VERY_SLOW_CLOCK: f64 = 0.90;

impl Environment {
    /// Returns whether the processor was throttled; `None` if the machine does not report it.
    #[inline]
    pub fn throttled(&self) -> Option<bool> {
        let seen = self.tags.contains(&Tag::Throttled);
        let state = |state: &MachineState| {
            let throttling = &state.throttling;
            let counts = [
                &throttling.package_events,
                &throttling.core_events,
                &throttling.firmware_bits,
                &throttling.pressure_level,
                &throttling.limit_percent,
            ];
            counts.into_iter().any(|count| count.get().is_some())
        };
        // A clock that was only requested is no evidence.
        let reports_clock = self.after.frequency_khz.get().is_some()
            && self.after.frequency_is_counted.get() == Some(true);
        let probed = self.after.effective_khz.get().is_some();
        (seen || state(&self.after) || reports_clock || probed).then_some(seen)
    }

    /// Throttle events between the two states: of packages if they are counted, or else of cores.
    pub fn throttle_events(&self) -> Option<u64> {
        let packages = self.rise(|state| &state.throttling.package_events);
        let cores = self.rise(|state| &state.throttling.core_events);
        packages.filter(|events| *events > 0).or(cores).or(packages)
    }

    /// Time throttled between the two states: of packages if it is counted, or else of cores.
    pub fn throttle_ms(&self) -> Option<u64> {
        let packages = self.rise(|state| &state.throttling.package_ms);
        let cores = self.rise(|state| &state.throttling.core_ms);
        packages.filter(|ms| *ms > 0).or(cores).or(packages)
    }

    /// Returns the lower of the clocks that the system allowed at the two looks, as a share in percent;
    /// `None` if it limited none.
    pub fn clock_limit_percent(&self) -> Option<u64> {
        let limit = |state: &MachineState| {
            state.throttling.limit_percent.get().filter(|percent| *percent < 100)
        };
        [&self.before, &self.after].into_iter().filter_map(limit).min()
    }

    /// Returns the clock after over the clock before: the probed ones if both were probed, or else
    /// the reported ones. `None` for different kinds of core. Favoured cores of one kind have a
    /// higher clock, so the ratio is of shares of their highest clocks.
    pub fn clock_ratio(&self) -> Option<f64> {
        if self.changed_core_kind() {
            return None;
        }
        let pair = |clock: fn(&MachineState) -> &Reading<u64>| {
            clock(&self.before).get().zip(clock(&self.after).get())
        };
        let (before, after) =
            pair(|state| &state.effective_khz).or_else(|| pair(|state| &state.frequency_khz))?;
        let highest = pair(|state| &state.power.hardware_khz).filter(|(_, after)| *after > 0);
        let of_cores = highest.map_or(1.0, |(before, after)| before as f64 / after as f64);
        (before > 0).then(|| of_cores * after as f64 / before as f64)
    }

    /// Adds the tags of clock, heat and throttling.
    pub(super) fn conclude_clock(&mut self) {
        if self.changed_core_kind() {
            self.mark(Tag::CoreKind);
        }
        let clock = self.clock_ratio().unwrap_or(1.0);
        let hot = self.after.is_hot();
        if self.throttling_was_counted(clock) || (hot && clock < VERY_SLOW_CLOCK) {
            return self.mark(Tag::Throttled);
        }
        if self.throttle_events().unwrap_or(0) > 0 {
            self.mark(Tag::ThrottleSpike);
        }
        if hot && self.before.is_hot() {
            self.mark(Tag::Hot);
        }
        // A clock that was capped meanwhile is reported as a changed setting.
        if clock < SLOW_CLOCK && self.power_changes().is_empty() {
            self.mark(Tag::SlowClock);
            if clock < VERY_SLOW_CLOCK {
                self.distrust(Tag::SlowClock);
            }
        }
    }

    fn throttling_was_counted(&self, clock: f64) -> bool {
        let throttled_ms = |counter: fn(&MachineState) -> &Reading<u64>| {
            self.rise(counter).unwrap_or(0) >= THROTTLED_MS
        };
        let events = self.throttle_events().unwrap_or(0);
        // Time is added when an event ends, so events with a slower clock continue. Without times
        // from the kernel, heat decides instead.
        let goes_on = events > 0 && clock < SLOWED;
        let without_times = events > 0 && self.throttle_ms().is_none() && self.after.is_hot();
        throttled_ms(|state| &state.throttling.package_ms)
            || throttled_ms(|state| &state.throttling.core_ms)
            || goes_on
            || without_times
            || self.firmware_throttled()
            || self.system_throttled(clock)
    }

    /// Returns bits 0 to 3 of the throttle word of a Raspberry Pi's firmware, as far as they were set at either look.
    pub fn firmware_bits(&self) -> u64 {
        let bits = |state: &MachineState| state.throttling.firmware_bits.get().unwrap_or(0);
        (bits(&self.before) | bits(&self.after)) & 0xf
    }

    /// Returns whether one of bits 0 to 3 was set at either look, or one of the same bits since boot was not set before.
    fn firmware_throttled(&self) -> bool {
        let bits = |state: &MachineState| state.throttling.firmware_bits.get();
        let looks = bits(&self.before).zip(bits(&self.after));
        let is_new = looks.is_some_and(|(before, after)| (after & !before & 0xf_0000) != 0);
        self.firmware_bits() != 0 || is_new
    }

    /// Only a moderate pressure needs a slower clock beside it, and that of the second look is compared.
    fn system_throttled(&self, clock: f64) -> bool {
        let level = |state: &MachineState| state.throttling.pressure_level.get().unwrap_or(0);
        let (before, after) = (level(&self.before), level(&self.after));
        before.max(after) >= 2
            || (after == 1 && clock < SLOW_CLOCK)
            || self.clock_limit_percent().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Grade, ThrottleState};

    fn state(events: u64, throttle_ms: u64, khz: u64) -> MachineState {
        MachineState {
            throttling: ThrottleState {
                package_events: Reading::Value(events),
                package_ms: Reading::Value(throttle_ms),
                ..ThrottleState::default()
            },
            frequency_khz: Reading::Value(khz),
            ..MachineState::default()
        }
    }

    fn at(milli_c: i64, khz: u64) -> MachineState {
        MachineState {
            temperature_milli_c: Reading::Value(milli_c),
            frequency_khz: Reading::Value(khz),
            ..MachineState::default()
        }
    }

    fn firmware(bits: u64) -> MachineState {
        let throttling =
            ThrottleState { firmware_bits: Reading::Value(bits), ..ThrottleState::default() };
        MachineState { throttling, ..MachineState::default() }
    }

    #[test]
    fn ten_milliseconds_of_throttling_make_a_run_untrusted() {
        let environment = Environment::between(state(3, 40, 4_100_000), state(4, 50, 4_100_000));
        assert_eq!(environment.tags, [Tag::Throttled]);
        assert!(environment.is_untrusted());
        assert_eq!(environment.grade(), Grade::Untrusted);
    }

    #[test]
    fn a_short_spike_without_a_slower_clock_is_only_noted() {
        let environment = Environment::between(state(3, 40, 4_100_000), state(4, 40, 4_090_000));
        assert_eq!(environment.tags, [Tag::ThrottleSpike]);
        assert_eq!(environment.grade(), Grade::Note);
        assert_eq!(environment.throttled(), Some(false));
    }

    #[test]
    fn an_event_with_a_slower_clock_is_throttling_that_still_goes_on() {
        let environment = Environment::between(state(3, 40, 4_100_000), state(4, 40, 3_200_000));
        assert!(environment.is_untrusted());
    }

    #[test]
    fn a_hot_processor_at_full_speed_is_no_throttling_and_a_slowed_one_is() {
        let hot = Environment::between(at(95_000, 5_400_000), at(95_000, 5_340_000));
        assert_eq!(hot.tags, [Tag::Hot]);
        let throttled = Environment::between(at(63_000, 5_400_000), at(95_000, 4_300_000));
        assert_eq!(throttled.tags, [Tag::Throttled]);
        let limited = Environment::between(at(63_000, 4_400_000), at(77_000, 2_900_000));
        assert_eq!(
            (limited.tags.as_slice(), limited.is_untrusted()),
            (&[Tag::SlowClock][..], true)
        );
    }

    #[test]
    fn the_probed_clock_outweighs_the_reported_one() {
        let probed =
            |khz| MachineState { effective_khz: Reading::Value(4_100_000), ..at(50_000, khz) };
        assert_eq!(Environment::between(probed(4_000_000), probed(800_000)).tags, []);
    }

    #[test]
    fn a_clock_that_the_system_limits_at_either_look_is_throttled() {
        let limited = |percent: Option<u64>| {
            let limit_percent = percent.map_or_else(Reading::default, Reading::Value);
            let throttling = ThrottleState { limit_percent, ..ThrottleState::default() };
            MachineState { throttling, ..MachineState::default() }
        };
        for (before, after) in [(Some(80), Some(80)), (None, Some(80)), (Some(80), Some(100))] {
            let environment = Environment::between(limited(before), limited(after));
            assert_eq!(environment.distrusted, [Tag::Throttled], "{before:?} {after:?}");
            assert_eq!(environment.clock_limit_percent(), Some(80));
        }
        let free = Environment::between(limited(None), limited(Some(100)));
        assert_eq!((free.tags.as_slice(), free.clock_limit_percent()), (&[][..], None));
    }

    #[test]
    fn old_bits_of_the_firmware_are_history_and_new_ones_are_not() {
        assert_eq!(Environment::between(firmware(0x5_0000), firmware(0x5_0000)).tags, []);
        assert!(Environment::between(firmware(0), firmware(0x5_0000)).is_untrusted());
        assert!(Environment::between(firmware(0x5_0005), firmware(0x5_0005)).is_untrusted());
        let began_throttled = Environment::between(firmware(0x5_0005), firmware(0x5_0000));
        assert_eq!(began_throttled.distrusted, [Tag::Throttled]);
        assert_eq!(began_throttled.firmware_bits(), 0x5);
        let gone = Environment::between(firmware(0), MachineState::default());
        assert_eq!((gone.tags.as_slice(), gone.throttled()), (&[][..], None));
    }

    #[test]
    fn heavy_thermal_pressure_counts_at_either_look_and_a_moderate_one_beside_a_slower_clock() {
        let under = |level, khz| {
            let pressure_level = Reading::Value(level);
            let throttling = ThrottleState { pressure_level, ..ThrottleState::default() };
            MachineState { throttling, ..at(60_000, khz) }
        };
        let distrusted = |before, after| Environment::between(before, after).distrusted;
        let nominal = |khz| under(0, khz);
        assert_eq!(distrusted(under(2, 3_000_000), nominal(3_200_000)), [Tag::Throttled]);
        assert_eq!(distrusted(nominal(3_200_000), under(2, 3_200_000)), [Tag::Throttled]);
        assert_eq!(distrusted(nominal(3_200_000), under(1, 3_000_000)), [Tag::Throttled]);
        assert_eq!(distrusted(under(1, 3_000_000), nominal(3_200_000)), []);
    }

    #[test]
    fn a_counter_that_runs_backwards_is_ignored() {
        let environment = Environment::between(state(9, 90, 1), state(1, 0, 1));
        assert_eq!(environment.rise(|state| &state.throttling.package_ms), None);
        assert_eq!(environment.tags, []);
    }
}
