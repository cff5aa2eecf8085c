//! Table and JSON of a machine's noise floor.

use super::{AgainstItself, SelfComparison, ratio_in_words};
use crate::report::{Table, rate};
use perftest_core::judge::NoiseFloor;
use perftest_core::model::Interval;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes a row for each test, and a conclusion from all of them.
pub(crate) fn write_noise_floor(
    subjects: &[SelfComparison],
    against_itself: &AgainstItself,
    out: &mut dyn Write,
) -> io::Result<()> {
    let floors: Vec<(&SelfComparison, NoiseFloor)> =
        subjects.iter().filter_map(|it| Some((it, it.noise_floor()?))).collect();
    let left_out = ["pairs", "comparisons", "faster", "undecided", "process spread", "tolerance"];
    Table::of(&floors)
        .column("test", |(subject, _)| subject.test.listed.benchmark.clone())
        .column(" comparisons", |(_, floor)| floor.comparisons())
        .column(" pairs", |(_, floor)| floor.pairs)
        .column(" process spread", |(_, floor)| format!("{:.2}%", 100.0 * floor.process_spread))
        .column(" ratio to itself", |(_, floor)| ratio_in_words(floor.ratio))
        .column(" tolerance", |(subject, _)| against_itself.tolerance_of(subject))
        .column(" detects", |(_, floor)| format!("+{:.1}%", 100.0 * floor.smallest_detectable))
        .column(" red", |(_, floor)| floor.red)
        .column(" faster", |(_, floor)| floor.improved)
        .column(" undecided", |(_, floor)| floor.undecided)
        .narrowed(&["test"], &left_out)
        .write(out)?;
    writeln!(out, "\n{}", in_words(&floors))
}

/// One object for each test, and one for all.
pub(crate) fn noise_floor_as_json(
    subjects: &[SelfComparison],
    against_itself: &AgainstItself,
) -> Vec<Value> {
    let floor = |subject: &SelfComparison| {
        let floor = subject.noise_floor();
        let floor = floor.as_ref();
        json!({
            "event": "noise_floor",
            "v": 1,
            "benchmark": subject.test.listed.benchmark.as_str(),
            "comparisons": floor.map(NoiseFloor::comparisons),
            "green": floor.map(|it| it.green),
            "red": floor.map(|it| it.red),
            "improved": floor.map(|it| it.improved),
            "undecided": floor.map(|it| it.undecided),
            "pairs": floor.map(|it| it.pairs),
            "process_spread": floor.map(|it| it.process_spread),
            "ratio": floor.map(|it| it.ratio.estimate),
            "ratio_lower": floor.map(|it| it.ratio.lower),
            "ratio_upper": floor.map(|it| it.ratio.upper),
            "tolerance": against_itself.tolerance_of(subject).share(),
            "smallest_detectable": floor.map(|it| it.smallest_detectable),
            "seconds": subject.spent.as_secs_f64(),
            "note": subject.failure,
        })
    };
    let floors: Vec<NoiseFloor> = subjects.iter().filter_map(SelfComparison::noise_floor).collect();
    let rate = NoiseFloor::false_alarm_rate(&floors);
    let all = json!({
        "event": "false_alarms",
        "v": 1,
        "comparisons": floors.iter().map(NoiseFloor::comparisons).sum::<u64>(),
        "red": floors.iter().map(|it| it.red).sum::<u64>(),
        "improved": floors.iter().map(|it| it.improved).sum::<u64>(),
        "rate": rate.estimate,
        "rate_lower": rate.lower,
        "rate_upper": rate.upper,
    });
    subjects.iter().map(floor).chain([all]).collect()
}

/// The consequence for a comparison on this machine.
fn in_words(floors: &[(&SelfComparison, NoiseFloor)]) -> String {
    let sum = |of: fn(&NoiseFloor) -> u64| floors.iter().map(|(_, floor)| of(floor)).sum::<u64>();
    let (red, improved) = (sum(|it| it.red), sum(|it| it.improved));
    let all = sum(NoiseFloor::comparisons);
    let rate = NoiseFloor::false_alarm_rate(floors.iter().map(|(_, floor)| floor));
    let noisiest =
        floors.iter().max_by(|a, b| a.1.smallest_detectable.total_cmp(&b.1.smallest_detectable));
    let smallest_detectable = noisiest.map_or_else(String::new, |(subject, floor)| {
        format!(
            " 40 pairs detect slowdowns from {:.1}% in 99 of 100 cases in the noisiest of these tests, {}.",
            100.0 * floor.smallest_detectable,
            subject.test.listed.benchmark
        )
    });
    format!("{}{smallest_detectable}", format_alarms(red, improved, all, rate))
}

fn format_alarms(red: u64, improved: u64, all: u64, share: Interval) -> String {
    let counted = format!(
        "{} of {all} comparisons of the same executable were wrong ({red} red, {improved} faster): a \
         false-alarm rate of {}, with 95% certainty.",
        red + improved,
        rate(share)
    );
    match red + improved {
        0 => format!("{counted} More --budget narrows that."),
        _ => format!(
            "{counted} A single comparison is unreliable here now; `cargo perftest doctor` shows why."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::stats::binomial_interval;

    #[test]
    fn the_sentence_shows_how_little_few_comparisons_prove() {
        let none = format_alarms(0, 0, 10, binomial_interval(0, 10, 0.05));
        assert!(none.starts_with("0 of 10 comparisons"), "{none}");
        assert!(none.contains("0.00% [0.00, 30.85]"), "{none}");
        let some = format_alarms(0, 2, 10, binomial_interval(2, 10, 0.05));
        assert!(some.starts_with("2 of 10 comparisons"), "{some}");
        assert!(some.contains("is unreliable"), "{some}");
    }
}
