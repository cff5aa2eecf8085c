//! The command line of a test binary, as libtest understands it.

use crate::perf_test::PerfTest;
use perftest_core::named;

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HarnessCommand {
    /// Print the usage.
    Help,
    /// Print the names.
    List,
    /// Run the tests.
    Run,
}

named! {
    /// How results are printed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum ResultFormat {
        /// One line a test.
        Pretty = "pretty",
        /// One character a test.
        Terse = "terse",
        /// JSON events, one a line.
        Json = "json",
    }
}

/// Which ignored tests run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IgnoredTests {
    /// No ignored test: each is reported as ignored.
    Skip,
    /// Only the ignored tests.
    Only,
    /// The ignored tests beside the others.
    Include,
}

named! {
    /// When to colour.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Color {
        Auto = "auto",
        Always = "always",
        Never = "never",
    }
}

/// A parsed command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub command: HarnessCommand,
    pub format: ResultFormat,
    pub ignored: IgnoredTests,
    pub color: Color,
    /// A test runs when it matches any of these, or when there is none.
    pub filters: Vec<String>,
    /// A test does not run when it matches any of these.
    pub skip: Vec<String>,
    /// Filters are whole names.
    pub exact: bool,
    /// Stop at the first failure.
    pub fail_fast: bool,
    /// Write the results into this file as well.
    pub logfile: Option<String>,
    /// `cargo bench` passed `--bench`: measure in a bench target.
    pub bench: bool,
    /// Seed of a random order.
    pub shuffle: Option<u64>,
}

/// The usage text.
pub(crate) const HELP: &str = "\
Usage: [OPTIONS] [FILTERS...]

Runs the perf tests whose name contains one of the FILTERS, or all of them.

Options:
        --include-ignored   Run ignored and not ignored tests
        --ignored           Run only ignored tests
        --list              List all tests
        --exact             Match filters exactly rather than by substring
        --skip FILTER       Skip tests whose name contains FILTER (several allowed)
        --format pretty|terse|json
                            Format of the results; json is one event a line
    -q, --quiet             The same as --format terse
        --color auto|always|never
        --fail-fast         Stop at the first failure
        --shuffle, --shuffle-seed SEED
                            Run in random order
        --logfile PATH      Write the results into a file as well
        --bench             Measure in a bench target; `cargo bench` passes it
        --no-capture, --nocapture, --show-output, --test-threads N, --test, -Z OPTION,
        --report-time, --ensure-time, --exclude-should-panic, --force-run-in-process
                            Accepted as by libtest; perf tests always run one after another and
                            their output is never held back
    -h, --help              Show this text

Settings are environment variables:
    PERFTEST_STORE=DIR|off|read-only   where the history is kept
    PERFTEST_MODE=smoke|measure        run each body once, or measure in every build
    PERFTEST_MODE=list-effective       show the settings of each test, and where each is set
    PERFTEST_PROFILE=NAME              profile of perftest.toml; in CI it is ci
    PERFTEST_TOLERANCE=5%              overrides attributes and perftest.toml; so do PERFTEST_BUDGET,
                                       PERFTEST_LIMIT, PERFTEST_TIMEOUT, PERFTEST_MAX_MEASUREMENTS,
                                       PERFTEST_ON_RED, PERFTEST_ON_IMPROVED, PERFTEST_ON_UNCLEAR,
                                       PERFTEST_ON_UNJUDGED, PERFTEST_ON_DEBUG and PERFTEST_LEARN
    PERFTEST_TESTBED=NAME              name of this class of machines
    PERFTEST_CLOCK=finest|monotonic    which clock measures
    PERFTEST_EPOCH=new                 a machine at another speed begins a new series at once
    PERFTEST_INSTRUCTIONS=valgrind     count instructions under valgrind where the processor cannot
    PERFTEST_DEFAULT_BRANCH=NAME       default branch, whatever CI and origin/HEAD name
    PERFTEST_SESSION=NAME              name of this session in the records

Examples:
    cargo test --release --test perf                     all perf tests of the target
    cargo test --release --test perf -- sort hash        those with sort or hash in the name
    cargo test --release --test perf -- --exact sort::ten_thousand
";

/// Flags of libtest that are accepted without an effect.
const ACCEPTED: [&str; 8] = [
    "--no-capture",
    "--nocapture",
    "--show-output",
    "--test",
    "--report-time",
    "--ensure-time",
    "--exclude-should-panic",
    "--force-run-in-process",
];

impl Arguments {
    /// Parses the arguments after the program's name.
    ///
    /// # Errors
    /// A message for unknown options and values.
    pub(crate) fn parse(arguments: &mut dyn Iterator<Item = String>) -> Result<Self, String> {
        let mut parsed = Self {
            command: HarnessCommand::Run,
            format: ResultFormat::Pretty,
            ignored: IgnoredTests::Skip,
            color: Color::Auto,
            filters: Vec::new(),
            skip: Vec::new(),
            exact: false,
            fail_fast: false,
            logfile: None,
            bench: false,
            shuffle: None,
        };
        while let Some(argument) = arguments.next() {
            if argument == "--" {
                parsed.filters.extend(&mut *arguments);
            } else if argument.starts_with('-') && argument.len() > 1 {
                parsed.option(&argument, arguments)?;
            } else {
                parsed.filters.push(argument);
            }
        }
        Ok(parsed)
    }

