//! Comparisons of simulated durations, as a clock with coarse ticks shows them.

use super::comparison::InputComparison;
use crate::args::stats::Compare as Args;
use crate::stats::input::Input;
use clap::Parser;
use perftest_core::model::Sample;
use perftest_core::stats::{Random, normal_quantile};

#[derive(Parser)]
struct CommandLine {
    #[command(flatten)]
    compare: Args,
}

/// A clock and the noise of what it times, as shares of the duration.
#[derive(Clone, Copy)]
struct CoarseClock {
    tick: f64,
    noise: f64,
}

/// The answers to many comparisons, in percent.
#[derive(Debug, Default)]
struct Answers {
    /// The bounds of the ratio do not have the true one between them.
    missed: f64,
    larger: f64,
    same: f64,
}

impl CoarseClock {
    /// Durations of 1 on average, times `ratio`; of 200 one is five times as long.
    fn durations(self, random: &mut Random, size: usize, ratio: f64) -> Input {
        let mut duration = || {
            let noise = self.noise * normal_quantile(random.between(1e-9, 1.0));
            let disturbed = if random.below(200) == 0 { 5.0 } else { 1.0 };
            let ticks = (ratio * (1.0 + noise) * disturbed / self.tick).round().max(1.0);
            // In a unit in which each tick is a whole number.
            1_000.0 * ticks
        };
        let sample = Sample::new((0..size).map(|_| duration()).collect()).unwrap();
        Input { name: String::new(), sample }
    }

    fn answers(self, comparisons: usize, size: usize, ratio: f64, args: &Args) -> Answers {
        let mut answers = Answers::default();
        let each = 100.0 / comparisons as f64;
        for seed in 0..comparisons as u64 {
            let mut random = Random::new(seed);
            // The duration is anywhere between two ticks.
            let drift = 1.0 + self.tick * random.between(-0.5, 0.5);
            let mut drawn = |ratio: f64| self.durations(&mut random, size, drift * ratio);
            let (before, current) = (drawn(1.0), drawn(ratio));
            let compared = InputComparison::of([&before, &current], args).unwrap();
            let bounds = compared.ratio.unwrap();
            let share = |holds: bool| if holds { each } else { 0.0 };
            answers.missed += share(ratio < bounds.lower || ratio > bounds.upper);
            answers.larger += share(compared.answer().name() == "larger");
            answers.same += share(compared.answer().name() == "same");
        }
        answers
    }
}

fn args(options: &[&str]) -> Args {
    let arguments = [&["compare", "-"], options].concat();
    CommandLine::try_parse_from(arguments).unwrap().compare
}

#[test]
fn a_tenth_of_a_coarse_clocks_durations_is_never_no_difference() {
    for tick in [0.2, 0.33] {
        let clock = CoarseClock { tick, noise: 0.6 * tick };
        let slower = clock.answers(20, 1_000, 1.1, &args(&[]));
        assert_eq!(slower.same, 0.0, "ticks of {tick}: {slower:?}");
        assert!(slower.larger > 50.0, "ticks of {tick}: {slower:?}");
        let unchanged = clock.answers(20, 1_000, 1.0, &args(&[]));
        assert_eq!(unchanged.larger, 0.0, "ticks of {tick}: {unchanged:?}");
    }
}

#[test]
#[ignore = "prints the figures of docs/reference/stats.md; run it in a release build"]
fn answers_about_coarse_clocks() {
    println!(
        "noise/tick: missed, larger at 0 and +3%, same at +10%, larger at +10% (%); then with ties left"
    );
    for of_tick in [0.25, 0.4, 0.5, 0.8] {
        let figures =
            [&[][..], &["--resolution", "0"]].map(|options| figures(of_tick, &args(options)));
        println!("{of_tick:4}: {:5.1?}   {:5.1?}", figures[0], figures[1]);
    }
}

/// The means over ticks of 10 to 50% of the duration, and over 30 to 1,000 values.
fn figures(of_tick: f64, args: &Args) -> [f64; 4] {
    let clocks = [0.1, 0.2, 0.33, 0.5].map(|tick| CoarseClock { tick, noise: of_tick * tick });
    let mut figures = [0.0; 4];
    for (clock, size) in clocks.into_iter().flat_map(|it| [30, 200, 1_000].map(|size| (it, size))) {
        let [same, little, limit, larger] =
            [1.0, 1.03, 1.05, 1.1].map(|ratio| clock.answers(40, size, ratio, args));
        let missed = (same.missed + little.missed + limit.missed + larger.missed) / 4.0;
        let wrong = (same.larger + little.larger) / 2.0;
        for (figure, value) in figures.iter_mut().zip([missed, wrong, larger.same, larger.larger]) {
            *figure += value / 12.0;
        }
    }
    figures
}
