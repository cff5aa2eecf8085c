//! Files that a test may read while it runs. Its machine code does not show them.

use super::SourceRevision;
use crate::exit::Result;
use crate::git_checkout::GitCheckout;

/// Files that only cargo, rustup and perftest read.
const OF_TOOLS: [&str; 6] = [
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain",
    "rust-toolchain.toml",
    "perftest.toml",
    "perf-accept.jsonl",
];

/// Returns a file that differs between the revisions and that a test may read; `None` where there is none.
///
/// # Errors
/// When git does not list what differs.
pub(super) fn changed_data_file(
    repository: &GitCheckout,
    base: &SourceRevision,
    head: &SourceRevision,
) -> Result<Option<String>> {
    let question =
        ["diff-tree", "-r", "--name-only", "-z", "--ignore-submodules", &base.commit, &head.commit];
    let changed = repository.git(&question)?;
    Ok(changed.split_terminator('\0').find(|file| is_data(file)).map(str::to_owned))
}

/// Whether a test may read a file of this name. Hidden files are those of CI systems, editors and cargo, whose variables
/// are compared. Sources are compiled, and show in the machine code.
fn is_data(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    let is_source = name.ends_with(".rs") || name.ends_with(".md");
    !is_hidden && !is_source && !OF_TOOLS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_body_may_read_is_data_and_what_cargo_ci_and_people_read_is_none() {
        for file in ["rules/grammar.json", "words.txt", "tests/data/Cargo.toml.in", "logo.png"] {
            assert!(is_data(file), "{file}");
        }
        for file in [
            "src/lib.rs",
            "a/Cargo.toml",
            "Cargo.lock",
            "docs/guide.md",
            ".github/workflows/ci.yml",
            ".cargo/config.toml",
            "a/.gitignore",
            "perftest.toml",
            "perf-accept.jsonl",
        ] {
            assert!(!is_data(file), "{file}");
        }
    }
}
