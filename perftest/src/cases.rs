//! The cases of a perf test, from the attribute's expansion.

use crate::Bencher;
use crate::measure::Failure;
use perftest_core::list::IntoList;
use perftest_core::model::{Work, WorkKind};
use perftest_core::text::Text;
use std::fmt::{Debug, Display};

/// Longest name of a case, in characters.
const LONGEST_NAME: usize = 100;

/// A request to a perf test's body.
#[doc(hidden)]
pub enum Job<'j, 'b> {
    /// List its cases.
    List(&'j mut Vec<Case>),
    /// Measure the one of this name.
    Measure(&'j str, &'j mut Bencher<'b>),
}

/// One case of a perf test.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The name; empty if the test has no cases.
    pub name: String,
    /// The work of one call.
    pub work: Option<Work>,
}

/// Runs a body without values: it is the only case.
///
/// # Errors
/// The failures of `run` and `work`.
pub fn once(
    job: Job<'_, '_>,
    run: impl FnOnce(&mut Bencher<'_>) -> Result<(), Failure>,
    work: impl FnOnce() -> Result<Option<Work>, Failure>,
) -> Result<(), Failure> {
    match job {
        Job::List(cases) => cases.push(Case { name: String::new(), work: work()? }),
        Job::Measure(_, bencher) => run(bencher)?,
    }
    Ok(())
}

/// Runs a body with one case for each of `values`.
///
/// # Errors
/// The failures of `run` and `work`, and a case that is gone.
pub fn each<A>(
    job: Job<'_, '_>,
    values: impl IntoIterator<Item = A>,
    run: impl FnOnce(&mut Bencher<'_>, A) -> Result<(), Failure>,
    name: impl Fn(&A) -> String,
    work: impl Fn(&A) -> Result<Option<Work>, Failure>,
) -> Result<(), Failure> {
    let mut values = values.into_iter();
    match job {
        Job::List(cases) => {
            for value in values {
                cases.push(Case { name: clean(&name(&value)), work: work(&value)? });
            }
            Ok(())
        }
        // By its name: a list such as a hash map's or a directory's may have another order each time.
        Job::Measure(case, bencher) => match values.find(|value| clean(&name(value)) == case) {
            Some(value) => run(bencher, value),
            None => Err(gone(case)),
        },
    }
}

fn gone(case: &str) -> Failure {
    Failure::Cases(format!(
        "`args` gave a value named `{case}` when the tests were listed, and none when it was measured: \
         give the same values, and the same names, each time"
    ))
}

/// Calls the author's closure with a value. The value comes first, so that the compiler knows its
/// type when it reads the closure.
pub fn ask<'a, A, T>(value: &'a A, answer: impl FnOnce(&'a A) -> T) -> T {
    answer(value)
}

/// Returns the author's name.
pub fn text(name: impl Display) -> String {
    name.to_string()
}

/// Returns no work.
///
/// # Errors
/// Never.
pub const fn no_work() -> Result<Option<Work>, Failure> {
    Ok(None)
}

/// Returns the work of one call in bytes.
///
/// # Errors
/// A number below zero.
pub fn bytes(amount: impl Amount) -> Result<Option<Work>, Failure> {
    work(amount, WorkKind::Bytes)
}

/// Returns the work of one call in items.
///
/// # Errors
/// A number below zero.
pub fn items(amount: impl Amount) -> Result<Option<Work>, Failure> {
    work(amount, WorkKind::Items)
}

fn work(amount: impl Amount, kind: WorkKind) -> Result<Option<Work>, Failure> {
    let wrong = || Failure::Cases(format!("`{}` is below zero or too large", kind.name()));
    Ok(Some(Work { amount: amount.count().ok_or_else(wrong)?, kind }))
}

/// A whole number as the amount of work.
#[diagnostic::on_unimplemented(
    message = "`bytes(..)` and `items(..)` take a whole number, or with `args` a closure that gives one",
    label = "is no whole number",
    note = "for example throughput = bytes(4096), throughput = items(|n| *n)"
)]
pub trait Amount {
    /// Returns the number, unless it is below zero or too large.
    fn count(self) -> Option<u64>;
}

macro_rules! amounts {
    ($($number:ty)*) => {
        $(impl Amount for $number {
            fn count(self) -> Option<u64> {
                u64::try_from(self).ok()
            }
        })*
    };
}

amounts! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

/// A value to be named, by `Display` or else by `Debug`. The number of references that the call
/// needs selects one of the two traits.
pub struct Label<'a, T>(pub &'a T);

