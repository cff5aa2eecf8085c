//! Histories as they are made: when values are measured, and what disturbs them.

use crate::noise::normal;
use perftest_core::model::Sample;
use perftest_core::stats::Random;

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;
/// Monday, 5 January 2026, at midnight UTC.
const START_MS: u64 = 1_767_571_200_000;

/// The day of the week, Monday first.
pub(crate) fn day_of_week(time_ms: u64) -> u64 {
    (time_ms - START_MS) / DAY_MS % 7
}

pub(crate) fn is_weekend(time_ms: u64) -> bool {
    day_of_week(time_ms) >= 5
}

pub(crate) fn hour_of_day(time_ms: u64) -> u64 {
    time_ms % DAY_MS / HOUR_MS
}

/// Days since the start.
pub(crate) fn days(time_ms: u64) -> f64 {
    (time_ms - START_MS) as f64 / DAY_MS as f64
}

/// When values are measured.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Schedule {
    /// So many times a day, an hour more or less.
    ADay(u64),
    /// Every night at three.
    Nightly,
    /// At any time, so often a day on average.
    AnyTime(f64),
    /// On working days from eight to eighteen o'clock.
    WorkingHours,
    /// Five within an hour, on every third day or so.
    Bursts,
}

impl Schedule {
    pub(crate) fn times_ms(self, days: u64, random: &mut Random) -> Vec<u64> {
        let jitter = |random: &mut Random| random.below(HOUR_MS as usize) as u64;
        let mut times: Vec<u64> = match self {
            Self::ADay(count) => (0..days * count)
                .map(|run| START_MS + run * DAY_MS / count + jitter(random))
                .collect(),
            Self::Nightly => (0..days).map(|day| START_MS + day * DAY_MS + 3 * HOUR_MS).collect(),
            Self::AnyTime(rate) => (0..(rate * days as f64) as u64)
                .map(|_| START_MS + random.below((days * DAY_MS) as usize) as u64)
                .collect(),
            Self::WorkingHours => (0..days * 4)
                .map(|run| START_MS + run / 4 * DAY_MS + 8 * HOUR_MS)
                .filter(|time| !is_weekend(*time))
                .map(|time| time + random.below(10 * HOUR_MS as usize) as u64)
                .collect(),
            Self::Bursts => (0..days / 3)
                .map(|_| START_MS + random.below((days * DAY_MS) as usize) as u64)
                .flat_map(|time| (0..5).map(move |run| time + run * 10 * MINUTE_MS))
                .collect(),
        };
        times.sort_unstable();
        times
    }
}

/// What disturbs values that have no pattern.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Noise {
    /// Nothing: they agree.
    None,
    /// Normal, independent.
    White,
    /// One of twelve is far away.
    Spikes,
    /// Two levels at random.
    TwoModes,
    /// Each value remembers 0.9 of the one before.
    Autoregressive,
    /// What it remembers halves in so many days.
    Remembering(f64),
    /// A sum of independent steps.
    Walk,
    /// Two levels that last some days each.
    Phases,
    /// A line.
    Drift,
    /// One step of 20% somewhere.
    Step,
    /// A step of up to 30% every two weeks or so.
    Steps,
    /// A drift, a step and memory at once.
    All,
    /// Noise that is three times as large in the second half.
    Louder,
    /// A clock that ticks.
    Ticks,
    /// Something that repeats after so many days.
    Repeating(f64),
}

impl Noise {
    /// Logarithms of values at these times.
    pub(crate) fn logs(self, times_ms: &[u64], random: &mut Random) -> Vec<f64> {
        let span = days(*times_ms.last().unwrap()).max(1.0);
        let chosen = span * random.between(0.2, 0.8);
        let size = random.between(-0.3, 0.3);
        let mut state = normal(random);
        let mut before = 0.0;
        let mut log = |time_ms: &u64| {
            let day = days(*time_ms);
            let passed = day - before;
            before = day;
            let mut remembered = |share: f64, random: &mut Random| {
                state = share * state + (1.0 - share * share).sqrt() * normal(random);
                state
            };
            let step = 0.2 * f64::from(u8::from(day > chosen));
            match self {
                Self::None => 0.0,
                Self::White => 0.01 * normal(random),
                Self::Spikes => {
                    let far = if random.below(12) == 0 { random.between(0.0, 2.0) } else { 0.0 };
                    0.01 * normal(random) + far
                }
                Self::TwoModes => 0.005 * normal(random) + 0.2 * random.below(2) as f64,
                Self::Autoregressive => 0.02 * remembered(0.9, random),
                Self::Remembering(half) => 0.02 * remembered(0.5_f64.powf(passed / half), random),
                Self::Walk => {
                    state += 0.05 * passed.sqrt() * normal(random);
                    state
                }
                Self::Phases => {
                    if random.between(0.0, 1.0) < passed / 4.0 {
                        state = random.between(-1.0, 1.0);
                    }
                    0.1 * state + 0.01 * normal(random)
                }
                Self::Drift => size * day / span + 0.01 * normal(random),
                Self::Step => step + 0.01 * normal(random),
                Self::Steps => {
                    if random.between(0.0, 1.0) < passed / 14.0 {
                        state = random.between(-1.0, 1.0);
                    }
                    0.3 * state + 0.01 * normal(random)
                }
                Self::All => {
                    size * day / span + step + 0.02 * remembered(0.5_f64.powf(passed), random)
                }
                Self::Louder => {
                    (0.01 + 0.02 * f64::from(u8::from(day > span / 2.0))) * normal(random)
                }
                Self::Ticks => (0.5 * normal(random)).round() * 0.01,
                Self::Repeating(length) => {
                    let phase = std::f64::consts::TAU * day / length;
                    0.1 * phase.sin() + 0.01 * normal(random)
                }
            }
        };
        times_ms.iter().map(&mut log).collect()
    }
}

/// A history with noise of 1.5%, times a factor of the run's place and time.
pub(crate) fn history(
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

/// From 20 to 30% more at the weekend.
pub(crate) fn weekend_load(time_ms: u64) -> f64 {
    let more = 0.2 + 0.1 * (time_ms % 1_009) as f64 / 1_009.0;
    if is_weekend(time_ms) { 1.0 + more } else { 1.0 }
}
