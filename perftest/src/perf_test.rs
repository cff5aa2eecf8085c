//! One perf test: a name with a history and a verdict.

use crate::Bencher;
use crate::cases::{Case, Job};
use crate::measure::Failure;
use crate::registry::{Descriptor, Instance, Rival};
use perftest_core::judge::Curve;
use perftest_core::list::IntoList;
use perftest_core::model::{BenchmarkId, Metric, Tolerance, Work};
use perftest_core::order::sort;
use perftest_core::text::Text;
use std::ops::Deref;
use std::panic::catch_unwind;

/// One case of a registered function, with its registration.
#[derive(Clone)]
pub(crate) struct PerfTest {
    descriptor: &'static Descriptor,
    instance: &'static Instance,
    /// The case in the instance, or why there is none.
    case: Result<OwnCase, String>,
    /// Function and case.
    name: String,
    body: fn(Job<'_, '_>) -> Result<(), Failure>,
    rival: Option<&'static Rival>,
    /// The work of one iteration: a call on each of its threads.
    pub work: Option<Work>,
}

#[derive(Debug, Clone)]
struct OwnCase {
    /// Counted from 0 in the list of cases.
    index: usize,
    name: String,
}

/// The names of one test in an executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamesInExecutable {
    /// The name in lists.
    pub listed: String,
    /// The names of ordinary tests, one of which runs it in a binary of libtest.
    pub ordinary: Vec<String>,
}

/// A case shares all other fields with its function.
impl Deref for PerfTest {
    type Target = Descriptor;

    fn deref(&self) -> &Descriptor {
        self.descriptor
    }
}

