//! The conditions of a run: the machine's state before and after, and its consequences.

use super::{Grade, MachineState, PowerSettings, Probes, Reading, Tag};
use crate::list::IntoList;

/// A processor this close to its critical temperature is hot. A convention: heat alone is a note.
const HOT_MILLI_C: i64 = 5_000;
/// Hot for a sensor without a reported limit: processors without one are built for 95 C.
const HOT_WITHOUT_LIMIT_MILLI_C: i64 = 90_000;
/// Above this share of the processor time between the two looks, stolen time is reported. A convention.
const STEAL_SHARE: f64 = 0.02;
/// Above this share of throttled periods between the two looks, a quota forbids a verdict. A convention.
const QUOTA_SHARE: f64 = 0.20;
/// Above this share of the time between the two looks, waits for a processor are reported. A convention.
const CPU_PRESSURE_SHARE: f64 = 0.25;
/// The same for waits for memory. A convention.
const MEMORY_PRESSURE_SHARE: f64 = 0.01;
/// Page faults of its own with which a process waited for the machine's swapping: a single one may be the first touch
/// of a file.
const OWN_FAULTS: u64 = 2;
/// Pages a second from which swapping slows everybody, and at least as many pages altogether. A convention: 4 MB of
/// pages of 4 KiB, far more than what one look at another program fetches.
const SWAPPED_PAGES_PER_S: f64 = 1_000.0;
/// Stolen time is counted in steps of 10 ms, pressure in bursts: shorter times have no share.
const STEAL_COUNTS_FROM_US: f64 = 500_000.0;
/// See above. Both times are conventions: 0.5 s has 50 steps of stolen time.
const PRESSURE_COUNTS_FROM_US: f64 = 50_000.0;
/// Assumed time between states without a known time, such as two trees of files. A convention: the default of
/// `cargo perftest doctor --apart`.
const ASSUMED_US: f64 = 4_000_000.0;

/// The conditions of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Environment {
    /// The state before the first measurement.
    pub before: MachineState,
    /// The state after the last one.
    pub after: MachineState,
    /// The tags of both states, and further ones.
    pub tags: Vec<Tag>,
    /// The tags that prevent a verdict.
    pub distrusted: Vec<Tag>,
}

impl Environment {
    /// Derives the conditions from two states of the machine. Source of the rules and their
    /// thresholds: `docs/reference/machine.md`.
    pub fn between(before: MachineState, after: MachineState) -> Self {
        let mut environment = Self { before, after, ..Self::default() };
        environment.conclude_clock();
        environment.conclude_power();
        environment.conclude_load();
        environment
    }

    /// Adds a tag, once.
    pub fn mark(&mut self, tag: Tag) {
        add(&mut self.tags, tag);
        if tag.grade() == Grade::Untrusted {
            add(&mut self.distrusted, tag);
        }
    }

    /// Adds a tag in a case so severe that it prevents a verdict.
    pub fn distrust(&mut self, tag: Tag) {
        self.mark(tag);
        add(&mut self.distrusted, tag);
    }

    /// Returns how far the run's numbers can be trusted: the gravest of its tags.
    pub fn grade(&self) -> Grade {
        let gravest = self.tags.iter().map(|tag| tag.grade()).max().unwrap_or(Grade::Ok);
        if self.is_untrusted() { Grade::Untrusted } else { gravest }
    }

    /// Returns whether the run may be neither green nor red.
    pub fn is_untrusted(&self) -> bool {
        !self.distrusted.is_empty()
    }

    /// Returns the increase of a counter between the two states; `None` if either is absent or the
    /// counter ran backwards.
    pub fn rise(&self, counter: impl Fn(&MachineState) -> &Reading<u64>) -> Option<u64> {
        rise(counter(&self.before), counter(&self.after))
    }

    /// Describes the changes of the power source and of power settings.
    pub fn power_changes(&self) -> Vec<String> {
        let source = |state: &MachineState| {
            state.on_battery.get().map(|battery| if battery { "battery" } else { "mains" })
        };
        let source = source(&self.before).zip(source(&self.after));
        let source = source.filter(|(before, after)| before != after);
        let source = source.map(|(before, after)| format!("{before} -> {after}"));
        let (before, after) = (&self.before.power, &self.after.power);
        let settings = match self.changed_core_kind() {
            true => after.machine_changes_since(before),
            false => after.changes_since(before),
        };
        source.into_iter().chain(settings).into_list()
    }

