//! How often a pattern is recognised where there is none.

use crate::made::{Noise, Schedule};
use perftest_analysis::detect::Season;
use perftest_core::model::Sample;
use perftest_core::stats::{Random, binomial_interval};

const NOISES: [Noise; 22] = [
    Noise::None,
    Noise::White,
    Noise::Spikes,
    Noise::TwoModes,
    Noise::Autoregressive,
    Noise::Remembering(0.3),
    Noise::Remembering(2.0),
    Noise::Remembering(10.0),
    Noise::Walk,
    Noise::Phases,
    Noise::Drift,
    Noise::Step,
    Noise::Steps,
    Noise::All,
    Noise::Louder,
    Noise::Ticks,
    Noise::Repeating(5.3),
    Noise::Repeating(8.0),
    Noise::Repeating(6.0),
    Noise::Repeating(1.3),
    Noise::Repeating(0.8),
    Noise::Repeating(30.4),
];

const SCHEDULES: [(Schedule, u64); 8] = [
    (Schedule::ADay(4), 60),
    (Schedule::ADay(3), 21),
    (Schedule::ADay(12), 7),
    (Schedule::Nightly, 22),
    (Schedule::Nightly, 120),
    (Schedule::AnyTime(2.0), 40),
    (Schedule::WorkingHours, 42),
    (Schedule::Bursts, 120),
];

/// Histories of each kind in which a pattern is recognised, and all of them.
fn recognised(seeds: std::ops::Range<u64>) -> (u64, u64) {
    let (mut wrong, mut all) = (0, 0);
    for (schedule, days) in SCHEDULES {
        for noise in NOISES {
            let mut of_kind = 0;
            for seed in seeds.clone() {
                let mut random = Random::new(seed);
                let times_ms = schedule.times_ms(days, &mut random);
                let logs = noise.logs(&times_ms, &mut random);
                let values = logs.iter().map(|log| 1e6 * log.exp()).collect();
                let history = Sample::new(values).unwrap();
                if let Ok(answer) = Season::recognised(&times_ms, &history) {
                    all += 1;
                    of_kind += u64::from(answer.is_some());
                }
            }
            if of_kind > 0 {
                println!("{of_kind} of {}: {noise:?}, {schedule:?}, {days} days", seeds.end);
            }
            wrong += of_kind;
        }
    }
    (wrong, all)
}

#[test]
fn noise_drifts_and_steps_are_no_pattern() {
    let (wrong, all) = recognised(0..4);
    assert!(all > 500, "{all}");
    assert!(wrong <= 1, "{wrong} of {all}");
}

/// The figure of `docs/evidence/change-points.md`.
#[test]
#[ignore = "takes a minute, without optimisation many"]
fn how_often_noise_is_taken_for_a_pattern() {
    let (wrong, all) = recognised(0..100);
    let bounds = binomial_interval(wrong, all, 0.05);
    println!("{wrong} of {all} histories: at most {:.2}%", 100.0 * bounds.upper);
    assert!(bounds.lower < 1e-3);
}
