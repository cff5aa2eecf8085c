//! The help of the tool itself: its commands under headings, by what they are for.

use super::Args;
use clap::{Command, CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::fmt::Write;

/// A heading and the commands under it.
type CommandGroup = (&'static str, &'static [&'static str]);

const GROUPS: [CommandGroup; 8] = [
    ("Set up", &["init", "doctor", "machine", "completions"]),
    ("Judge code", &["run", "compare", "accept"]),
    ("Look at results", &["show", "history", "report"]),
    ("Find the cause", &["bisect", "relink", "profile", "flamegraph"]),
    ("Watch histories", &["check", "drift", "changepoints", "rank", "power"]),
    ("Exchange results", &["export", "import", "push", "pull", "sync", "setup-remote", "merge"]),
    ("Keep histories", &["testbeds", "gc"]),
    ("Study numbers", &["stats", "replay"]),
];

/// Parses these words. Prints the help, or what is wrong, and ends the process where that is the answer.
pub(crate) fn parse(words: Vec<OsString>) -> Args {
    let mut command = command_line();
    let matches = command.try_get_matches_from_mut(words).unwrap_or_else(|error| error.exit());
    Args::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit())
}

/// The command line with its help.
fn command_line() -> Command {
    let command = Args::command().mut_subcommands(with_short_help);
    let commands = listed(&command);
    let header = *command.get_styles().get_header();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{commands}\n{header}Options:{header:#}\n\
         {{options}}{{after-help}}"
    ))
}

/// Leaves examples and exit codes to the long help, here and in the commands below.
fn with_short_help(command: Command) -> Command {
    let command = command.mut_subcommands(with_short_help);
    match command.get_after_help().cloned() {
        Some(more) => command.after_help(None).after_long_help(more),
        None => command,
    }
}

/// The groups with what each command does.
fn listed(command: &Command) -> String {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "\n{header}{heading}:{header:#}");
        for it in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let (name, about) = (it.get_name(), it.get_about().cloned().unwrap_or_default());
            let _ = writeln!(text, "  {literal}{name:<12}{literal:#}  {about}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_listed_once_with_what_it_does() {
        let help = command_line().render_help().to_string();
        let all = Args::command();
        for command in all.get_subcommands() {
            let beginning = format!("  {} ", command.get_name());
            let mut lines = help.lines().filter(|line| line.starts_with(&beginning));
            let line = lines.next().unwrap_or_else(|| panic!("{beginning}in {help}"));
            assert!(line.ends_with(&command.get_about().unwrap().to_string()), "{line}");
            assert_eq!(lines.next(), None, "{help}");
        }
        let names = GROUPS.iter().flat_map(|(_, names)| *names);
        assert_eq!(names.count(), all.get_subcommands().count());
    }

    /// The words of each command below this one, also of those with commands of their own.
    fn every_command(above: &[String], command: &Command) -> Vec<Vec<String>> {
        let below = command.get_subcommands().flat_map(|it| {
            let words = [above, &[it.get_name().to_owned()]].concat();
            [vec![words.clone()], every_command(&words, it)].concat()
        });
        below.collect()
    }

    #[test]
    fn the_short_help_fits_a_screen_and_the_long_one_has_examples_and_exit_codes() {
        let [short, long] = [command_line().render_help(), command_line().render_long_help()]
            .map(|it| it.to_string());
        assert!(short.lines().count() <= 55, "{short}");
        assert!(short.contains("--store <DIR>") && !short.contains("Examples:"), "{short}");
        let asked = |command: &[String], option: &str| {
            let words = command.iter().map(String::as_str).chain([option]);
            let words = ["cargo-perftest"].into_iter().chain(words);
            command_line().try_get_matches_from(words).unwrap_err().to_string()
        };
        for command in every_command(&[], &Args::command()) {
            let [short, long] = ["-h", "--help"].map(|option| asked(&command, option));
            assert!(!short.contains("Examples:") && short.contains("--help"), "{short}");
            for part in ["\nExamples:\n", "\nExit codes:\n  0  "] {
                assert!(long.contains(part), "{part} in {long}");
            }
        }
        for part in ["\nExamples:\n", "\nExit codes:\n", "\nJudge code:\n  run "] {
            assert!(long.contains(part), "{part} in {long}");
        }
    }
}
