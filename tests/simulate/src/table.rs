//! The figures, for a terminal, a page and a program.

use crate::{Breach, Cell, Figures, Survey, World};
use perftest_core::model::Interval;

const HEADER: [&str; 15] = [
    "world",
    "history",
    "slowdown",
    "decisions",
    "red",
    "95% interval",
    "before confirmation",
    "green",
    "unclear",
    "unstable",
    "no verdict",
    "measurements",
    "p90",
    "seconds",
    "p90",
];

/// The worlds, for a page.
pub fn worlds() -> String {
    let row = |world: &World| {
        vec![
            world.name.to_owned(),
            world.promise.name().to_owned(),
            world.to_string(),
            world.source.to_owned(),
        ]
    };
    let header = ["world", "promise", "what it is like", "source"].map(str::to_owned);
    aligned_markdown(&header, &World::all().map(row).collect::<Vec<_>>(), 4)
}

/// The figures, for a terminal.
pub fn text(cells: &[Cell], breaches: &[Breach<'_>]) -> String {
    let mut lines = vec![HEADER.map(str::to_owned).to_vec()];
    lines.extend(cells.iter().map(row));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..HEADER.len()).map(|it| width(it).unwrap_or(0)).collect();
    let line = |cells: &Vec<String>| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        padded.collect::<Vec<_>>().join("  ") + "\n"
    };
    let table: String = lines.iter().map(line).collect();
    let figure: String = breaches.iter().map(|breach| format!("{}\n", sentence(breach))).collect();
    if figure.is_empty() { table } else { format!("{table}\n{figure}") }
}

