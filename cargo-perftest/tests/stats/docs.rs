//! The examples of `docs/reference/stats.md`, run where their files are.

use super::numbers;
use std::process::Command;

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
        let output =
            Command::new("sh").args(["-c", &shell]).current_dir(numbers()).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed, expected, "$ {command}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}
