//! The page as a file. What people do with it in a browser: `ci/campaigns/flamegraph.sh`.

use super::{error, files, text, tool};
use perftest_tests::Outcome;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn page(args: &[&str]) -> String {
    let root = TempDir::new().unwrap();
    let out = root.path().join("page.html");
    let printed = text(&[&["flamegraph"], args, &["--out", out.to_str().unwrap()]].concat());
    let cause = if args.contains(&"--base") { CAUSE } else { "" };
    assert_eq!(printed, format!("wrote {}\n{cause}", out.display()));
    fs::read_to_string(out).unwrap()
}

/// Of `base.folded` and `new.folded`: their difference is small for so few samples.
const CAUSE: &str =
    "no function's own time changed beyond chance: more samples show smaller changes\n";

#[test]
fn a_page_is_one_file_that_loads_nothing() {
    let page = page(&["--base", "base.folded", "new.folded"]);
    assert!(page.contains("default-src 'none'"));
    for loaded in ["http://", "https://", "src=", "url(", "@import", "fetch(", "<link"] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    assert!(page.contains("\"base\":\"base.folded\"") && page.contains("\"new\":\"new.folded\""));
    assert!(page.contains("What this page cannot show"));
}

#[test]
fn a_page_of_one_profile_has_no_base() {
    let page = page(&["recorded.perf"]);
    assert!(page.contains("\"base\":null") && !page.contains("\"baseOwn\":"));
}

#[test]
fn a_page_without_a_place_is_in_the_target_directory_or_outside_of_a_project_here() {
    let root = TempDir::new().unwrap();
    let base = files().join("base.folded");
    let written = |directory: &Path| {
        let mut tool = tool(&["flamegraph", base.to_str().unwrap()]);
        Outcome::of(tool.current_dir(directory)).stdout
    };
    assert_eq!(written(root.path()), "wrote flamegraph-base.html\n");
    fs::write(root.path().join("Cargo.toml"), "[package]\nname = \"tiny\"\n").unwrap();
    fs::create_dir(root.path().join("src")).unwrap();
    fs::write(root.path().join("src/lib.rs"), "").unwrap();
    let page = Path::new("target/perftest/flamegraph-base.html");
    assert_eq!(written(root.path()), format!("wrote {}\n", page.display()));
    assert!(root.path().join(page).is_file());
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let base = files().join("base.folded");
    let wrong = error(&["flamegraph", base.to_str().unwrap(), "--out", "no/such/page.html"]);
    assert!(wrong.contains("cannot write no/such/page.html"), "{wrong}");
}
