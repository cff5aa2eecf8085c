//! Overrides that match no test, though they mean one of this executable.

use crate::misspelt::{MOST_WRONG, distance};
use crate::perf_test::PerfTest;
use perftest_core::model::{BenchmarkId, BenchmarkPattern, TargetKind};
use perftest_core::text::Text;

/// Returns whether a filter matches a test, by the name of its history or by the displayed one.
pub(super) fn matches(filter: &BenchmarkPattern, test: &PerfTest) -> bool {
    filter.matches(&test.benchmark())
        || filter.matches(&BenchmarkId::from_recorded(test.listed_name()))
}

/// Describes what is wrong with a filter that matches none of `tests`, the tests of an executable.
/// `None` if the filter may match a test of another executable.
pub(super) fn complaint(filter: &BenchmarkPattern, tests: &[PerfTest]) -> Option<String> {
    if tests.iter().any(|test| matches(filter, test)) {
        return None;
    }
    let text = filter.as_str();
    let near = tests.iter().filter_map(|test| Some((likeness(text, test)?, test.benchmark())));
    let advice = match near.min_by_key(|(wrong, _)| *wrong) {
        Some((_, name)) if text.ends_with('*') => format!("the nearest name is \"{name}\""),
        Some((_, name)) => format!("write filter = \"{name}\""),
        None if tests.iter().any(|test| is_below(text, test)) => {
            "PERFTEST_MODE=list-effective cargo test lists the names".to_owned()
        }
        None => return None,
    };
    Some(format!("the filter \"{text}\" matches no test; {advice}"))
}

/// Number of wrong letters in a filter if it means this test; `None` if that is unlikely. A hyphen is no wrong letter: the
/// crate of the package `my-crate` is `my_crate`.
fn likeness(filter: &str, test: &PerfTest) -> Option<usize> {
    let (filter, listed) = (in_code(filter), in_code(&test.listed_name()));
    let recorded = in_code(test.benchmark().as_str());
    let beginning = filter.trim_end_matches('*');
    let is_it = |name: &str| {
        if filter.ends_with('*') { name.starts_with(beginning) } else { name == beginning }
    };
    let of_crate = |name: &str| format!("{}::{listed}", in_code(name));
    let names = [of_crate(crate_of(test)), of_crate(test.package), recorded.clone()];
    if names.iter().any(|name| is_it(name)) {
        return Some(0);
    }
    // A name that another executable may have allows few wrong letters.
    let (meant, most) = if is_below(&filter, test) {
        (recorded, MOST_WRONG)
    } else {
        let most = MOST_WRONG.min(listed.len() / 4);
        (listed, most)
    };
    let meant = if filter.ends_with('*') { meant.get(..beginning.len())? } else { &meant };
    let wrong =
        (meant.len().abs_diff(beginning.len()) <= most).then(|| distance(meant, beginning))?;
    (wrong <= most).then_some(wrong)
}

/// Returns whether a filter begins like the names of this test's target. In a library they begin
/// with the package alone, like those of all its targets.
fn is_below(filter: &str, test: &PerfTest) -> bool {
    let (recorded, listed) = (test.benchmark(), test.listed_name());
    let target = recorded.as_str().strip_suffix(&listed).unwrap_or_default();
    test.kind() != TargetKind::Library
        && !target.is_empty()
        && in_code(filter).starts_with(&in_code(target))
}

/// Returns a name as code has it.
fn in_code(name: &str) -> String {
    name.replaced("-", "_")
}

fn crate_of(test: &PerfTest) -> &str {
    test.module_path.parts("::").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf_test::tests::descriptor;
    use crate::registry::Descriptor;

    /// `codec::perf::encode` and `codec::perf::frame::split`.
    fn tests() -> Vec<PerfTest> {
        let of = |module, name| PerfTest::all_of(Box::leak(Box::new(descriptor(module, name))));
        [of("perf", "encode"), of("perf::frame", "split")].concat()
    }

    fn filter_error(filter: &str) -> Option<String> {
        complaint(&BenchmarkPattern::new(filter), &tests())
    }

    #[test]
    fn names_match_as_they_are_recorded_and_as_they_are_displayed() {
        for filter in ["codec::perf::encode", "encode", "frame::split", "frame::*", "codec::*"] {
            assert_eq!(filter_error(filter), None, "{filter}");
            let pattern = BenchmarkPattern::new(filter);
            assert!(tests().iter().any(|test| matches(&pattern, test)), "{filter}");
        }
        let split = BenchmarkPattern::new("split");
        assert!(!tests().iter().any(|test| matches(&split, test)), "its module is missing");
    }

    #[test]
    fn a_filter_that_means_a_test_is_answered_with_its_name() {
        for (filter, meant) in [
            ("perf::encode", "codec::perf::encode"),
            ("codec::frame::split", "codec::perf::frame::split"),
            ("codec::perf::encoed", "codec::perf::encode"),
            ("encodes", "codec::perf::encode"),
            ("frame::splt", "codec::perf::frame::split"),
        ] {
            let expected = format!("write filter = \"{meant}\"");
            assert!(
                filter_error(filter).is_some_and(|it| it.ends_with(&expected)),
                "{:?}",
                filter_error(filter)
            );
        }
        let several = filter_error("codec::frame::*").unwrap();
        assert!(
            several.ends_with("the nearest name is \"codec::perf::frame::split\""),
            "{several}"
        );
        let unlike = filter_error("codec::perf::decompress").unwrap();
        assert!(unlike.contains("list-effective"), "{unlike}");
    }

    #[test]
    fn a_filter_with_the_crate_instead_of_the_package_is_answered_with_the_package() {
        let of = |name| Descriptor { package: "my-crate", ..descriptor("perf", name) };
        let tests = ["sort", "hash"].map(|name| PerfTest::all_of(Box::leak(Box::new(of(name)))));
        let complaint = |filter| complaint(&BenchmarkPattern::new(filter), &tests.concat());
        for filter in ["my_crate::perf::sort", "my_crate::sort", "my_crate::perf::srot"] {
            let complaint = complaint(filter).expect("it means a test of this executable");
            assert!(complaint.ends_with("write filter = \"my-crate::perf::sort\""), "{complaint}");
        }
        let several = complaint("my_crate::perf::*").expect("it means all of them");
        assert!(several.contains("the nearest name is \"my-crate::perf::"), "{several}");
        assert_eq!(complaint("my-crate::perf::*"), None);
        assert_eq!(complaint("my_other::perf::sort"), None);
    }

    #[test]
    fn a_filter_for_another_executable_is_left_alone() {
        for filter in
            ["codec::bench::encode", "other::perf::encode", "codec::tests::inner", "parse"]
        {
            assert_eq!(filter_error(filter), None, "{filter}");
        }
    }
}
