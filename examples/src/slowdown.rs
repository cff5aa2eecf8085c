//! Making an example really slower, on request: a known degradation to find.
//!
//! Built with `EXAMPLES_SLOWDOWN=regex_search=1.25,json=2`, this package gives `regex_search` 25%
//! more text to search and `json` twice as many entries to parse: more of the same work, never a
//! pause. The variable counts when the package is built, and cargo builds it again when it
//! changed: an executable whose machine code did not change is never called slower. Read the
//! factor in the set-up of a performance test with [`Slowdown::of`], never in the measured part.

use std::collections::BTreeMap;
use std::fmt;
use std::hint::black_box;
use std::sync::LazyLock;

/// The environment variable that asks for a slowdown when the package is built.
pub const VARIABLE: &str = "EXAMPLES_SLOWDOWN";

/// The examples that can be slowed down.
pub const EXAMPLES: [&str; 15] = [
    "compress",
    "decompress",
    "hash",
    "json",
    "ordered_map",
    "parallel",
    "ping_pong",
    "regex_search",
    "scheduler",
    "shared_sum",
    "sort",
    "spelling",
    "timestamp",
    "word_count",
    "word_index",
];

/// How much more work each example is asked to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slowdown {
    factors: BTreeMap<String, f64>,
}

impl Slowdown {
    /// The factor by which [`VARIABLE`] asks `example` to do more work; 1 if it does not.
    ///
    /// # Panics
    /// When the variable cannot be understood or `example` is not one of [`EXAMPLES`]: a
    /// performance test that silently ran at another speed than asked for would prove nothing.
    #[must_use]
    pub fn of(example: &str) -> f64 {
        static ASKED_FOR: LazyLock<Result<Slowdown, SlowdownError>> =
            LazyLock::new(|| Slowdown::parse(option_env!("EXAMPLES_SLOWDOWN").unwrap_or("")));
        match ASKED_FOR.as_ref().map_err(Clone::clone).and_then(|slowdown| slowdown.factor(example))
        {
            Ok(factor) => factor,
            Err(error) => panic!("{VARIABLE}: {error}"),
        }
    }

    /// Reads `example=factor`, several separated by commas. An empty text asks for nothing.
    ///
    /// ```
    /// use perftest_examples::slowdown::Slowdown;
    /// let slowdown = Slowdown::parse("regex_search=1.25,json=2")?;
    /// assert_eq!(slowdown.factor("regex_search")?, 1.25);
    /// assert_eq!(slowdown.factor("sort")?, 1.0);
    /// # Ok::<(), perftest_examples::slowdown::SlowdownError>(())
    /// ```
    ///
    /// # Errors
    /// When an item has another form, names no known example or one that was named before, or its
    /// factor is not a number from 1 to 100.
    pub fn parse(text: &str) -> Result<Self, SlowdownError> {
        let mut factors = BTreeMap::new();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let Some((example, factor)) = item.split_once('=') else {
                return Err(SlowdownError::Form(item.to_owned()));
            };
            let example = known(example.trim())?;
            let factor = parse_factor(factor.trim())?;
            if factors.insert(example.to_owned(), factor).is_some() {
                return Err(SlowdownError::Repeated(example.to_owned()));
            }
        }
        Ok(Self { factors })
    }

    /// The factor for `example`: 1 if none is asked for.
    ///
    /// # Errors
    /// When `example` is not one of [`EXAMPLES`].
    pub fn factor(&self, example: &str) -> Result<f64, SlowdownError> {
        known(example)?;
        Ok(self.factors.get(example).copied().unwrap_or(1.0))
    }
}

fn known(example: &str) -> Result<&str, SlowdownError> {
    if EXAMPLES.contains(&example) {
        Ok(example)
    } else {
        Err(SlowdownError::Unknown(example.to_owned()))
    }
}

fn parse_factor(text: &str) -> Result<f64, SlowdownError> {
    match text.parse() {
        Ok(factor) if (1.0..=100.0).contains(&factor) => Ok(factor),
        _ => Err(SlowdownError::Factor(text.to_owned())),
    }
}

/// Why a slowdown cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SlowdownError {
    /// An item that is not `example=factor`.
    Form(String),
    /// No example has this name.
    Unknown(String),
    /// This is not a factor.
    Factor(String),
    /// The example has two factors.
    Repeated(String),
}

impl fmt::Display for SlowdownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(item) => {
                write!(f, "`{item}` is not of the form example=factor, such as json=1.25")
            }
            Self::Unknown(example) => {
                write!(f, "there is no example `{example}`; there are {}", EXAMPLES.join(", "))
            }
            Self::Factor(text) => {
                write!(f, "`{text}` is not a factor; give a number from 1 to 100, such as 1.25")
            }
            Self::Repeated(example) => write!(f, "`{example}` has two factors; keep one"),
        }
    }
}

impl std::error::Error for SlowdownError {}

/// `count` times `factor`, to the nearest whole number.
///
/// ```
/// assert_eq!(perftest_examples::slowdown::scale(10_000, 1.05), 10_500);
/// ```
#[must_use]
pub fn scale(count: usize, factor: f64) -> usize {
    (count as f64 * factor).round() as usize
}

