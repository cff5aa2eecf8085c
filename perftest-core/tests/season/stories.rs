//! Load that repeats is no alarm, and what changes beside it is.

use crate::made::{Schedule, hour_of_day, is_weekend, normal};
use perftest_core::detect::{ChangePoints, Period, Season, change_points};
use perftest_core::model::Sample;
use perftest_core::stats::Random;

/// A history with noise of 1.5 %, times what a run is told to be by its place and its time.
fn history(
    schedule: Schedule,
    days: u64,
    seed: u64,
    factor: impl Fn(usize, u64) -> f64,
) -> (Vec<u64>, Sample) {
    let mut random = Random::new(seed);
    let times_ms = schedule.times_ms(days, &mut random);
    let value = |(place, time_ms): (usize, &u64)| {
        1e6 * factor(place, *time_ms) * (1.0 + 0.015 * normal(&mut random))
    };
    let values = times_ms.iter().enumerate().map(value).collect();
    (times_ms, Sample::new(values).unwrap())
}

/// What is found when patterns are taken out before.
fn without_season((times_ms, values): &(Vec<u64>, Sample)) -> ChangePoints {
    let season = Season::recognised(times_ms, values).unwrap();
    change_points(&season.map_or(values.clone(), |season| season.removed_from(times_ms, values)))
}

fn periods((times_ms, values): &(Vec<u64>, Sample)) -> Vec<Period> {
    let season = Season::recognised(times_ms, values).unwrap();
    season.iter().flat_map(Season::patterns).map(|pattern| pattern.period()).collect()
}

/// Load at the weekend: more on one than on the other.
fn weekend_load(time_ms: u64) -> f64 {
    let weekend = time_ms / (7 * 24 * 3_600_000);
    if is_weekend(time_ms) { 1.2 + 0.1 * (weekend % 3) as f64 / 2.0 } else { 1.0 }
}

#[test]
fn weekend_load_causes_no_alarm() {
    let mut alarms = 0;
    for seed in 0..5 {
        let loaded = history(Schedule::AnyTime(6.0), 120, seed, |_, time| weekend_load(time));
        let before = change_points(&loaded.1);
        alarms += before.lasting.len() + before.temporary.len();
        assert_eq!(periods(&loaded), [Period::Week], "{seed}");
        let found = without_season(&loaded);
        assert_eq!(found, ChangePoints::default(), "{seed}");
    }
    assert!(alarms >= 50, "without the season there are only {alarms} alarms");
}

#[test]
fn a_step_beside_weekend_load_is_found_where_it_is() {
    for (seed, size) in [(1, 1.08), (2, 1.08), (3, 1.1), (4, 0.9), (5, 1.08)] {
        for at in [180, 360, 601] {
            let factor = |place, time| weekend_load(time) * if place >= at { size } else { 1.0 };
            let found = without_season(&history(Schedule::AnyTime(6.0), 120, seed, factor));
            let [change] = &found.lasting[..] else { panic!("{seed} {at}: {found:?}") };
            assert!(change.index.abs_diff(at) <= 3, "{seed} {at}: {change:?}");
            let told = change.after / change.before;
            assert!((told / size - 1.0).abs() < 0.015, "{seed} {at}: {told}");
        }
    }
}

#[test]
fn load_at_daytime_causes_no_alarm_and_hides_no_step() {
    let load = |time| if (8..18).contains(&hour_of_day(time)) { 1.25 } else { 1.0 };
    for seed in 0..4 {
        let loaded = history(Schedule::ADay(24), 30, seed, |_, time| load(time));
        assert_eq!(periods(&loaded), [Period::Day], "{seed}");
        assert_eq!(without_season(&loaded), ChangePoints::default(), "{seed}");
        let raw = change_points(&loaded.1);
        assert!(raw.lasting.len() + raw.temporary.len() >= 10, "{raw:?}");
        let step = |place, time| load(time) * if place >= 400 { 1.08 } else { 1.0 };
        let found = without_season(&history(Schedule::ADay(24), 30, seed, step));
        assert!(matches!(&found.lasting[..], [it] if it.index.abs_diff(400) <= 3), "{found:?}");
    }
}

#[test]
fn a_week_with_days_of_its_own_and_load_at_daytime_are_told_both() {
    let load = |time| {
        let day = if (8..18).contains(&hour_of_day(time)) { 1.2 } else { 1.0 };
        if is_weekend(time) { 1.3 * day } else { day }
    };
    let loaded = history(Schedule::AnyTime(12.0), 90, 1, |_, time| load(time));
    let mut found = periods(&loaded);
    found.sort_by_key(|period| period.hours());
    assert!(found == Period::ALL || found == [Period::Week], "{found:?}");
    assert_eq!(without_season(&loaded), ChangePoints::default());
    let office = |time| {
        let is_busy = !is_weekend(time) && (8..18).contains(&hour_of_day(time));
        if is_busy { 1.3 } else { 1.0 }
    };
    let loaded = history(Schedule::AnyTime(12.0), 90, 2, |_, time| office(time));
    assert_eq!(without_season(&loaded), ChangePoints::default());
}

#[test]
fn one_run_a_night_shows_a_week() {
    let loaded = history(Schedule::Nightly, 70, 7, |_, time| weekend_load(time));
    assert_eq!(periods(&loaded), [Period::Week]);
    assert_eq!(without_season(&loaded), ChangePoints::default());
}

#[test]
fn three_weeks_are_enough_for_a_clear_pattern() {
    for seed in 0..5 {
        let loaded = history(Schedule::ADay(3), 22, seed, |_, time| weekend_load(time));
        assert_eq!(periods(&loaded), [Period::Week], "{seed}");
    }
}

#[test]
fn what_is_left_has_the_median_of_the_values() {
    for seed in 0..3 {
        let (times_ms, values) =
            history(Schedule::AnyTime(6.0), 60, seed, |_, time| weekend_load(time));
        let season = Season::recognised(&times_ms, &values).unwrap().unwrap();
        let rest = season.removed_from(&times_ms, &values);
        assert!((rest.median() / values.median() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn far_values_neither_make_a_pattern_nor_hide_it() {
    let far = |place: usize| if place % 19 == 3 { 6.0 } else { 1.0 };
    let loaded = |place, time| far(place) * weekend_load(time);
    assert_eq!(periods(&history(Schedule::AnyTime(6.0), 60, 3, loaded)), [Period::Week]);
    let quiet = history(Schedule::AnyTime(6.0), 60, 3, |place, _| far(place));
    assert_eq!(periods(&quiet), []);
}

#[test]
fn a_pattern_in_local_time_is_one_in_utc_and_a_clock_change_only_blurs_it() {
    // Load from 22 to 6 o'clock, which is an hour earlier in the second half.
    let load = |_, time: u64| {
        let moved = if crate::made::days(time) > 60.0 { 1 } else { 0 };
        let hour = (hour_of_day(time) + 2 + moved) % 24;
        if hour < 8 { 1.3 } else { 1.0 }
    };
    let loaded = history(Schedule::ADay(12), 120, 5, load);
    assert_eq!(periods(&loaded), [Period::Day]);
    assert!(without_season(&loaded).lasting.is_empty());
}
