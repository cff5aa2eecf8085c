//! Lists of decimal numbers, which are most of a record.
//!
//! Every test process loads a history, mostly in an unoptimised build. There, cutting a list into
//! texts and parsing each costs several times as much as this code.

/// Powers of ten that a double holds exactly, as far as fifteen digits need them.
const TENS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Parses the items between the commas of a list that is not empty. Plain decimal numbers are
/// parsed here, and all other items by `other`.
pub(super) fn decimals<T: From<f64>>(
    list: &str,
    other: impl Fn(&str) -> Option<T>,
) -> Option<Vec<T>> {
    let mut items = Vec::with_capacity(32);
    let mut at = 0;
    loop {
        let (plain, end) = plain_decimal(list.as_bytes(), at);
        if let Some(value) = plain {
            items.push(value.into());
            at = end;
        } else {
            let rest = &list[at..];
            let item = &rest[..rest.find(',').unwrap_or(rest.len())];
            items.push(other(item.trim())?);
            at += item.len();
        }
        if at == list.len() {
            return Some(items);
        }
        at += 1;
    }
}

/// Parses a plain decimal number. `None` for any other.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let (value, end) = plain_decimal(text.as_bytes(), 0);
    value.filter(|_| end == text.len())
}

/// Returns the number from `at` on and its end. `None` unless it is digits, with or without a
/// point, up to a comma or the end.
///
/// Digits and power of ten are both exact, so their quotient is the nearest double, as in a full
/// parser.
fn plain_decimal(bytes: &[u8], mut at: usize) -> (Option<f64>, usize) {
    let (mut digits, mut count, mut places, mut has_point) = (0_u64, 0, 0, false);
    while at < bytes.len() && bytes[at] != b',' {
        let byte = bytes[at];
        if byte.is_ascii_digit() && count < 15 {
            digits = 10 * digits + u64::from(byte - b'0');
            count += 1;
            places += usize::from(has_point);
        } else if byte == b'.' && !has_point && count > 0 {
            has_point = true;
        } else {
            return (None, at);
        }
        at += 1;
    }
    ((count > 0).then(|| digits as f64 / TENS[places]), at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str) -> Option<Vec<f64>> {
        decimals(list, |item| item.parse().ok())
    }

    #[test]
    fn numbers_are_read_as_the_standard_library_reads_them() {
        for digits in 1..=17 {
            for places in 0..=digits {
                let number = 12_345_678_998_765_432_u64 % 10_u64.pow(digits);
                let (whole, part) = (number / 10_u64.pow(places), number % 10_u64.pow(places));
                let text = format!("{whole}.{part:0>width$}", width = places as usize);
                let text = text.trim_end_matches('.');
                assert_eq!(read(text), Some(vec![text.parse().unwrap()]), "{text}");
                let whole: f64 = text.parse().unwrap();
                assert!(decimal(text).is_none_or(|it| it == whole), "{text}");
            }
        }
    }

    #[test]
    fn what_is_not_one_plain_number_is_none() {
        for text in ["", "1,2", ",", "-1", "1e3", " 1", "1 ", ".5", "1.2.3", "NaN"] {
            assert_eq!(decimal(text), None, "{text}");
        }
        assert_eq!(decimal("0.05"), Some(0.05));
    }

    #[test]
    fn whatever_is_no_plain_number_goes_the_other_way() {
        assert_eq!(read("1,-2.5e-3, 7 ,0.1"), Some(vec![1.0, -0.0025, 7.0, 0.1]));
        for list in ["", "1,", ",1", "1,,2", "1.2.3", "x", "0x1", "1 2", "ü,1"] {
            assert_eq!(read(list), None, "{list}");
        }
        let known = |item: &str| (item == "null").then_some(None);
        assert_eq!(decimals("1.5,null", known), Some(vec![Some(1.5), None]));
    }
}
