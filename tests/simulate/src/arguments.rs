//! The command line.

use perftest_simulate::{Survey, World};
use std::str::FromStr;

pub(crate) const USAGE: &str = "usage: perftest-simulate [--decisions 300] [--history 5,10,30] \
[--slowdown 1.0,1.05,1.10,1.20,2.0] [--world NAME..] [--seed 1] [--markdown | --json | --worlds | \
--side-by-side] [--check]";

/// Most runs that a history of the harness is made of.
const LONGEST_HISTORY: usize = 30;

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) survey: Survey,
    pub(crate) form: Form,
    /// Fail where a promise is clearly broken for no known cause.
    pub(crate) checks: bool,
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Markdown,
    Json,
    /// The worlds, without a simulation.
    Worlds,
    /// Comparisons of two revisions, for a page.
    SideBySide,
}

impl Arguments {
    /// # Errors
    /// What is wrong with the command line.
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Self::default();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next() {
            let survey = &mut arguments.survey;
            let mut value = || words.next().ok_or(format!("{word} needs a value\n{USAGE}"));
            match word.as_str() {
                "--decisions" => survey.decisions = decisions(&value()?)?,
                "--history" => survey.histories = histories(&value()?)?,
                "--slowdown" => survey.slowdowns = slowdowns(&value()?)?,
                "--seed" => survey.seed = number(&word, &value()?)?,
                "--world" => {
                    survey.worlds = worlds(&value()?)?;
                    while let Some(name) = words.next_if(|word| !word.starts_with("--")) {
                        survey.worlds.extend(worlds(&name)?);
                    }
                }
                "--markdown" => arguments.form = Form::Markdown,
                "--json" => arguments.form = Form::Json,
                "--worlds" => arguments.form = Form::Worlds,
                "--side-by-side" => arguments.form = Form::SideBySide,
                "--check" => arguments.checks = true,
                _ => return Err(format!("unknown argument {word}\n{USAGE}")),
            }
        }
        Ok(arguments)
    }
}

impl Default for Arguments {
    fn default() -> Self {
        let survey = Survey {
            decisions: 300,
            histories: vec![5, 10, 30],
            slowdowns: vec![1.0, 1.05, 1.10, 1.20, 2.0],
            worlds: World::all().collect(),
            seed: 1,
        };
        Self { survey, form: Form::Text, checks: false }
    }
}

fn number<N: FromStr>(option: &str, text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|_| format!("{option} {text} is no number"))
}

fn decisions(text: &str) -> Result<u64, String> {
    match number("--decisions", text)? {
        0 => Err("--decisions 0 would show nothing; ask for 1 or more".to_owned()),
        decisions => Ok(decisions),
    }
}

fn histories(text: &str) -> Result<Vec<usize>, String> {
    let parsed: Result<Vec<usize>, String> =
        text.split(',').map(|part| number("--history", part)).collect();
    let mut histories = parsed?;
    histories.sort_unstable();
    histories.dedup();
    match histories.iter().all(|runs| (1..=LONGEST_HISTORY).contains(runs)) {
        true => Ok(histories),
        false => Err(format!("--history {text}: a baseline has 1 to {LONGEST_HISTORY} runs")),
    }
}

fn slowdowns(text: &str) -> Result<Vec<f64>, String> {
    let parsed: Result<Vec<f64>, String> =
        text.split(',').map(|part| number("--slowdown", part)).collect();
    let slowdowns = parsed?;
    match slowdowns.iter().all(|slowdown| slowdown.is_finite() && *slowdown > 0.0) {
        true => Ok(slowdowns),
        false => Err(format!("--slowdown {text}: a factor is above 0, as in 1.10")),
    }
}

fn worlds(text: &str) -> Result<Vec<&'static World>, String> {
    let names: Vec<&str> = World::all().map(|world| world.name).collect();
    let unknown = |name| format!("no world is called {name}; there are {}", names.join(", "));
    text.split(',').map(|name| World::named(name).ok_or_else(|| unknown(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn without_arguments_everything_is_simulated() {
        let arguments = parse("").unwrap();
        assert_eq!(arguments, Arguments::default());
        assert_eq!(arguments.survey.worlds.len(), World::all().count());
    }

    #[test]
    fn each_option_is_taken() {
        let line = "--decisions 40 --history 30,5 --slowdown 1.0,1.5 --world steady drift \
                    --seed 7 --json --check";
        let Arguments { survey, form, checks } = parse(line).unwrap();
        assert_eq!((survey.decisions, survey.histories), (40, vec![5, 30]));
        assert_eq!((survey.slowdowns, survey.seed), (vec![1.0, 1.5], 7));
        let names: Vec<&str> = survey.worlds.iter().map(|world| world.name).collect();
        assert_eq!((names, form, checks), (vec!["steady", "drift"], Form::Json, true));
    }

    #[test]
    fn comparisons_side_by_side_are_asked_for_by_their_number() {
        let Arguments { survey, form, .. } = parse("--side-by-side --decisions 10").unwrap();
        assert_eq!((survey.decisions, form), (10, Form::SideBySide));
    }

    #[test]
    fn bad_input_is_reported_with_its_fix() {
        for (line, expected) in [
            ("--decisions", "--decisions needs a value"),
            ("--decisions many", "--decisions many is no number"),
            ("--decisions 0", "1 or more"),
            ("--history 0", "1 to 30 runs"),
            ("--history 31", "1 to 30 runs"),
            ("--slowdown 0", "above 0"),
            ("--slowdown NaN", "above 0"),
            ("--world nowhere", "there are steady, "),
            ("--fast", "usage: "),
        ] {
            let output = parse(line).unwrap_err();
            assert!(output.contains(expected), "{line}: {output}");
        }
    }
}