    fn option(
        &mut self,
        argument: &str,
        rest: &mut dyn Iterator<Item = String>,
    ) -> Result<(), String> {
        let (name, inline) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (argument, None),
        };
        let mut value = || {
            let next = inline.clone().or_else(|| rest.next());
            next.ok_or_else(|| format!("option `{name}` needs a value; see --help"))
        };
        match name {
            "-h" | "--help" => self.command = HarnessCommand::Help,
            "--list" => self.command = HarnessCommand::List,
            "--exact" => self.exact = true,
            "--bench" => self.bench = true,
            "--ignored" => self.ignored = IgnoredTests::Only,
            "--include-ignored" => self.ignored = IgnoredTests::Include,
            "--fail-fast" => self.fail_fast = true,
            "-q" | "--quiet" => self.format = ResultFormat::Terse,
            "--skip" => self.skip.push(value()?),
            "--logfile" => self.logfile = Some(value()?),
            "--format" => self.format = format(&value()?)?,
            "--color" => self.color = color(&value()?)?,
            "--shuffle" => self.shuffle = Some(crate::provenance::entropy() as u64),
            "--shuffle-seed" => self.shuffle = Some(number(name, &value()?)?),
            "--test-threads" => drop(number(name, &value()?)?),
            "-Z" => drop(value()?),
            _ if ACCEPTED.contains(&name) => {}
            _ if name.starts_with("-Z") => {}
            _ => {
                return Err(format!(
                    "unknown option `{argument}`; see --help. Settings of perftest are \
                     environment variables: PERFTEST_MODE, PERFTEST_STORE .."
                ));
            }
        }
        Ok(())
    }

    /// Returns whether this test is listed, and runs unless it is ignored.
    pub(crate) fn lists(&self, test: &PerfTest) -> bool {
        self.selects(&[&test.listed_name()])
            && (self.ignored != IgnoredTests::Only || test.ignore.is_some())
    }

    /// Returns whether a test that is listed by any of these names is selected.
    pub(crate) fn selects(&self, names: &[&str]) -> bool {
        let matches = |filter: &String| {
            let is_it = |name: &&str| {
                if self.exact { *name == filter } else { name.contains(filter.as_str()) }
            };
            names.iter().any(is_it)
        };
        (self.filters.is_empty() || self.filters.iter().any(matches))
            && !self.skip.iter().any(matches)
    }
}

fn format(value: &str) -> Result<ResultFormat, String> {
    ResultFormat::from_name(value)
        .ok_or_else(|| format!("unknown format `{value}`; it takes pretty, terse or json"))
}

fn color(value: &str) -> Result<Color, String> {
    Color::from_name(value)
        .ok_or_else(|| format!("unknown color `{value}`; it takes auto, always or never"))
}

fn number(name: &str, value: &str) -> Result<u64, String> {
    value.parse().map_err(|_| format!("`{name} {value}`: a whole number is needed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::FURTHER;
    use crate::settings::setting_variables;
    use perftest_process::SESSION_VARIABLE;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(&mut line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn the_help_has_every_variable_that_users_set() {
        let further = FURTHER.into_iter().chain([SESSION_VARIABLE]).map(str::to_owned);
        for variable in setting_variables().chain(further) {
            assert!(HELP.contains(&variable), "{variable}");
        }
    }

    #[test]
    fn several_filters_are_alternatives_and_skip_wins() {
        let arguments = parse("sort hash --skip slow").unwrap();
        assert!(arguments.selects(&["sort::ten"]) && arguments.selects(&["a::hash"]));
        assert!(!arguments.selects(&["json"]) && !arguments.selects(&["sort::slow"]));
    }

    #[test]
    fn exact_compares_whole_names_and_skips() {
        let arguments = parse("--exact sort::ten --nocapture").unwrap();
        assert!(arguments.selects(&["sort::ten"]));
        assert!(!arguments.selects(&["sort::ten_thousand"]));
    }

    #[test]
    fn a_test_of_two_names_is_selected_and_skipped_by_either() {
        let names = ["encode::Vec<u8>::16", "encode::Vec_u8___16"];
        for line in ["--exact encode::Vec<u8>::16", "--exact encode::Vec_u8___16", "encode"] {
            assert!(parse(line).unwrap().selects(&names), "{line}");
        }
        assert!(!parse("encode --skip Vec_u8").unwrap().selects(&names));
        assert!(!parse("decode").unwrap().selects(&names));
    }

    #[test]
    fn what_nextest_and_cargo_pass_is_understood() {
        assert_eq!(parse("--list --format terse --ignored").unwrap().command, HarnessCommand::List);
        assert_eq!(parse("--list --format=terse").unwrap().format, ResultFormat::Terse);
        let run = parse("--exact a::b --nocapture --ignored --bench").unwrap();
        assert_eq!((run.ignored, run.exact, run.bench), (IgnoredTests::Only, true, true));
        assert_eq!(parse("-Z unstable-options --test-threads 4 a").unwrap().filters, ["a"]);
        assert_eq!(parse("-Zunstable-options --format=json").unwrap().format, ResultFormat::Json);
    }

    #[test]
    fn everything_behind_two_dashes_is_a_filter() {
        assert_eq!(parse("-- --list").unwrap().filters, ["--list"]);
    }

    #[test]
    fn unknown_options_and_values_are_refused_by_name() {
        for (line, named) in [
            ("--fast", "--fast"),
            ("--format xml", "xml"),
            ("--color blue", "blue"),
            ("--test-threads many", "many"),
            ("--skip", "--skip"),
        ] {
            let message = parse(line).unwrap_err();
            assert!(message.contains(named), "{message}");
        }
    }
}
