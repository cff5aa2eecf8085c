//! The state of the machine at one moment.

use super::Reading;
use crate::list::IntoList;
use crate::named;

/// The state of the machine at one moment. Counters count since boot; only differences are
/// meaningful.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MachineState {
    /// The time of this state, milliseconds since any fixed moment before.
    pub taken_ms: Reading<u64>,
    /// Processor package temperature, thousandths of a degree Celsius.
    pub temperature_milli_c: Reading<i64>,
    /// The temperature at which the processor must slow down, if its sensor reports it.
    pub critical_milli_c: Reading<i64>,
    /// Clock of the processor this thread runs on, as the system reports it.
    pub frequency_khz: Reading<u64>,
    /// Whether that clock was counted; some systems report only the requested clock.
    pub frequency_is_counted: Reading<bool>,
    /// Clock of that processor as a probe measured it: counted cycles over time.
    pub effective_khz: Reading<u64>,
    /// Time of the throughput probe's reference kernel.
    pub reference_ns: Reading<u64>,
    /// Kind of core this thread runs on, on processors that have several.
    pub core_kind: Reading<CoreKind>,
    /// Thermal throttling, if it is counted.
    pub throttling: ThrottleState,
    /// One-minute load average, thousandths.
    pub load_milli: Reading<u64>,
    /// Processor time all tasks of the machine used since boot.
    pub busy_ms: Reading<u64>,
    /// Processor time the host took from this virtual machine since boot.
    pub steal_ms: Reading<u64>,
    /// Effects of the container's processor quota.
    pub quota: QuotaState,
    /// Time in which some task waited for a resource.
    pub pressure: PressureState,
    /// Pages swapped in and out since boot.
    pub swapped_pages: Reading<u64>,
    /// Context switches of this process, voluntary and involuntary.
    pub context_switches: Reading<u64>,
    /// Page faults of this process that needed the disk.
    pub major_faults: Reading<u64>,
    /// Page faults of this process that did not.
    pub minor_faults: Reading<u64>,
    /// Whether the machine runs on its battery.
    pub on_battery: Reading<bool>,
    /// Charge of the battery.
    pub battery_percent: Reading<u64>,
    /// Settings that limit the processor's clock.
    pub power: PowerSettings,
}

named! {
    /// The kinds of core of a hybrid processor.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum CoreKind {
        /// The large ones.
        Performance = "P",
        /// The small ones.
        Efficiency = "E",
    }
}

/// Thermal throttling, as each system counts or reports it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThrottleState {
    /// Events of processor packages since boot.
    pub package_events: Reading<u64>,
    /// Time in which a package was throttled, since any moment before; added when an event ends.
    pub package_ms: Reading<u64>,
    /// Events of cores since boot.
    pub core_events: Reading<u64>,
    /// Time in which a core was throttled, since any moment before; added when an event ends.
    pub core_ms: Reading<u64>,
    /// The throttle word of a Raspberry Pi's firmware: bits 0 to 3 under-voltage, frequency
    /// capped, throttled, soft temperature limit now; bits 16 to 19 the same since boot.
    pub firmware_bits: Reading<u64>,
    /// Thermal pressure of macOS: 0 nominal, 1 moderate, 2 heavy, 3 trapping, 4 sleeping.
    pub pressure_level: Reading<u64>,
    /// The clock that firmware allows, percent of the nominal one, or that Linux allows because of heat,
    /// percent of the highest: below 100 is throttled.
    pub limit_percent: Reading<u64>,
}

/// Effects of a container's processor quota since it was set up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuotaState {
    /// Periods that ended.
    pub periods: Reading<u64>,
    /// Periods in which the container was held back.
    pub throttled_periods: Reading<u64>,
    /// Time it was held back, over all processors.
    pub throttled_us: Reading<u64>,
}

/// Time since boot in which some task waited for a resource.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PressureState {
    /// For a processor.
    pub cpu_us: Reading<u64>,
    /// For memory.
    pub memory_us: Reading<u64>,
    /// For a disk.
    pub io_us: Reading<u64>,
}

/// Settings that limit the processor's clock.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PowerSettings {
    /// Governor of the clock.
    pub governor: Reading<String>,
    /// Preference between energy and performance.
    pub preference: Reading<String>,
    /// Profile of the platform.
    pub profile: Reading<String>,
    /// Whether the processor may exceed its base clock.
    pub boost: Reading<bool>,
    /// Highest clock allowed by the settings; absent while heat may have lowered it.
    pub cap_khz: Reading<u64>,
    /// Highest clock of the hardware.
    pub hardware_khz: Reading<u64>,
}

/// A cap above this share of the hardware's clock costs nothing. A convention.
const UNCAPPED: f64 = 0.98;

impl PowerSettings {
    /// Returns whether the settings keep the clock below 0.98 of the hardware's highest.
    pub fn is_capped(&self) -> bool {
        self.cap_share().is_some_and(|share| share < UNCAPPED)
    }

