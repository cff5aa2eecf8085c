//! The rules in the file `perftest.toml`.

use super::{Entries, RulesText, Suppression, ThresholdRule};
use crate::exit::{CommandError, Result};
use crate::project_directories::project_directories;
use perftest_process::{SETTINGS_FILE, describe_no_toml, settings_file, settings_text};
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Tables with settings of tests, which the harness reads.
const OF_THE_HARNESS: [&str; 3] = ["defaults", "override", "profile"];

/// The rules of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RulesFile {
    pub(crate) path: PathBuf,
    pub(crate) thresholds: Vec<ThresholdRule>,
    pub(crate) suppressions: Vec<Suppression>,
}

impl RulesFile {
    pub(crate) const NAME: &'static str = SETTINGS_FILE;

    /// Reads the nearest file of `directory`, within `root`; `None` without one.
    pub(crate) fn nearest(directory: &Path, root: &Path) -> Result<Option<Self>> {
        let Some(path) = settings_file(directory, root) else {
            return Ok(None);
        };
        let text = settings_text(&path).map_err(CommandError::Usage)?;
        Self::parse(&path, &text).map(Some).map_err(CommandError::Usage)
    }

    /// Reads the files of the [directories of a project](project_directories).
    pub(crate) fn all_below(root: &Path) -> Result<Vec<Self>> {
        let read = |directory: PathBuf| Self::nearest(&directory, &directory).transpose();
        project_directories(root)?.into_iter().filter_map(read).collect()
    }

