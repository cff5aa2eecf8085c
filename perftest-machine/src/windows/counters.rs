//! Performance counters of clock and heat.

use crate::sensor_answer::SensorAnswer;
use perftest_core::list::IntoList;

/// The values of a counter, each with the name of what it counts for.
pub(super) type Instances = SensorAnswer<Vec<(String, f64)>>;

/// Below this percentage of its nominal clock a processor is slowed. A convention: that of a slower clock beside a
/// counted throttle event.
const BELOW_NOMINAL: f64 = 97.0;

/// The counters that are read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Counters {
    /// Clock since the look before, percent of the nominal one; above 100 is boost.
    pub performance: Instances,
    /// Clock that is allowed, percent of the nominal one.
    pub limit: Instances,
    /// Why the clock is limited; 0 for no reason.
    pub limit_flags: Instances,
    /// Performance that each thermal zone allows the devices in it, percent.
    pub passive_limit: Instances,
    /// Temperature of each thermal zone, kelvin.
    pub temperature: Instances,
}

impl Counters {
    /// Reads each counter by its English path, which works in every language of Windows.
    pub(super) fn ask(mut values: impl FnMut(&'static str) -> Instances) -> Self {
        Self {
            performance: values(r"\Processor Information(_Total)\% Processor Performance"),
            limit: values(r"\Processor Information(_Total)\% Performance Limit"),
            limit_flags: values(r"\Processor Information(_Total)\Performance Limit Flags"),
            passive_limit: values(r"\Thermal Zone Information(*)\% Passive Limit"),
            temperature: values(r"\Thermal Zone Information(*)\Temperature"),
        }
    }

    /// The clock, averaged over all processors and the time since the look before.
    pub(super) fn clock_khz(&self, nominal_mhz: u32) -> SensorAnswer<u64> {
        let percent = lowest(&self.performance)?;
        match (1.0..=1000.0).contains(&percent) {
            true => Ok((percent * 10.0 * f64::from(nominal_mhz)).round() as u64),
            false => Err("the clock was not counted since the look before".into()),
        }
    }

    /// Whether the clock was counted, and was below the nominal one.
    pub(super) fn is_below_nominal(&self) -> bool {
        lowest(&self.performance).is_ok_and(|percent| (1.0..BELOW_NOMINAL).contains(&percent))
    }

    /// The allowed clock, where the system has a reason to limit it.
    pub(super) fn limit_percent(&self) -> SensorAnswer<u64> {
        if self.has_reason_to_limit()? { percent(&self.limit) } else { Ok(100) }
    }

    /// The limit of the power plan: one without a reason is the user's own. `None` where the system has a reason.
    pub(super) fn own_limit_percent(&self) -> Option<u64> {
        let has_reason = self.has_reason_to_limit().ok()?;
        percent(&self.limit).ok().filter(|_| !has_reason)
    }

    fn has_reason_to_limit(&self) -> SensorAnswer<bool> {
        let flags = self.limit_flags.as_ref().map_err(Clone::clone)?;
        Ok(flags.iter().any(|(_, flags)| *flags != 0.0))
    }

    /// The performance that the most limited thermal zone allows. A zone with 0 reports nothing.
    pub(super) fn passive_limit_percent(&self) -> SensorAnswer<u64> {
        let zones = self.passive_limit.as_ref().map_err(Clone::clone)?;
        percent(&Ok(zones.iter().filter(|(_, limit)| *limit >= 1.0).cloned().into_list()))
    }
}

/// Returns the lowest value as a percentage. A limit of 0% is invalid, as the machine runs.
fn percent(instances: &Instances) -> SensorAnswer<u64> {
    let percent = lowest(instances)?.min(100.0).round();
    match percent >= 1.0 {
        true => Ok(percent as u64),
        false => Err("the limit is not understood".into()),
    }
}

fn lowest(instances: &Instances) -> SensorAnswer<f64> {
    let values = instances.as_ref().map_err(Clone::clone)?;
    let values = values.iter().map(|(_, value)| *value).filter(|value| value.is_finite());
    values.reduce(f64::min).ok_or_else(|| "the performance counter has no instance".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(value: f64) -> Instances {
        Ok(vec![("_Total".into(), value)])
    }

    fn counters(limit: Instances, limit_flags: Instances, passive_limit: Instances) -> Counters {
        let unread = || Err("no such counter".into());
        Counters { limit, limit_flags, passive_limit, performance: unread(), temperature: unread() }
    }

    #[test]
    fn a_limit_that_the_user_set_is_no_throttling() {
        let power_plan = counters(one(99.0), one(0.0), one(100.0));
        assert_eq!(power_plan.limit_percent(), Ok(100));
        assert_eq!(power_plan.own_limit_percent(), Some(99));
        let heat = counters(one(99.0), one(1.0), one(100.0));
        assert_eq!(heat.limit_percent(), Ok(99));
        assert_eq!(heat.own_limit_percent(), None);
    }

    #[test]
    fn a_limit_whose_reason_is_unknown_is_not_reported() {
        let unread = counters(one(64.0), Err("no such counter".into()), one(100.0));
        assert_eq!(unread.limit_percent(), Err("no such counter".into()));
    }

    #[test]
    fn the_most_limited_zone_counts_and_a_limit_of_nothing_is_none() {
        let zones = |limits: &[f64]| {
            let zones = limits.iter().map(|limit| (r"\_TZ.THM0".into(), *limit)).collect();
            counters(one(100.0), one(0.0), Ok(zones)).passive_limit_percent()
        };
        assert_eq!(zones(&[100.0, 70.0, 90.0]), Ok(70));
        assert_eq!(zones(&[250.0]), Ok(100));
        assert_eq!(zones(&[0.0, 70.0]), Ok(70), "another zone reports nothing");
        assert!(zones(&[0.0]).is_err());
        assert!(zones(&[f64::NAN]).is_err());
        assert!(zones(&[]).is_err());
    }

    #[test]
    fn a_clock_that_was_not_counted_is_none() {
        let clock = |performance| {
            let counters = Counters { performance, ..counters(one(1.0), one(1.0), one(1.0)) };
            counters.clock_khz(2803)
        };
        assert_eq!(clock(one(100.0)), Ok(2_803_000));
        for damaged in [one(0.0), one(-1.0), one(f64::INFINITY), one(1e300), Ok(Vec::new())] {
            assert!(clock(damaged.clone()).is_err(), "{damaged:?}");
        }
    }
}