    /// Returns what of the settings limits the clock: the cap in kHz, if it costs something, and whether there is no boost.
    /// Runs under different limits have different histories.
    pub fn limits(&self) -> (Option<u64>, bool) {
        let cap_khz = self.cap_khz.get().filter(|_| self.is_capped());
        (cap_khz, self.boost.get() == Some(false))
    }

    /// Describes the changes since an earlier reading on a core of the same kind: `governor
    /// powersave -> performance`.
    pub fn changes_since(&self, earlier: &Self) -> Vec<String> {
        let of_core = [
            change_of_word("governor", &earlier.governor, &self.governor),
            change_of_word("energy preference", &earlier.preference, &self.preference),
        ];
        let of_machine = self.machine_changes_since(earlier);
        of_core.into_iter().flatten().chain(of_machine).chain(self.cap_change(earlier)).into_list()
    }

    /// Describes the changes since an earlier reading on a core of another kind: each kind has its
    /// own settings, so only those of the whole machine are comparable.
    pub fn machine_changes_since(&self, earlier: &Self) -> Vec<String> {
        let boost = |reading: &Reading<bool>| reading.get().map(|on| if on { "on" } else { "off" });
        [
            change_of_word("profile", &earlier.profile, &self.profile),
            change("boost", boost(&earlier.boost).as_ref(), boost(&self.boost).as_ref()),
        ]
        .into_iter()
        .flatten()
        .into_list()
    }

    /// Describes a change of the cap. Favoured cores have a higher clock than others of their kind.
    /// For cores with different clocks the caps are compared as shares of these.
    fn cap_change(&self, earlier: &Self) -> Option<String> {
        let are_of_one_clock = earlier.hardware_khz.get() == self.hardware_khz.get();
        if let (Some(then), Some(now), false) =
            (earlier.cap_share(), self.cap_share(), are_of_one_clock)
        {
            let percent = |share: f64| format!("{:.0}%", 100.0 * share);
            let differs = (now - then).abs() > 1.0 - UNCAPPED;
            return differs.then(|| format!("clock cap {} -> {}", percent(then), percent(now)));
        }
        let mhz = |reading: &Reading<u64>| reading.get().map(|khz| format!("{} MHz", khz / 1_000));
        change("clock cap", mhz(&earlier.cap_khz).as_ref(), mhz(&self.cap_khz).as_ref())
    }

    /// Returns the cap as a share of the hardware's highest clock.
    fn cap_share(&self) -> Option<f64> {
        let clocks = self.cap_khz.get().zip(self.hardware_khz.get().filter(|khz| *khz > 0));
        clocks.map(|(cap, hardware)| cap as f64 / hardware as f64)
    }
}

fn change_of_word(name: &str, then: &Reading<String>, now: &Reading<String>) -> Option<String> {
    change(name, then.value(), now.value())
}

/// Describes a setting that is known at both times and differs.
fn change<T: PartialEq + std::fmt::Display>(
    name: &str,
    then: Option<&T>,
    now: Option<&T>,
) -> Option<String> {
    let (then, now) = then.zip(now)?;
    (then != now).then(|| format!("{name} {then} -> {now}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_setting_is_reported_with_both_values_and_an_unread_one_is_not() {
        let settings = |governor: &str, boost| PowerSettings {
            governor: Reading::Value(governor.to_owned()),
            boost: Reading::Value(boost),
            ..PowerSettings::default()
        };
        let changes = settings("performance", false).changes_since(&settings("powersave", true));
        assert_eq!(changes, ["governor powersave -> performance", "boost on -> off"]);
        assert!(settings("powersave", true).changes_since(&PowerSettings::default()).is_empty());
    }

    #[test]
    fn the_caps_of_favoured_cores_compare_as_shares_of_their_clocks() {
        let settings = |cap_khz, hardware_khz| PowerSettings {
            cap_khz: Reading::Value(cap_khz),
            hardware_khz: Reading::Value(hardware_khz),
            ..PowerSettings::default()
        };
        let favoured = settings(5_700_000, 5_700_000);
        assert!(settings(5_200_000, 5_200_000).changes_since(&favoured).is_empty());
        let capped = settings(2_600_000, 5_200_000).changes_since(&favoured);
        assert_eq!(capped, ["clock cap 100% -> 50%"]);
        let capped = settings(2_600_000, 5_700_000).changes_since(&favoured);
        assert_eq!(capped, ["clock cap 5700 MHz -> 2600 MHz"]);
    }

    #[test]
    fn a_cap_is_a_cap_only_when_it_costs_something() {
        let settings = |cap_khz| PowerSettings {
            cap_khz: Reading::Value(cap_khz),
            hardware_khz: Reading::Value(4_700_000),
            ..PowerSettings::default()
        };
        assert!(settings(1_900_000).is_capped());
        assert!(!settings(4_690_000).is_capped());
        assert!(!PowerSettings::default().is_capped());
    }
}