    /// Formats the position of a line.
    pub(crate) fn place(line: usize) -> String {
        format!("{}:{line}", Self::NAME)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, String> {
        let source = RulesText { path, text };
        source.refuse_what_tests_cannot_read()?;
        let root = DeTable::parse(text).map_err(|error| {
            source.wrong(error.span().unwrap_or(0..0), &describe_no_toml(&error.message()))
        })?;
        let mut file =
            Self { path: path.to_owned(), thresholds: Vec::new(), suppressions: Vec::new() };
        for (key, value) in root.get_ref() {
            match key.get_ref().as_ref() {
                "threshold" => file.thresholds = each(source, key, value, ThresholdRule::read)?,
                "suppress" => file.suppressions = each(source, key, value, Suppression::read)?,
                name if OF_THE_HARNESS.contains(&name) => {}
                unknown => {
                    let why = format!(
                        "unknown table `{unknown}`; the tables here are defaults, override, profile, \
                         threshold and suppress"
                    );
                    return Err(source.wrong(key.span(), &why));
                }
            }
        }
        file.refuse_doubtful_names()
            .map_err(|(line, why)| format!("{}:{line}: {why}", path.display()))?;
        Ok(file)
    }

    /// Refuses duplicate and unknown names, because alerts are stored under the name of their
    /// threshold.
    fn refuse_doubtful_names(&self) -> Result<(), (usize, String)> {
        let mut names: Vec<&str> = Vec::new();
        for ThresholdRule { name, line, .. } in &self.thresholds {
            if names.contains(&name.as_str()) {
                let why =
                    format!("another threshold is named `{name}`; give this one another name");
                return Err((*line, why));
            }
            names.push(name);
        }
        let named =
            self.suppressions.iter().filter_map(|it| Some((it.line, it.threshold.as_ref()?)));
        let mut unknown = named.filter(|(_, name)| !names.contains(&name.as_str()));
        match unknown.next() {
            Some((line, name)) => {
                let why = format!(
                    "there is no threshold `{name}`; the thresholds are: {}",
                    names.join(", ")
                );
                Err((line, why))
            }
            None => Ok(()),
        }
    }
}

/// Reads each table of an array.
fn each<'a, T>(
    source: RulesText<'a>,
    key: &Spanned<DeString<'_>>,
    value: &'a Spanned<DeValue<'a>>,
    read: impl Fn(Entries<'a>) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let why = "there may be several: write [[threshold]] or [[suppress]], with two brackets";
    let array = value.get_ref().as_array().ok_or_else(|| source.wrong(key.span(), why))?;
    array.iter().map(|value| read(Entries::of(source, value, "it")?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::FailOn;
    use perftest_core::model::{BenchmarkId, Metric};
    use perftest_store::Series;
    use std::fs;

    fn parse(text: &str) -> Result<RulesFile, String> {
        RulesFile::parse(Path::new("perftest.toml"), text)
    }

    /// The texts of the rules of the thresholds.
    fn rules(text: &str) -> Vec<String> {
        parse(text).unwrap().thresholds.iter().map(|it| it.rule.to_string()).collect()
    }

    fn series(benchmark: &str, metric: &str, testbed: &str) -> Series {
        Series {
            benchmark: BenchmarkId::from_recorded(benchmark),
            formerly: None,
            testbed: testbed.into(),
            metric: Metric { name: metric.into(), ..Metric::wall() },
        }
    }

    #[test]
    fn a_threshold_has_a_test_with_its_settings() {
        let text = "[[threshold]]\nname = \"latency\"\ntest = \"t_test\"\nupper = 0.99\nlower = 0.98\n\
                    min_sample_size = 5\nmax_sample_size = 64\nwindow = \"30d\"\ncompat = \"0.6.2\"\n\
                    minimum_effect = \"5%\"\nopen_after = 2\nresolve_after = 3\n\
                    fail_on = \"both\"\n";
        let expected = "t_test lower=0.98 upper=0.99 min=5 max=64 window_s=2592000 compat=0.6.2 \
                        effect=0.05";
        assert_eq!(rules(text), [expected]);
        let [threshold] = parse(text).unwrap().thresholds.try_into().unwrap();
        assert_eq!((threshold.open_after, threshold.resolve_after), (2, 3));
        assert_eq!(threshold.fail_on, FailOn::Both);
        assert_eq!((threshold.name.as_str(), threshold.line), ("latency", 2));
    }

    #[test]
    fn every_test_has_its_own_settings_and_defaults() {
        for (lines, expected) in [
            ("test = \"static\"\nupper = 50_000", "static upper=50000"),
            ("test = \"percentage\"\nupper = 0.1", "percentage upper=0.1"),
            ("test = \"iqr\"\nupper = 3\nminimum_effect = 1.05", "iqr upper=3 effect=0.05"),
            (
                "test = \"mann_whitney\"\nminimum_effect = \"3%\"",
                "mann_whitney alpha=0.01 max=30 effect=0.03",
            ),
            (
                "test = \"welch\"\nalpha = 0.05\nmax_sample_size = 9\nminimum_effect = \"3%\"",
                "welch alpha=0.05 max=9 effect=0.03",
            ),
            ("test = \"change\"\nminimum_effect = 0.2", "change max=30 effect=0.2"),
        ] {
            assert_eq!(
                rules(&format!("[[threshold]]\nname = \"a\"\n{lines}\n")),
                [expected],
                "{lines}"
            );
        }
    }

    #[test]
    fn criteria_are_combined_and_share_the_minimum_effect_around_them() {
        let text = "[[threshold]]\nname = \"both\"\nminimum_effect = \"5%\"\nall = [\n\
                    { test = \"t_test\", upper = 0.99 },\n\
                    { any = [ { test = \"percentage\", upper = 0.1, minimum_effect = \"none\" },\n\
                    { test = \"welch\" } ] },\n]\n";
        let expected = "all(t_test upper=0.99 effect=0.05; any(percentage upper=0.1; welch alpha=0.01 \
                        max=30 effect=0.05))";
        assert_eq!(rules(text), [expected]);
    }

    #[test]
    fn a_threshold_watches_what_its_patterns_fit() {
        let text = "[[threshold]]\nname = \"a\"\nfilter = \"codec::*\"\nmetric = \"*\"\nbranch = \"main\"\n\
                    testbed = \"ci-*\"\ntest = \"percentage\"\nupper = 0.1\n\
                    [[threshold]]\nname = \"b\"\ntest = \"percentage\"\nupper = 0.1\n";
        let [narrow, wide] = parse(text).unwrap().thresholds.try_into().unwrap();
        let fits = |benchmark, metric, testbed, branch| {
            let series = series(benchmark, metric, testbed);
            (narrow.watches(&series, branch), wide.watches(&series, branch))
        };
        assert_eq!(fits("codec::a", "wall", "ci-large/1", "main"), (true, true));
        assert_eq!(fits("codec::a", "allocs", "ci-large/1", "main"), (true, false));
        assert_eq!(fits("other::a", "wall", "ci-large/1", "main"), (false, true));
        assert_eq!(fits("codec::a", "wall", "local/1", "main"), (false, true));
        assert_eq!(fits("codec::a", "wall", "ci-large/1", "main2"), (false, true));
    }

    #[test]
    fn a_suppression_has_a_reason_and_may_have_an_end() {
        let text = "[[suppress]]\nfilter = \"codec::slow::*\"\nmetric = \"wall\"\nreason = \"waits\"\n\
                    until = \"2027-01-31\"\n";
        let [quoted] = parse(text).unwrap().suppressions.try_into().unwrap();
        assert_eq!(quoted.until_ms, Some(1_801_440_000_000));
        assert!(quoted.is_over(1_801_440_000_000) && !quoted.is_over(1_801_439_999_999));
        assert!(quoted.covers(&series("codec::slow::a", "wall", "t"), "main", "any"));
        assert!(!quoted.covers(&series("codec::slow::a", "allocs", "t"), "main", "any"));
        assert!(!quoted.covers(&series("codec::fast::a", "wall", "t"), "main", "any"));
    }

    #[test]
    fn a_whole_name_is_also_that_of_a_renamed_test_and_a_beginning_is_not() {
        let rules = |filter: &str| {
            let text = format!(
                "[[threshold]]\nname = \"a\"\nfilter = \"{filter}\"\ntest = \"static\"\nupper = 1\n\
                 [[suppress]]\nfilter = \"{filter}\"\nreason = \"waits\"\n"
            );
            parse(&text).unwrap()
        };
        let formerly = Some(BenchmarkId::from_recorded("codec::slow::a"));
        let renamed = Series { formerly, ..series("codec::fast::b", "wall", "t") };
        for (filter, expected) in [
            ("codec::slow::a", true),
            ("codec::fast::b", true),
            ("codec::fast::*", true),
            ("codec::slow::*", false),
            ("codec::slow::b", false),
        ] {
            let RulesFile { thresholds, suppressions, .. } = rules(filter);
            assert_eq!(thresholds[0].watches(&renamed, "main"), expected, "{filter}");
            assert_eq!(suppressions[0].covers(&renamed, "main", "a"), expected, "{filter}");
        }
    }

    #[test]
    fn tables_of_the_harness_are_passed_over() {
        let file = parse("[defaults]\nwhatever = 1\n[[override]]\n[profile.ci]\n").unwrap();
        assert_eq!((file.thresholds.len(), file.suppressions.len()), (0, 0));
    }

    #[test]
    fn the_files_of_all_directories_are_read_but_those_of_git_of_caches_and_of_other_repositories()
    {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let rule = |name: &str| {
            format!("[[threshold]]\nname = \"{name}\"\ntest = \"static\"\nupper = 1\n")
        };
        write("perftest.toml", &rule("root"));
        write("crates/codec/perftest.toml", &rule("codec"));
        write("target/CACHEDIR.TAG", "");
        write("vendored/.git/HEAD", "ref: refs/heads/main\n");
        for elsewhere in ["target/package", ".git", "vendored"] {
            write(&format!("{elsewhere}/perftest.toml"), &rule("elsewhere"));
        }
        let directory = fs::canonicalize(root.path()).unwrap();
        let files = RulesFile::all_below(&directory).unwrap();
        let names: Vec<&str> = files.iter().map(|it| it.thresholds[0].name.as_str()).collect();
        assert_eq!(names, ["root", "codec"]);
        write("crates/wrong/perftest.toml", "[[threshold]]\n");
        let error = RulesFile::all_below(&directory).unwrap_err().to_string();
        assert!(error.contains("perftest.toml:1: "), "{error}");
    }

    /// Returns the error of a threshold with these lines after its header and its name.
    fn refused(lines: &str) -> String {
        let text = format!("# rules\n[[threshold]]\nname = \"a\"\n{lines}\n");
        parse(&text).expect_err(lines)
    }

    #[test]
    fn what_is_wrong_with_a_threshold_is_reported_with_its_line_and_the_fix() {
        const UPPER: &str = "test = \"t_test\"\nminimum_effect = \"5%\"\nupper";
        for (lines, line, problem) in [
            (
                "test = \"t_test\"\nuper = 0.99",
                5,
                "unknown key `uper` of a threshold; the keys are name",
            ),
            ("test = \"ttest\"", 4, "there is no test \"ttest\"; the tests are static, percentage"),
            ("test = 7", 4, "`test` is a text in quotes"),
            ("filter = \"codec\"", 3, "it has no test: write test = \"t_test\""),
            ("minimum_effect = \"5%\"", 3, "it has no test"),
            ("test = \"t_test\"\nminimum_effect = \"5%\"", 4, "write upper = 0.99 for a time"),
            (&format!("{UPPER} = 99"), 6, "a probability from 0.5 to below 1, not 99: 0.99 lets"),
            (&format!("{UPPER} = \"99%\""), 6, "`upper` is a number"),
            (&format!("{UPPER} = nan"), 6, "`upper` is a number"),
            ("test = \"percentage\"\nlower = -1", 5, "not below 0, not -1: 0.1 is 10%"),
            ("test = \"static\"\nupper = 1\nlower = 2", 6, "exchange them"),
            ("test = \"static\"\nupper = 1\nwindow = \"3d\"", 6, "remove its sample sizes"),
            ("test = \"static\"\nupper = 1\nmax_sample_size = 9", 6, "remove its sample sizes"),
            (&format!("{UPPER} = 0.9\nmax_sample_size = 1"), 7, "at least 2, not 1"),
            (&format!("{UPPER} = 0.9\nmin_sample_size = 1"), 7, "at least 2, not 1"),
            (
                &format!("{UPPER} = 0.9\nmin_sample_size = 9\nmax_sample_size = 5"),
                7,
                "above the maximum: make it smaller",
            ),
            (&format!("{UPPER} = 0.9\nmin_sample_size = 2.5"), 7, "is a whole number of values"),
            (&format!("{UPPER} = 0.9\nmin_sample_size = 0"), 7, "at least 1"),
            (&format!("{UPPER} = 0.9\nwindow = 0"), 7, "a time such as \"30d\""),
            (&format!("{UPPER} = 0.9\nwindow = \"0d\""), 7, "a time such as \"30d\""),
            (&format!("{UPPER} = 0.9\ncompat = \"0.5\""), 7, "`compat` is \"0.6.2\""),
            (&format!("{UPPER} = 0.9\nopen_after = 0"), 7, "at least 1"),
            (&format!("{UPPER} = 0.9\nresolve_after = 0"), 7, "at least 1"),
            (&format!("{UPPER} = 0.9\nfail_on = \"all\""), 7, "\"worse\", or \"both\""),
            (&format!("{UPPER} = 0.9\nalpha = 0.1"), 7, "t_test has no key `alpha`; it takes"),
            ("test = \"t_test\"\nupper = 0.99", 4, "write minimum_effect = \"5%\" beside it"),
            ("test = \"welch\"", 4, "minimum_effect = \"none\" if every change matters"),
            ("test = \"welch\"\nminimum_effect = \"5\"", 5, "a share such as \"5%\""),
            ("test = \"welch\"\nminimum_effect = true", 5, "a share such as \"5%\""),
            ("test = \"welch\"\nminimum_effect = \"5%\"\nupper = 0.9", 6, "welch has no key"),
            ("test = \"welch\"\nminimum_effect = \"5%\"\nalpha = 0.7", 6, "above 0 and below 0.5"),
            ("test = \"change\"\nminimum_effect = \"none\"", 4, "change needs a minimum effect"),
            (
                "test = \"rustc_perf\"\nminimum_effect = \"5%\"",
                4,
                "there is no test \"rustc_perf\"",
            ),
            ("filter = \" \"\ntest = \"welch\"", 4, "`filter` is empty"),
            ("test = \"welch\"\nall = []", 5, "one of `test`, `all` and `any`"),
            ("all = []", 4, "`all` is a list"),
            ("rules = [ { test = \"welch\" } ]", 4, "write all = [..] to alarm if every rule does"),
            ("all = [\n{ rules = [], combine = \"any\" } ]", 5, "any = [..] if one does"),
            ("any = { test = \"welch\" }", 4, "`any` is a list"),
            ("any = [ 7 ]", 4, "a criterion is a table"),
            ("any = [\n{ test = \"change\" } ]", 5, "change needs a minimum effect"),
            ("any = [\n{ tset = \"change\" } ]", 5, "unknown key `tset` of a criterion"),
            ("any = [\n{ name = \"b\" } ]", 5, "unknown key `name` of a criterion"),
            (
                "all = [ { test = \"static\", upper = 1 } ]\nupper = 9",
                5,
                "write it beside `test`, inside",
            ),
        ] {
            let message = refused(lines);
            assert!(message.starts_with(&format!("perftest.toml:{line}: ")), "{lines}: {message}");
            assert!(message.contains(problem), "{problem}: {message}");
        }
    }

    #[test]
    fn what_is_wrong_elsewhere_is_reported_with_its_line_too() {
        const GOOD: &str = "test = \"percentage\"\nupper = 0.1\n";
        for (text, line, problem) in [
            (format!("[[threshold]]\n{GOOD}"), 2, "needs a name"),
            (format!("[threshold]\nname = \"a\"\n{GOOD}"), 1, "with two brackets"),
            (
                format!("[[threshold]]\nname = \"a\"\n{GOOD}\n[[threshold]]\nname = \"a\"\n{GOOD}"),
                7,
                "another threshold is named `a`",
            ),
            ("[[thresholds]]\n".into(), 1, "unknown table `thresholds`"),
            ("[[suppress]]\nreason = \"b\"".into(), 2, "needs a filter"),
            ("[[suppress]]\nfilter = \"a\"".into(), 2, "needs a reason"),
            ("[[suppress]]\nfilter = \"a\"\nreason = \"\"".into(), 3, "`reason` is empty"),
            ("[[suppress]]\nfilter = \"a\"\nreasno = \"b\"".into(), 3, "unknown key `reasno`"),
            (
                "[[suppress]]\nfilter = \"a\"\nreason = \"b\"\nuntil = \"soon\"".into(),
                4,
                "until = \"2027-01-31\"",
            ),
            (
                format!(
                    "[[threshold]]\nname = \"a\"\n{GOOD}[[suppress]]\nfilter = \"x\"\nreason = \"b\"\n\
                         threshold = \"c\""
                ),
                6,
                "there is no threshold `c`; the thresholds are: a",
            ),
            (
                "[defaults]\nbudget = 1s".into(),
                2,
                "this is no TOML that tests can read: invalid number. Write texts",
            ),
            ("[[threshold]]\nname = a\n".into(), 2, "no TOML"),
            (
                "[[suppress]]\nfilter = \"a\"\nreason = \"b\"\nuntil = 2027-01-31".into(),
                4,
                "Write texts, times and dates in quotes",
            ),
            ("[[threshold]]\nall = [{ test = \"welch\",\nalpha = 0.1 }]".into(), 2, "no TOML"),
        ] {
            let message = parse(&text).expect_err(&text);
            assert!(message.starts_with(&format!("perftest.toml:{line}: ")), "{text}: {message}");
            assert!(message.contains(problem), "{problem}: {message}");
        }
    }
}