/// Names values by `Display`.
pub trait DisplayLabel {
    /// The name.
    fn label(&self) -> String;
}

impl<T: Display> DisplayLabel for Label<'_, T> {
    fn label(&self) -> String {
        self.0.to_string()
    }
}

/// Names values by `Debug`.
pub trait DebugLabel {
    /// The name.
    fn label(&self) -> String;
}

impl<T: Debug> DebugLabel for &Label<'_, T> {
    fn label(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Returns a name on one line, short enough to read and type. Replaces `/`, which would begin the
/// name of a stage, and ends in no `*`, which would select every name that begins so.
fn clean(name: &str) -> String {
    let letters = name.chars().map(|it| match it {
        '/' => '_',
        it if it.is_control() => ' ',
        it => it,
    });
    let line: String = letters.collect();
    let words: Vec<&str> = line.words().into_list();
    let mut name: String = words.iter().joined(" ").chars().take(LONGEST_NAME).collect();
    if name.ends_with('*') {
        name.push('_');
    }
    if name.is_empty() { "(empty)".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bencher::Driver;
    use crate::measure::Routine;

    struct NeverDriven;

    impl Driver for NeverDriven {
        fn drive(&mut self, _: &mut dyn Routine) -> Result<(), Failure> {
            panic!("the body measures nothing")
        }
    }

    fn listed<A>(values: Vec<A>, name: impl Fn(&A) -> String) -> Vec<String> {
        let mut cases = Vec::new();
        let listed = each(Job::List(&mut cases), values, |_, _| Ok(()), name, |_| no_work());
        assert_eq!(listed, Ok(()));
        cases.into_iter().map(|case| case.name).collect()
    }

    #[test]
    #[allow(clippy::needless_borrow)] // As the expansion writes it: the borrow chooses the trait.
    fn a_value_is_named_as_it_is_displayed_else_as_it_is_debugged() {
        assert_eq!(listed(vec![64, 65_536], |value| (&Label(value)).label()), ["64", "65536"]);
        assert_eq!(listed(vec!["a b"], |value| (&Label(value)).label()), ["a b"]);
        assert_eq!(listed(vec![Some(1)], |value| (&Label(value)).label()), ["Some(1)"]);
        assert_eq!(listed(vec![("a", 1)], |value| text(ask(value, |it| it.0))), ["a"]);
    }

    /// The value that is measured for the case.
    fn measured(case: &str, values: Vec<&str>) -> Result<String, Failure> {
        let mut measured = String::new();
        let run = |_: &mut Bencher<'_>, value: &str| {
            measured.push_str(value);
            Ok(())
        };
        let driver = &mut NeverDriven;
        let bencher = &mut Bencher::new(driver);
        let job = Job::Measure(case, bencher);
        each(job, values, run, ToString::to_string, |_| no_work())?;
        Ok(measured)
    }

    #[test]
    fn a_case_is_measured_with_the_value_of_its_name_whatever_the_order() {
        assert_eq!(measured("a_b", vec!["c", "a/b"]), Ok("a/b".to_owned()));
        assert_eq!(measured("a_b", vec!["a/b", "c"]), Ok("a/b".to_owned()));
        let other = measured("a_b", vec!["c", "d"]).unwrap_err().to_string();
        assert!(other.contains("named `a_b` when the tests were listed, and none"), "{other}");
    }

    #[test]
    fn a_name_is_one_line_of_bearable_length() {
        assert_eq!(clean(" two\n lines\0 "), "two lines");
        assert_eq!(clean("\t"), "(empty)");
        assert_eq!(clean("data/big.json"), "data_big.json");
        assert_eq!(["*", "a*", "*.rs"].map(clean), ["*_", "a*_", "*.rs"]);
        assert_eq!(clean(&"ü".repeat(200)).chars().count(), LONGEST_NAME);
    }

    #[test]
    fn work_below_zero_is_refused() {
        assert_eq!(bytes(7_usize), Ok(Some(Work { amount: 7, kind: WorkKind::Bytes })));
        assert!(items(-1).unwrap_err().to_string().contains("`items` is below zero"));
    }
}
