//! Histories that nobody wants, and long ones.

use crate::made::{Noise, Schedule, is_weekend};
use perftest_analysis::detect::{Period, Season, SeasonError};
use perftest_core::model::Sample;
use perftest_core::stats::Random;

const HOUR_MS: u64 = 3_600_000;

fn sample(values: impl IntoIterator<Item = f64>) -> Sample {
    Sample::new(values.into_iter().collect()).unwrap()
}

fn hourly(count: u64) -> Vec<u64> {
    (0..count).map(|run| 1_767_571_200_000 + run * HOUR_MS).collect()
}

fn error(times_ms: &[u64], values: &Sample) -> SeasonError {
    Season::recognised(times_ms, values).unwrap_err()
}

#[test]
fn what_is_missing_is_named_with_its_place() {
    let values = sample((0..100).map(f64::from).map(|value| value + 1.0));
    let times = hourly(100);
    assert_eq!(error(&times[1..], &values), SeasonError::Unpaired { times: 99, values: 100 });
    let mut swapped = times.clone();
    swapped.swap(40, 41);
    assert_eq!(error(&swapped, &values), SeasonError::Unsorted { index: 41 });
    for bad in [0.0, -0.0, -3.0] {
        let mut odd = values.values().to_vec();
        odd[7] = bad;
        assert_eq!(error(&times, &sample(odd)), SeasonError::NotPositive { index: 7, value: bad });
    }
    let few = sample(values.values()[..19].to_vec());
    assert_eq!(error(&times[..19], &few), SeasonError::TooFew { values: 19, needed: 20 });
    let short = sample(values.values()[..70].to_vec());
    let output = error(&times[..70], &short);
    assert!(matches!(output, SeasonError::TooShort { period: Period::Day, .. }), "{output:?}");
    assert!(
        output.to_string().contains("the values cover 2.9 days, and a daily pattern needs three")
    );
}

#[test]
fn one_night_after_the_other_shows_no_day() {
    let nights: Vec<u64> = (0..40).map(|day| day * 24 * HOUR_MS).collect();
    let values = sample((0..40).map(|day| 100.0 + f64::from(day * 7 % 11)));
    let hidden = SeasonError::Hidden { period: Period::Day };
    assert_eq!(Period::Day.can_be_seen_in(&nights, &values), Err(hidden));
    assert_eq!(Period::Week.can_be_seen_in(&nights, &values), Ok(()));
    assert_eq!(Season::of(Period::Day, &nights, &values), Err(hidden));
    assert_eq!(Season::recognised(&nights, &values), Ok(None));
    let once = vec![5; 40];
    assert!(matches!(error(&once, &values), SeasonError::TooShort { .. }));
}

#[test]
fn values_that_agree_have_no_pattern_and_stay() {
    let (times, values) = (hourly(900), sample(vec![7.0; 900]));
    assert_eq!(Season::recognised(&times, &values), Ok(None));
    for period in Period::ALL {
        let season = Season::of(period, &times, &values).unwrap();
        assert_eq!(season.removed_from(&times, &values), values);
        assert!(!season.patterns()[0].is_significant());
    }
}

#[test]
fn a_pattern_without_noise_leaves_nothing() {
    let times = hourly(24 * 28);
    let values = sample(times.iter().map(|time| if is_weekend(*time) { 130.0 } else { 100.0 }));
    let season = Season::recognised(&times, &values).unwrap().unwrap();
    let rest = season.removed_from(&times, &values);
    assert!(rest.values().iter().all(|value| (value - 100.0).abs() < 1e-9), "{season:?}");
}

#[test]
fn runs_at_the_same_time_are_all_values() {
    let times: Vec<u64> = hourly(24 * 28).into_iter().flat_map(|time| [time, time]).collect();
    let load = |time: &u64| if is_weekend(*time) { 1.3 } else { 1.0 };
    let value = |(place, time): (usize, &u64)| load(time) * (100.0 + (place * 7 % 11) as f64 / 9.0);
    let values = sample(times.iter().enumerate().map(value));
    let season = Season::recognised(&times, &values).unwrap().unwrap();
    assert_eq!(season.patterns().len(), 1);
}

#[test]
fn numbers_near_the_ends_of_all_numbers_are_no_trouble() {
    let times = hourly(24 * 28);
    for scale in [1e-300, 1e306] {
        let load = |time: &u64| if is_weekend(*time) { 1.3 } else { 1.0 };
        let value = |(place, time): (usize, &u64)| {
            scale * load(time) * (100.0 + (place * 7 % 11) as f64 / 9.0)
        };
        let values = sample(times.iter().enumerate().map(value));
        assert!(Season::recognised(&times, &values).unwrap().is_some(), "{scale}");
    }
    let (mut random, far) = (Random::new(3), [0, 1, u64::MAX / 2, u64::MAX]);
    let times: Vec<u64> = far.into_iter().flat_map(|time| [time; 30]).collect();
    let values = sample(times.iter().map(|_| random.between(f64::MIN_POSITIVE, f64::MAX)));
    let _ = Season::recognised(&times, &values);
    for period in Period::ALL {
        let _ = Season::of(period, &times, &values);
    }
}

#[test]
fn times_without_a_value_and_values_without_a_time_are_left_as_they_are() {
    let times = hourly(24 * 28);
    let load = |time: &u64| if is_weekend(*time) { 130.0 } else { 100.0 };
    let values = sample(times.iter().map(load));
    let season = Season::recognised(&times, &values).unwrap().unwrap();
    assert_eq!(season.removed_from(&[], &values), values);
    assert_eq!(season.removed_from(&times, &sample([5.0])).size(), 1);
}

#[test]
fn a_long_history_has_an_answer() {
    let mut random = Random::new(9);
    let times_ms = Schedule::AnyTime(20.0).times_ms(1_000, &mut random);
    let logs = Noise::Steps.logs(&times_ms, &mut random);
    let load = |time: &u64| if is_weekend(*time) { 1.3 } else { 1.0 };
    let values = sample(times_ms.iter().zip(&logs).map(|(time, log)| load(time) * log.exp()));
    let season = Season::recognised(&times_ms, &values).unwrap().unwrap();
    assert!((season.patterns()[0].peak().change - 0.3).abs() < 0.02, "{season:?}");
}
