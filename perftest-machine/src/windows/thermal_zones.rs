//! Temperatures of thermal zones. Many boards have zones with a constant value, which is no
//! temperature: a zone counts after its first change.

use super::counters::Instances;
use crate::sensor_answer::SensorAnswer;
use std::collections::BTreeMap;

/// The range for a running processor, in thousandths of a degree Celsius.
const PLAUSIBLE_MILLI_C: std::ops::RangeInclusive<i64> = -40_000..=150_000;

/// The zones seen so far.
#[derive(Debug, Default)]
pub(super) struct ThermalZones {
    seen: BTreeMap<String, Zone>,
}

#[derive(Debug)]
struct Zone {
    first_milli_c: i64,
    has_moved: bool,
}

impl ThermalZones {
    /// Returns the hottest zone of those that changed since the first look, including these values.
    pub(super) fn hottest_milli_c(&mut self, kelvins: &Instances) -> SensorAnswer<i64> {
        let kelvins = kelvins.as_ref().map_err(Clone::clone)?;
        let moved = kelvins.iter().filter_map(|(name, kelvin)| {
            let milli_c = milli_c_of_kelvin(*kelvin)?;
            self.moves(name, milli_c).then_some(milli_c)
        });
        moved.max().ok_or_else(|| "no thermal zone has moved so far: it may tell a constant".into())
    }

    /// Whether this zone ever had another value.
    fn moves(&mut self, name: &str, milli_c: i64) -> bool {
        let new = Zone { first_milli_c: milli_c, has_moved: false };
        let zone = self.seen.entry(name.to_owned()).or_insert(new);
        zone.has_moved |= zone.first_milli_c != milli_c;
        zone.has_moved
    }
}

/// Converts kelvin to thousandths of a degree Celsius; `None` outside a processor's range.
fn milli_c_of_kelvin(kelvin: f64) -> Option<i64> {
    let milli_c = ((kelvin - 273.15) * 1000.0).round() as i64;
    PLAUSIBLE_MILLI_C.contains(&milli_c).then_some(milli_c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones(values: &[(&str, f64)]) -> Instances {
        Ok(values.iter().map(|(name, kelvin)| ((*name).to_owned(), *kelvin)).collect())
    }

    #[test]
    fn a_zone_that_never_moves_is_never_believed() {
        let mut board = ThermalZones::default();
        for _ in 0..5 {
            assert!(board.hottest_milli_c(&zones(&[("TZ00", 301.0)])).is_err());
        }
    }

    #[test]
    fn a_zone_is_believed_from_its_first_move_on_even_back_at_its_first_value() {
        let mut laptop = ThermalZones::default();
        let mut look = |kelvin| laptop.hottest_milli_c(&zones(&[("THM0", kelvin)]));
        assert!(look(318.0).is_err());
        assert_eq!(look(341.0), Ok(67_850));
        assert_eq!(look(318.0), Ok(44_850));
    }

    #[test]
    fn a_hot_constant_does_not_outweigh_a_zone_that_moves() {
        let mut laptop = ThermalZones::default();
        let mut look =
            |kelvin| laptop.hottest_milli_c(&zones(&[("TZ00", 372.0), ("THM0", kelvin)]));
        assert!(look(318.0).is_err());
        assert_eq!(look(320.0), Ok(46_850));
    }

    #[test]
    fn no_zone_and_no_temperature_are_reasons() {
        let mut zone = ThermalZones::default();
        let reason = zone.hottest_milli_c(&Err("no such counter".into()));
        assert_eq!(reason, Err("no such counter".into()));
        for kelvin in [0.0, -1.0, 1e9, f64::NAN, f64::INFINITY] {
            assert!(zone.hottest_milli_c(&zones(&[("TZ00", kelvin)])).is_err());
        }
    }

    #[test]
    fn tenths_of_kelvin_keep_their_tenth() {
        assert_eq!(milli_c_of_kelvin(318.2), Some(45_050));
    }
}