    /// Marks a run on another power source, or under other limits of the clock, than those by which its history was
    /// chosen, once for the process. Cores with another clock have limits of their own, and heat may hide a cap. Boost is the
    /// same on all, and moves the highest clock of the hardware that newer kernels report.
    pub fn mark_other_power(&mut self, is_on_battery: bool, settings: &PowerSettings) {
        let is_other = |it: &MachineState| {
            let is_known = it.power.cap_khz.get().is_some()
                && it.power.hardware_khz.get() == settings.hardware_khz.get();
            let boosts = it.power.boost.get().zip(settings.boost.get());
            it.on_battery.get() == Some(!is_on_battery)
                || boosts.is_some_and(|(now, at_start)| now != at_start)
                || is_known && it.power.limits() != settings.limits()
        };
        if is_other(&self.before) || is_other(&self.after) {
            self.mark(Tag::PowerChanged);
        }
    }

    /// Returns whether the two states are of different kinds of core, whose clocks and settings are
    /// not comparable.
    pub fn changed_core_kind(&self) -> bool {
        let kinds = self.before.core_kind.get().zip(self.after.core_kind.get());
        kinds.is_some_and(|(before, after)| before != after)
    }

    fn conclude_power(&mut self) {
        if [&self.before, &self.after].iter().any(|state| state.on_battery.get() == Some(true)) {
            self.mark(Tag::Battery);
        }
        if !self.power_changes().is_empty() {
            self.mark(Tag::PowerChanged);
        }
        if self.after.power.is_capped() {
            self.mark(Tag::Capped);
        }
    }

    fn conclude_load(&mut self) {
        let rise = |counter: fn(&MachineState) -> &Reading<u64>| self.rise(counter);
        let steal_ms = rise(|state| &state.steal_ms).unwrap_or(0);
        let busy_ms = rise(|state| &state.busy_ms).unwrap_or(0);
        let throttled_periods = rise(|state| &state.quota.throttled_periods).unwrap_or(0);
        let periods = rise(|state| &state.quota.periods).unwrap_or(throttled_periods);
        let elapsed_us = rise(|state| &state.taken_ms).map(|ms| 1_000.0 * ms as f64);
        let elapsed_us = elapsed_us.unwrap_or(ASSUMED_US);
        let waited = |counter: fn(&MachineState) -> &Reading<u64>, share: f64| {
            rise(counter).unwrap_or(0) as f64 > share * elapsed_us
        };
        let counts_pressure = elapsed_us >= PRESSURE_COUNTS_FROM_US;
        let lacked_memory =
            counts_pressure && waited(|state| &state.pressure.memory_us, MEMORY_PRESSURE_SHARE);
        let lacked_cpu =
            counts_pressure && waited(|state| &state.pressure.cpu_us, CPU_PRESSURE_SHARE);
        let is_stolen = steal_ms > 10 && steal_ms as f64 > STEAL_SHARE * busy_ms as f64;
        if is_stolen && elapsed_us >= STEAL_COUNTS_FROM_US {
            self.mark(Tag::Steal);
        }
        if throttled_periods > 0 {
            self.mark(Tag::Quota);
        }
        // One or two periods are too few for a share.
        if throttled_periods > 2 && throttled_periods as f64 > QUOTA_SHARE * periods as f64 {
            self.distrust(Tag::Quota);
        }
        if self.swapping_slows(lacked_memory, elapsed_us / 1e6) {
            self.mark(Tag::Swap);
        }
        if lacked_cpu || lacked_memory {
            self.mark(Tag::Loaded);
        }
    }

    /// Whether the machine swapped so that this process may have waited for it. The pages are those of all programs,
    /// also of those that a compressed memory in place of a disk holds.
    fn swapping_slows(&self, lacked_memory: bool, elapsed_s: f64) -> bool {
        let swapped = self.rise(|state| &state.swapped_pages).unwrap_or(0);
        let faults = self.rise(|state| &state.major_faults);
        // Another process may do the work of a test. Its waits are known by the pressure alone.
        let is_unknown = faults.is_none() || self.rise(|state| &state.pressure.memory_us).is_none();
        let waited = is_unknown || faults >= Some(OWN_FAULTS);
        let is_much = swapped as f64 > SWAPPED_PAGES_PER_S * elapsed_s.max(1.0);
        swapped > 0 && (waited || lacked_memory || is_much)
    }
}