impl PerfTest {
    /// Returns the cases of a function, in the author's order. An instance with invalid cases is
    /// one test, which fails with the reason.
    pub(crate) fn all_of(descriptor: &'static Descriptor) -> Vec<Self> {
        let of_instance = |instance: &'static Instance| match cases(instance) {
            Ok(cases) => cases
                .into_iter()
                .enumerate()
                .map(|(index, case)| Self {
                    descriptor,
                    instance,
                    name: joined([descriptor.name, instance.label, &case.name]),
                    case: Ok(OwnCase { index, name: case.name }),
                    body: instance.body,
                    rival: instance.rival.as_ref(),
                    work: case.work.map(|work| work.times(u64::from(instance.threads))),
                })
                .into_list(),
            Err(why) => vec![Self {
                descriptor,
                instance,
                case: Err(why),
                name: joined([descriptor.name, instance.label, ""]),
                body: instance.body,
                rival: None,
                work: None,
            }],
        };
        descriptor.instances.iter().flat_map(of_instance).into_list()
    }

    /// Runs the body once; the bencher measures.
    pub(crate) fn run(&self, bencher: &mut Bencher<'_>) -> Result<(), Failure> {
        match &self.case {
            Ok(case) => (self.body)(Job::Measure(&case.name, bencher)),
            Err(why) => Err(Failure::Cases(why.clone())),
        }
    }

    /// The function to compare with: the same test with another body.
    pub(crate) fn rival(&self) -> Option<Self> {
        let body = self.rival.as_ref()?.body;
        Some(Self { body, rival: None, ..self.clone() })
    }

    /// The name of that function, as the author writes it.
    pub(crate) fn rival_name(&self) -> Option<&'static str> {
        self.rival.map(|rival| rival.name)
    }

    /// Number of threads that run the routine.
    pub(crate) fn threads(&self) -> u16 {
        self.instance.threads
    }

    /// The name in lists: module path without the crate, function and case. Without a case it is
    /// also libtest's name.
    pub(crate) fn listed_name(&self) -> String {
        self.below_the_crate(&self.name)
    }

    /// The name of the ordinary test that runs it in a binary of libtest.
    pub(crate) fn ordinary_name(&self) -> String {
        let tests = self.instance.tests;
        let own = self.case.as_ref().ok().and_then(|case| tests.get(case.index)).or(tests.last());
        self.below_the_crate(own.copied().unwrap_or(self.descriptor.name))
    }

    /// Returns whether the ordinary test `name` in the module `module_path` runs it.
    pub(crate) fn is_run_by(&self, module_path: &str, name: &str) -> bool {
        let tests = self.instance.tests;
        let is_asked = |test: &&str| {
            let path = format!("{}::{test}", self.module_path);
            path.strip_suffix(name).and_then(|it| it.strip_suffix("::")) == Some(module_path)
        };
        match &self.case {
            Ok(case) => tests.get(case.index).or(tests.last()).is_some_and(is_asked),
            Err(_) => tests.iter().any(is_asked),
        }
    }

    /// Identity across directories and binaries.
    pub(crate) fn benchmark(&self) -> BenchmarkId {
        BenchmarkId::in_target(self.kind(), self.package, self.module_path, &self.name)
    }

    /// Identity before it was renamed: the function's former name, and the case.
    pub(crate) fn former_benchmark(&self) -> Option<BenchmarkId> {
        let case = self.name.strip_prefix(self.descriptor.name).unwrap_or_default();
        self.formerly.map(|former| BenchmarkId::from_recorded(format!("{former}{case}")))
    }

    /// The names in an executable of this code.
    pub(crate) fn names(&self) -> NamesInExecutable {
        NamesInExecutable { listed: self.listed_name(), ordinary: vec![self.ordinary_name()] }
    }

    /// The names in an executable of earlier code, where `args` may have been written otherwise: each of several literals
    /// has an ordinary test, the values of an expression share one. The ordinary test that another case has today is none of
    /// them: there it would fail, because its case is not the one that is asked for. So the base of a case that had this name
    /// before a like one came in front of it is not found.
    pub(crate) fn earlier_names(&self) -> NamesInExecutable {
        let function = self.descriptor.name;
        let case = self.name.strip_prefix(function).unwrap_or_default().trim_start_matches("::");
        let of_function: Vec<&str> =
            self.instances.iter().flat_map(|it| it.tests).copied().into_list();
        let mut ordinary = vec![self.ordinary_name()];
        for label in [case, self.instance.label] {
            let names = ordinary_names(function, label).into_iter();
            let free = names.filter(|name| !of_function.contains(&name.as_str()));
            ordinary.extend(free.map(|name| self.below_the_crate(&name)));
        }
        NamesInExecutable { listed: self.listed_name(), ordinary }
    }

    /// The names in an executable of this target from before the test was renamed; `None` if its former name is of
    /// another target.
    pub(crate) fn former_names(&self, target: &str) -> Option<NamesInExecutable> {
        let former = self.formerly?.strip_prefix(target)?.strip_prefix("::")?;
        let own = self.below_the_crate(self.descriptor.name);
        let renamed =
            |name: &String| format!("{former}{}", name.strip_prefix(&own).unwrap_or_default());
        let NamesInExecutable { listed, ordinary } = self.earlier_names();
        Some(NamesInExecutable {
            listed: renamed(&listed),
            ordinary: ordinary.iter().map(renamed).into_list(),
        })
    }

    /// Returns whether this is a former name of the test. With cases any case of the former function is one: a new case
    /// has no history of its own.
    pub(crate) fn may_go_on_with(&self, recorded: &str) -> bool {
        let behind = self.formerly.and_then(|former| recorded.strip_prefix(former));
        let has_cases = self.name != self.descriptor.name;
        behind.is_some_and(|behind| behind.is_empty() || has_cases && behind.starts_with("::"))
    }

    /// The tolerance of a built-in metric, if it has its own.
    pub(crate) fn tolerance_of(&self, metric: &Metric) -> Option<Tolerance> {
        let own = self.metric_tolerances.iter().find(|(name, _)| *name == metric.name);
        // The share was checked at compile time.
        own.and_then(|(_, share)| Tolerance::new(*share).ok())
    }

    /// Returns the author's curve for a series that uses it, a time with the tolerance of the test, and else the scaled
    /// one. For a smaller tolerance the curve's last point would be too high.
    pub(crate) fn curve_of(&self, metric: &Metric, own: Option<Tolerance>) -> Curve {
        let points = self.curve.filter(|_| metric.is_time() && own.is_none());
        // The attribute has checked the curve at compile time.
        points.and_then(|points| Curve::of_points(points.to_vec())).unwrap_or_default()
    }
}

/// The names that the ordinary test of this label may have: those of `identifier` in `perftest-macros/src/cases.rs`, which
/// has the list of keywords that get an underscore; the tests of both have the same pairs. The limit: a name with the
/// number that a second label of the same name gets, as in `_1_2`, depends on the other labels and is not found.
fn ordinary_names(function: &str, label: &str) -> Vec<String> {
    if label.is_empty() {
        return vec![function.to_owned()];
    }
    let fits = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let identifier: String = label.chars().map(fits).collect();
    if identifier.chars().all(|letter| letter == '_') {
        return vec![format!("{function}::case")];
    }
    vec![format!("{function}::{identifier}"), format!("{function}::_{identifier}")]
}