/// `items` with `factor` times as many of them: all of them as often as that goes, then a
/// selection spread evenly over the rest, so that the addition is as much work, item by item, as
/// the whole. A repeated item comes long after its first occurrence, because right after it the
/// processor would foresee every branch, and the addition would be cheaper.
///
/// ```
/// use perftest_examples::slowdown::stretch;
/// assert_eq!(stretch(&[1, 2, 3, 4], 1.0), [1, 2, 3, 4]);
/// assert_eq!(stretch(&[1, 2, 3, 4], 1.5), [1, 2, 3, 4, 1, 3]);
/// ```
#[must_use]
pub fn stretch<T: Clone>(items: &[T], factor: f64) -> Vec<T> {
    let wanted = scale(items.len(), factor);
    let mut stretched = Vec::with_capacity(wanted);
    while wanted - stretched.len() >= items.len().max(1) {
        stretched.extend_from_slice(items);
    }
    let rest = wanted - stretched.len();
    stretched.extend((0..rest).map(|place| items[place * items.len() / rest].clone()));
    stretched
}

/// Repeats a share of the calls of something so short that there is nothing in it to add to.
///
/// ```
/// use perftest_examples::slowdown::Calls;
/// let (mut calls, mut made) = (Calls::new(1.25), 0);
/// let made = [(); 8].map(|()| { calls.make(|| made += 1); made });
/// assert_eq!(made, [1, 2, 3, 5, 6, 7, 8, 10]);
/// ```
#[derive(Clone, Debug)]
pub struct Calls {
    /// Calls for each turn, in units of 2^-32.
    rate: u64,
    /// What is left over from earlier turns, in the same unit; below one call.
    rest: u64,
}

impl Calls {
    /// `factor` calls for each turn on average, to within 2^-32 of a call.
    #[must_use]
    pub fn new(factor: f64) -> Self {
        Self { rate: (factor * 2_f64.powi(32)) as u64, rest: 0 }
    }

    /// Makes the calls of one turn and gives the output of the last, hidden from the optimiser
    /// like those before it. `None` if this turn has no call, which needs a factor below 1.
    /// Adds about a nanosecond, at every factor.
    #[inline]
    pub fn make<T>(&mut self, mut call: impl FnMut() -> T) -> Option<T> {
        let due = self.rest + self.rate;
        self.rest = due & u64::from(u32::MAX);
        (0..due >> 32).fold(None, |_, _| Some(black_box(call())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_examples_can_be_slowed_down_and_blanks_do_not_matter() {
        let slowdown = Slowdown::parse(" json = 2 ,sort=1.05,").unwrap();
        assert_eq!(slowdown.factor("json"), Ok(2.0));
        assert_eq!(slowdown.factor("sort"), Ok(1.05));
        assert_eq!(slowdown.factor("hash"), Ok(1.0));
        assert_eq!(Slowdown::parse(""), Ok(Slowdown::default()));
    }

    #[test]
    fn an_unknown_example_is_an_error_that_lists_the_known_ones() {
        let error = Slowdown::parse("jsno=2").unwrap_err().to_string();
        assert!(error.contains("`jsno`"));
        assert!(EXAMPLES.iter().all(|example| error.contains(example)), "{error}");
        assert!(Slowdown::default().factor("jsno").is_err());
    }

    #[test]
    fn a_factor_that_is_none_is_an_error_that_quotes_it() {
        for text in ["", "fast", "0.5", "-2", "NaN", "inf", "101", "1,5"] {
            let error = Slowdown::parse(&format!("json={text}")).unwrap_err();
            let quoted = text.split(',').next().unwrap_or_default();
            assert!(error.to_string().contains(quoted), "{error}");
        }
    }

    #[test]
    fn an_item_without_a_factor_or_given_twice_is_an_error() {
        assert_eq!(Slowdown::parse("json"), Err(SlowdownError::Form("json".to_owned())));
        let twice = Slowdown::parse("json=1.1,json=1.1");
        assert_eq!(twice, Err(SlowdownError::Repeated("json".to_owned())));
    }

    #[test]
    fn stretching_adds_the_stated_share_evenly() {
        let items: Vec<u32> = (0..1_000).collect();
        for factor in [1.0, 1.05, 1.25, 1.9, 2.0, 3.7] {
            let stretched = stretch(&items, factor);
            assert_eq!(stretched.len(), (1_000.0 * factor) as usize);
            let first_half = stretched.iter().filter(|&&item| item < 500).count();
            assert!(first_half.abs_diff(stretched.len() / 2) <= 1);
            let most = items.iter().map(|item| stretched.iter().filter(|&i| i == item).count());
            assert_eq!(most.max(), Some(factor.ceil() as usize));
        }
        assert!(stretch::<u32>(&[], 2.0).is_empty());
    }

    #[test]
    fn calls_come_at_the_stated_rate() {
        for factor in [1.0, 1.05, 1.3, 2.0, 2.5] {
            let mut calls = Calls::new(factor);
            let mut made = 0;
            for _ in 0..100_000 {
                calls.make(|| made += 1);
            }
            assert!((f64::from(made) - 100_000.0 * factor).abs() <= 1.0, "{factor}: {made}");
        }
    }
}
