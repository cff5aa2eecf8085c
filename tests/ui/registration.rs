//! The registration of perf tests. All are ignored, so that only their registration
//! counts here.

use perftest::__private::{
    Descriptor, Group, Layer, Learn, OnDebug, OnImproved, OnRed, OnUnclear, OnUnjudged, inventory,
};
use perftest::{perf_group, perf_test};
use std::time::Duration;

const SHARE: f64 = 0.25;

/// The line is that of the name, not that of the attribute.
#[perf_test(tolerance = "10%", budget = "2s")]
#[ignore]
#[doc(hidden)]
fn literals() {} // LITERALS

#[perf_test(tolerance = SHARE, budget = Duration::from_millis(7))]
#[ignore = "by the attribute"]
fn constants() {}

#[perf_test]
#[ignore = "by itself"]
fn defaults() {}

#[perf_test(expert(curve = [(2, 4), (30, 1.1)]))]
fn curved() {}

#[rustfmt::skip]
#[perf_test(metrics = [
    wall, cpu, thread_cpu, faults, switches, allocs, alloc_bytes, alloc_peak, user, system, peak_rss,
    instructions, cycles, branch_misses, cache_misses,
])]
#[ignore]
fn judged_by_more() {}

#[perf_test]
#[cfg_attr(not(test), ignore = "never")]
#[cfg_attr(test, ignore = "under a condition")]
fn conditional() {}

#[perf_test(
    limit = "50us",
    on_red = "report",
    on_improved = "fail",
    on_unclear = "fail",
    on_unjudged = "pass",
    expert(
        timeout = "2m",
        max_measurements = 30,
        on_debug = "measure",
        learn = "one-per-run",
        disk_probe
    ),
    formerly = "codec::perf::old"
)]
#[ignore]
fn every_setting() {}

#[perf_group(tolerance = 1.25, on_red = "fail", expert(max_measurements = 40))]
mod grouped {} // GROUPED

#[perf_test(args = [64, -1])]
#[ignore]
fn r#seen(n: i32) -> i32 {
    n
}

#[perf_test(args = 1..3, types = [Vec<u8>, String])]
#[ignore]
fn unseen<T: Default>(n: u8) -> (u8, T) {
    (n, T::default())
}

mod r#type {
    #[perftest::perf_test]
    #[ignore]
    fn r#match() {}
}

#[test]
fn a_registration_has_every_setting() {
    let every = descriptor("every_setting");
    let expected = Layer {
        tolerance: None,
        budget: None,
        limit: Some(Duration::from_micros(50)),
        on_red: Some(OnRed::Report),
        on_improved: Some(OnImproved::Fail),
        on_unclear: Some(OnUnclear::Fail),
        on_unjudged: Some(OnUnjudged::Pass),
        timeout: Some(Duration::from_secs(120)),
        max_measurements: Some(30),
        on_debug: Some(OnDebug::Measure),
        learn: Some(Learn::OnePerRun),
    };
    assert_eq!((every.settings, every.formerly), (expected, Some("codec::perf::old")));
    assert!(every.disk_probe && !descriptor("defaults").disk_probe);
}

#[test]
fn a_group_has_what_it_sets_and_where() {
    let grouped = concat!(module_path!(), "::grouped");
    let mut groups = inventory::iter::<Group>.into_iter();
    let group = groups.find(|group| group.module_path == grouped).expect("it is registered");
    let expected = Layer {
        tolerance: Some(0.25),
        on_red: Some(OnRed::Fail),
        max_measurements: Some(40),
        ..Layer::SILENT
    };
    assert_eq!((group.settings, group.place.file), (expected, file!()));
    let line = include_str!("registration.rs").lines().position(|it| it.ends_with("// GROUPED"));
    assert_eq!(Some(group.place.line as usize), line.map(|line| line + 1));
}

fn descriptor(name: &str) -> &'static Descriptor {
    let mut descriptors = inventory::iter::<Descriptor>.into_iter();
    descriptors.find(|descriptor| descriptor.name == name).expect("it is registered")
}

#[test]
fn a_registration_has_the_place_of_the_test() {
    let literals = descriptor("literals");
    assert_eq!(literals.package, env!("CARGO_PKG_NAME"));
    assert_eq!(literals.manifest_dir, env!("CARGO_MANIFEST_DIR"));
    assert_eq!(literals.module_path, module_path!());
    assert_eq!(literals.place.file, file!());
    let text = include_str!("registration.rs");
    let line = text.lines().position(|line| line.ends_with("// LITERALS")).unwrap() + 1;
    assert_eq!(literals.place.line as usize, line);
}

#[test]
fn a_registration_has_the_keys() {
    let literals = descriptor("literals");
    assert_eq!(literals.settings.tolerance, Some(perftest::__private::tolerance(0.1)));
    assert_eq!(literals.settings.budget, Some(Duration::from_secs(2)));
    let constants = descriptor("constants");
    assert_eq!(constants.settings.tolerance, Some(perftest::__private::tolerance(SHARE)));
    assert_eq!(constants.settings.budget, Some(Duration::from_millis(7)));
    let defaults = descriptor("defaults");
    assert_eq!(defaults.settings.tolerance, None);
    assert_eq!(defaults.settings.budget, None);
    assert_eq!(defaults.curve, None);
    assert_eq!(defaults.metrics, [""; 0]);
    assert_eq!(descriptor("curved").curve, Some([(2, 4.0), (30, 1.1)].as_slice()));
}

#[test]
fn every_metric_that_the_attribute_takes_can_judge() {
    let metrics = descriptor("judged_by_more").metrics;
    assert_eq!(metrics.len(), 14);
    for name in metrics {
        assert!(perftest_core::model::SeriesKind::built_in(name).is_some(), "{name}");
    }
}

#[test]
fn a_registration_has_the_reason_it_is_ignored_for() {
    for (name, reason) in [
        ("literals", ""),
        ("constants", "by the attribute"),
        ("defaults", "by itself"),
        ("conditional", "under a condition"),
    ] {
        assert_eq!(descriptor(name).ignore, Some(reason), "{name}");
    }
}

#[test]
fn a_registration_names_the_ordinary_tests_of_its_cases() {
    let instances = |name| {
        let instances = descriptor(name).instances.iter();
        instances.map(|it| (it.label, it.tests)).collect::<Vec<_>>()
    };
    assert_eq!(instances("literals"), [("", &["literals"][..])]);
    assert_eq!(instances("seen"), [("", &["seen::_64", "seen::_1"][..])]);
    let each = [("Vec<u8>", &["unseen::Vec_u8_"][..]), ("String", &["unseen::String"])];
    assert_eq!(instances("unseen"), each);
}

#[test]
fn a_raw_identifier_is_named_as_libtest_lists_it() {
    assert_eq!(descriptor("r#match").module_path, concat!(module_path!(), "::r#type"));
    assert_eq!(descriptor("seen").instances[0].tests[0], "seen::_64", "its `r#` is needless");
}
