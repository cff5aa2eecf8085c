//! The table, for a terminal and for a page.

use crate::noise::{Noise, Spread};
use perftest_core::judge::Condition;

const HEADER: [&str; 16] = [
    "recording",
    "workload",
    "runs",
    "usable",
    "raw",
    "clean",
    "normalised",
    "by",
    "/ reference",
    "within: raw",
    "within: clean",
    "by processor time",
    "interrupted",
    "stolen",
    "contended",
    "slow clock",
];
/// The columns from here on hold numbers.
const FIRST_NUMBER: usize = 2;

/// The lines of the table.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<[String; HEADER.len()]>,
}

impl Table {
    /// Adds the line of a workload.
    pub(crate) fn add(&mut self, recording: &str, workload: &str, noise: &Noise) {
        let tally = &noise.tally;
        let usable = f64::from(tally.all() - tally.suspects()) / f64::from(tally.all().max(1));
        let number = |condition| tally.number(condition).to_string();
        self.rows.push([
            recording.to_owned(),
            workload.to_owned(),
            runs(noise),
            format!("{:.1}%", 100.0 * usable),
            spread(noise.raw),
            spread(noise.clean),
            spread(noise.normalised),
            covariates(noise),
            spread(noise.by_reference),
            deviation(noise.within_raw),
            deviation(noise.within_clean),
            number(Condition::OnProcessorTime),
            number(Condition::Interrupted),
            number(Condition::Stolen),
            number(Condition::Contended),
            number(Condition::SlowClock),
        ]);
    }

    /// For a terminal.
    pub(crate) fn text(&self) -> String {
        let widths = self.widths();
        let line = |row: &[String]| {
            let cells =
                row.iter().zip(widths).enumerate().map(|(index, (cell, width))| {
                    match index < FIRST_NUMBER {
                        true => format!("{cell:<width$}"),
                        false => format!("{cell:>width$}"),
                    }
                });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        self.lines().map(|row| line(&row)).collect()
    }

    /// For a page in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let line = |row: &[String]| format!("| {} |\n", row.join(" | "));
        let rule = |index: usize| if index < FIRST_NUMBER { "---" } else { "--:" }.to_owned();
        let rules: Vec<String> = (0..HEADER.len()).map(rule).collect();
        let mut lines: Vec<String> = self.lines().map(|row| line(&row)).collect();
        lines.insert(1, line(&rules));
        lines.concat()
    }

    /// The header, then the rows.
    fn lines(&self) -> impl Iterator<Item = [String; HEADER.len()]> + '_ {
        std::iter::once(HEADER.map(str::to_owned)).chain(self.rows.iter().cloned())
    }

    fn widths(&self) -> [usize; HEADER.len()] {
        self.lines().fold([0; HEADER.len()], |widths, row| {
            std::array::from_fn(|index| widths[index].max(row[index].chars().count()))
        })
    }
}

/// The processes, and how many of them had a usable sample where that is not all.
fn runs(noise: &Noise) -> String {
    match noise.usable_runs == noise.runs {
        true => noise.runs.to_string(),
        false => format!("{} of {}", noise.usable_runs, noise.runs),
    }
}

fn spread(spread: Option<Spread>) -> String {
    spread
        .map_or("-".into(), |it| format!("{:.2}% ({:.1})", it.deviation_percent, it.range_percent))
}

fn deviation(spread: Option<Spread>) -> String {
    spread.map_or("-".into(), |it| format!("{:.2}%", it.deviation_percent))
}

/// By what processes were normalised, and how many by each.
fn covariates(noise: &Noise) -> String {
    let counts: Vec<String> =
        noise.covariates.iter().map(|(name, count)| format!("{name} {count}")).collect();
    if counts.is_empty() { "-".into() } else { counts.join(", ") }
}
