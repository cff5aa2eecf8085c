//! All perf tests of this binary.

use crate::config::is_started_by_perftest;
use crate::measure::with_threads_of_cases;
use crate::perf_test::PerfTest;
use crate::registry::Descriptor;
use perftest_core::model::BenchmarkId;
use perftest_core::order::{sort, sort_by};
use std::sync::OnceLock;

/// Returns all perf tests linked into this binary: functions by name, cases in their author's
/// order.
///
/// # Errors
/// A message when two have the same identity, or the same former name: they would share one
/// history.
pub(crate) fn perf_tests() -> Result<&'static [PerfTest], String> {
    static TESTS: OnceLock<Result<Vec<PerfTest>, String>> = OnceLock::new();
    let find = || {
        // The names are made once: a runner starts a process for each of a thousand tests.
        let named = |it: &'static Descriptor| (it.below_the_crate(it.name), it);
        let mut functions: Vec<(String, &Descriptor)> =
            inventory::iter::<Descriptor>.into_iter().map(named).collect();
        let place = |it: &Descriptor| (it.package, it.module_path);
        sort_by(&mut functions, &|(name, it), (other_name, other)| {
            name.cmp(other_name).then_with(|| place(it).cmp(&place(other)))
        });
        let functions = functions.into_iter().map(|(_, function)| function);
        let make = || functions.flat_map(PerfTest::all_of).collect();
        // Only a process of perftest may be sampled.
        let tests: Vec<PerfTest> =
            if is_started_by_perftest() { with_threads_of_cases(make) } else { make() };
        refuse_duplicates(&tests)?;
        refuse_shared_pasts(&tests)?;
        Ok(tests)
    };
    TESTS.get_or_init(find).as_deref().map_err(String::clone)
}

fn refuse_duplicates(tests: &[PerfTest]) -> Result<(), String> {
    let mut names: Vec<String> = tests.iter().map(PerfTest::listed_name).collect();
    sort(&mut names);
    let clash = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| &pair[0]);
    clash.map_or(Ok(()), |name| {
        let named = tests.iter().filter(|it| it.listed_name() == *name);
        let places: Vec<String> = named.take(2).map(|it| it.place.to_string()).collect();
        Err(format!(
            "two perf tests are named `{name}` ({}); they would share one history: rename one of \
             them",
            places.join(" and ")
        ))
    })
}

/// Refuses two heirs of one history, and an heir while the former test still exists.
fn refuse_shared_pasts(tests: &[PerfTest]) -> Result<(), String> {
    if tests.iter().all(|test| test.formerly.is_none()) {
        return Ok(());
    }
    let mut names: Vec<(BenchmarkId, &PerfTest)> =
        tests.iter().map(|test| (test.benchmark(), test)).collect();
    for test in tests {
        let Some(former) = test.former_benchmark() else {
            continue;
        };
        if let Some((_, other)) = names.iter().find(|(name, _)| *name == former) {
            return Err(format!(
                "the history of `{former}` is claimed by `{}` ({}) with `formerly`, and it is that of \
                 `{}` ({}) too: only one test can go on with it",
                test.listed_name(),
                test.place,
                other.listed_name(),
                other.place
            ));
        }
        names.push((former, test));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf_test::tests::descriptor;
    use crate::registry::Place;

    fn tests<const N: usize>(functions: [Descriptor; N]) -> Vec<PerfTest> {
        let leaked = functions.map(|it| &*Box::leak(Box::new(it)));
        leaked.into_iter().flat_map(PerfTest::all_of).collect()
    }

    #[test]
    fn a_history_has_one_heir() {
        let heir = |name, line| Descriptor {
            place: Place::new("tests/perf.rs", line),
            formerly: Some("codec::perf::old"),
            ..descriptor("perf", name)
        };
        assert_eq!(refuse_shared_pasts(&tests([heir("a", 3)])), Ok(()));
        let message = refuse_shared_pasts(&tests([heir("a", 3), heir("b", 9)])).unwrap_err();
        assert!(message.contains("perf.rs:3") && message.contains("perf.rs:9"), "{message}");
        let still_there = tests([heir("a", 3), descriptor("perf", "old")]);
        assert!(refuse_shared_pasts(&still_there).is_err(), "the test itself is still there");
    }

    #[test]
    fn two_tests_of_one_name_are_refused_with_both_places() {
        let both = |first, second| refuse_duplicates(&tests([first, second]));
        let encode = |line| {
            let place = Place::new("tests/perf.rs", line);
            Descriptor { place, ..descriptor("perf", "encode") }
        };
        let message = both(encode(3), encode(9)).unwrap_err();
        assert!(message.contains("perf.rs:3") && message.contains("perf.rs:9"), "{message}");
        assert_eq!(both(encode(3), descriptor("perf::frame", "encode")), Ok(()));
    }
}
