//! The examples of `docs/reference/stats.md`, run where their files are, and the files that
//! `docs/reference/statistics.md` names.

use super::numbers;
use perftest_tests::{Outcome, clean_command};
use std::path::Path;

/// Commands of the page with the output that it shows.
fn examples(page: &str) -> Vec<(&str, String)> {
    let blocks = page.split("```console\n").skip(1);
    let blocks = blocks.map(|block| block.split("\n```").next().unwrap());
    let mut examples: Vec<(&str, String)> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match line.strip_prefix("$ ") {
            Some(command) => examples.push((command, String::new())),
            None => {
                let printed = &mut examples.last_mut().unwrap().1;
                printed.push_str(line);
                printed.push('\n');
            }
        }
    }
    examples
}

#[test]
fn the_examples_of_the_page_print_what_it_shows() {
    let examples = examples(include_str!("../../../docs/reference/stats.md"));
    assert!(examples.len() >= 12, "{} examples", examples.len());
    let tool = format!("{} perftest", env!("CARGO_BIN_EXE_cargo-perftest"));
    for (command, expected) in examples {
        let shell = command.replace("cargo perftest", &tool);
        let output = Outcome::of(clean_command("sh").args(["-c", &shell]).current_dir(numbers()));
        assert_eq!(output.stdout, expected, "$ {command}\n{}", output.stderr);
    }
}

#[test]
fn every_estimator_of_the_page_is_in_the_file_that_it_names() {
    let page = include_str!("../../../docs/reference/statistics.md");
    let table = page.split_once("\n## Estimators\n").unwrap().1.split("\n## ").next().unwrap();
    let cells = table.lines().filter_map(|line| line.strip_suffix(" |")?.rsplit_once("| "));
    let named: Vec<&str> =
        cells.flat_map(|(_, files)| files.split('`').skip(1).step_by(2)).collect();
    assert!(named.len() >= 15, "{named:?}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for file in named {
        let is_there = |of: &str| root.join(of).join("src/stats").join(file).is_file();
        assert!(is_there("perftest-core") || is_there("perftest-analysis"), "{file}");
    }
}
