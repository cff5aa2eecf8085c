//! The bench lines of libtest, for programs that read the output of `cargo bench`.

use crate::reading::{SessionRun, SessionView};
use perftest_core::model::Metric;
use perftest_core::words::one_line;

/// The times of a session. What is no time has no place in this format.
pub(crate) fn libtest(session: &SessionView) -> String {
    let lines: Vec<String> = session.runs.iter().filter_map(line).collect();
    let count = lines.len();
    let plural = if count == 1 { "" } else { "s" };
    format!(
        "\nrunning {count} test{plural}\n{}\ntest result: ok. 0 passed; 0 failed; 0 ignored; {count} \
         measured; 0 filtered out\n\n",
        lines.concat()
    )
}

fn line(it: &SessionRun) -> Option<String> {
    let now = it.evidence.now.filter(|_| it.run.metric == Metric::wall())?;
    // As libtest: the whole width.
    let width = (now.upper - now.lower).max(0.0);
    let width = if width.is_finite() { width } else { 0.0 };
    let name = one_line(it.run.benchmark.as_str()).into_owned();
    Some(format!(
        "test {name} ... bench: {:>15} ns/iter (+/- {})\n",
        in_thousands(now.estimate),
        in_thousands(width)
    ))
}

/// `1,234.50`
fn in_thousands(value: f64) -> String {
    let text = format!("{value:.2}");
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, "00"));
    let digits = whole.len();
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (digits - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped}.{decimals}")
}

#[cfg(test)]
mod tests {
    use super::in_thousands;

    #[test]
    fn thousands_are_separated_as_libtest_does() {
        let all = [0.0, 57.25, 999.999, 1_234.5, 1_234_567.0];
        assert_eq!(
            all.map(in_thousands),
            ["0.00", "57.25", "1,000.00", "1,234.50", "1,234,567.00"]
        );
    }
}