/// The figures, for a page: a table for each slowdown, and what was promised in vain.
pub fn markdown(cells: &[Cell], breaches: &[Breach<'_>]) -> String {
    let mut slowdowns: Vec<f64> = cells.iter().map(|cell| cell.slowdown).collect();
    slowdowns.sort_unstable_by(f64::total_cmp);
    slowdowns.dedup();
    let header = HEADER.map(str::to_owned);
    let table = |slowdown: &f64| {
        let rows: Vec<Vec<String>> =
            cells.iter().filter(|cell| cell.slowdown == *slowdown).map(row).collect();
        let title = match *slowdown == 1.0 {
            true => "Unchanged code".to_owned(),
            false => format!("{slowdown:.2} times slower"),
        };
        format!("### {title}\n\n{}\n", aligned_markdown(&header, &rows, 1))
    };
    let tables: String = slowdowns.iter().map(table).collect();
    format!("{tables}### Promises that are not kept\n\n{}", broken(breaches))
}

fn broken(breaches: &[Breach<'_>]) -> String {
    if breaches.is_empty() {
        return "None.\n".to_owned();
    }
    let header = ["world", "history", "promise", "figure", "beyond chance", "cause"];
    let row = |breach: &Breach<'_>| {
        vec![
            breach.cell.world.name.to_owned(),
            breach.cell.history.to_string(),
            breach.limit.to_string(),
            breach.figure.clone(),
            if breach.is_clear { "yes" } else { "no" }.to_owned(),
            breach.cause.unwrap_or("").to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = breaches.iter().map(row).collect();
    aligned_markdown(&header.map(str::to_owned), &rows, 6)
}

/// One breach, in a sentence.
fn sentence(breach: &Breach<'_>) -> String {
    let Breach { cell, limit, figure, is_clear, cause } = breach;
    let weight = if *is_clear { "" } else { " (may be chance)" };
    let cause = cause.map_or(String::new(), |cause| format!(": {cause}"));
    format!("{} with {} runs: {limit} is {figure}{weight}{cause}", cell.world.name, cell.history)
}

/// A table of which the first columns are texts.
pub(crate) fn aligned_markdown(header: &[String], rows: &[Vec<String>], texts: usize) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule: Vec<String> = (0..header.len())
        .map(|column| if column < texts { "---" } else { "--:" }.to_owned())
        .collect();
    let rows: String = rows.iter().map(|row| line(row)).collect();
    [line(header), line(&rule), rows].concat()
}

fn row(cell: &Cell) -> Vec<String> {
    let Figures { decisions, .. } = cell.figures;
    let figures = &cell.figures;
    let share = |count: u64| percent(count as f64 / decisions.max(1) as f64);
    let red = figures.rate(figures.red);
    vec![
        cell.world.name.to_owned(),
        cell.history.to_string(),
        format!("{:.2}", cell.slowdown),
        decisions.to_string(),
        share(figures.red),
        format!("{} to {}", percent(red.lower), percent(red.upper)),
        share(figures.red_before_confirmation),
        share(figures.green),
        share(figures.unclear),
        share(figures.unstable),
        share(figures.no_verdict),
        figures.measurements_median.to_string(),
        figures.measurements_p90.to_string(),
        format!("{:.2}", figures.seconds_median),
        format!("{:.2}", figures.seconds_p90),
    ]
}

/// Two digits where they say something.
pub(crate) fn percent(share: f64) -> String {
    match share {
        share if share > 0.0 && share < 0.1 => format!("{:.2}%", 100.0 * share),
        share if share > 0.99 && share < 1.0 => format!("{:.2}%", 100.0 * share),
        share => format!("{:.0}%", 100.0 * share),
    }
}

/// The figures as one JSON object, for a program.
pub fn json(survey: &Survey, cells: &[Cell]) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let settings = format!(
        r#"{{"decisions": {}, "histories": {}, "slowdowns": {}, "worlds": {}, "seed": {}}}"#,
        survey.decisions,
        list(survey.histories.iter().map(ToString::to_string).collect()),
        list(survey.slowdowns.iter().map(ToString::to_string).collect()),
        list(survey.worlds.iter().map(|world| format!("{:?}", world.name)).collect()),
        survey.seed,
    );
    let cells: Vec<String> = cells.iter().map(|cell| format!("  {}", object(cell))).collect();
    format!("{{\"settings\": {settings}, \"cells\": [\n{}\n]}}\n", cells.join(",\n"))
}

fn object(cell: &Cell) -> String {
    let figures = &cell.figures;
    let Interval { estimate, lower, upper } = figures.rate(figures.red);
    let numbers = [
        ("history", cell.history.to_string()),
        ("slowdown", cell.slowdown.to_string()),
        ("decisions", figures.decisions.to_string()),
        ("red", figures.red.to_string()),
        ("red_rate", format!(r#"{{"estimate": {estimate}, "lower": {lower}, "upper": {upper}}}"#)),
        ("red_before_confirmation", figures.red_before_confirmation.to_string()),
        ("green", figures.green.to_string()),
        ("unclear", figures.unclear.to_string()),
        ("unstable", figures.unstable.to_string()),
        ("no_verdict", figures.no_verdict.to_string()),
        ("measurements", quantiles(figures.measurements_median, figures.measurements_p90)),
        ("seconds", quantiles(figures.seconds_median, figures.seconds_p90)),
    ];
    let numbers: Vec<String> =
        numbers.iter().map(|(name, value)| format!("{name:?}: {value}")).collect();
    format!("{{\"world\": {:?}, {}}}", cell.world.name, numbers.join(", "))
}

fn quantiles(median: impl std::fmt::Display, p90: impl std::fmt::Display) -> String {
    format!(r#"{{"median": {median}, "p90": {p90}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breaches;

    fn survey() -> Survey {
        Survey {
            decisions: 20,
            histories: vec![5],
            slowdowns: vec![1.0, 2.0],
            worlds: vec![World::named("steady").unwrap()],
            seed: 1,
        }
    }

    #[test]
    fn a_page_has_a_table_for_each_slowdown_and_a_line_for_each_cell() {
        let cells = survey().cells();
        let page = markdown(&cells, &breaches(&cells));
        let titles: Vec<&str> = page.lines().filter(|line| line.starts_with("###")).collect();
        assert_eq!(
            titles,
            ["### Unchanged code", "### 2.00 times slower", "### Promises that are not kept"]
        );
        assert_eq!(page.lines().filter(|line| line.starts_with("| steady | 5 |")).count(), 2);
    }

    #[test]
    fn the_page_of_worlds_and_the_terminal_have_a_line_for_each() {
        assert_eq!(worlds().lines().count(), 2 + World::all().count());
        let cells = survey().cells();
        assert_eq!(text(&cells, &[]).lines().count(), 3);
    }

    #[test]
    fn braces_and_quotes_of_the_json_are_in_pairs_and_the_counts_are_there() {
        let survey = survey();
        let printed = json(&survey, &survey.cells());
        for (open, close) in [('{', '}'), ('[', ']')] {
            let count = |wanted| printed.chars().filter(|it| *it == wanted).count();
            assert_eq!(count(open), count(close));
        }
        assert!(
            printed.contains(r#""world": "steady", "history": 5, "slowdown": 2, "decisions": 20"#)
        );
    }

    #[test]
    fn small_shares_keep_their_digits() {
        assert_eq!(
            [0.0, 0.0015, 0.5, 0.9985, 1.0].map(percent).join(" "),
            "0% 0.15% 50% 99.85% 100%"
        );
    }
}
