//! Load that repeats is no alarm, and what changes beside it is.

use crate::made::{Schedule, days, history, hour_of_day, is_weekend, weekend_load};
use perftest_analysis::detect::{ChangePoints, Period, Season, change_points};
use perftest_core::model::Sample;

/// What is found when patterns are taken out before.
fn without_season((times_ms, values): &(Vec<u64>, Sample)) -> ChangePoints {
    let season = Season::recognised(times_ms, values).unwrap();
    change_points(&season.map_or(values.clone(), |season| season.removed_from(times_ms, values)))
}

fn periods((times_ms, values): &(Vec<u64>, Sample)) -> Vec<Period> {
    let season = Season::recognised(times_ms, values).unwrap();
    season.iter().flat_map(Season::patterns).map(|pattern| pattern.period()).collect()
}

/// Lasting and temporary changes.
fn alarms(found: &ChangePoints) -> usize {
    found.lasting.len() + found.temporary.len()
}

#[test]
fn weekend_load_causes_no_alarm() {
    let mut before = 0;
    for seed in 0..3 {
        for schedule in [3.0, 6.0, 12.0, 24.0].map(Schedule::AnyTime) {
            let loaded = history(schedule, 120, seed, |_, time| weekend_load(time));
            before += alarms(&change_points(&loaded.1));
            assert_eq!(periods(&loaded), [Period::Week], "{seed}");
            let found = without_season(&loaded);
            assert_eq!(found, ChangePoints::default(), "{seed} {schedule:?}");
        }
    }
    assert!(before >= 60, "without the season there are only {before} alarms");
}

#[test]
fn a_step_beside_weekend_load_is_found_where_it_is() {
    for (seed, size) in [(1, 1.08), (2, 1.05), (3, 1.1), (4, 0.9), (5, 1.08)] {
        for at in [180, 360, 601] {
            let factor = |place, time| weekend_load(time) * if place >= at { size } else { 1.0 };
            let found = without_season(&history(Schedule::AnyTime(6.0), 120, seed, factor));
            let [change] = &found.lasting[..] else { panic!("{seed} {at}: {found:?}") };
            assert!(change.index.abs_diff(at) <= 3, "{seed} {at}: {change:?}");
            let change_ratio = change.after / change.before;
            assert!((change_ratio / size - 1.0).abs() < 0.015, "{seed} {at}: {change_ratio}");
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
        let step = |place, time| load(time) * if place >= 400 { 1.08 } else { 1.0 };
        let found = without_season(&history(Schedule::ADay(24), 30, seed, step));
        assert!(matches!(&found.lasting[..], [it] if it.index.abs_diff(400) <= 3), "{found:?}");
    }
}

#[test]
fn a_week_with_days_of_its_own_and_load_at_daytime_are_reported_both() {
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
fn load_that_began_on_the_way_is_no_pattern_of_the_history() {
    for begin in [40.0, 60.0, 80.0] {
        let load = |_, time| if days(time) > begin { weekend_load(time) } else { 1.0 };
        let loaded = history(Schedule::AnyTime(6.0), 120, 4, load);
        assert_eq!(periods(&loaded), [], "{begin}");
        let asked = Season::of(Period::Week, &loaded.0, &loaded.1).unwrap();
        assert_eq!(asked.patterns()[0].period(), Period::Week);
    }
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
fn values_of_usual_times_stay_about_as_they_were_beside_a_step_too() {
    for seed in 0..3 {
        let step = |time| if days(time) >= 20.0 { 1.08 } else { 1.0 };
        let loaded = |_, time| weekend_load(time) * step(time);
        let (times_ms, values) = history(Schedule::AnyTime(6.0), 60, seed, loaded);
        let season = Season::recognised(&times_ms, &values).unwrap().unwrap();
        let rest = season.removed_from(&times_ms, &values);
        let pairs = times_ms.iter().zip(values.values().iter().zip(rest.values()));
        for (time_ms, (value, rest)) in pairs.filter(|(time_ms, _)| !is_weekend(**time_ms)) {
            assert!((rest / value - 1.0).abs() < 0.01, "{time_ms}: {value} {rest}");
        }
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
        let moved = if days(time) > 60.0 { 1 } else { 0 };
        let hour = (hour_of_day(time) + 2 + moved) % 24;
        if hour < 8 { 1.3 } else { 1.0 }
    };
    let loaded = history(Schedule::ADay(12), 120, 5, load);
    assert_eq!(periods(&loaded), [Period::Day]);
    assert!(without_season(&loaded).lasting.is_empty());
}

/// The first table of seasons in `docs/evidence/change-points.md`.
#[test]
#[ignore = "prints a table, and takes a while without optimisation"]
fn how_small_a_pattern_is_recognised() {
    const SEEDS: u64 = 50;
    for (name, schedule) in
        [("1", Schedule::Nightly), ("3", Schedule::ADay(3)), ("12", Schedule::ADay(12))]
    {
        for weeks in [3, 4, 8] {
            let share = |load: f64| {
                let is_seen = |seed: &u64| {
                    let factor = |_, time| if is_weekend(time) { load } else { 1.0 };
                    periods(&history(schedule, 7 * weeks + 1, *seed, factor)) == [Period::Week]
                };
                100 * (0..SEEDS).filter(is_seen).count() as u64 / SEEDS
            };
            let shares = [1.03, 1.05, 1.1, 1.3].map(|load| format!(" {}% |", share(load)));
            println!("| {name} | {weeks} |{}", shares.concat());
        }
    }
}

/// The rows of our detector in the second table.
#[test]
#[ignore = "prints a table, and takes a while without optimisation"]
fn what_a_recognised_week_gains() {
    const SEEDS: u64 = 20;
    for runs in [3.0, 6.0, 12.0, 24.0] {
        let middle = 60 * runs as usize;
        let histories = |step: f64| {
            let factor =
                move |place, time| weekend_load(time) * if place >= middle { step } else { 1.0 };
            (0..SEEDS).map(move |seed| history(Schedule::AnyTime(runs), 120, seed, factor))
        };
        let columns = [|it: &(Vec<u64>, Sample)| change_points(&it.1), without_season];
        let reported = columns.map(|changes| {
            let ends = |it: ChangePoints| it.lasting.len() + 2 * it.temporary.len();
            let all: usize = histories(1.0).map(|it| ends(changes(&it))).sum();
            all as f64 / SEEDS as f64
        });
        let found = columns.map(|changes| {
            let is_found = |it: &(Vec<u64>, Sample)| {
                changes(it).lasting.iter().any(|it| it.index.abs_diff(middle) <= 5)
            };
            100 * histories(1.05).filter(is_found).count() as u64 / SEEDS
        });
        let [[with, without], [before, then]] = [reported, found.map(|it| it as f64)];
        println!(
            "| {runs} | change_points (ours) | {with:.1} | {without:.1} | {before}% | {then}% |"
        );
    }
}