/// Lists the cases of an instance.
///
/// # Errors
/// Why there are no cases, or why two have the same name.
fn cases(instance: &Instance) -> Result<Vec<Case>, String> {
    let listed = catch_unwind(|| {
        let mut cases = Vec::new();
        (instance.body)(Job::List(&mut cases)).map(|()| cases)
    });
    let cases = match listed {
        Ok(listed) => listed.map_err(|failure| failure.to_string())?,
        Err(_) => return Err("telling its cases panicked: look at `args` and `names`".to_owned()),
    };
    if cases.is_empty() {
        return Err("`args` gives no value, so there is no case to measure".to_owned());
    }
    let mut names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).into_list();
    sort(&mut names);
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(twice) => Err(format!(
            "two cases are named `{}`; they would share one history: tell them apart with \
             names = |case| ..",
            twice[0]
        )),
        None => Ok(cases),
    }
}

/// Replaces `/`, as in a constant, because it would begin the name of a stage.
fn joined(parts: [&str; 3]) -> String {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.joined("::").replaced("/", "_")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::cases::{each, no_work, once};
    use crate::registry::{Build, Place};
    use crate::settings::Layer;
    use perftest_core::model::{TargetKind, Usage};

    /// Without cases.
    const PLAIN: Instance = Instance {
        label: "",
        tests: &["encode"],
        threads: 1,
        body: |job| once(job, |_| Ok(()), no_work),
        rival: None,
    };

    /// A function without cases.
    pub(crate) const fn descriptor(module_path: &'static str, name: &'static str) -> Descriptor {
        Descriptor {
            package: "codec",
            manifest_dir: "",
            module_path,
            name,
            place: Place::new("tests/perf.rs", 1),
            ignore: None,
            settings: Layer::SILENT,
            curve: None,
            metrics: &[],
            metric_tolerances: &[],
            disk_probe: false,
            formerly: None,
            programs: None,
            program_directories: &[],
            target: TargetKind::Test,
            build: Build { optimised: true, debug_assertions: false },
            instances: &[PLAIN],
        }
    }

    fn all_of(instances: &'static [Instance]) -> Vec<PerfTest> {
        let formerly = Some("codec::perf::old");
        let descriptor = Descriptor { instances, formerly, ..descriptor("perf::frame", "encode") };
        PerfTest::all_of(Box::leak(Box::new(descriptor)))
    }

    fn listed(instances: &'static [Instance]) -> Vec<String> {
        all_of(instances).iter().map(PerfTest::listed_name).collect()
    }

    /// The failure of the only test.
    fn failure(instances: &'static [Instance]) -> String {
        let tests = all_of(instances);
        assert_eq!(tests.len(), 1);
        assert_eq!(tests[0].listed_name(), "frame::encode");
        tests[0].case.clone().unwrap_err()
    }

    #[test]
    fn a_function_without_cases_is_named_as_libtest_would_print_it() {
        let of = |module_path| {
            let descriptor = Box::leak(Box::new(descriptor(module_path, "encode")));
            PerfTest::all_of(descriptor).remove(0)
        };
        assert_eq!(of("perf").listed_name(), "encode");
        assert_eq!(of("perf::frame::v2").listed_name(), "frame::v2::encode");
        assert_eq!(of("perf::frame::v2").ordinary_name(), "frame::v2::encode");
        assert_eq!(of("perf::frame").benchmark().as_str(), "codec::perf::frame::encode");
        assert_eq!(of("perf::frame").former_benchmark(), None);
    }

    #[test]
    fn the_authors_curve_is_for_times_by_the_tolerance_of_the_test() {
        let curve: &[(u32, f64)] = &[(2, 4.0), (30, 1.1)];
        let metric_tolerances = &[("thread_cpu", 0.01)];
        let curve = Some(curve);
        let descriptor = Descriptor { curve, metric_tolerances, ..descriptor("perf", "encode") };
        let test = PerfTest::all_of(Box::leak(Box::new(descriptor))).remove(0);
        let scaled = Curve::default();
        let follows = |metric: &Metric| test.curve_of(metric, test.tolerance_of(metric)) != scaled;
        let (cpu, thread_cpu) = (Usage::Cpu.metric(), Usage::ThreadCpu.metric());
        assert_eq!([Metric::wall(), cpu, thread_cpu].each_ref().map(follows), [true, true, false]);
        assert!(!follows(&Metric::allocations()));
        let of_author = Metric { name: "latency".to_owned(), ..Metric::wall() };
        assert_eq!(test.curve_of(&of_author, Tolerance::new(0.01).ok()), scaled);
    }

    #[test]
    fn a_renamed_function_goes_on_with_the_history_of_each_of_its_cases() {
        const CASES: &[Instance] = &[Instance {
            label: "u8",
            body: |job| each(job, [64, 9], |_, _| Ok(()), ToString::to_string, |_| no_work()),
            ..PLAIN
        }];
        let former = |test: &PerfTest| test.former_benchmark().unwrap().as_str().to_owned();
        assert_eq!(all_of(&[PLAIN]).iter().map(former).collect::<Vec<_>>(), ["codec::perf::old"]);
        let former: Vec<String> = all_of(CASES).iter().map(former).collect();
        assert_eq!(former, ["codec::perf::old::u8::64", "codec::perf::old::u8::9"]);
    }

    #[test]
    fn a_renamed_test_has_its_former_names_in_executables_of_then() {
        const CASES: &[Instance] = &[Instance {
            label: "Vec<u8>",
            tests: &["encode::Vec_u8__64"],
            body: |job| each(job, [64], |_, _| Ok(()), ToString::to_string, |_| no_work()),
            ..PLAIN
        }];
        let former = |instances, target: &str, formerly| {
            let formerly = Some(formerly);
            let descriptor =
                Descriptor { instances, formerly, ..descriptor("perf::frame", "encode") };
            let test = PerfTest::all_of(Box::leak(Box::new(descriptor))).remove(0);
            let NamesInExecutable { listed, mut ordinary } = test.former_names(target).unwrap();
            [listed, ordinary.remove(0)]
        };
        let pack = "codec::before::frame::pack";
        assert_eq!(former(&[PLAIN], "codec::before", pack), ["frame::pack"; 2]);
        assert_eq!(former(&[PLAIN], "codec", pack), ["before::frame::pack"; 2]);
        let speed = "codec::bench::speed";
        assert_eq!(former(&[PLAIN], speed, "codec::bench::speed::frame::pack"), ["frame::pack"; 2]);
        assert_eq!(all_of(&[PLAIN])[0].former_names("codec::other"), None);
        let of_case = ["frame::pack::Vec<u8>::64", "frame::pack::Vec_u8__64"];
        assert_eq!(former(CASES, "codec::perf", "codec::perf::frame::pack"), of_case);
        assert_eq!(all_of(&[PLAIN])[0].names().listed, "frame::encode");
    }

    #[test]
    fn a_case_is_found_in_earlier_code_whose_args_were_literals_or_an_expression() {
        const CASE: Instance = Instance {
            body: |job| each(job, [64], |_, _| Ok(()), ToString::to_string, |_| no_work()),
            ..PLAIN
        };
        const OF_LITERALS: &[Instance] = &[Instance { tests: &["encode::_64"], ..CASE }];
        const OF_EXPRESSION: &[Instance] = &[Instance { tests: &["encode"], ..CASE }];
        const GENERIC: &[Instance] =
            &[Instance { label: "Vec<u8>", tests: &["encode::Vec_u8_"], ..CASE }];
        let has = |instances, name: &str| {
            let NamesInExecutable { ordinary, .. } = all_of(instances)[0].earlier_names();
            ordinary.iter().any(|it| it == name)
        };
        for instances in [OF_LITERALS, OF_EXPRESSION] {
            assert!(has(instances, "frame::encode") && has(instances, "frame::encode::_64"));
            assert!(!has(instances, "frame::encode::_6"));
        }
        assert!(has(GENERIC, "frame::encode::Vec_u8_"));
        assert!(has(GENERIC, "frame::encode::Vec_u8___64"));
        let of_this_code = |instances| all_of(instances)[0].names().ordinary;
        assert_eq!(of_this_code(OF_LITERALS), ["frame::encode::_64"]);
        assert_eq!(of_this_code(OF_EXPRESSION), ["frame::encode"]);
    }

    /// The pairs of `an_ordinary_test_is_named_like_its_case` in `perftest-macros/src/cases.rs`.
    #[test]
    fn an_ordinary_test_is_found_by_the_label_of_its_case() {
        for (label, name) in [
            ("tiny", "tiny"),
            ("64", "_64"),
            ("-1", "_1"),
            ("Vec<u8>::16", "Vec_u8___16"),
            ("fn", "_fn"),
            ("gen", "_gen"),
            ("?", "case"),
            ("_", "case"),
        ] {
            let names = ordinary_names("encode", label);
            assert!(names.contains(&format!("encode::{name}")), "{label}: {names:?}");
        }
    }

    #[test]
    fn the_ordinary_test_of_a_like_case_is_not_asked_for_another_one() {
        const LIKE: &[Instance] = &[Instance {
            tests: &["encode::_1", "encode::_1_2"],
            body: |job| each(job, [-1, 1], |_, _| Ok(()), ToString::to_string, |_| no_work()),
            ..PLAIN
        }];
        let [minus, plus] = [0, 1].map(|case| all_of(LIKE)[case].earlier_names().ordinary);
        let has = |names: &[String], name: &str| names.iter().any(|it| it == name);
        assert!(has(&minus, "frame::encode::_1") && !has(&minus, "frame::encode::_1_2"));
        assert!(has(&plus, "frame::encode::_1_2") && !has(&plus, "frame::encode::_1"));
        assert!(has(&plus, "frame::encode"), "as of an expression");
    }

    #[test]
    fn a_recorded_name_is_a_former_one_where_its_function_is() {
        const CASES: &[Instance] = &[Instance {
            body: |job| each(job, [64], |_, _| Ok(()), ToString::to_string, |_| no_work()),
            ..PLAIN
        }];
        let (plain, case) = (&all_of(&[PLAIN])[0], &all_of(CASES)[0]);
        let names =
            ["codec::perf::old", "codec::perf::old::9", "codec::perf::older", "codec::perf"];
        assert_eq!(names.map(|it| plain.may_go_on_with(it)), [true, false, false, false]);
        assert_eq!(names.map(|it| case.may_go_on_with(it)), [true, true, false, false]);
    }

    #[test]
    fn each_case_is_a_test_with_an_identity_of_its_own() {
        const EACH: &[Instance] = &[Instance {
            label: "Vec<u8>",
            tests: &["encode::Vec_u8__64", "encode::Vec_u8__9"],
            body: |job| each(job, [64, 9], |_, _| Ok(()), ToString::to_string, |_| no_work()),
            ..PLAIN
        }];
        let tests = all_of(EACH);
        assert_eq!(listed(EACH), ["frame::encode::Vec<u8>::64", "frame::encode::Vec<u8>::9"]);
        assert_eq!(tests[1].benchmark().as_str(), "codec::perf::frame::encode::Vec<u8>::9");
        assert_eq!(tests[1].ordinary_name(), "frame::encode::Vec_u8__9");
        let is_run = |name| tests[1].is_run_by("perf::frame::encode", name);
        assert!(is_run("Vec_u8__9") && !is_run("Vec_u8__64") && !is_run("8__9"));
    }

    #[test]
    fn one_ordinary_test_can_run_all_cases() {
        const TOGETHER: &[Instance] = &[Instance {
            body: |job| each(job, 1..3, |_, _| Ok(()), ToString::to_string, |_| no_work()),
            ..PLAIN
        }];
        assert_eq!(listed(TOGETHER), ["frame::encode::1", "frame::encode::2"]);
        for test in all_of(TOGETHER) {
            assert_eq!(test.ordinary_name(), "frame::encode");
            assert!(test.is_run_by("perf::frame", "encode"));
        }
    }

    #[test]
    fn cases_that_cannot_be_reported_are_one_test_that_fails_with_the_reason() {
        const NONE: &[Instance] = &[Instance {
            body: |job| each(job, 0..0, |_, _| Ok(()), ToString::to_string, |_| no_work()),
            ..PLAIN
        }];
        const TWINS: &[Instance] = &[Instance {
            body: |job| each(job, [7, 7], |_, _| Ok(()), ToString::to_string, |_| no_work()),
            ..PLAIN
        }];
        const PANICS: &[Instance] = &[Instance {
            tests: &["encode::_1"],
            body: |job| each(job, [1], |_, _| Ok(()), |_| panic!("no name"), |_| no_work()),
            ..PLAIN
        }];
        assert!(failure(NONE).contains("gives no value"));
        assert!(failure(TWINS).contains("two cases are named `7`"));
        assert!(failure(PANICS).contains("panicked"));
        assert!(all_of(PANICS)[0].is_run_by("perf::frame::encode", "_1"));
    }
}