impl MachineState {
    /// Returns the speed of the machine in this state.
    pub fn probes(&self) -> Probes {
        Probes {
            clock_ghz: self.effective_khz.get().map(|khz| khz as f64 / 1e6),
            reference_ns: self.reference_ns.get().map(|ns| ns as f64),
            ..Probes::default()
        }
    }

    /// Returns the probed clock, or else the reported one.
    pub fn clock_khz(&self) -> Option<u64> {
        self.effective_khz.get().or(self.frequency_khz.get())
    }

    /// Returns whether the processor is at its limit; `false` without a sensor.
    pub fn is_hot(&self) -> bool {
        let limit = self.critical_milli_c.get().map(|critical| critical - HOT_MILLI_C);
        let limit = limit.unwrap_or(HOT_WITHOUT_LIMIT_MILLI_C);
        self.temperature_milli_c.get().is_some_and(|milli_c| milli_c >= limit)
    }
}

/// Adds a tag, unless it is among them.
fn add(tags: &mut Vec<Tag>, tag: Tag) {
    if !tags.contains(&tag) {
        tags.push(tag);
    }
}

fn rise(before: &Reading<u64>, after: &Reading<u64>) -> Option<u64> {
    after.get()?.checked_sub(before.get()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CoreKind, PressureState, QuotaState};

    #[test]
    fn a_power_source_or_setting_that_changes_is_reported_and_forbids_a_verdict() {
        let on_battery = |battery| MachineState {
            on_battery: Reading::Value(battery),
            ..MachineState::default()
        };
        let environment = Environment::between(on_battery(false), on_battery(true));
        assert_eq!(environment.tags, [Tag::Battery, Tag::PowerChanged]);
        assert_eq!(environment.power_changes(), ["mains -> battery"]);
        assert!(environment.is_untrusted());
    }

    #[test]
    fn a_run_with_another_power_source_or_cap_than_its_history_is_not_trusted() {
        let on_battery =
            MachineState { on_battery: Reading::Value(true), ..MachineState::default() };
        let settings = |cap_khz, hardware_khz| PowerSettings {
            cap_khz,
            hardware_khz: Reading::Value(hardware_khz),
            ..PowerSettings::default()
        };
        let under = |power| MachineState { power, ..MachineState::default() };
        let marked = |state: &MachineState, is_on_battery, at_start: &PowerSettings| {
            let mut environment = Environment::between(state.clone(), state.clone());
            environment.mark_other_power(is_on_battery, at_start);
            environment.tags
        };
        let unknown = PowerSettings::default();
        assert_eq!(marked(&on_battery, false, &unknown), [Tag::Battery, Tag::PowerChanged]);
        assert_eq!(marked(&on_battery, true, &unknown), [Tag::Battery]);
        assert_eq!(marked(&MachineState::default(), false, &unknown), []);
        // Heat has hidden the cap when the process began.
        let hidden = settings(Reading::absent("heat"), 5_000_000);
        let capped = settings(Reading::Value(4_600_000), 5_000_000);
        assert_eq!(
            marked(&under(capped.clone()), false, &hidden),
            [Tag::Capped, Tag::PowerChanged]
        );
        assert_eq!(marked(&under(capped.clone()), false, &capped), [Tag::Capped]);
        assert_eq!(marked(&under(hidden), false, &capped), []);
        let boosting = |boost, hardware_khz| PowerSettings {
            boost: Reading::Value(boost),
            ..settings(Reading::Value(hardware_khz), hardware_khz)
        };
        let boosted = boosting(true, 5_000_000);
        assert_eq!(
            marked(&under(boosting(false, 3_500_000)), false, &boosted),
            [Tag::PowerChanged]
        );
        assert_eq!(marked(&under(boosting(true, 4_600_000)), false, &boosted), [], "another core");
        let small_core = settings(Reading::Value(2_000_000), 4_000_000);
        assert_eq!(marked(&under(small_core), false, &capped), [Tag::Capped]);
    }

    fn on_core(kind: CoreKind, khz: u64, hardware_khz: u64) -> MachineState {
        let power = PowerSettings {
            governor: Reading::Value(format!("governor of {}", kind.name())),
            cap_khz: Reading::Value(hardware_khz),
            hardware_khz: Reading::Value(hardware_khz),
            ..PowerSettings::default()
        };
        MachineState {
            core_kind: Reading::Value(kind),
            frequency_khz: Reading::Value(khz),
            power,
            ..MachineState::default()
        }
    }

    #[test]
    fn a_process_that_moved_to_another_kind_of_core_changed_no_setting() {
        let large = on_core(CoreKind::Performance, 4_900_000, 4_900_000);
        let small = on_core(CoreKind::Efficiency, 3_600_000, 3_600_000);
        let moved = Environment::between(large.clone(), small.clone());
        assert_eq!((moved.tags.as_slice(), moved.clock_ratio()), (&[Tag::CoreKind][..], None));
        let mut boosted_no_more = small;
        let mut boosted = large;
        boosted.power.boost = Reading::Value(true);
        boosted_no_more.power.boost = Reading::Value(false);
        let changed = Environment::between(boosted, boosted_no_more);
        assert_eq!(changed.power_changes(), ["boost on -> off"]);
    }

    #[test]
    fn a_process_that_moved_from_a_favoured_core_is_not_slowed() {
        let favoured = on_core(CoreKind::Performance, 5_700_000, 5_700_000);
        let other = |khz| on_core(CoreKind::Performance, khz, 5_200_000);
        assert_eq!(Environment::between(favoured.clone(), other(5_190_000)).tags, []);
        let slowed = Environment::between(favoured, other(4_000_000));
        assert_eq!(slowed.distrusted, [Tag::SlowClock]);
    }

    #[test]
    fn a_quota_that_held_back_most_periods_forbids_a_verdict() {
        let state = |periods, throttled| MachineState {
            quota: QuotaState {
                periods: Reading::Value(periods),
                throttled_periods: Reading::Value(throttled),
                ..QuotaState::default()
            },
            ..MachineState::default()
        };
        let once = Environment::between(state(10, 0), state(30, 1));
        assert_eq!((once.tags.as_slice(), once.is_untrusted()), (&[Tag::Quota][..], false));
        assert!(Environment::between(state(10, 0), state(20, 9)).is_untrusted());
    }

    #[test]
    fn pressure_counts_as_a_share_of_the_time_in_between() {
        let state = |taken_ms, cpu_us| MachineState {
            taken_ms: Reading::Value(taken_ms),
            pressure: PressureState { cpu_us: Reading::Value(cpu_us), ..PressureState::default() },
            ..MachineState::default()
        };
        assert_eq!(Environment::between(state(0, 0), state(4_000, 900_000)).tags, []);
        assert_eq!(Environment::between(state(0, 0), state(4_000, 3_900_000)).tags, [Tag::Loaded]);
    }

    #[test]
    fn swapping_forbids_a_verdict_where_the_process_may_have_waited_for_it() {
        let state = |taken_ms, pages, faults, memory_us| MachineState {
            taken_ms: Reading::Value(taken_ms),
            swapped_pages: Reading::Value(pages),
            major_faults: faults,
            pressure: PressureState { memory_us, ..PressureState::default() },
            ..MachineState::default()
        };
        let distrusted = |elapsed_ms, pages: u64, faults, memory_us| {
            let before = state(0, 5, Reading::Value(7), Reading::Value(0));
            let after = state(elapsed_ms, 5 + pages, faults, memory_us);
            Environment::between(before, after).distrusted
        };
        let faults = |rise: u64| Reading::Value(7 + rise);
        let waited = Reading::Value::<u64>;
        let unread = || Reading::absent("unread");
        assert_eq!(distrusted(4_000, 4_000, faults(1), waited(0)), [], "pages of others");
        assert_eq!(distrusted(10, 1_000, faults(0), waited(0)), [], "a burst");
        assert_eq!(distrusted(4_000, 1, faults(2), waited(0)), [Tag::Swap]);
        assert_eq!(distrusted(4_000, 4_001, faults(0), waited(0)), [Tag::Swap]);
        assert_eq!(distrusted(4_000, 1, faults(0), waited(41_000)), [Tag::Swap]);
        assert_eq!(distrusted(4_000, 1, unread(), waited(0)), [Tag::Swap]);
        assert_eq!(distrusted(4_000, 1, faults(0), unread()), [Tag::Swap], "of a child");
        assert_eq!(distrusted(4_000, 0, faults(9), waited(41_000)), [], "files of its own");
    }

    #[test]
    fn absent_sensors_raise_no_tag_and_claim_nothing() {
        let environment = Environment::between(MachineState::default(), MachineState::default());
        assert_eq!((environment.tags.as_slice(), environment.throttled()), (&[][..], None));
        assert_eq!(environment.grade(), Grade::Ok);
    }
}
