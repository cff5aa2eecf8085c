//! Texts with numbers.

use crate::stats::{numbers_of, printout, time_ms, timed_numbers};

/// Numbers are finite, whatever form the text has. The first line names two columns.
pub(super) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (columns, text) = text.split_once('\n').unwrap_or_default();
    let (column, times) = columns.split_once(',').unwrap_or((columns, "time"));
    for column in [None, Some(column), Some("1")] {
        for number in numbers_of(text, column).unwrap_or_default() {
            assert!(number.is_finite());
        }
    }
    for number in timed_numbers(text, [column, times]).unwrap_or_default() {
        assert!(number.is_finite());
    }
    if let Ok(printed) = printout(text) {
        assert!(printed.values.iter().all(|it| it.value.is_finite() && !it.benchmark.is_empty()));
    }
    let _ = time_ms(columns);
}
