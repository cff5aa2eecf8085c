//! Where the page of a flame graph is written.

use crate::cargo::metadata;
use crate::exit::{CommandError, Result};
use crate::history_directory::here;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Longest name of a test in the name of a page, in letters.
const LONGEST_NAME: usize = 100;

/// Returns the page that was asked for, or `perftest/flamegraph-TEST.html` in cargo's target directory.
/// Without a project the page is in the working directory. `subject` is a test or a file.
///
/// # Errors
/// When the directory cannot be made.
pub(super) fn page_path(out: Option<&Path>, subject: &Path) -> Result<PathBuf> {
    if let Some(out) = out {
        return Ok(out.to_owned());
    }
    let here = here()?;
    let name = page_name(subject);
    let metadata = metadata(&here).ok();
    let target = metadata.as_ref().and_then(|it| it["target_directory"].as_str());
    let Some(target) = target else {
        return Ok(name.into());
    };
    let directory = Path::new(target).join("perftest");
    fs::create_dir_all(&directory).map_err(|error| {
        CommandError::Usage(format!("cannot write in {}: {error}", directory.display()))
    })?;
    let page = directory.join(name);
    Ok(page.strip_prefix(&here).map_or_else(|_| page.clone(), Path::to_owned))
}

fn page_name(subject: &Path) -> String {
    let subject = if subject.exists() { subject.file_stem() } else { Some(subject.as_os_str()) };
    let subject = subject.unwrap_or(OsStr::new("")).to_string_lossy();
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let parts = subject.split(|letter: char| !is_plain(letter)).filter(|part| !part.is_empty());
    let name: String = parts.collect::<Vec<_>>().join("-").chars().take(LONGEST_NAME).collect();
    if name.is_empty() { "flamegraph.html".to_owned() } else { format!("flamegraph-{name}.html") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_page_has_the_test_and_no_directory() {
        let of = |subject: &str| page_name(Path::new(subject));
        assert_eq!(of("codec::frame::encode/pack"), "flamegraph-codec-frame-encode-pack.html");
        assert_eq!(of("../../etc/<x>"), "flamegraph-..-..-etc-x.html");
        assert_eq!(of("-"), "flamegraph.html");
        assert!(of(&"x".repeat(9_000)).len() < 200);
    }

    #[test]
    fn a_page_that_was_asked_for_is_written_there() {
        let out = Path::new("a/b.html");
        assert_eq!(page_path(Some(out), Path::new("t")).unwrap(), out);
    }
}
